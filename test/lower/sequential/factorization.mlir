// Factorizations are loops that update one matrix in place: what is in the arena is that matrix and
// copies of single rows and columns.
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --split-input-file | FileCheck %s --check-prefix=LOOPS
// RUN: cell-opt %s --cell-to-llvm-pipeline --split-input-file | FileCheck %s --check-prefix=ARENA

// LOOPS-LABEL: func.func @cholesky
// LOOPS:         scf.for %[[J:.*]] = {{.*}} iter_args(%[[L:.*]] = %{{.*}}, %{{.*}} = %true) -> (tensor<32x32xf32>, i1)
// LOOPS:           math.sqrt
// LOOPS:           bufferization.alloc_tensor() copy(%{{.*}}) : tensor<32xf32>
// LOOPS:           linalg.generic {{.*}} outs(%[[L]] : tensor<32x32xf32>)
// LOOPS:           scf.yield
// The second half has less to update.
// LOOPS:         scf.for {{.*}} -> (tensor<16x16xf32>, i1)
// LOOPS:           linalg.generic {{.*}} outs(%{{.*}} : tensor<16x16xf32>)
// LOOPS-NOT:     scf.for
// The matrix lies in the result; beside it a block of 16 x 16 and a column.
// ARENA: llvm.func @cholesky({{.*}}cell.arena_bytes = 1088 : i64
func.func @cholesky(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = cell.cholesky %x : tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// LOOPS-LABEL: func.func @triangular_solve
// LOOPS:         scf.for
// LOOPS:           linalg.generic {{.*}} outs(%{{.*}} : tensor<32x32xf32>)
// LOOPS:         scf.for
// LOOPS:           linalg.generic {{.*}} outs(%{{.*}} : tensor<16x32xf32>)
// ARENA: llvm.func @triangular_solve({{.*}}cell.arena_bytes = 2240 : i64
func.func @triangular_solve(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = cell.triangular_solve %a, %b {lower = true} : tensor<32x32xf32>, tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// A batch is a loop around the others.
// LOOPS-LABEL: func.func @lu
// LOOPS:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : tensor<2x3x32x32xf32> into tensor<6x32x32xf32>
// The pivots of a matrix begin as nothing, not as a part of what nobody has written.
// LOOPS:         scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// LOOPS:           %[[MATRIX:.*]] = tensor.extract_slice %[[ALL]]
// LOOPS:           %[[PIVOTS:.*]] = tensor.empty() : tensor<32xi32>
// LOOPS:           scf.for {{.*}} iter_args(%{{.*}} = %[[MATRIX]], %{{.*}} = %[[PIVOTS]])
// LOOPS:             scf.for
// LOOPS:               math.absf
// LOOPS:             linalg.generic {{.*}} outs(%{{.*}} : tensor<32x32xf32>)
// LOOPS:         tensor.expand_shape
// ARENA: llvm.func @lu
func.func @lu(%x: tensor<2x3x32x32xf32>) -> (tensor<2x3x32x32xf32>, tensor<2x3x32xi32>) {
  %0:2 = cell.lu %x : tensor<2x3x32x32xf32> -> tensor<2x3x32x32xf32>, tensor<2x3x32xi32>
  return %0#0, %0#1 : tensor<2x3x32x32xf32>, tensor<2x3x32xi32>
}

// -----

// LOOPS-LABEL: func.func @triangle
// LOOPS:         linalg.generic
// LOOPS:           linalg.index
// LOOPS:           arith.select
// LOOPS-NOT:     scf.for
// ARENA: llvm.func @triangle({{.*}}cell.arena_bytes = 0 : i64
func.func @triangle(%x: tensor<32x32xi1>) -> tensor<32x32xi1> {
  %0 = cell.triangle %x {lower = false, diagonal = 1} : tensor<32x32xi1>
  return %0 : tensor<32x32xi1>
}
