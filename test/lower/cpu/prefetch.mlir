// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops,canonicalize))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops{target=x86-64-v3},canonicalize))" | FileCheck %s --check-prefix=AVX2

// A long sum asks for each cache line (64 bytes) once, 256 bytes ahead: for every vector of 64 bytes,
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
