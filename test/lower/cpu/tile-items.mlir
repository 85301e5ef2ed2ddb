// The outermost loop over parts of C is over items: here images, then filters. Where there is none, as in the gradient
// of filters, one of the dimensions of C is cut into parts.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{fewest-nanoseconds=1000000}))" \
// RUN:   | FileCheck %s --check-prefix=SHORT

// SHORT-NOT: scf.forall

// CHECK-LABEL: func.func @images
// CHECK:         scf.forall (%{{.*}}) in (4) {
// CHECK-NOT:     scf.forall
// CHECK:           scf.for
// CHECK:           vector.store
// CHECK:         } {cell.nanoseconds = 377487 : i64}
#x = affine_map<(n, o, h, w, c, p, q) -> (n, c, h + p, w + q)>
#w = affine_map<(n, o, h, w, c, p, q) -> (o, c, p, q)>
#y = affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>
func.func @images(%x: memref<4x16x34x34xf32>, %w: memref<32x16x3x3xf32>, %y: memref<4x32x32x32xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<4x16x34x34xf32>, memref<32x16x3x3xf32>) outs(%y : memref<4x32x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @filters
// CHECK:         scf.forall (%{{.*}}) in (32) {
// CHECK-NOT:     scf.forall
// CHECK:         } {cell.nanoseconds = 94371 : i64}
#x1 = affine_map<(o, h, w, c, p, q) -> (c, h + p, w + q)>
#w1 = affine_map<(o, h, w, c, p, q) -> (o, c, p, q)>
#y1 = affine_map<(o, h, w, c, p, q) -> (o, h, w)>
func.func @filters(%x: memref<16x34x34xf32>, %w: memref<32x16x3x3xf32>, %y: memref<32x32x32xf32>) {
  linalg.generic {indexing_maps = [#x1, #w1, #y1], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<16x34x34xf32>, memref<32x16x3x3xf32>) outs(%y : memref<32x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Sums over all images: 64 filters are cut into four parts of 16, in tiles of their own. Each has a buffer of C.
// CHECK-LABEL: func.func @gradient_of_filters
// CHECK:         scf.forall (%[[ITEM:.*]]) in (4) {
// CHECK-NOT:     scf.forall
// CHECK:           memref.alloc() : memref<9216xf32>
// CHECK:         } {cell.nanoseconds = 212336 : i64}
#xg = affine_map<(o, c, p, q, n, h, w) -> (n, c, h + p, w + q)>
#gg = affine_map<(o, c, p, q, n, h, w) -> (n, o, h, w)>
#wg = affine_map<(o, c, p, q, n, h, w) -> (o, c, p, q)>
func.func @gradient_of_filters(%x: memref<2x64x14x14xf32>, %g: memref<2x64x12x12xf32>, %w: memref<64x64x3x3xf32>) {
  linalg.generic {indexing_maps = [#xg, #gg, #wg], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : memref<2x64x14x14xf32>, memref<2x64x12x12xf32>) outs(%w : memref<64x64x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
