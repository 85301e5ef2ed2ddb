// Rows of A that lie a page apart: all of them fall into one set of the first level. Where that has 8 ways they are
// packed even for few columns, where it has 12 the register tile reads them as they are.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan target=x86-64-v4}))" -o %t 2>&1 | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan target=sapphirerapids}))" -o %t 2>&1 | FileCheck %s --check-prefixes=CHECK,TWELVE

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// EIGHT: 512x32x1024: tile 8x32, {{.*}}, pack A, ask for B
// TWELVE: 512x32x1024: tile 8x32, {{.*}}depth 256, ask for B
func.func @few_columns(%a: memref<512x1024xf32>, %b: memref<1024x32xf32>, %c: memref<512x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x1024xf32>, memref<1024x32xf32>) outs(%c : memref<512x32xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Down the columns of a transposed A each step of k is on another line: for many columns it is packed, whatever its rows'
// distance.
// CHECK: 500x500x500: {{.*}}, pack A
func.func @transposed(%a: memref<500x500xf32>, %b: memref<500x500xf32>, %c: memref<500x500xf32>) {
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<500x500xf32>, memref<500x500xf32>) outs(%c : memref<500x500xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
