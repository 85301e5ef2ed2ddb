// Calls in differentiated functions are inlined; printing happens once, in the primal.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.square %x : tensor<f64>
  %1 = cell.mul %0, %x : tensor<f64>
  cell.print "cube {}" (%1 : tensor<f64>)
  return %1 : tensor<f64>
}
func.func private @twice(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @cube(%x) : (tensor<f64>) -> tensor<f64>
  %1 = call @cube(%0) : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

// CHECK-LABEL: func.func @gradient(
// CHECK-NOT: call
// CHECK-COUNT-2: cell.print
// CHECK-NOT: cell.print
// CHECK: return
func.func @gradient(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @twice(%x) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// (x^3)^3 = x^9, whose derivative at 2 is 9 * 256.
// VALUES:      cube 8.0
// VALUES-NEXT: cube 512.0
// VALUES-NEXT: result 0: tensor<f64> 2304.0
func.func @values() -> tensor<f64> {
  %x = cell.constant dense<2.0> : tensor<f64>
  %one = cell.constant dense<1.0> : tensor<f64>
  %0 = call @gradient(%x, %one) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
