// Derivative of cell.swap_rows. Linear in x: the adjoint exchanges the rows back, last first.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.swap_rows %{{.*}}, %{{.*}} : tensor<3x1xf64>, tensor<3xi32>
func.func private @f(%x: tensor<3x1xf64>, %p: tensor<3xi32>) -> tensor<3x1xf64> {
  %0 = cell.swap_rows %x, %p : tensor<3x1xf64>, tensor<3xi32>
  return %0 : tensor<3x1xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[P:[a-z0-9]+]]: {{.*}}%[[CT:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[R:.*]] = cell.swap_rows %[[CT]], %[[P]] {inverse = true} : tensor<3x1xf64>, tensor<3xi32>
// ADJOINT-NEXT: return %[[R]]
func.func private @vjp(%x: tensor<3x1xf64>, %p: tensor<3xi32>, %ct: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %0:2 = cell.vjp @f(%x, %p) cotangents(%ct) of [0] wrt [0] : (tensor<3x1xf64>, tensor<3xi32>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#1 : tensor<3x1xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[P:[a-z0-9]+]]: {{.*}}%[[T:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[R:.*]] = cell.swap_rows %[[T]], %[[P]] : tensor<3x1xf64>, tensor<3xi32>
// ADJOINT-NEXT: return %[[R]]
func.func private @jvp(%x: tensor<3x1xf64>, %p: tensor<3xi32>, %t: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %0:2 = cell.jvp @f(%x, %p) tangents(%t) wrt [0] of [0] : (tensor<3x1xf64>, tensor<3xi32>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#1 : tensor<3x1xf64>
}

// Rows a b c become c b a, then c a b; the adjoint takes c a b back to a b c.
// VALUES:      result 0: tensor<3x1xf64> {{\[\[3.0\], \[1.0\], \[2.0\]\]}}
// VALUES-NEXT: result 1: tensor<3x1xf64> {{\[\[5.0\], \[6.0\], \[4.0\]\]}}
// VALUES-NEXT: result 2: tensor<3x1xf64> {{\[\[9.0\], \[7.0\], \[8.0\]\]}}
func.func @values() -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>) {
  %x = cell.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  %p = cell.constant dense<[2, 2, 9]> : tensor<3xi32>
  %w = cell.constant dense<[[4.0], [5.0], [6.0]]> : tensor<3x1xf64>
  %t = cell.constant dense<[[7.0], [8.0], [9.0]]> : tensor<3x1xf64>
  %0:2 = cell.vjp @f(%x, %p) cotangents(%w) of [0] wrt [0] : (tensor<3x1xf64>, tensor<3xi32>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  %1:2 = cell.jvp @f(%x, %p) tangents(%t) wrt [0] of [0] : (tensor<3x1xf64>, tensor<3xi32>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#0, %0#1, %1#1 : tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>
}
