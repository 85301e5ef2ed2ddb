// Derivative of cell.eigh.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.eigh %{{.*}} : tensor<3x3xf64> -> tensor<3xf64>, tensor<3x3xf64>
func.func private @f(%x: tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>) {
  %0:2 = cell.eigh %x : tensor<3x3xf64> -> tensor<3xf64>, tensor<3x3xf64>
  return %0#0, %0#1 : tensor<3xf64>, tensor<3x3xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[A0:[a-z0-9]+]]: {{.*}}%[[A1:[a-z0-9]+]]: {{.*}}%[[A2:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.constant dense<5.000000e-01> : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.constant dense<1.000000e+00> : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.constant dense<6.6613381477509392E-16> : tensor<f64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.constant dense<0x7FF8000000000000> : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V4:.*]], %[[V5:.*]] = cell.eigh %[[A0]] : tensor<3x3xf64> -> tensor<3xf64>, tensor<3x3xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.abs %[[V4]] : tensor<3xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.reduce_max %[[V6]] over [0] : tensor<3xf64> -> tensor<f64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.broadcast %[[A1]] along [0] : tensor<3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.mul %[[V5]], %[[V8]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.matmul %[[V5]], %[[A2]] {transpose_a = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.broadcast %[[V4]] along [0] : tensor<3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.broadcast %[[V4]] along [1] : tensor<3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.sub %[[V11]], %[[V12]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.mul %[[V7]], %[[V2]] : tensor<f64>
// ADJOINT-NEXT: %[[V15:.*]] = cell.broadcast %[[V14]] along [0, 1] : tensor<f64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V16:.*]] = cell.abs %[[V13]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V17:.*]] = cell.less_equal %[[V16]], %[[V15]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V18:.*]] = cell.select %[[V17]], %[[V1]], %[[V13]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V19:.*]] = cell.reciprocal %[[V18]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V20:.*]] = cell.select %[[V17]], %[[V3]], %[[V19]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V21:.*]] = cell.triangle %[[V20]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V22:.*]] = cell.triangle %[[V20]] {diagonal = 1 : i64, lower = false} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V23:.*]] = cell.add %[[V21]], %[[V22]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V24:.*]] = cell.mul %[[V23]], %[[V10]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V25:.*]] = cell.matmul %[[V5]], %[[V24]] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V26:.*]] = cell.add %[[V9]], %[[V25]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V27:.*]] = cell.matmul %[[V26]], %[[V5]] {transpose_b = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V28:.*]] = cell.transpose %[[V27]] perm [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V29:.*]] = cell.add %[[V27]], %[[V28]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V30:.*]] = cell.triangle %[[V29]] {diagonal = 0 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V31:.*]] = cell.triangle %[[V29]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V32:.*]] = cell.add %[[V30]], %[[V31]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V33:.*]] = cell.mul %[[V32]], %[[V0]] : tensor<3x3xf64>
// ADJOINT-NEXT: return %[[V33]] : tensor<3x3xf64>
func.func private @vjp(%x: tensor<3x3xf64>, %cw: tensor<3xf64>, %cv: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %0:3 = cell.vjp @f(%x) cotangents(%cw, %cv) of [0, 1] wrt [0] : (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>)
  return %0#2 : tensor<3x3xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[A0:[a-z0-9]+]]: {{.*}}%[[A1:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.constant dense<1.000000e+00> : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.constant dense<6.6613381477509392E-16> : tensor<f64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.constant dense<0x7FF8000000000000> : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.constant dense<5.000000e-01> : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V4:.*]], %[[V5:.*]] = cell.eigh %[[A0]] : tensor<3x3xf64> -> tensor<3xf64>, tensor<3x3xf64>
// ADJOINT-NEXT: %[[V6:.*]] = cell.abs %[[V4]] : tensor<3xf64>
// ADJOINT-NEXT: %[[V7:.*]] = cell.reduce_max %[[V6]] over [0] : tensor<3xf64> -> tensor<f64>
// ADJOINT-NEXT: %[[V8:.*]] = cell.triangle %[[A1]] {diagonal = 0 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.triangle %[[A1]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.add %[[V8]], %[[V9]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.mul %[[V10]], %[[V3]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.transpose %[[V11]] perm [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.add %[[V11]], %[[V12]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.matmul %[[V13]], %[[V5]] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V15:.*]] = cell.matmul %[[V5]], %[[V14]] {transpose_a = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V16:.*]] = cell.mul %[[V5]], %[[V14]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V17:.*]] = cell.reduce_sum %[[V16]] over [0] : tensor<3x3xf64> -> tensor<3xf64>
// ADJOINT-NEXT: %[[V18:.*]] = cell.broadcast %[[V4]] along [0] : tensor<3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V19:.*]] = cell.broadcast %[[V4]] along [1] : tensor<3xf64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V20:.*]] = cell.sub %[[V18]], %[[V19]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V21:.*]] = cell.mul %[[V7]], %[[V1]] : tensor<f64>
// ADJOINT-NEXT: %[[V22:.*]] = cell.broadcast %[[V21]] along [0, 1] : tensor<f64> -> tensor<3x3xf64>
// ADJOINT-NEXT: %[[V23:.*]] = cell.abs %[[V20]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V24:.*]] = cell.less_equal %[[V23]], %[[V22]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V25:.*]] = cell.select %[[V24]], %[[V0]], %[[V20]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V26:.*]] = cell.reciprocal %[[V25]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V27:.*]] = cell.select %[[V24]], %[[V2]], %[[V26]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V28:.*]] = cell.triangle %[[V27]] {diagonal = -1 : i64, lower = true} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V29:.*]] = cell.triangle %[[V27]] {diagonal = 1 : i64, lower = false} : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V30:.*]] = cell.add %[[V28]], %[[V29]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V31:.*]] = cell.mul %[[V30]], %[[V15]] : tensor<3x3xf64>
// ADJOINT-NEXT: %[[V32:.*]] = cell.matmul %[[V5]], %[[V31]] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
// ADJOINT-NEXT: return %[[V17]], %[[V32]] : tensor<3xf64>, tensor<3x3xf64>
func.func private @jvp(%x: tensor<3x3xf64>, %t: tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>) {
  %0:4 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0, 1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
  return %0#2, %0#3 : tensor<3xf64>, tensor<3x3xf64>
}

// Numbers by differences with 60 digits.
// VALUES:      result 0: tensor<3xf64> {{\[1\.048744996, 3\.916029743, 8\.03522526\]}}
// VALUES-NEXT: result 1: tensor<3x3xf64> {{\[\[0\.8228562928, 0\.5628004781, -0\.07850569003\], \[-0\.4823723727, 0\.7648307015, 0\.427025634\], \[0\.300373793, -0\.3135117541, 0\.9008251576\]\]}}
// VALUES-NEXT: result 2: tensor<3x3xf64> {{\[\[0\.08360063073, 0\.0, 0\.0\], \[-2\.571357783, -0\.6968970344, 0\.0\], \[1\.104630346, 1\.368799159, 0\.1132964036\]\]}}
// VALUES-NEXT: result 3: tensor<3xf64> {{\[4\.286388475, 0\.1727874253, 0\.04082409971\]}}
// VALUES-NEXT: result 4: tensor<3x3xf64> {{\[\[0\.390433932, -0\.54605982, 0\.1776723462\], \[0\.4988222041, 0\.2329855178, 0\.1461822622\], \[-0\.2685086701, -0\.4118769042, -0\.05381208843\]\]}}
func.func @values() -> (tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>) {
  %x = cell.constant dense<[[2.0, 9.0, -4.0], [1.0, 4.0, 7.0], [-1.0, 2.0, 7.0]]> : tensor<3x3xf64>
  %cw = cell.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf64>
  %cv = cell.constant dense<[[1.0, 2.0, 0.5], [3.0, -2.0, 1.0], [0.5, 1.0, -1.0]]> : tensor<3x3xf64>
  %t = cell.constant dense<[[1.0, 5.0, 2.0], [-2.0, 3.0, 1.0], [2.0, -1.0, 0.5]]> : tensor<3x3xf64>
  %0:3 = cell.vjp @f(%x) cotangents(%cw, %cv) of [0, 1] wrt [0] : (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>)
  %1:4 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0, 1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
  return %0#0, %0#1, %0#2, %1#2, %1#3 : tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>
}
