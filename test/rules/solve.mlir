// Derivative of cell.solve: cb = A^-T ct, and cA = -cb y^T.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=cell-differentiate,cell-decompose{block-size=1} --digits=10 | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.solve %{{.*}}, %{{.*}} : tensor<2x2xf64>, tensor<2x2xf64>
func.func private @f(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0 = cell.solve %x, %y : tensor<2x2xf64>, tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[Y:[a-z0-9]+]]: {{.*}}%[[W:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.solve %[[X]], %[[Y]] : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.solve %[[X]], %[[W]] {transpose = true} : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.matmul %[[V1]], %[[V0]] {transpose_b = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.neg %[[V2]] : tensor<2x2xf64>
// ADJOINT-NEXT: return %[[V3]], %[[V1]]
func.func private @vjp(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>, %w: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>) {
  %0:3 = cell.vjp @f(%x, %y) cotangents(%w) of [0] wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1, %0#2 : tensor<2x2xf64>, tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func private @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{.*}}%[[Y:[a-z0-9]+]]: {{.*}}%[[S:[a-z0-9]+]]: {{.*}}%[[T:[a-z0-9]+]]:
// ADJOINT-NEXT: %[[V0:.*]] = cell.solve %[[X]], %[[Y]] : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: %[[V1:.*]] = cell.matmul %[[S]], %[[V0]] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[V2:.*]] = cell.sub %[[T]], %[[V1]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[V3:.*]] = cell.solve %[[X]], %[[V2]] : tensor<2x2xf64>, tensor<2x2xf64>
// ADJOINT-NEXT: return %[[V3]]
func.func private @jvp(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>, %s: tensor<2x2xf64>, %t: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.jvp @f(%x, %y) tangents(%s, %t) wrt [0, 1] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// Numbers by differences with 40 digits.
// VALUES:      result 0: tensor<2x2xf64> {{\[\[0\.8, -3\.2\], \[0\.6, 4\.6\]\]}}
// VALUES-NEXT: result 1: tensor<2x2xf64> {{\[\[-10\.4, 11\.8\], \[4\.0, -5\.4\]\]}}
// VALUES-NEXT: result 2: tensor<2x2xf64> {{\[\[1\.8, -2\.8\], \[-0\.2, 1\.2\]\]}}
// VALUES-NEXT: result 3: tensor<2x2xf64> {{\[\[1\.2, 4\.3\], \[-2\.0, -11\.8\]\]}}
func.func @values() -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %x = cell.constant dense<[[1.0, 2.0], [4.0, 3.0]]> : tensor<2x2xf64>
  %y = cell.constant dense<[[2.0, 6.0], [5.0, 1.0]]> : tensor<2x2xf64>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, -2.0]]> : tensor<2x2xf64>
  %s = cell.constant dense<[[1.0, 5.0], [-2.0, 3.0]]> : tensor<2x2xf64>
  %t = cell.constant dense<[[1.0, 0.5], [-1.0, 2.0]]> : tensor<2x2xf64>
  %0:3 = cell.vjp @f(%x, %y) cotangents(%w) of [0] wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  %1:2 = cell.jvp @f(%x, %y) tangents(%s, %t) wrt [0, 1] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
