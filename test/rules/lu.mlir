// Derivative of cell.lu: the pivots are piecewise constant.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=cell-differentiate,cell-decompose{block-size=1} --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.lu %{{.*}} : tensor<3x3xf64> -> tensor<3x3xf64>, tensor<3xi32>
func.func private @f(%x: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>) {
  %0:2 = cell.lu %x : tensor<3x3xf64> -> tensor<3x3xf64>, tensor<3xi32>
  return %0#0, %0#1 : tensor<3x3xf64>, tensor<3xi32>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[W:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[PACKED:.*]], %[[PIVOTS:.*]] = cell.lu %[[X]] : tensor<3x3xf64> -> tensor<3x3xf64>, tensor<3xi32>
// ADJOINT-NEXT: %[[V2:.*]] = cell.triangle %[[PACKED]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.matmul %[[V2]], %[[W]] {transpose_a = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.add %[[V3]], %[[W]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.triangle %[[V4]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.triangle %[[PACKED]] {diagonal = 0 : i64, lower = false} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.matmul %[[W]], %[[V6]] {transpose_b = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.triangle %[[V7]] {diagonal = 0 : i64, lower = false} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.add %[[V5]], %[[V8]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.transpose %[[V9]] perm [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.triangular_solve %[[PACKED]], %[[V10]] {lower = false} : tensor<3x3xf64>, tensor<3x3xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.transpose %[[V11]] perm [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.triangular_solve %[[PACKED]], %[[V12]] {lower = true, transpose = true, unit_diagonal = true} : tensor<3x3xf64>, tensor<3x3xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.swap_rows %[[V13]], %[[PIVOTS]] {inverse = true} : tensor<3x3xf64>, tensor<3xi32>
// ADJOINT-NEXT: return %[[V14]]
func.func private @vjp(%x: tensor<3x3xf64>, %w: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %0:3 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3x3xf64>)
  return %0#2 : tensor<3x3xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[S:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[PACKED:.*]], %[[PIVOTS:.*]] = cell.lu %[[X]] : tensor<3x3xf64> -> tensor<3x3xf64>, tensor<3xi32>
// ADJOINT-NEXT: %[[V2:.*]] = cell.swap_rows %[[S]], %[[PIVOTS]] : tensor<3x3xf64>, tensor<3xi32>
// ADJOINT-NEXT: %[[V3:.*]] = cell.triangular_solve %[[PACKED]], %[[V2]] {lower = true, unit_diagonal = true} : tensor<3x3xf64>, tensor<3x3xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.transpose %[[V3]] perm [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.triangular_solve %[[PACKED]], %[[V4]] {lower = false, transpose = true} : tensor<3x3xf64>, tensor<3x3xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.transpose %[[V5]] perm [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.triangle %[[V6]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.triangle %[[PACKED]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.matmul %[[V8]], %[[V7]] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.add %[[V9]], %[[V7]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.triangle %[[V6]] {diagonal = 0 : i64, lower = false} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.triangle %[[PACKED]] {diagonal = 0 : i64, lower = false} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.matmul %[[V11]], %[[V12]] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.add %[[V10]], %[[V13]] : tensor<3x3xf64>
// ADJOINT-NEXT: return %[[V14]]
func.func private @jvp(%x: tensor<3x3xf64>, %s: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %0:3 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3x3xf64>)
  return %0#2 : tensor<3x3xf64>
}

// Numbers by differences with 40 digits. The pivots exchange rows so that the inverse is another permutation.
// VALUES:      result 0: tensor<3x3xf64> {{\[\[4\.0, 2\.0, 8\.0\], \[0\.25, 5\.5, 3\.0\], \[0\.5, 0\.1818181818, -3\.545454545\]\]}}
// VALUES-NEXT: result 1: tensor<3xi32> {{\[2, 2, 2\]}}
// VALUES-NEXT: result 2: tensor<3x3xf64> {{\[\[-4\.729338843, -1\.404958678, 3\.090909091\], \[-7\.863636364, -3\.272727273, 5\.0\], \[6\.114152893, 3\.987603306, -4\.272727273\]\]}}
// VALUES-NEXT: result 3: tensor<3x3xf64> {{\[\[2\.0, -1\.0, 4\.0\], \[0\.125, 5\.0, -4\.0\], \[-0\.75, 0\.7438016529, 3\.495867769\]\]}}
func.func @values() -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3x3xf64>, tensor<3x3xf64>) {
  %x = cell.constant dense<[[1.0, 6.0, 5.0], [2.0, 2.0, 1.0], [4.0, 2.0, 8.0]]> : tensor<3x3xf64>
  %w = cell.constant dense<[[1.0, 2.0, -1.0], [3.0, -2.0, 4.0], [2.0, -3.0, 5.0]]> : tensor<3x3xf64>
  %s = cell.constant dense<[[1.0, 5.0, -2.0], [-2.0, 3.0, 1.0], [2.0, -1.0, 4.0]]> : tensor<3x3xf64>
  %0:3 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3x3xf64>)
  %1:3 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3x3xf64>)
  return %0#0, %0#1, %0#2, %1#2 : tensor<3x3xf64>, tensor<3xi32>, tensor<3x3xf64>, tensor<3x3xf64>
}
