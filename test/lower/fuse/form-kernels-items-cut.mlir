// An item whose products make a matrix that is larger than a tile: all of it runs on a few rows of that at a time, one tile after
// the other, and what sums over these rows adds to its result as it is.
// RUN: cell-opt %s --verify-diagnostics --pass-pipeline="builtin.module(func.func(cell-form-kernels{item-bytes=65536 tile-bytes=65536 inner-tiles print-plan}))" -o /dev/null
// RUN: cell-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(func.func(cell-form-kernels{item-bytes=65536 tile-bytes=65536 inner-tiles}))" \
// RUN:   | FileCheck %s

// The keys are transposed once for all tiles; their rows of 1024 bytes are kept further apart, which would else be in few sets of
// the cache.
// CHECK-LABEL: func.func @attention(
// CHECK-NOT:     256x256xf32
// CHECK:         scf.forall (%{{.*}}) in (8)
// CHECK:           %[[O:.*]] = memref.subview %arg4
// CHECK:           %[[D:.*]] = memref.subview %arg5
// CHECK:           linalg.fill {{.*}} outs(%[[D]]
// CHECK:           memref.alloc() : memref<1x16x272xf32>
// CHECK:           scf.for
// CHECK:             %[[S:.*]] = memref.alloc() : memref<1x32x256xf32>
// CHECK:             linalg.fill {{.*}} outs(%[[S]]
// CHECK:             linalg.generic {{.*}}"reduction"{{.*}} outs(%[[S]] : memref<1x32x256xf32>)
// CHECK:             math.exp
// CHECK:             linalg.generic {{.*}}"reduction"{{.*}} ins(%[[S]], %{{.*}} : memref<1x32x256xf32>, memref<1x256x16xf32
// CHECK:             linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, {{.*}}"reduction"{{.*}} outs(%[[D]] : memref<1x256x16xf32
// CHECK:           } {cell.tiles = 8.000000e+00 : f64}
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#at = affine_map<(b, m, n, k) -> (b, k, m)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#bt = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @attention(%q: memref<8x256x16xf32>, %k: memref<8x256x16xf32>, %v: memref<8x256x16xf32>, %t: memref<8x256x16xf32>,
                     %y: memref<8x256x16xf32>, %dv: memref<8x256x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<8x256x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<8x256x256xf32>)
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<8x256x16xf32>, memref<8x256x16xf32>) outs(%s : memref<8x256x256xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%s : memref<8x256x256xf32>) {
  ^bb0(%e0: f32):
    %0 = math.exp %e0 : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<8x256x16xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %v : memref<8x256x256xf32>, memref<8x256x16xf32>) outs(%y : memref<8x256x16xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%dv : memref<8x256x16xf32>)
  // expected-remark @+2 {{8 items of 1 tiles of 1 rows, rest 0: 7 ops, 0 reduce, 3 fill, 1 temporaries, 0 deferred, 786432 bytes in memory, 2097152 in tiles, about 807 microseconds, with products of items}}
  // expected-remark @+1 {{1 items of 8 tiles of 32 rows, rest 0: 6 ops, 1 reduce, 2 fill, 1 temporaries, 0 deferred, 49152 bytes in memory, 262144 in tiles, about 100 microseconds, with products, some added up in order, within a tile}}
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %t : memref<8x256x256xf32>, memref<8x256x16xf32>) outs(%dv : memref<8x256x16xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  return
}

// In a part of a batch of any size, the sum over rows waits for all of them: how many samples there are decides nothing.
// CHECK-LABEL: func.func @part(
// CHECK:         scf.forall (%{{.*}}) in (8)
// CHECK:           %[[S:.*]] = memref.alloc() : memref<1x256x256xf32>
// CHECK:           scf.for
// CHECK:           } {cell.tiles = 8.000000e+00 : f64}
// CHECK:           linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, {{.*}} ins(%[[S]],
func.func @part(%q: memref<8x256x16xf32>, %k: memref<8x16x256xf32>, %t: memref<8x256x16xf32>, %y: memref<8x256x16xf32>,
                %dv: memref<8x256x16xf32>) attributes {cell.batch_tiles} {
  %s = memref.alloc() : memref<8x256x256xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<8x256x16xf32>, memref<8x16x256xf32>) outs(%s : memref<8x256x256xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  // expected-remark @+1 {{1 items of 8 tiles of 32 rows, rest 0: 2 ops, 0 reduce}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%s : memref<8x256x256xf32>) {
  ^bb0(%e0: f32):
    %0 = math.exp %e0 : f32
    linalg.yield %0 : f32
  }
  // expected-remark @+1 {{8 items of 1 tiles of 1 rows, rest 0: 3 ops, 0 reduce}}
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %t : memref<8x256x256xf32>, memref<8x256x16xf32>) outs(%dv : memref<8x256x16xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  return
}

// Sums over columns have no rows in common with the products. What stays large is there for all items, not for each worker.
// CHECK-LABEL: func.func @columns(
// CHECK:         %[[ALL:.*]] = memref.alloc() : memref<8x1024x512xf32>
// CHECK:         scf.forall (%[[I:.*]]) in (8)
// CHECK-NOT:       memref.alloc() : memref<1x1024x512xf32>
// CHECK:           %[[S:.*]] = memref.subview %[[ALL]][%[[I]], 0, 0] [1, 1024, 512] [1, 1, 1]
// CHECK:           linalg.generic {{.*}}"reduction"{{.*}} outs(%[[S]]
#rest = affine_map<(b, i, j) -> (b, j)>
func.func @columns(%q: memref<8x1024x16xf32>, %k: memref<8x16x512xf32>, %v: memref<8x512x512xf32>, %y: memref<8x1024x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<8x1024x512xf32>
  %t = memref.alloc() : memref<8x512xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<8x1024x16xf32>, memref<8x16x512xf32>) outs(%s : memref<8x1024x512xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%t : memref<8x512xf32>)
  linalg.generic {indexing_maps = [#id, #rest], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%s : memref<8x1024x512xf32>) outs(%t : memref<8x512xf32>) {
  ^bb0(%e: f32, %o: f32):
    %0 = arith.addf %o, %e : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rest, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : memref<8x512xf32>) outs(%s : memref<8x1024x512xf32>) {
  ^bb0(%e: f32, %o: f32):
    %0 = arith.divf %o, %e : f32
    linalg.yield %0 : f32
  }
  // expected-remark @+1 {{8 items of 1 tiles of 1 rows, rest 0: 5 ops, 0 reduce}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %v : memref<8x1024x512xf32>, memref<8x512x512xf32>) outs(%y : memref<8x1024x512xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %r = arith.addf %p2, %p : f32
    linalg.yield %r : f32
  }
  return
}
