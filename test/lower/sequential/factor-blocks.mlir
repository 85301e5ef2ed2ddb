// LU and QR factors of large matrices: blocks of columns, and products of matrices for the rest.
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --split-input-file | FileCheck %s
// RUN: cell-opt %s --cell-to-llvm-pipeline --split-input-file | FileCheck %s --check-prefix=ARENA

// Three blocks of 32 columns and one of 4.
// CHECK-LABEL: func.func @lu(
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (tensor<100x100xf32>, tensor<100xi32>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<100x32xf32>)
// CHECK:         %[[U:.*]] = scf.for {{.*}} -> (tensor<32x68xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<68x68xf32>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<68x32xf32>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<36x32xf32>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
// 40000 bytes of matrix, 18496 of a product, and vectors.
// ARENA: llvm.func @lu({{.*}}cell.arena_bytes = 27200 : i64
func.func @lu(%x: tensor<100x100xf32>) -> (tensor<100x100xf32>, tensor<100xi32>) {
  %0:2 = cell.lu %x : tensor<100x100xf32> -> tensor<100x100xf32>, tensor<100xi32>
  return %0#0, %0#1 : tensor<100x100xf32>, tensor<100xi32>
}

// -----

// CHECK-LABEL: func.func @qr(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<80x32xf32>)
// CHECK:         %[[ANGLES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<32x32xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<80x38xf32>)
// ARENA: llvm.func @qr(
func.func @qr(%x: tensor<80x70xf32>) -> (tensor<80x70xf32>, tensor<70x70xf32>) {
  %0:2 = cell.qr %x : tensor<80x70xf32> -> tensor<80x70xf32>, tensor<70x70xf32>
  return %0#0, %0#1 : tensor<80x70xf32>, tensor<70x70xf32>
}
