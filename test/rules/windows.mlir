// Derivative of cell.windows. Linear: the adjoint adds windows up where they overlap.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.windows %{{.*}} sizes [2] strides [1] dilations [2] : tensor<5xf64> -> tensor<3x2xf64>
func.func private @f(%x: tensor<5xf64>) -> tensor<3x2xf64> {
  %0 = cell.windows %x sizes [2] strides [1] dilations [2] : tensor<5xf64> -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<3x2xf64>)
// ADJOINT-NEXT: %[[A:.*]] = cell.overlap_add %[[CT]] strides [1] dilations [2] : tensor<3x2xf64> -> tensor<5xf64>
// ADJOINT-NEXT: return %[[A]]
func.func @vjp(%x: tensor<5xf64>, %ct: tensor<3x2xf64>) -> tensor<5xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<5xf64>)
// ADJOINT-NEXT: %[[R:.*]] = cell.windows %[[T]] sizes [2] strides [1] dilations [2]
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<5xf64>, %t: tensor<5xf64>) -> tensor<3x2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %0#1 : tensor<3x2xf64>
}

// Of two dimensions, a window of 2 by 2 every second row; the last row is in none.
func.func private @plane(%x: tensor<1x3x3xf64>) -> tensor<1x1x2x2x2xf64> {
  %0 = cell.windows %x sizes [2, 2] strides [2, 1] dilations [1, 1] : tensor<1x3x3xf64> -> tensor<1x1x2x2x2xf64>
  return %0 : tensor<1x1x2x2x2xf64>
}

// VALUES:      result 0: tensor<3x2xf64> {{\[\[1.0, 3.0\], \[2.0, 4.0\], \[3.0, 5.0\]\]}}
// VALUES-NEXT: result 1: tensor<5xf64> [1.0, 3.0, 7.0, 4.0, 6.0]
// VALUES-NEXT: result 2: tensor<1x1x2x2x2xf64> {{\[\[\[\[\[1.0, 2.0\], \[4.0, 5.0\]\], \[\[2.0, 3.0\], \[5.0, 6.0\]\]\]\]\]}}
// VALUES-NEXT: result 3: tensor<1x3x3xf64> {{\[\[\[1.0, 7.0, 6.0\], \[3.0, 11.0, 8.0\], \[0.0, 0.0, 0.0\]\]\]}}
// VALUES-NEXT: result 4: tensor<3x2xf64> {{\[\[6.0, 8.0\], \[-7.0, -9.0\], \[8.0, 10.0\]\]}}
func.func @values() -> (tensor<3x2xf64>, tensor<5xf64>, tensor<1x1x2x2x2xf64>, tensor<1x3x3xf64>, tensor<3x2xf64>) {
  %x = cell.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %ct = cell.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<5xf64>)
  %p = cell.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]> : tensor<1x3x3xf64>
  %pct = cell.constant dense<[[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]]> : tensor<1x1x2x2x2xf64>
  %1:2 = cell.vjp @plane(%p) cotangents(%pct) of [0] wrt [0] : (tensor<1x3x3xf64>, tensor<1x1x2x2x2xf64>) -> (tensor<1x1x2x2x2xf64>, tensor<1x3x3xf64>)
  %t = cell.constant dense<[6.0, -7.0, 8.0, -9.0, 10.0]> : tensor<5xf64>
  %2 = func.call @jvp(%x, %t) : (tensor<5xf64>, tensor<5xf64>) -> tensor<3x2xf64>
  return %0#0, %0#1, %1#0, %1#1, %2 : tensor<3x2xf64>, tensor<5xf64>, tensor<1x1x2x2x2xf64>, tensor<1x3x3xf64>, tensor<3x2xf64>
}
