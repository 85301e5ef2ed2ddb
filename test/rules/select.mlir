// Derivative of cell.select. The cotangent is masked before it enters a branch.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf64>
func.func private @f(%c: tensor<4xi1>, %a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.select %c, %a, %b : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[C:[a-z0-9]+]]: tensor<4xi1>, {{.*}}, %[[CT:[a-z0-9]+]]: tensor<4xf64>)
// ADJOINT-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00>
// ADJOINT-NEXT: %[[A:.*]] = cell.select %[[C]], %[[CT]], %[[Z]]
// ADJOINT-NEXT: %[[B:.*]] = cell.select %[[C]], %[[Z]], %[[CT]]
// ADJOINT-NEXT: return %[[A]], %[[B]]
func.func @vjp(%c: tensor<4xi1>, %a: tensor<4xf64>, %b: tensor<4xf64>, %ct: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %0:3 = cell.vjp @f(%c, %a, %b) cotangents(%ct) of [0] wrt [1, 2] : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %0#1, %0#2 : tensor<4xf64>, tensor<4xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[C:[a-z0-9]+]]: tensor<4xi1>, {{.*}}, %[[T:[a-z0-9]+]]: tensor<4xf64>, %[[U:[a-z0-9]+]]: tensor<4xf64>)
// ADJOINT-NEXT: %[[R:.*]] = cell.select %[[C]], %[[T]], %[[U]]
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%c: tensor<4xi1>, %a: tensor<4xf64>, %b: tensor<4xf64>, %t: tensor<4xf64>, %u: tensor<4xf64>) -> tensor<4xf64> {
  %0:2 = cell.jvp @f(%c, %a, %b) tangents(%t, %u) wrt [1, 2] of [0] : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// Infinite and NaN cotangents do not leak into the branch not taken either.
// VALUES:      result 0: tensor<4xf64> [1.0, -2.0, nan, -4.0]
// VALUES-NEXT: result 1: tensor<4xf64> [10.0, 0.0, inf, 0.0]
// VALUES-NEXT: result 2: tensor<4xf64> [0.0, 20.0, 0.0, nan]
// VALUES-NEXT: result 3: tensor<4xf64> [0.1, 2.0, 0.3, 4.0]
func.func @values() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %c = cell.constant dense<[true, false, true, false]> : tensor<4xi1>
  %a = cell.constant dense<[1.0, 2.0, 0x7FF8000000000000, 4.0]> : tensor<4xf64>
  %b = cell.constant dense<[-1.0, -2.0, -3.0, -4.0]> : tensor<4xf64>
  %w = cell.constant dense<[10.0, 20.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %t = cell.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf64>
  %u = cell.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %0:3 = cell.vjp @f(%c, %a, %b) cotangents(%w) of [0] wrt [1, 2] : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  %1:2 = cell.jvp @f(%c, %a, %b) tangents(%t, %u) wrt [1, 2] of [0] : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}
