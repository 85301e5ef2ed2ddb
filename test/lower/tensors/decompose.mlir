// A solution and its adjoint share one factorization; large matrices are factorized by blocks.
// RUN: cell-opt %s --cell-differentiate --cell-decompose --canonicalize --cse --split-input-file | FileCheck %s
// RUN: not cell-opt %s --cell-differentiate --cell-decompose=block-size=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not cell-opt %s --cell-differentiate --cell-to-linalg --split-input-file 2>&1 | FileCheck %s --check-prefix=LEFT

// SIZE: block-size must be at least 1, but is 0
// LEFT: 'cell.solve' op has no lowering; run --cell-decompose first

// CHECK-LABEL: func.func @gradient(
// CHECK:         cell.lu
// CHECK-COUNT-4: cell.triangular_solve
// CHECK-NOT:     cell.lu
// CHECK-NOT:     cell.solve
// CHECK:         return
func.func private @f(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = cell.solve %a, %b : tensor<3x3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
func.func @gradient(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %ct: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x2xf32>) {
  %0:3 = cell.vjp @f(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<3x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x2xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @cholesky(
// CHECK-SAME:    %[[X:.*]]: tensor<100x100xf64>)
// CHECK-NEXT:    %[[A:.*]] = cell.slice %[[X]] from [0, 0] to [64, 64]
// CHECK-NEXT:    %[[L:.*]] = cell.cholesky %[[A]] : tensor<64x64xf64>
// CHECK-NEXT:    %[[B:.*]] = cell.slice %[[X]] from [64, 0] to [100, 64]
// CHECK-NEXT:    %[[BT:.*]] = cell.transpose %[[B]]
// CHECK-NEXT:    %[[S:.*]] = cell.triangular_solve %[[L]], %[[BT]] {lower = true}
// CHECK-NEXT:    cell.transpose %[[S]]
// CHECK-NEXT:    %[[C:.*]] = cell.slice %[[X]] from [64, 64] to [100, 100]
// CHECK-NEXT:    %[[P:.*]] = cell.matmul %[[S]], %[[S]] {transpose_a = true}
// CHECK-NEXT:    %[[REST:.*]] = cell.sub %[[C]], %[[P]]
// CHECK-NEXT:    cell.cholesky %[[REST]] : tensor<36x36xf64>
func.func @cholesky(%x: tensor<100x100xf64>) -> tensor<100x100xf64> {
  %0 = cell.cholesky %x : tensor<100x100xf64>
  return %0 : tensor<100x100xf64>
}

// -----

// From below for an upper triangle.
// CHECK-LABEL: func.func @upper(
// CHECK:         %[[LAST:.*]] = cell.triangular_solve %{{.*}} {lower = false} : tensor<36x36xf64>, tensor<36x2xf64>
// CHECK:         %[[P:.*]] = cell.matmul %{{.*}}, %[[LAST]]
// CHECK:         cell.sub %{{.*}}, %[[P]]
// CHECK:         cell.triangular_solve %{{.*}} {lower = false} : tensor<64x64xf64>, tensor<64x2xf64>
func.func @upper(%a: tensor<100x100xf64>, %b: tensor<100x2xf64>) -> tensor<100x2xf64> {
  %0 = cell.triangular_solve %a, %b {lower = false} : tensor<100x100xf64>, tensor<100x2xf64>
  return %0 : tensor<100x2xf64>
}
