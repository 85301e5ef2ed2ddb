// Derivative of cell.cholesky. The element above the diagonal is not read, and has cotangent 0.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=cell-differentiate,cell-decompose{block-size=1} --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.cholesky %{{.*}} : tensor<2x2xf64>
func.func private @f(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0 = cell.cholesky %x : tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[W:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.constant dense<5.000000e-01> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.cholesky %[[X]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.matmul %[[V1]], %[[W]] {transpose_a = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.triangle %[[V2]] {diagonal = 0 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.triangle %[[V2]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.add %[[V3]], %[[V4]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.mul %[[V5]], %[[V0]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.triangular_solve %[[V1]], %[[V6]] {lower = true, transpose = true} : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.transpose %[[V7]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.triangular_solve %[[V1]], %[[V8]] {lower = true, transpose = true} : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.transpose %[[V9]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.add %[[V10]], %[[V9]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.triangle %[[V11]] {diagonal = 0 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.triangle %[[V11]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.add %[[V12]], %[[V13]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V15:.*]] = cell.mul %[[V14]], %[[V0]] : tensor<2x2xf64>
// ADJOINT-NEXT: return %[[V15]]
func.func private @vjp(%x: tensor<2x2xf64>, %w: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[S:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.constant dense<5.000000e-01> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.cholesky %[[X]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.triangle %[[S]] {diagonal = 0 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.triangle %[[S]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.add %[[V2]], %[[V3]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.mul %[[V4]], %[[V0]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.transpose %[[V5]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.add %[[V5]], %[[V6]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.triangular_solve %[[V1]], %[[V7]] {lower = true} : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.transpose %[[V8]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.triangular_solve %[[V1]], %[[V9]] {lower = true} : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.transpose %[[V10]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.triangle %[[V11]] {diagonal = 0 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.triangle %[[V11]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.add %[[V12]], %[[V13]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V15:.*]] = cell.mul %[[V14]], %[[V0]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V16:.*]] = cell.matmul %[[V1]], %[[V15]] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: return %[[V16]]
func.func private @jvp(%x: tensor<2x2xf64>, %s: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// Numbers by differences with 40 digits.
// VALUES:      result 0: tensor<2x2xf64> {{\[\[2\.0, 0\.0\], \[1\.0, 3\.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x2xf64> {{\[\[0\.125, 0\.0\], \[0\.5, 0\.5\]\]}}
// VALUES-NEXT: result 2: tensor<2x2xf64> {{\[\[0\.25, 0\.0\], \[-1\.125, 0\.875\]\]}}
func.func @values() -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %x = cell.constant dense<[[4.0, 99.0], [2.0, 10.0]]> : tensor<2x2xf64>
  %w = cell.constant dense<[[1.0, 7.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %s = cell.constant dense<[[1.0, 50.0], [-2.0, 3.0]]> : tensor<2x2xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %1#1 : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
