// Which arguments and results take part: unused ones, subsets, the same value twice, several results.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

func.func private @two(%x: tensor<f64>, %y: tensor<f64>, %unused: tensor<3xf64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %0 = cell.mul %x, %y : tensor<f64>
  %1 = cell.sin %x : tensor<f64>
  return %0, %1, %y : tensor<f64>, tensor<f64>, tensor<f64>
}

// An argument that nothing depends on has a zero of its own shape.
// CHECK-LABEL: func.func @unused(
// CHECK-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<3xf64>
// CHECK-NEXT: return %[[Z]]
func.func @unused(%x: tensor<f64>, %y: tensor<f64>, %u: tensor<3xf64>, %ct: tensor<f64>) -> tensor<3xf64> {
  %0:4 = cell.vjp @two(%x, %y, %u) cotangents(%ct) of [0] wrt [2] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<3xf64>)
  return %0#3 : tensor<3xf64>
}

// Only the result asked for gets adjoint code: no cosine of the other one.
// CHECK-LABEL: func.func @one_result(
// CHECK-SAME: %{{.*}}: tensor<f64>, %[[Y:.*]]: tensor<f64>, %{{.*}}: tensor<3xf64>, %[[CT:.*]]: tensor<f64>)
// CHECK-NEXT: %[[R:.*]] = cell.mul %[[CT]], %[[Y]]
// CHECK-NEXT: return %[[R]]
func.func @one_result(%x: tensor<f64>, %y: tensor<f64>, %u: tensor<3xf64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:4 = cell.vjp @two(%x, %y, %u) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#3 : tensor<f64>
}

// A result that does not depend on the argument has a zero tangent.
// CHECK-LABEL: func.func @no_tangent(
// CHECK-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT: return %[[Z]]
func.func @no_tangent(%x: tensor<f64>, %y: tensor<f64>, %u: tensor<3xf64>, %t: tensor<f64>) -> tensor<f64> {
  %0:4 = cell.jvp @two(%x, %y, %u) tangents(%t) wrt [1] of [1] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#3 : tensor<f64>
}

// The cotangent of a result that is an argument goes straight through.
// CHECK-LABEL: func.func @straight(
// CHECK-SAME: %[[CT:[a-z0-9]*]]: tensor<f64>)
// CHECK-NEXT: return %[[CT]]
func.func @straight(%x: tensor<f64>, %y: tensor<f64>, %u: tensor<3xf64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:4 = cell.vjp @two(%x, %y, %u) cotangents(%ct) of [2] wrt [1] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#3 : tensor<f64>
}

// No result asked for, no argument asked for: the primal alone.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: cell.mul
// CHECK-NEXT: return
func.func @nothing(%x: tensor<f64>, %y: tensor<f64>, %u: tensor<3xf64>) -> tensor<f64> {
  %0:3 = cell.vjp @two(%x, %y, %u) cotangents() of [] wrt [] : (tensor<f64>, tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0 : tensor<f64>
}

// At x = 3, y = 5, cotangents 7 of x y and 11 of y, none of sin(x): dx = 7 * 5, dy = 7 * 3 + 11. The order of `wrt`
// is that of the results. The same value passed as x and y keeps its two derivatives apart: at 3, both are 7 * 3.
// VALUES:      result 0: tensor<f64> 15.0
// VALUES-NEXT: result 1: tensor<f64> 32.0
// VALUES-NEXT: result 2: tensor<f64> 35.0
// VALUES-NEXT: result 3: tensor<f64> 21.0
// VALUES-NEXT: result 4: tensor<f64> 21.0
// VALUES-NEXT: result 5: tensor<f64> 21.0
func.func @values() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = cell.constant dense<3.0> : tensor<f64>
  %y = cell.constant dense<5.0> : tensor<f64>
  %u = cell.constant dense<0.0> : tensor<3xf64>
  %a = cell.constant dense<7.0> : tensor<f64>
  %b = cell.constant dense<11.0> : tensor<f64>
  %0:5 = cell.vjp @two(%x, %y, %u) cotangents(%b, %a) of [2, 0] wrt [1, 0] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  %1:5 = cell.vjp @two(%x, %x, %u) cotangents(%a) of [0] wrt [0, 1] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  %2:4 = cell.jvp @two(%x, %x, %u) tangents(%a) wrt [1] of [0] : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0, %0#3, %0#4, %1#3, %1#4, %2#3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}
