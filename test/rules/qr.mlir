// Derivative of cell.qr, thin.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=cell-differentiate,cell-decompose{block-size=1} --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.qr %{{.*}} : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2x2xf64>
func.func private @f(%x: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>) {
  %0:2 = cell.qr %x : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2x2xf64>
  return %0#0, %0#1 : tensor<3x2xf64>, tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[W:[a-z0-9]+]]: {{.*}}%[[V:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[Q:.*]], %[[R:.*]] = cell.qr %[[X]] : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.matmul %[[V]], %[[R]] {transpose_b = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.matmul %[[Q]], %[[W]] {transpose_a = true} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.sub %[[V2]], %[[V3]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.transpose %[[V4]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.sub %[[V4]], %[[V5]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.triangle %[[V6]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.sub %[[V4]], %[[V7]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.matmul %[[Q]], %[[V8]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.add %[[W]], %[[V9]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.transpose %[[V10]] perm [1, 0] : tensor<3x2xf64> -> tensor<2x3xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.triangular_solve %[[R]], %[[V11]] {lower = false} : tensor<2x2xf64>, tensor<2x3xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.transpose %[[V12]] perm [1, 0] : tensor<2x3xf64> -> tensor<3x2xf64>
// ADJOINT-NEXT: return %[[V13]]
func.func private @vjp(%x: tensor<3x2xf64>, %w: tensor<3x2xf64>, %v: tensor<2x2xf64>) -> tensor<3x2xf64> {
  %0:3 = cell.vjp @f(%x) cotangents(%w, %v) of [0, 1] wrt [0] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>)
  return %0#2 : tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[S:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[Q:.*]], %[[R:.*]] = cell.qr %[[X]] : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.transpose %[[S]] perm [1, 0] : tensor<3x2xf64> -> tensor<2x3xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.triangular_solve %[[R]], %[[V2]] {lower = false, transpose = true} : tensor<2x2xf64>, tensor<2x3xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.transpose %[[V3]] perm [1, 0] : tensor<2x3xf64> -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.matmul %[[Q]], %[[V3]] {transpose_a = true, transpose_b = true} : (tensor<3x2xf64>, tensor<2x3xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.triangle %[[V5]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.transpose %[[V6]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.sub %[[V6]], %[[V7]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.sub %[[V5]], %[[V8]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.matmul %[[Q]], %[[V9]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.sub %[[V4]], %[[V10]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.matmul %[[V9]], %[[R]] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: return %[[V11]], %[[V12]]
func.func private @jvp(%x: tensor<3x2xf64>, %s: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>) {
  %0:4 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0, 1] : (tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>)
  return %0#2, %0#3 : tensor<3x2xf64>, tensor<2x2xf64>
}

// Numbers by differences with 40 digits.
// VALUES:      result 0: tensor<3x2xf64> {{\[\[-0\.1690308509, 0\.2977750002\], \[-0\.5070925528, -0\.8436958339\], \[-0\.8451542547, 0\.4466625003\]\]}}
// VALUES-NEXT: result 1: tensor<2x2xf64> {{\[\[-5\.916079783, -6\.761234038\], \[0\.0, 2\.878491669\]\]}}
// VALUES-NEXT: result 2: tensor<3x2xf64> {{\[\[-1\.791302555, 1\.464865507\], \[1\.079848286, -1\.948524388\], \[-2\.656080374, 2\.059357488\]\]}}
// VALUES-NEXT: result 3: tensor<3x2xf64> {{\[\[-0\.1448835865, 1\.719467267\], \[0\.4105034952, 0\.09109274636\], \[-0\.2173253798, -0\.9742474349\]\]}}
// VALUES-NEXT: result 4: tensor<2x2xf64> {{\[\[-0\.8451542547, -2\.921818995\], \[0\.0, -4\.778579765\]\]}}
func.func @values() -> (tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>) {
  %x = cell.constant dense<[[1.0, 2.0], [3.0, 1.0], [5.0, 7.0]]> : tensor<3x2xf64>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, -2.0], [0.5, 1.0]]> : tensor<3x2xf64>
  %v = cell.constant dense<[[2.0, -1.0], [9.0, 3.0]]> : tensor<2x2xf64>
  %s = cell.constant dense<[[1.0, 5.0], [-2.0, 3.0], [2.0, -1.0]]> : tensor<3x2xf64>
  %0:3 = cell.vjp @f(%x) cotangents(%w, %v) of [0, 1] wrt [0] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>)
  %1:4 = cell.jvp @f(%x) tangents(%s) wrt [0] of [0, 1] : (tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %0#2, %1#2, %1#3 : tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>
}
