// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{target=x86-64}))" | FileCheck %s --check-prefix=NOFMA

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// One register tile: accumulators start at zero and are stored over C, so the fill
// disappears; every step of k broadcasts one element of A per row.
// CHECK-LABEL: func.func @tile
// CHECK-SAME:    %[[A:.*]]: memref<2x8xf32>, %[[B:.*]]: memref<8x32xf32>, %[[C:.*]]: memref<2x32xf32>
// CHECK-NOT:     linalg
// CHECK:         %[[ACC:.*]]:4 = scf.for {{.*}} iter_args
// CHECK-COUNT-2:   vector.load {{.*}} vector<16xf32>
// CHECK:           memref.load
// CHECK-NEXT:      vector.broadcast
// CHECK-COUNT-2:   vector.fma
// CHECK:           memref.load
// CHECK-NEXT:      vector.broadcast
// CHECK-COUNT-2:   vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK-NOT:     arith.addf
// CHECK:         vector.store %[[ACC]]#0
// CHECK:         vector.store %[[ACC]]#3
// NOFMA-LABEL: func.func @tile
// NOFMA-NOT:     vector.fma
// NOFMA:         %[[P:.*]] = arith.mulf {{.*}} vector<4xf32>
// NOFMA-NEXT:    arith.addf {{.*}} %[[P]]
func.func @tile(%a: memref<2x8xf32>, %b: memref<8x32xf32>, %c: memref<2x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<2x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x8xf32>, memref<8x32xf32>) outs(%c : memref<2x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Without a fill of zeros, C is added to.
// CHECK-LABEL: func.func @accumulate
// CHECK:         %[[ACC:.*]]:4 = scf.for
// CHECK:           scf.yield
// CHECK:         %[[OLD:.*]] = vector.load
// CHECK-NEXT:    %[[NEW:.*]] = arith.addf %[[OLD]], %[[ACC]]#0
// CHECK:         vector.store %[[NEW]]
func.func @accumulate(%a: memref<2x8xf32>, %b: memref<8x32xf32>, %c: memref<2x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x8xf32>, memref<8x32xf32>) outs(%c : memref<2x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A fill is kept when something reads it before the product.
// CHECK-LABEL: func.func @read_between
// CHECK:         linalg.fill
// CHECK:         memref.copy
// CHECK:         arith.addf
func.func @read_between(%a: memref<2x8xf32>, %b: memref<8x32xf32>, %c: memref<2x32xf32>, %d: memref<2x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<2x32xf32>)
  memref.copy %c, %d : memref<2x32xf32> to memref<2x32xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x8xf32>, memref<8x32xf32>) outs(%c : memref<2x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The last vector of a ragged row has as many lanes as it takes, and is masked where these are no power of two.
// CHECK-LABEL: func.func @ragged
// CHECK:         vector.maskedload {{.*}} into vector<4xf32>
// CHECK:         vector.fma {{.*}} : vector<4xf32>
// CHECK:         vector.maskedload {{.*}} into vector<4xf32>
// CHECK:         vector.maskedstore {{.*}} vector<4xf32>
func.func @ragged(%a: memref<1x2x8xf32>, %b: memref<8x19xf32>, %c: memref<2x19xf32>) {
  %a2 = memref.collapse_shape %a [[0, 1], [2]] : memref<1x2x8xf32> into memref<2x8xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a2, %b : memref<2x8xf32>, memref<8x19xf32>) outs(%c : memref<2x19xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @ragged_by_four
// CHECK-NOT:     masked
// CHECK:         vector.fma {{.*}} : vector<4xf32>
// CHECK-NOT:     masked
// CHECK:         return
func.func @ragged_by_four(%a: memref<2x8xf32>, %b: memref<8x20xf32>, %c: memref<2x20xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x8xf32>, memref<8x20xf32>) outs(%c : memref<2x20xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// B transposed is packed through transposes in registers.
// CHECK-LABEL: func.func @transposed
// CHECK:         memref.alloc() : memref<512xf32>
// CHECK:         vector.shuffle
// CHECK:         vector.fma
func.func @transposed(%a: memref<4x16xf32>, %b: memref<32x16xf32>, %c: memref<4x32xf32>) {
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x16xf32>, memref<32x16xf32>) outs(%c : memref<4x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Matrix times vector and integer products are left to the general emitter.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-2: linalg.generic
func.func @left(%a: memref<4x16xf32>, %x: memref<16xf32>, %y: memref<4xf32>,
                %i: memref<4x16xi32>, %j: memref<16x4xi32>, %k: memref<4x4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : memref<4x16xf32>, memref<16xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%i, %j : memref<4x16xi32>, memref<16x4xi32>) outs(%k : memref<4x4xi32>) {
  ^bb0(%p: i32, %q: i32, %z: i32):
    %0 = arith.muli %p, %q : i32
    %1 = arith.addi %z, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// What stands between product and sum makes another function of it.
// CHECK-LABEL: func.func @sum_of_absolute_products
// CHECK:         linalg.generic
// CHECK:           math.absf
func.func @sum_of_absolute_products(%a: memref<20x30xf32>, %b: memref<30x40xf32>, %c: memref<20x40xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x30xf32>, memref<30x40xf32>) outs(%c : memref<20x40xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = math.absf %0 : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  }
  return
}
