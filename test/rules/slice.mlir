// Derivative of cell.slice. Linear: its adjoint pads with what the slice left out, between the elements too.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.slice %{{.*}} from [1, 1] to [2, 5] by [1, 3] : tensor<2x6xf64> -> tensor<1x2xf64>
func.func private @f(%x: tensor<2x6xf64>) -> tensor<1x2xf64> {
  %0 = cell.slice %x from [1, 1] to [2, 5] by [1, 3] : tensor<2x6xf64> -> tensor<1x2xf64>
  return %0 : tensor<1x2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.pad %[[CT]] low [1, 1] high [0, 1] interior [0, 2] : tensor<1x2xf64> -> tensor<2x6xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<2x6xf64>, %ct: tensor<1x2xf64>) -> tensor<2x6xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x6xf64>, tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<2x6xf64>)
  return %0#1 : tensor<2x6xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.slice %[[T]] from [1, 1] to [2, 5] by [1, 3] : tensor<2x6xf64> -> tensor<1x2xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2x6xf64>, %t: tensor<2x6xf64>) -> tensor<1x2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x6xf64>, tensor<2x6xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>)
  return %0#1 : tensor<1x2xf64>
}

// <J t, w> = 10 + 2 * 20 = 50 = <t, J^T w>.
// VALUES:      result 0: tensor<1x2xf64> {{\[\[7.0, 10.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x6xf64> {{\[\[0.0, 0.0, 0.0, 0.0, 0.0, 0.0\], \[0.0, 10.0, 0.0, 0.0, 20.0, 0.0\]\]}}
// VALUES-NEXT: result 2: tensor<1x2xf64> {{\[\[1.0, 2.0\]\]}}
func.func @values() -> (tensor<1x2xf64>, tensor<2x6xf64>, tensor<1x2xf64>) {
  %x = cell.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]]> : tensor<2x6xf64>
  %w = cell.constant dense<[[10.0, 20.0]]> : tensor<1x2xf64>
  %t = cell.constant dense<[[9.0, 9.0, 9.0, 9.0, 9.0, 9.0], [9.0, 1.0, 9.0, 9.0, 2.0, 9.0]]> : tensor<2x6xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x6xf64>, tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<2x6xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x6xf64>, tensor<2x6xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>)
  return %0#0, %0#1, %1#1 : tensor<1x2xf64>, tensor<2x6xf64>, tensor<1x2xf64>
}
