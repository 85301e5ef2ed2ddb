// A scatter into a donated argument, or into zeros, changes memory in place: no buffer, no copy.
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --cell-fuse-linalg --cell-convert-entry-points --cell-place-results --cse --cell-carry-buffers --one-shot-bufferize --canonicalize --cse --cell-coalesce-buffers --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @donated
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<9x4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           %[[ROW:.*]] = memref.subview %[[X]]
// CHECK:           linalg.generic {{.*}} outs(%[[ROW]] :
func.func @donated(%x: tensor<9x4xf32> {cell.donate = 0 : i64}, %i: tensor<5xi32>, %u: tensor<5x4xf32>) -> tensor<9x4xf32> {
  %y = cell.scatter "add" %u into %x at %i dim 0 : tensor<5x4xf32>, tensor<9x4xf32>, tensor<5xi32>
  return %y : tensor<9x4xf32>
}

// Loops within loops, and a result that is several dimensions in one.
// CHECK-LABEL: func.func @zeros
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<3x9x2x2xf32> {llvm.noalias}
// CHECK-NOT:     memref.alloc
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[OUT]]
// CHECK:         linalg.fill {{.*}} outs(%[[FLAT]] :
// CHECK:             memref.subview %[[FLAT]]
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @zeros(%i: tensor<3x5xi32>, %u: tensor<3x5x2x2xf32>) -> tensor<3x9x2x2xf32> {
  %z = cell.constant dense<0.0> : tensor<3x9x2x2xf32>
  %y = cell.scatter "set" %u into %z at %i dim 1 batch 1 : tensor<3x5x2x2xf32>, tensor<3x9x2x2xf32>, tensor<3x5xi32>
  return %y : tensor<3x9x2x2xf32>
}

// A gather of the old rows comes before the update.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<9x4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic
// CHECK:           memref.load %[[W]]
// CHECK:         scf.for
// CHECK:           memref.subview %[[W]]
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @step(%w: tensor<9x4xf32> {cell.donate = 1 : i64}, %i: tensor<5xi32>, %u: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<9x4xf32>) {
  %y = cell.gather %w at %i dim 0 : tensor<9x4xf32>, tensor<5xi32> -> tensor<5x4xf32>
  %n = cell.scatter "add" %u into %w at %i dim 0 : tensor<5x4xf32>, tensor<9x4xf32>, tensor<5xi32>
  return %y, %n : tensor<5x4xf32>, tensor<9x4xf32>
}
