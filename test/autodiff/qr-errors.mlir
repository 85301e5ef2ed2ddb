// Where a QR decomposition has no derivative.
// RUN: cell-opt %s --split-input-file --verify-diagnostics --cell-differentiate

func.func private @wide(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{'cell.qr' op is differentiable for matrices of at least as many rows as columns, but the operand is 'tensor<2x3xf32>'; factorize the first columns, or the transposed matrix}}
  %0:2 = cell.qr %x : tensor<2x3xf32> -> tensor<2x2xf32>, tensor<2x3xf32>
  return %0#0 : tensor<2x2xf32>
}
func.func @vjp(%x: tensor<2x3xf32>, %ct: tensor<2x2xf32>) -> tensor<2x3xf32> {
  %0:2 = cell.vjp @wide(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x3xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>)
  return %0#1 : tensor<2x3xf32>
}

// -----

func.func private @complete(%x: tensor<3x2xf32>) -> tensor<3x3xf32> {
  // expected-error@+1 {{'cell.qr' op is differentiable in its reduced form only, as the additional columns of q are not unique; leave out 'complete'}}
  %0:2 = cell.qr %x {complete = true} : tensor<3x2xf32> -> tensor<3x3xf32>, tensor<3x2xf32>
  return %0#0 : tensor<3x3xf32>
}
func.func @jvp(%x: tensor<3x2xf32>, %t: tensor<3x2xf32>) -> tensor<3x3xf32> {
  %0:2 = cell.jvp @complete(%x) tangents(%t) wrt [0] of [0] : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>)
  return %0#1 : tensor<3x3xf32>
}
