// Filters that all items of a kernel read are packed once, before them.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s

// CHECK-LABEL: func.func @same_filters
// CHECK:         %[[PACKED:.*]] = memref.alloc() : memref<4608xf32>
// CHECK:         linalg.generic
// CHECK:         scf.forall
// CHECK-NOT:       memref.alloc() : memref<4608xf32>
// CHECK:           vector.load %[[PACKED]]
// CHECK-NOT:       memref.alloc() : memref<4608xf32>
// CHECK:         return
#x = affine_map<(o, h, w, c, p, q) -> (c, h + p, w + q)>
#w = affine_map<(o, h, w, c, p, q) -> (o, c, p, q)>
#y = affine_map<(o, h, w, c, p, q) -> (o, h, w)>
!image = memref<16x10x10xf32, strided<[100, 10, 1], offset: ?>>
!result = memref<32x8x8xf32, strided<[64, 8, 1], offset: ?>>
!filters = memref<32x16x3x3xf32, strided<[144, 9, 3, 1], offset: ?>>
func.func @same_filters(%x: memref<4x16x10x10xf32>, %w: memref<32x16x3x3xf32>, %y: memref<4x32x8x8xf32>) {
  scf.forall (%i) in (4) {
    %xi = memref.subview %x[%i, 0, 0, 0] [1, 16, 10, 10] [1, 1, 1, 1] : memref<4x16x10x10xf32> to !image
    %yi = memref.subview %y[%i, 0, 0, 0] [1, 32, 8, 8] [1, 1, 1, 1] : memref<4x32x8x8xf32> to !result
    linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%xi, %w : !image, memref<32x16x3x3xf32>) outs(%yi : !result) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    }
  }
  return
}

// Those of each item are packed by it.
// CHECK-LABEL: func.func @own_filters
// CHECK-NOT:     memref.alloc()
// CHECK:         scf.forall
// CHECK:           memref.alloc() : memref<4608xf32>
func.func @own_filters(%x: memref<4x16x10x10xf32>, %w: memref<4x32x16x3x3xf32>, %y: memref<4x32x8x8xf32>) {
  scf.forall (%i) in (4) {
    %xi = memref.subview %x[%i, 0, 0, 0] [1, 16, 10, 10] [1, 1, 1, 1] : memref<4x16x10x10xf32> to !image
    %wi = memref.subview %w[%i, 0, 0, 0, 0] [1, 32, 16, 3, 3] [1, 1, 1, 1, 1] : memref<4x32x16x3x3xf32> to !filters
    %yi = memref.subview %y[%i, 0, 0, 0] [1, 32, 8, 8] [1, 1, 1, 1] : memref<4x32x8x8xf32> to !result
    linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%xi, %wi : !image, !filters) outs(%yi : !result) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    }
  }
  return
}

// What the loop writes is not what was there before it: here, filters in memory of the loop and of the whole.
// CHECK-LABEL: func.func @changing_filters
// CHECK-NOT:     memref.alloc()
// CHECK:         scf.forall
// CHECK:           linalg.fill
// CHECK:           memref.alloc() : memref<4608xf32>
func.func @changing_filters(%x: memref<4x16x10x10xf32>, %w: memref<32x16x3x3xf32>, %y: memref<4x32x8x8xf32>, %one: f32) {
  scf.forall (%i) in (1) {
    %xi = memref.subview %x[%i, 0, 0, 0] [1, 16, 10, 10] [1, 1, 1, 1] : memref<4x16x10x10xf32> to !image
    %yi = memref.subview %y[%i, 0, 0, 0] [1, 32, 8, 8] [1, 1, 1, 1] : memref<4x32x8x8xf32> to !result
    linalg.fill ins(%one : f32) outs(%w : memref<32x16x3x3xf32>)
    linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%xi, %w : !image, memref<32x16x3x3xf32>) outs(%yi : !result) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      linalg.yield %1 : f32
    }
  }
  return
}

// A loop of steps that changes them is around the kernel: they are packed in each step.
// CHECK-LABEL: func.func @steps
// CHECK-NOT:     memref.alloc()
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<4608xf32>
// CHECK:           scf.forall
// CHECK:           linalg.fill
func.func @steps(%x: memref<4x16x10x10xf32>, %w: memref<32x16x3x3xf32>, %y: memref<4x32x8x8xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %step = %c0 to %c9 step %c1 {
    scf.forall (%i) in (4) {
      %xi = memref.subview %x[%i, 0, 0, 0] [1, 16, 10, 10] [1, 1, 1, 1] : memref<4x16x10x10xf32> to !image
      %yi = memref.subview %y[%i, 0, 0, 0] [1, 32, 8, 8] [1, 1, 1, 1] : memref<4x32x8x8xf32> to !result
      linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%xi, %w : !image, memref<32x16x3x3xf32>) outs(%yi : !result) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %c, %0 : f32
        linalg.yield %1 : f32
      }
    }
    linalg.fill ins(%one : f32) outs(%w : memref<32x16x3x3xf32>)
  }
  return
}
