// Derivative of cell.pad. Linear: its adjoint slices the elements out again.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.pad %{{.*}} low [0, 1] high [1, 0] interior [1, 5] : tensor<2x1xf64> -> tensor<4x2xf64>
func.func private @f(%x: tensor<2x1xf64>) -> tensor<4x2xf64> {
  %0 = cell.pad %x low [0, 1] high [1, 0] interior [1, 5] : tensor<2x1xf64> -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.slice %[[CT]] from [0, 1] to [3, 2] by [2, 6] : tensor<4x2xf64> -> tensor<2x1xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<2x1xf64>, %ct: tensor<4x2xf64>) -> tensor<2x1xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x1xf64>, tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2x1xf64>)
  return %0#1 : tensor<2x1xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.pad %[[T]] low [0, 1] high [1, 0] interior [1, 5] : tensor<2x1xf64> -> tensor<4x2xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2x1xf64>, %t: tensor<2x1xf64>) -> tensor<4x2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x1xf64>, tensor<2x1xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>)
  return %0#1 : tensor<4x2xf64>
}

// <J t, w> = 3 * 10 - 30 = 0 = <t, J^T w>.
// VALUES:      result 0: tensor<4x2xf64> {{\[\[0.0, 1.0\], \[0.0, 0.0\], \[0.0, 2.0\], \[0.0, 0.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x1xf64> {{\[\[10.0\], \[30.0\]\]}}
// VALUES-NEXT: result 2: tensor<4x2xf64> {{\[\[0.0, 3.0\], \[0.0, 0.0\], \[0.0, -1.0\], \[0.0, 0.0\]\]}}
func.func @values() -> (tensor<4x2xf64>, tensor<2x1xf64>, tensor<4x2xf64>) {
  %x = cell.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %w = cell.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]]> : tensor<4x2xf64>
  %t = cell.constant dense<[[3.0], [-1.0]]> : tensor<2x1xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x1xf64>, tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2x1xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x1xf64>, tensor<2x1xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>)
  return %0#0, %0#1, %1#1 : tensor<4x2xf64>, tensor<2x1xf64>, tensor<4x2xf64>
}
