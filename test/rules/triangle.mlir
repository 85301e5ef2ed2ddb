// Derivative of cell.triangle. Linear and its own adjoint.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=cell-differentiate,cell-decompose{block-size=1} --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.triangle %{{.*}} {diagonal = 0 : i64, lower = true} : tensor<2x3xf64>
func.func private @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = cell.triangle %x {diagonal = 0 : i64, lower = true} : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[W:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.triangle %[[W]] {diagonal = 0 : i64, lower = true} : tensor<2x3xf64>
// ADJOINT-NEXT: return %[[V0]]
func.func private @vjp(%x: tensor<2x3xf64>, %w: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[S:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.triangle %[[S]] {diagonal = 0 : i64, lower = true} : tensor<2x3xf64>
// ADJOINT-NEXT: return %[[V0]]
func.func private @jvp(%x: tensor<2x3xf64>, %s: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// Numbers by differences with 40 digits.
// VALUES:      result 0: tensor<2x3xf64> {{\[\[1\.0, 0\.0, 0\.0\], \[4\.0, 5\.0, 0\.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x3xf64> {{\[\[1\.0, 0\.0, 0\.0\], \[3\.0, -2\.0, 0\.0\]\]}}
// VALUES-NEXT: result 2: tensor<2x3xf64> {{\[\[1\.0, 0\.0, 0\.0\], \[-2\.0, 3\.0, 0\.0\]\]}}
func.func @values() -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %x = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %w = cell.constant dense<[[1.0, 2.0, -1.0], [3.0, -2.0, 5.0]]> : tensor<2x3xf64>
  %s = cell.constant dense<[[1.0, 5.0, 2.0], [-2.0, 3.0, 1.0]]> : tensor<2x3xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#0, %0#1, %1#1 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}
