// Products that each item has for itself, among ops that share the items.
// RUN: cell-opt %s --split-input-file --verify-diagnostics --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{item-bytes=65536 print-plan}))" \
// RUN:   | FileCheck %s
// None joins where that is not asked for.
// RUN: cell-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(cell-form-kernels))" \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE-LABEL: func.func @attention(
// NONE:         linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : memref<16x64x64xf32>)
// NONE-NOT:     "reduction"{{.*}}memref<1x

// The scores of a head stay in a cache from one product to the other.
// CHECK-LABEL: func.func @attention(
// CHECK-NOT:     memref<16x64x64xf32>
// CHECK:         scf.forall (%{{.*}}) in (16)
// CHECK:           %[[S:.*]] = memref.alloc() : memref<1x64x64xf32>
// CHECK:           linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %{{.*}} : memref<1x64x32xf32{{.*}}>, memref<1x64x32xf32{{.*}}>) outs(%[[S]]
// CHECK:           math.exp
// CHECK:           linalg.generic {{.*}}"reduction"{{.*}} ins(%[[S]], %{{.*}} : memref<1x64x64xf32>, memref<1x64x32xf32{{.*}}>)
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#bt = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @attention(%q: memref<16x64x32xf32>, %k: memref<16x64x32xf32>, %v: memref<16x64x32xf32>, %y: memref<16x64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<16x64x64xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<16x64x64xf32>)
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<16x64x32xf32>, memref<16x64x32xf32>) outs(%s : memref<16x64x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %t = arith.addf %p2, %p : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%s : memref<16x64x64xf32>) {
  ^bb0(%e0: f32):
    %0 = math.exp %e0 : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<16x64x32xf32>)
  // expected-remark @+1 {{16 items of 1 tiles of 1 rows, rest 0: 5 ops, 0 reduce, 2 fill, 1 temporaries, 0 deferred, 524288 bytes in memory, 262144 in tiles, about 125 microseconds, with products of items}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %v : memref<16x64x64xf32>, memref<16x64x32xf32>) outs(%y : memref<16x64x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %t = arith.addf %p2, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A sum over the items does not join, as it would be cut otherwise; nor does a product that all items share.
#id = affine_map<(b, i, j) -> (b, i, j)>
#over = affine_map<(b, i, j) -> (i, j)>
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#w = affine_map<(b, m, n, k) -> (k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
// CHECK-LABEL: func.func @apart(
// CHECK:         scf.forall (%{{.*}}) in (8)
// CHECK:           scf.for
// CHECK:           math.exp
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<1x64x32xf32>, memref<1x32x32xf32{{.*}}>)
// CHECK-NEXT:      ^bb0
// CHECK:           } {cell.tiles
// CHECK-NEXT:    } {cell.nanoseconds
// CHECK:         linalg.generic {{.*}} ins(%arg3, %arg4 : memref<16x64x32xf32>, memref<32x32xf32>)
// CHECK:         linalg.generic {{.*}} ins(%arg3 : memref<16x64x32xf32>) outs(%arg6
func.func @apart(%x: memref<16x64x32xf32>, %m: memref<16x32x32xf32>, %e: memref<16x64x32xf32>, %y: memref<16x64x32xf32>,
                 %shared: memref<32x32xf32>, %z: memref<16x64x32xf32>, %sum: memref<64x32xf32>) {
  %t = memref.alloc() : memref<16x64x32xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<16x64x32xf32>) outs(%t : memref<16x64x32xf32>) {
  ^bb0(%e0: f32, %o: f32):
    %0 = math.exp %e0 : f32
    linalg.yield %0 : f32
  }
  // expected-remark @+1 {{8 items of 2 tiles of 1 rows, rest 0: 2 ops, 0 reduce, 0 fill, 1 temporaries}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%t, %m : memref<16x64x32xf32>, memref<16x32x32xf32>) outs(%y : memref<16x64x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#a, #w, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%y, %shared : memref<16x64x32xf32>, memref<32x32xf32>) outs(%z : memref<16x64x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #over], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%y : memref<16x64x32xf32>) outs(%sum : memref<64x32xf32>) {
  ^bb0(%e0: f32, %o: f32):
    %0 = arith.addf %o, %e0 : f32
    linalg.yield %0 : f32
  }
  return
}
