// The outermost loop over parts of C is over items: here images, then filters.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{fewest-nanoseconds=1000000}))" \
// RUN:   | FileCheck %s --check-prefix=SHORT

// SHORT-NOT: scf.forall

// CHECK-LABEL: func.func @images
// CHECK:         scf.forall (%{{.*}}) in (4) {
// CHECK-NOT:     scf.forall
// CHECK:           scf.for
// CHECK:           vector.store
// CHECK:         } {cell.nanoseconds = 251658 : i64}
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
// CHECK:         } {cell.nanoseconds = 62914 : i64}
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
