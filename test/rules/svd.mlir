// Derivative of cell.svd, thin.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.svd %{{.*}} : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
func.func private @f(%x: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>) {
  %0:3 = cell.svd %x : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
  return %0#0, %0#1, %0#2 : tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
}

func.func private @wide(%x: tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>) {
  %0:3 = cell.svd %x : tensor<2x3xf64> -> tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>
  return %0#0, %0#1, %0#2 : tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[A0:[a-z0-9]+]]: {{.*}}%[[A1:[a-z0-9]+]]: {{.*}}%[[A2:[a-z0-9]+]]: {{.*}}%[[A3:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.constant dense<1.000000e+00> : tensor<2xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.constant dense<0x7FF8000000000000> : tensor<2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.constant dense<5.000000e-01> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.constant dense<1.000000e+00> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.constant dense<6.6613381477509392E-16> : tensor<f64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.constant dense<0x7FF8000000000000> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V6:.*]], %[[V7:.*]], %[[V8:.*]] = cell.svd %[[A0]] : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.abs %[[V7]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.reduce_max %[[V9]] over [0] : tensor<2xf64> -> tensor<f64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.broadcast %[[A2]] along [0] : tensor<2xf64> -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.mul %[[V6]], %[[V11]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.matmul %[[V6]], %[[A1]] {transpose_a = true} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.matmul %[[V8]], %[[A3]] {transpose_a = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V15:.*]] = cell.add %[[V13]], %[[V14]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V16:.*]] = cell.sub %[[V13]], %[[V14]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V17:.*]] = cell.broadcast %[[V7]] along [0] : tensor<2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V18:.*]] = cell.broadcast %[[V7]] along [1] : tensor<2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V19:.*]] = cell.sub %[[V17]], %[[V18]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V20:.*]] = cell.mul %[[V10]], %[[V4]] : tensor<f64>
// ADJOINT-NEXT: %[[V21:.*]] = cell.broadcast %[[V20]] along [0, 1] : tensor<f64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V22:.*]] = cell.abs %[[V19]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V23:.*]] = cell.less_equal %[[V22]], %[[V21]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V24:.*]] = cell.select %[[V23]], %[[V3]], %[[V19]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V25:.*]] = cell.reciprocal %[[V24]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V26:.*]] = cell.select %[[V23]], %[[V5]], %[[V25]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V27:.*]] = cell.triangle %[[V26]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V28:.*]] = cell.triangle %[[V26]] {diagonal = 1 : i64, lower = false} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V29:.*]] = cell.add %[[V27]], %[[V28]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V30:.*]] = cell.mul %[[V15]], %[[V29]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V31:.*]] = cell.add %[[V17]], %[[V18]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V32:.*]] = cell.abs %[[V31]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V33:.*]] = cell.less_equal %[[V32]], %[[V21]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V34:.*]] = cell.select %[[V33]], %[[V3]], %[[V31]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V35:.*]] = cell.reciprocal %[[V34]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V36:.*]] = cell.select %[[V33]], %[[V5]], %[[V35]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V37:.*]] = cell.triangle %[[V36]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V38:.*]] = cell.triangle %[[V36]] {diagonal = 1 : i64, lower = false} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V39:.*]] = cell.add %[[V37]], %[[V38]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V40:.*]] = cell.mul %[[V16]], %[[V39]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V41:.*]] = cell.transpose %[[V30]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V42:.*]] = cell.add %[[V30]], %[[V41]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V43:.*]] = cell.transpose %[[V40]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V44:.*]] = cell.sub %[[V40]], %[[V43]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V45:.*]] = cell.add %[[V42]], %[[V44]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V46:.*]] = cell.mul %[[V45]], %[[V2]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V47:.*]] = cell.matmul %[[V6]], %[[V46]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V48:.*]] = cell.add %[[V12]], %[[V47]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V49:.*]] = cell.matmul %[[V6]], %[[V13]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V50:.*]] = cell.sub %[[A1]], %[[V49]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V51:.*]] = cell.broadcast %[[V20]] along [0] : tensor<f64> -> tensor<2xf64>
// ADJOINT-NEXT: %[[V52:.*]] = cell.less_equal %[[V9]], %[[V51]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V53:.*]] = cell.select %[[V52]], %[[V0]], %[[V7]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V54:.*]] = cell.reciprocal %[[V53]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V55:.*]] = cell.select %[[V52]], %[[V1]], %[[V54]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V56:.*]] = cell.broadcast %[[V55]] along [0] : tensor<2xf64> -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V57:.*]] = cell.mul %[[V50]], %[[V56]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V58:.*]] = cell.add %[[V48]], %[[V57]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V59:.*]] = cell.matmul %[[V58]], %[[V8]] {transpose_b = true} : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: return %[[V59]] : tensor<3x2xf64>
func.func private @vjp(%x: tensor<3x2xf64>, %cu: tensor<3x2xf64>, %cs: tensor<2xf64>, %cv: tensor<2x2xf64>) -> tensor<3x2xf64> {
  %0:4 = cell.vjp @f(%x) cotangents(%cu, %cs, %cv) of [0, 1, 2] wrt [0] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>)
  return %0#3 : tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[A0:[a-z0-9]+]]: {{.*}}%[[A1:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.constant dense<1.000000e+00> : tensor<2xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.constant dense<0x7FF8000000000000> : tensor<2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.constant dense<5.000000e-01> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.constant dense<1.000000e+00> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V4:.*]] = cell.constant dense<6.6613381477509392E-16> : tensor<f64>
// ADJOINT-NEXT: %[[V5:.*]] = cell.constant dense<0x7FF8000000000000> : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V6:.*]], %[[V7:.*]], %[[V8:.*]] = cell.svd %[[A0]] : tensor<3x2xf64> -> tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V9:.*]] = cell.abs %[[V7]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V10:.*]] = cell.reduce_max %[[V9]] over [0] : tensor<2xf64> -> tensor<f64>
// ADJOINT-NEXT: %[[V11:.*]] = cell.matmul %[[A1]], %[[V8]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V12:.*]] = cell.matmul %[[V6]], %[[V11]] {transpose_a = true} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V13:.*]] = cell.transpose %[[V12]] perm [1, 0] : tensor<2x2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V14:.*]] = cell.add %[[V12]], %[[V13]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V15:.*]] = cell.broadcast %[[V7]] along [0] : tensor<2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V16:.*]] = cell.broadcast %[[V7]] along [1] : tensor<2xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V17:.*]] = cell.sub %[[V15]], %[[V16]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V18:.*]] = cell.mul %[[V10]], %[[V4]] : tensor<f64>
// ADJOINT-NEXT: %[[V19:.*]] = cell.broadcast %[[V18]] along [0, 1] : tensor<f64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V20:.*]] = cell.abs %[[V17]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V21:.*]] = cell.less_equal %[[V20]], %[[V19]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V22:.*]] = cell.select %[[V21]], %[[V3]], %[[V17]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V23:.*]] = cell.reciprocal %[[V22]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V24:.*]] = cell.select %[[V21]], %[[V5]], %[[V23]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V25:.*]] = cell.triangle %[[V24]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V26:.*]] = cell.triangle %[[V24]] {diagonal = 1 : i64, lower = false} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V27:.*]] = cell.add %[[V25]], %[[V26]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V28:.*]] = cell.mul %[[V14]], %[[V27]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V29:.*]] = cell.mul %[[V28]], %[[V2]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V30:.*]] = cell.sub %[[V12]], %[[V13]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V31:.*]] = cell.add %[[V15]], %[[V16]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V32:.*]] = cell.abs %[[V31]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V33:.*]] = cell.less_equal %[[V32]], %[[V19]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V34:.*]] = cell.select %[[V33]], %[[V3]], %[[V31]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V35:.*]] = cell.reciprocal %[[V34]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V36:.*]] = cell.select %[[V33]], %[[V5]], %[[V35]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V37:.*]] = cell.triangle %[[V36]] {diagonal = -1 : i64, lower = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V38:.*]] = cell.triangle %[[V36]] {diagonal = 1 : i64, lower = false} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V39:.*]] = cell.add %[[V37]], %[[V38]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V40:.*]] = cell.mul %[[V30]], %[[V39]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V41:.*]] = cell.mul %[[V40]], %[[V2]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V42:.*]] = cell.add %[[V29]], %[[V41]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V43:.*]] = cell.matmul %[[V6]], %[[V42]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V44:.*]] = cell.sub %[[V29]], %[[V41]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V45:.*]] = cell.matmul %[[V8]], %[[V44]] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V46:.*]] = cell.matmul %[[V6]], %[[V12]] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V47:.*]] = cell.sub %[[V11]], %[[V46]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V48:.*]] = cell.broadcast %[[V18]] along [0] : tensor<f64> -> tensor<2xf64>
// ADJOINT-NEXT: %[[V49:.*]] = cell.less_equal %[[V9]], %[[V48]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V50:.*]] = cell.select %[[V49]], %[[V0]], %[[V7]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V51:.*]] = cell.reciprocal %[[V50]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V52:.*]] = cell.select %[[V49]], %[[V1]], %[[V51]] : tensor<2xf64>
// ADJOINT-NEXT: %[[V53:.*]] = cell.broadcast %[[V52]] along [0] : tensor<2xf64> -> tensor<3x2xf64>
// ADJOINT-NEXT: %[[V54:.*]] = cell.mul %[[V47]], %[[V53]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V55:.*]] = cell.add %[[V43]], %[[V54]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V56:.*]] = cell.mul %[[V6]], %[[V11]] : tensor<3x2xf64>
// ADJOINT-NEXT: %[[V57:.*]] = cell.reduce_sum %[[V56]] over [0] : tensor<3x2xf64> -> tensor<2xf64>
// ADJOINT-NEXT: return %[[V55]], %[[V57]], %[[V45]] : tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
func.func private @jvp(%x: tensor<3x2xf64>, %t: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>) {
  %0:6 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0, 1, 2] : (tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
  return %0#3, %0#4, %0#5 : tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>
}

// What is wide is the transposed problem.
func.func private @vjp_wide(%x: tensor<2x3xf64>, %cu: tensor<2x2xf64>, %cs: tensor<2xf64>, %cv: tensor<3x2xf64>) -> tensor<2x3xf64> {
  %0:4 = cell.vjp @wide(%x) cotangents(%cu, %cs, %cv) of [0, 1, 2] wrt [0] : (tensor<2x3xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>, tensor<2x3xf64>)
  return %0#3 : tensor<2x3xf64>
}

// Numbers by differences with 60 digits.
// VALUES:      result 0: tensor<3x2xf64> {{\[\[0\.1173495957, 0\.5508182909\], \[-0\.1107864435, 0\.8341505692\], \[-0\.9868918058, -0\.02814317738\]\]}}
// VALUES-NEXT: result 1: tensor<2xf64> {{\[8\.715976019, 3\.609953192\]}}
// VALUES-NEXT: result 2: tensor<2x2xf64> {{\[\[-0\.5908080464, 0\.8068121543\], \[0\.8068121543, 0\.5908080464\]\]}}
// VALUES-NEXT: result 3: tensor<3x2xf64> {{\[\[-0\.547224614, 0\.1517080686\], \[-2\.077245893, -0\.8599111848\], \[0\.1555997556, -1\.150504028\]\]}}
// VALUES-NEXT: result 4: tensor<3x2xf64> {{\[\[0\.4149270258, 0\.6523161467\], \[0\.5084904032, -0\.404277178\], \[-0\.007743832241, 0\.7845463432\]\]}}
// VALUES-NEXT: result 5: tensor<2xf64> {{\[1\.967369267, 2\.175223953\]}}
// VALUES-NEXT: result 6: tensor<2x2xf64> {{\[\[0\.1639696501, 0\.1200708097\], \[0\.1200708097, -0\.1639696501\]\]}}
// VALUES-NEXT: result 7: tensor<2x3xf64> {{\[\[-0\.3094115575, -1\.015420451, 1\.919117894\], \[-0\.623603151, -1\.884595161, 0\.2302922088\]\]}}
// VALUES-NEXT: result 8: tensor<2x2xf64> {{\[\[-0\.1639696501, 0\.1200708097\], \[-0\.1200708097, -0\.1639696501\]\]}}
// VALUES-NEXT: result 9: tensor<2xf64> {{\[1\.967369267, 2\.175223953\]}}
// VALUES-NEXT: result 10: tensor<3x2xf64> {{\[\[-0\.4149270258, 0\.6523161467\], \[-0\.5084904032, -0\.404277178\], \[0\.007743832241, 0\.7845463432\]\]}}
func.func @values() -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>) {
  %x = cell.constant dense<[[1.0, 2.0], [3.0, 1.0], [5.0, -7.0]]> : tensor<3x2xf64>
  %y = cell.constant dense<[[1.0, 3.0, 5.0], [2.0, 1.0, -7.0]]> : tensor<2x3xf64>
  %cu = cell.constant dense<[[1.0, 2.0], [3.0, -2.0], [0.5, 1.0]]> : tensor<3x2xf64>
  %cs = cell.constant dense<[1.0, -2.0]> : tensor<2xf64>
  %cv = cell.constant dense<[[2.0, -1.0], [9.0, 3.0]]> : tensor<2x2xf64>
  %t = cell.constant dense<[[1.0, 5.0], [-2.0, 3.0], [2.0, -1.0]]> : tensor<3x2xf64>
  %r = cell.constant dense<[[1.0, -2.0, 2.0], [5.0, 3.0, -1.0]]> : tensor<2x3xf64>
  %0:4 = cell.vjp @f(%x) cotangents(%cu, %cs, %cv) of [0, 1, 2] wrt [0] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>)
  %1:6 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0, 1, 2] : (tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
  %2 = func.call @vjp_wide(%y, %cv, %cs, %cu) : (tensor<2x3xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> tensor<2x3xf64>
  %3:6 = cell.jvp @wide(%y) tangents(%r) wrt [0] of [0, 1, 2] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>)
  return %0#0, %0#1, %0#2, %0#3, %1#3, %1#4, %1#5, %2, %3#3, %3#4, %3#5 : tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<3x2xf64>
}
