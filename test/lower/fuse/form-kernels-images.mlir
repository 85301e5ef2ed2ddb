// Convolutions run on a few images at a time, with what comes before and after them.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=65536 fewest-nanoseconds=1000000000}))" | FileCheck %s

#window = affine_map<(n, k, h, w, c, r, s) -> (n, c, h + r, w + s)>
#weights = affine_map<(n, k, h, w, c, r, s) -> (k, c, r, s)>
#place = affine_map<(n, k, h, w, c, r, s) -> (n, k, h, w)>
#all = affine_map<(n, k, h, w) -> (n, k, h, w)>
#filter = affine_map<(n, k, h, w) -> (k)>

// The sums of an image stay in the cache until they have their bias: %t is there for a tile of images only.
// CHECK-LABEL: func.func @images(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
// CHECK:           %[[T:.*]] = memref.alloc() : memref<[[#N:]]x16x30x30xf32>
// CHECK:           linalg.fill {{.*}} outs(%[[T]] : memref<[[#N]]x16x30x30xf32>)
// CHECK:           linalg.generic {{.*}} outs(%[[T]] : memref<[[#N]]x16x30x30xf32>)
// CHECK:           arith.mulf
// CHECK:           linalg.generic {{.*}} ins(%[[T]], %{{.*}} : memref<[[#N]]x16x30x30xf32>, memref<16xf32>)
// CHECK:           arith.maximumf
func.func @images(%x: memref<32x8x32x32xf32>, %w: memref<16x8x3x3xf32>, %b: memref<16xf32>, %y: memref<32x16x30x30xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x16x30x30xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x16x30x30xf32>)
  linalg.generic {indexing_maps = [#window, #weights, #place],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<32x8x32x32xf32>, memref<16x8x3x3xf32>) outs(%t : memref<32x16x30x30xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %0 = arith.mulf %a, %v : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #filter, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t, %b : memref<32x16x30x30xf32>, memref<16xf32>) outs(%y : memref<32x16x30x30xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %0 = arith.addf %a, %v : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

#window = affine_map<(n, k, h, w, c, r, s) -> (n, c, h + r, w + s)>
#weights = affine_map<(n, k, h, w, c, r, s) -> (k, c, r, s)>
#place = affine_map<(n, k, h, w, c, r, s) -> (n, k, h, w)>
#all = affine_map<(n, k, h, w) -> (n, k, h, w)>

// Few images: each convolution is cut by itself.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @few(%x: memref<4x8x64x64xf32>, %w: memref<16x8x3x3xf32>, %y: memref<4x16x62x62xf32>) {
  linalg.generic {indexing_maps = [#window, #weights, #place],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<4x8x64x64xf32>, memref<16x8x3x3xf32>) outs(%y : memref<4x16x62x62xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %0 = arith.mulf %a, %v : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%y : memref<4x16x62x62xf32>) {
  ^bb0(%o: f32):
    %0 = math.absf %o : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#window = affine_map<(n, k, h, w, c, r, s) -> (n, c, h + r, w + s)>
#weights = affine_map<(n, k, h, w, c, r, s) -> (k, c, r, s)>
#place = affine_map<(n, k, h, w, c, r, s) -> (n, k, h, w)>
#all = affine_map<(n, k, h, w) -> (n, k, h, w)>

// Weights of 288 KB would be read again for each tile, and a gradient of weights adds up all images.
// CHECK-LABEL: func.func @weights(
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @weights(%x: memref<16x64x16x16xf32>, %w: memref<128x64x3x3xf32>, %y: memref<16x128x14x14xf32>, %g: memref<128x64x3x3xf32>) {
  linalg.generic {indexing_maps = [#window, #weights, #place],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<16x64x16x16xf32>, memref<128x64x3x3xf32>) outs(%y : memref<16x128x14x14xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %0 = arith.mulf %a, %v : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#window, #place, #weights],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction", "parallel", "parallel", "parallel"]}
      ins(%x, %y : memref<16x64x16x16xf32>, memref<16x128x14x14xf32>) outs(%g : memref<128x64x3x3xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %0 = arith.mulf %a, %v : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
