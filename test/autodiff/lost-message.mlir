// A message whose cotangent would be lost.
// RUN: not cell-opt %s --cell-differentiate -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOST

// What is sent depends on x, and its zeros are not used: the gradient would lack a part.
// LOST: error: 'cell.send' op sends what the derivative is by, and what it gives is not used
func.func private @lost(%x: tensor<2xf64>) -> tensor<2xf64> {
  %zeros = cell.send %x to 1 tag 5 : tensor<2xf64>
  return %x : tensor<2xf64>
}
func.func @of_lost(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @lost(%x) cotangents(%x) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
