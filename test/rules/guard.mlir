// Derivative of cell.guard: none where it puts a 0 in place of an infinity or a NaN.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.guard %{{.*}}, %{{.*}} : tensor<6xf64>
func.func private @f(%x: tensor<6xf64>, %c: tensor<6xf64>) -> tensor<6xf64> {
  %0 = cell.guard %x, %c : tensor<6xf64>
  return %0 : tensor<6xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<6xf64>, %[[C:[a-z0-9]+]]: tensor<6xf64>, %[[CT:[a-z0-9]+]]: tensor<6xf64>)
// ADJOINT-DAG: %[[Z:.*]] = cell.constant dense<0.000000e+00>
// ADJOINT-DAG: %[[MASKED:.*]] = cell.equal %[[C]], %[[Z]]
// ADJOINT-DAG: %[[FINITE:.*]] = cell.is_finite %[[X]]
// ADJOINT: %[[NOT:.*]] = cell.logical_not %[[FINITE]]
// ADJOINT: %[[GONE:.*]] = cell.logical_and %[[MASKED]], %[[NOT]]
// ADJOINT: %[[R:.*]] = cell.select %[[GONE]], %[[Z]], %[[CT]]
// ADJOINT: return %[[R]]
func.func @vjp(%x: tensor<6xf64>, %c: tensor<6xf64>, %ct: tensor<6xf64>) -> tensor<6xf64> {
  %0:2 = cell.vjp @f(%x, %c) cotangents(%ct) of [0] wrt [0] : (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
  return %0#1 : tensor<6xf64>
}

// An infinity that meets a cotangent other than zero is the program's own.
// VALUES:      result 0: tensor<6xf64> [2.0, 0.0, 0.0, 2.0, inf, nan]
// VALUES-NEXT: result 1: tensor<6xf64> [5.0, 0.0, 0.0, 5.0, 5.0, 5.0]
// VALUES-NEXT: result 2: tensor<6xf64> [3.0, 0.0, 0.0, 3.0, 3.0, 3.0]
func.func @values() -> (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) {
  %x = cell.constant dense<[2.0, 0x7FF0000000000000, 0x7FF8000000000000, 2.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>
  %c = cell.constant dense<[0.0, 0.0, -0.0, 1.0, 1.0e-300, -1.0]> : tensor<6xf64>
  %ct = cell.constant dense<5.0> : tensor<6xf64>
  %t = cell.constant dense<3.0> : tensor<6xf64>
  %0:2 = cell.vjp @f(%x, %c) cotangents(%ct) of [0] wrt [0] : (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
  %1:2 = cell.jvp @f(%x, %c) tangents(%t) wrt [0] of [0] : (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
  return %0#0, %0#1, %1#1 : tensor<6xf64>, tensor<6xf64>, tensor<6xf64>
}

// A finite product may have a tangent that is not: 0 * sqrt(x) at 0. It is guarded as well.
// RUN: cell-run %s --entry=tangents --passes=cell-differentiate | FileCheck %s --check-prefix=TANGENTS
// TANGENTS: result 0: tensor<6xf64> [0.0, 0.0, 3.0, 0.0, inf, nan]
func.func @tangents() -> tensor<6xf64> {
  %x = cell.constant dense<[2.0, 0.0, 2.0, 0x7FF0000000000000, 2.0, 2.0]> : tensor<6xf64>
  %c = cell.constant dense<[0.0, 0.0, -0.0, 0.0, 1.0, -1.0]> : tensor<6xf64>
  %t = cell.constant dense<[0x7FF0000000000000, 0x7FF8000000000000, 3.0, 3.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>
  %0:2 = cell.jvp @f(%x, %c) tangents(%t) wrt [0] of [0] : (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
  return %0#1 : tensor<6xf64>
}
