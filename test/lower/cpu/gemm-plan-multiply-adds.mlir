// A tile of 16 vectors leaves registers for the sums of chains. Of 4 rows and 4 vectors it takes half of what a processor
// loads that begins one multiply-add of 512 bits in a cycle; where two begin, a panel of B that is larger than the first level
// would come too slowly from the second one.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan target=znver4}))" -o %t.one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan target=sapphirerapids}))" -o %t.two 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: FileCheck %s --check-prefix=PACK --input-file=%t.one

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// ONE: 128x512x512: tile 4x64, {{.*}}, pack A, pack B, 8 items of columns
// TWO: 128x512x512: tile 8x32, {{.*}}, pack A, pack B, 8 items of columns
// Of four rows, 16 steps of k become four vectors with four steps in each.
// PACK-LABEL: func.func @packed
// PACK-COUNT-4: vector.load {{.*}} vector<16xf32>
// PACK-NOT:     vector.load
// PACK-COUNT-8: vector.shuffle {{.*}} vector<16xf32>, vector<16xf32>
// PACK-NOT:     vector.shuffle
// PACK-COUNT-4: vector.store {{.*}} vector<16xf32>
func.func @packed(%a: memref<128x512xf32>, %b: memref<512x512xf32>, %c: memref<128x512xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x512xf32>, memref<512x512xf32>) outs(%c : memref<128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// B lies behind the second level. The first rows wait for it whatever they are, so a product of eight has one tile of all.
// ONE: 8x1024x1024: tile 8x
func.func @few_rows(%a: memref<8x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<8x1024xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<8x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// 96 columns are three times two vectors: a tile of four would leave a rest, which is as much code again.
// ONE: 96x96x96: tile 8x32,
func.func @even(%a: memref<96x96xf32>, %b: memref<96x96xf32>, %c: memref<96x96xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<96x96xf32>, memref<96x96xf32>) outs(%c : memref<96x96xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
