// Derivative of cell.gather. Linear in x: the adjoint adds the cotangents of equal indices up.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.gather %{{.*}} at %{{.*}} dim 0 : tensor<3x2xf64>, tensor<4xi32> -> tensor<4x2xf64>
func.func private @f(%x: tensor<3x2xf64>, %i: tensor<4xi32>) -> tensor<4x2xf64> {
  %0 = cell.gather %x at %i dim 0 : tensor<3x2xf64>, tensor<4xi32> -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[I:[a-z0-9]+]]: tensor<4xi32>, %[[CT:[a-z0-9]+]]: tensor<4x2xf64>)
// ADJOINT-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<3x2xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.scatter "add" %[[CT]] into %[[Z]] at %[[I]] dim 0 : tensor<4x2xf64>, tensor<3x2xf64>, tensor<4xi32>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<3x2xf64>, %i: tensor<4xi32>, %ct: tensor<4x2xf64>) -> tensor<3x2xf64> {
  %0:2 = cell.vjp @f(%x, %i) cotangents(%ct) of [0] wrt [0] : (tensor<3x2xf64>, tensor<4xi32>, tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<3x2xf64>)
  return %0#1 : tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[I:[a-z0-9]+]]: tensor<4xi32>, %[[T:[a-z0-9]+]]: tensor<3x2xf64>)
// ADJOINT-NEXT: %[[R:.*]] = cell.gather %[[T]] at %[[I]] dim 0
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<3x2xf64>, %i: tensor<4xi32>, %t: tensor<3x2xf64>) -> tensor<4x2xf64> {
  %0:2 = cell.jvp @f(%x, %i) tangents(%t) wrt [0] of [0] : (tensor<3x2xf64>, tensor<4xi32>, tensor<3x2xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>)
  return %0#1 : tensor<4x2xf64>
}

// With a batch, and what stands before the dimension: x [b, p, n, r], indices [b, i].
func.func private @g(%x: tensor<2x1x3x2xf64>, %i: tensor<2x2xi64>) -> tensor<2x1x2x2xf64> {
  %0 = cell.gather %x at %i dim 2 batch 1 : tensor<2x1x3x2xf64>, tensor<2x2xi64> -> tensor<2x1x2x2xf64>
  return %0 : tensor<2x1x2x2xf64>
}

// Indices 7 and -5 are taken as 2 and 0. <J t, w> = 2 - 2 + 3 + 2 + 10 - 6 + 7 + 4 = 20 = <t, J^T w>.
// VALUES:      result 0: tensor<4x2xf64> {{\[\[5.0, 6.0\], \[1.0, 2.0\], \[5.0, 6.0\], \[1.0, 2.0\]\]}}
// VALUES-NEXT: result 1: tensor<3x2xf64> {{\[\[10.0, 12.0\], \[0.0, 0.0\], \[6.0, 8.0\]\]}}
// VALUES-NEXT: result 2: tensor<4x2xf64> {{\[\[2.0, -1.0\], \[1.0, 0.5\], \[2.0, -1.0\], \[1.0, 0.5\]\]}}
// VALUES-NEXT: result 3: tensor<2x1x2x2xf64> {{\[\[\[\[5.0, 6.0\], \[1.0, 2.0\]\]\], \[\[\[9.0, 10.0\], \[9.0, 10.0\]\]\]\]}}
// VALUES-NEXT: result 4: tensor<2x1x3x2xf64> {{\[\[\[\[3.0, 4.0\], \[0.0, 0.0\], \[1.0, 2.0\]\]\], \[\[\[0.0, 0.0\], \[12.0, 14.0\], \[0.0, 0.0\]\]\]\]}}
func.func @values() -> (tensor<4x2xf64>, tensor<3x2xf64>, tensor<4x2xf64>, tensor<2x1x2x2xf64>, tensor<2x1x3x2xf64>) {
  %x = cell.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %i = cell.constant dense<[2, 0, 7, -5]> : tensor<4xi32>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf64>
  %t = cell.constant dense<[[1.0, 0.5], [9.0, 9.0], [2.0, -1.0]]> : tensor<3x2xf64>
  %0:2 = cell.vjp @f(%x, %i) cotangents(%w) of [0] wrt [0] : (tensor<3x2xf64>, tensor<4xi32>, tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<3x2xf64>)
  %1:2 = cell.jvp @f(%x, %i) tangents(%t) wrt [0] of [0] : (tensor<3x2xf64>, tensor<4xi32>, tensor<3x2xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>)
  %y = cell.constant dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]], [[[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]]> : tensor<2x1x3x2xf64>
  %j = cell.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>
  %v = cell.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]], [[[5.0, 6.0], [7.0, 8.0]]]]> : tensor<2x1x2x2xf64>
  %2:2 = cell.vjp @g(%y, %j) cotangents(%v) of [0] wrt [0] : (tensor<2x1x3x2xf64>, tensor<2x2xi64>, tensor<2x1x2x2xf64>) -> (tensor<2x1x2x2xf64>, tensor<2x1x3x2xf64>)
  return %0#0, %0#1, %1#1, %2#0, %2#1 : tensor<4x2xf64>, tensor<3x2xf64>, tensor<4x2xf64>, tensor<2x1x2x2xf64>, tensor<2x1x3x2xf64>
}
