// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s

#x = affine_map<(n, o, i, j, c, k, l) -> (n, c, i + k, j + l)>
#apart = affine_map<(n, o, i, j, c, k, l) -> (n, c, i + k, 5 * j + l)>
#w = affine_map<(n, o, i, j, c, k, l) -> (o, c, k, l)>
#y = affine_map<(n, o, i, j, c, k, l) -> (n, o, i, j)>

// The 30 rows of a tile are positions next to each other, whose windows overlap. Unrolled over the
// five columns of the filters, they would share more elements of the image than registers hold; the
// ten rows of the last tile do not.
// CHECK-LABEL:    func.func @overlapping
// CHECK-COUNT-30: vector.fma
// CHECK-NOT:      vector.fma
// CHECK:          scf.yield
// CHECK-COUNT-50: vector.fma
// CHECK-NOT:      vector.fma
// CHECK:          scf.yield
func.func @overlapping(%x: memref<64x6x14x14xf32>, %w: memref<16x6x5x5xf32>, %y: memref<64x16x10x10xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<64x6x14x14xf32>, memref<16x6x5x5xf32>) outs(%y : memref<64x16x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Windows that lie apart share nothing.
// CHECK-LABEL:     func.func @separate
// CHECK-COUNT-125: vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
func.func @separate(%x: memref<64x6x14x50xf32>, %w: memref<16x6x5x5xf32>, %y: memref<64x16x10x10xf32>) {
  linalg.generic {indexing_maps = [#apart, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<64x6x14x50xf32>, memref<16x6x5x5xf32>) outs(%y : memref<64x16x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Zeros need not be there to be added to; other numbers do.
// CHECK-LABEL: func.func @added_to_zeros
// CHECK-NOT:   linalg.fill
// CHECK-LABEL: func.func @added_to_ones
// CHECK:       linalg.fill
func.func @added_to_zeros(%x: memref<64x6x14x14xf32>, %w: memref<16x6x5x5xf32>) -> memref<64x16x10x10xf32> {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<64x16x10x10xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<64x16x10x10xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<64x6x14x14xf32>, memref<16x6x5x5xf32>) outs(%y : memref<64x16x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return %y : memref<64x16x10x10xf32>
}

func.func @added_to_ones(%x: memref<64x6x14x14xf32>, %w: memref<16x6x5x5xf32>) -> memref<64x16x10x10xf32> {
  %one = arith.constant 1.0 : f32
  %y = memref.alloc() : memref<64x16x10x10xf32>
  linalg.fill ins(%one : f32) outs(%y : memref<64x16x10x10xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<64x6x14x14xf32>, memref<16x6x5x5xf32>) outs(%y : memref<64x16x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return %y : memref<64x16x10x10xf32>
}
