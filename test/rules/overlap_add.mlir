// Derivative of cell.overlap_add. Linear: the adjoint takes the windows of the cotangent.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.overlap_add %{{.*}} strides [1] dilations [1] : tensor<2x2xf64> -> tensor<3xf64>
func.func private @f(%y: tensor<2x2xf64>) -> tensor<3xf64> {
  %0 = cell.overlap_add %y strides [1] dilations [1] : tensor<2x2xf64> -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<3xf64>)
// ADJOINT-NEXT: %[[A:.*]] = cell.windows %[[CT]] sizes [2] strides [1] dilations [1] : tensor<3xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: return %[[A]]
func.func @vjp(%y: tensor<2x2xf64>, %ct: tensor<3xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.vjp @f(%y) cotangents(%ct) of [0] wrt [0] : (tensor<2x2xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// VALUES:      result 0: tensor<3xf64> [1.0, 5.0, 4.0]
// VALUES-NEXT: result 1: tensor<2x2xf64> {{\[\[10.0, 20.0\], \[20.0, 30.0\]\]}}
// VALUES-NEXT: result 2: tensor<3xf64> [5.0, 13.0, 8.0]
func.func @values() -> (tensor<3xf64>, tensor<2x2xf64>, tensor<3xf64>) {
  %y = cell.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %ct = cell.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf64>
  %t = cell.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf64>
  %0:2 = cell.vjp @f(%y) cotangents(%ct) of [0] wrt [0] : (tensor<2x2xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<2x2xf64>)
  %1:2 = cell.jvp @f(%y) tangents(%t) wrt [0] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#0, %0#1, %1#1 : tensor<3xf64>, tensor<2x2xf64>, tensor<3xf64>
}
