// Derivative of cell.concat. Linear: the adjoint of an operand is its slice.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.concat %{{.*}}, %{{.*}} dim 1 : (tensor<2x1xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>
func.func private @f(%x: tensor<2x1xf64>, %y: tensor<2x2xf64>) -> tensor<2x3xf64> {
  %0 = cell.concat %x, %y dim 1 : (tensor<2x1xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<2x3xf64>)
// ADJOINT-NEXT: %[[A:.*]] = cell.slice %[[CT]] from [0, 0] to [2, 1] by [1, 1] : tensor<2x3xf64> -> tensor<2x1xf64>
// ADJOINT-NEXT: %[[B:.*]] = cell.slice %[[CT]] from [0, 1] to [2, 3] by [1, 1] : tensor<2x3xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: return %[[A]], %[[B]]
func.func @vjp(%x: tensor<2x1xf64>, %y: tensor<2x2xf64>, %ct: tensor<2x3xf64>) -> (tensor<2x1xf64>, tensor<2x2xf64>) {
  %0:3 = cell.vjp @f(%x, %y) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x2xf64>)
  return %0#1, %0#2 : tensor<2x1xf64>, tensor<2x2xf64>
}

// The tangent of an operand that has none is a zero of its shape.
// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<2x2xf64>)
// ADJOINT-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<2x1xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.concat %[[Z]], %[[T]] dim 1
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2x1xf64>, %y: tensor<2x2xf64>, %t: tensor<2x2xf64>) -> tensor<2x3xf64> {
  %0:2 = cell.jvp @f(%x, %y) tangents(%t) wrt [1] of [0] : (tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// <J t, w> = 1 * 2 - 3 + 6 = <t, J^T w>.
// VALUES:      result 0: tensor<2x3xf64> {{\[\[1.0, 2.0, 3.0\], \[4.0, 5.0, 6.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x1xf64> {{\[\[1.0\], \[4.0\]\]}}
// VALUES-NEXT: result 2: tensor<2x2xf64> {{\[\[2.0, 3.0\], \[5.0, 6.0\]\]}}
// VALUES-NEXT: result 3: tensor<2x3xf64> {{\[\[0.0, 1.0, -1.0\], \[0.0, 0.0, 1.0\]\]}}
func.func @values() -> (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>) {
  %x = cell.constant dense<[[1.0], [4.0]]> : tensor<2x1xf64>
  %y = cell.constant dense<[[2.0, 3.0], [5.0, 6.0]]> : tensor<2x2xf64>
  %w = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %t = cell.constant dense<[[1.0, -1.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %0:3 = cell.vjp @f(%x, %y) cotangents(%w) of [0] wrt [0, 1] : (tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x2xf64>)
  %1:2 = cell.jvp @f(%x, %y) tangents(%t) wrt [1] of [0] : (tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>
}
