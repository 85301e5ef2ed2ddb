// Derivative of cell.transpose. Linear: its adjoint is the transpose by the inverse permutation.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.transpose %{{.*}} perm [1, 2, 0] : tensor<1x2x3xf64> -> tensor<2x3x1xf64>
func.func private @f(%x: tensor<1x2x3xf64>) -> tensor<2x3x1xf64> {
  %0 = cell.transpose %x perm [1, 2, 0] : tensor<1x2x3xf64> -> tensor<2x3x1xf64>
  return %0 : tensor<2x3x1xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.transpose %[[CT]] perm [2, 0, 1] : tensor<2x3x1xf64> -> tensor<1x2x3xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<1x2x3xf64>, %ct: tensor<2x3x1xf64>) -> tensor<1x2x3xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<1x2x3xf64>, tensor<2x3x1xf64>) -> (tensor<2x3x1xf64>, tensor<1x2x3xf64>)
  return %0#1 : tensor<1x2x3xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.transpose %[[T]] perm [1, 2, 0] : tensor<1x2x3xf64> -> tensor<2x3x1xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<1x2x3xf64>, %t: tensor<1x2x3xf64>) -> tensor<2x3x1xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<1x2x3xf64>, tensor<1x2x3xf64>) -> (tensor<2x3x1xf64>, tensor<2x3x1xf64>)
  return %0#1 : tensor<2x3x1xf64>
}

// <J t, w> = 20 + 2 * 40 + 3 * 60 = 280 = <t, J^T w>.
// VALUES:      result 0: tensor<2x3x1xf64> {{\[\[\[1.0\], \[2.0\], \[3.0\]\], \[\[4.0\], \[5.0\], \[6.0\]\]\]}}
// VALUES-NEXT: result 1: tensor<1x2x3xf64> {{\[\[\[10.0, 20.0, 30.0\], \[40.0, 50.0, 60.0\]\]\]}}
// VALUES-NEXT: result 2: tensor<2x3x1xf64> {{\[\[\[0.0\], \[1.0\], \[0.0\]\], \[\[2.0\], \[0.0\], \[3.0\]\]\]}}
func.func @values() -> (tensor<2x3x1xf64>, tensor<1x2x3xf64>, tensor<2x3x1xf64>) {
  %x = cell.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf64>
  %w = cell.constant dense<[[[10.0], [20.0], [30.0]], [[40.0], [50.0], [60.0]]]> : tensor<2x3x1xf64>
  %t = cell.constant dense<[[[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]]> : tensor<1x2x3xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<1x2x3xf64>, tensor<2x3x1xf64>) -> (tensor<2x3x1xf64>, tensor<1x2x3xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<1x2x3xf64>, tensor<1x2x3xf64>) -> (tensor<2x3x1xf64>, tensor<2x3x1xf64>)
  return %0#0, %0#1, %1#1 : tensor<2x3x1xf64>, tensor<1x2x3xf64>, tensor<2x3x1xf64>
}
