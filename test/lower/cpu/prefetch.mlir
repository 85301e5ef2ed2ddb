// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops,canonicalize))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops{target=x86-64-v3},canonicalize))" | FileCheck %s --check-prefix=AVX2
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm,canonicalize))" | FileCheck %s --check-prefix=PRODUCT

// A long sum asks for each cache line (64 bytes) once, 4096 bytes ahead: for every vector of 64 bytes,
// and every other vector of 32.
#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @long
// CHECK:         memref.prefetch %{{.*}}, read, locality<3>, data : memref<65536xf32>
// CHECK-NEXT:    vector.load {{.*}} vector<16xf32>
// CHECK:         memref.prefetch
// CHECK:         vector.load
// AVX2-LABEL:  func.func @long
// AVX2:          memref.prefetch
// AVX2-NEXT:     vector.load {{.*}} vector<8xf32>
// AVX2-NOT:      memref.prefetch
// AVX2:          vector.load
// AVX2:          memref.prefetch
func.func @long(%x: memref<65536xf32>, %out: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
      ins(%x : memref<65536xf32>) outs(%out : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// What is in the cache anyway is not asked for.
// CHECK-LABEL: func.func @short
// CHECK-NOT:     memref.prefetch
func.func @short(%x: memref<4096xf32>, %out: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
      ins(%x : memref<4096xf32>) outs(%out : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A product adds to its tiles of C once for each block of the sum. It asks for a tile before the block where C is
// larger than the second level of the cache, and not where there is one block.
// PRODUCT-LABEL: func.func @product_in_blocks
// PRODUCT:         memref.prefetch %{{.*}}, write, locality<1>, data : memref<262144xf32>
// PRODUCT:         vector.fma
// PRODUCT-LABEL: func.func @product_in_one_block
// PRODUCT-NOT:     memref.prefetch
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @product_in_blocks(%a: memref<256x512xf32>, %b: memref<512x1024xf32>, %c: memref<256x1024xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<256x512xf32>, memref<512x1024xf32>) outs(%c : memref<256x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @product_in_one_block(%a: memref<256x256xf32>, %b: memref<256x1024xf32>, %c: memref<256x1024xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<256x256xf32>, memref<256x1024xf32>) outs(%c : memref<256x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
