// A cotangent or tangent known to be zero is never built, also before any simplification.
// RUN: cell-opt %s --cell-differentiate=simplify=false | FileCheck %s

func.func private @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %0 = cell.exp %x : tensor<4xf64>
  %1 = cell.mul %0, %y : tensor<4xf64>
  %2 = cell.log %y : tensor<4xf64>
  return %1, %2 : tensor<4xf64>, tensor<4xf64>
}

// The second result has no cotangent: neither a zero nor the adjoint of log.
// CHECK-LABEL: func.func @vjp(
// CHECK-NOT: cell.constant
// CHECK-NOT: cell.div
// CHECK-NOT: cell.add
// CHECK: return
func.func @vjp(%x: tensor<4xf64>, %y: tensor<4xf64>, %ct: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %0:4 = cell.vjp @f(%x, %y) cotangents(%ct) of [0] wrt [0, 1] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %0#2, %0#3 : tensor<4xf64>, tensor<4xf64>
}

// The second argument has no tangent: one product, no sum.
// CHECK-LABEL: func.func @jvp(
// CHECK-NOT: cell.constant
// CHECK-NOT: cell.div
// CHECK-NOT: cell.add
// CHECK: return
func.func @jvp(%x: tensor<4xf64>, %y: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %0:3 = cell.jvp @f(%x, %y) tangents(%t) wrt [0] of [0] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %0#2 : tensor<4xf64>
}

// A zero that is a result is built where it is returned, one constant.
// CHECK-LABEL: func.func @returned(
// CHECK-COUNT-1: cell.constant
// CHECK-NOT: cell.constant
// CHECK: return
func.func @returned(%x: tensor<4xf64>, %y: tensor<4xf64>, %ct: tensor<4xf64>) -> tensor<4xf64> {
  %0:3 = cell.vjp @f(%x, %y) cotangents(%ct) of [1] wrt [0] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %0#2 : tensor<4xf64>
}
