// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan}))" -o /dev/null --verify-diagnostics
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s

// Loops are [n, o, h, w, c, kh, kw].
#x = affine_map<(n, o, h, w, c, p, q) -> (n, c, h + p, w + q)>
#x2 = affine_map<(n, o, h, w, c, p, q) -> (n, c, h * 2 + p, w * 2 + q)>
#xt = affine_map<(n, o, h, w, c, p, q) -> (c, n, h + p, w + q)>
#w = affine_map<(n, o, h, w, c, p, q) -> (o, c, p, q)>
#wt = affine_map<(n, o, h, w, c, p, q) -> (c, o, p, q)>
#y = affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>

// Rows of an image are vectors; filters are broadcast, and nothing is copied.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     linalg
// CHECK:         scf.for
// CHECK:         vector.load {{.*}} vector<16xf32>
// CHECK:         vector.fma
func.func @rows(%x: memref<8x16x34x34xf32>, %w: memref<16x16x3x3xf32>, %y: memref<8x16x32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8x16x32x32xf32>)
  // expected-remark @+1 {{tile 8x2 vectors, exchanged, 1 blocks of 144}}
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x16x34x34xf32>, memref<16x16x3x3xf32>) outs(%y : memref<8x16x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A stride of two: filters are the vectors, and results are brought in order image by image.
// CHECK-LABEL: func.func @strides
// CHECK:         memref.alloc
// CHECK:         linalg.generic
// CHECK:         memref.alloc
// CHECK:         vector.fma
// CHECK:         linalg.generic
func.func @strides(%x: memref<8x16x33x33xf32>, %w: memref<32x16x3x3xf32>, %y: memref<8x32x16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8x32x16x16xf32>)
  // expected-remark @+1 {{tile 8x2 vectors, pack B, buffer C, 1 blocks of 144}}
  linalg.generic {indexing_maps = [#x2, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x16x33x33xf32>, memref<32x16x3x3xf32>) outs(%y : memref<8x32x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The gradient of filters: a block of the sum for each image, added to a buffer of zeros.
// CHECK-LABEL: func.func @filters
// CHECK:         linalg.generic
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         vector.fma
// CHECK:         arith.addf
func.func @filters(%x: memref<64x16x14x14xf32>, %ct: memref<64x32x10x10xf32>, %y: memref<16x32x5x5xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<16x32x5x5xf32>)
  // expected-remark @+1 {{tile 25x1 vectors, pack B, buffer C, 64 blocks of 100}}
  linalg.generic {indexing_maps = [#xt, #wt, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %ct : memref<64x16x14x14xf32>, memref<64x32x10x10xf32>) outs(%y : memref<16x32x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// One filter: plain loops do as well.
// CHECK-LABEL: func.func @one
// CHECK:         linalg.generic
func.func @one(%x: memref<8x16x34x34xf32>, %w: memref<1x16x3x3xf32>, %y: memref<8x1x32x32xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x16x34x34xf32>, memref<1x16x3x3xf32>) outs(%y : memref<8x1x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Tiles add up in the type of the result: not halves.
// CHECK-LABEL: func.func @halves
// CHECK:         linalg.generic
// CHECK-NOT:     vector.
// CHECK:         return
func.func @halves(%x: memref<8x16x34x34xf16>, %w: memref<16x16x3x3xf16>, %y: memref<8x16x32x32xf16>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x16x34x34xf16>, memref<16x16x3x3xf16>) outs(%y : memref<8x16x32x32xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %0 = arith.mulf %a, %b : f16
    %1 = arith.addf %c, %0 : f16
    linalg.yield %1 : f16
  }
  return
}
