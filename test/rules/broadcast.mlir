// Derivative of cell.broadcast. Linear: its adjoint is the sum over the new dimensions.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.broadcast %{{.*}} along [0] : tensor<2xf64> -> tensor<3x2xf64>
func.func private @f(%x: tensor<2xf64>) -> tensor<3x2xf64> {
  %0 = cell.broadcast %x along [0] : tensor<2xf64> -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.reduce_sum %[[CT]] over [0] : tensor<3x2xf64> -> tensor<2xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<2xf64>, %ct: tensor<3x2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.broadcast %[[T]] along [0] : tensor<2xf64> -> tensor<3x2xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<3x2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %0#1 : tensor<3x2xf64>
}

// <J t, w> = 3 * 111 - 222 = 111 = <t, J^T w>.
// VALUES:      result 0: tensor<3x2xf64> {{\[\[1.0, 2.0\], \[1.0, 2.0\], \[1.0, 2.0\]\]}}
// VALUES-NEXT: result 1: tensor<2xf64> [111.0, 222.0]
// VALUES-NEXT: result 2: tensor<3x2xf64> {{\[\[3.0, -1.0\], \[3.0, -1.0\], \[3.0, -1.0\]\]}}
func.func @values() -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>) {
  %x = cell.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %w = cell.constant dense<[[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]> : tensor<3x2xf64>
  %t = cell.constant dense<[3.0, -1.0]> : tensor<2xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %0#0, %0#1, %1#1 : tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>
}
