// Where one row of a kernel is a matrix that is larger than a tile, its ops run on a few rows of that.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-form-kernels{inner-tiles print-plan}))" -o /dev/null --verify-diagnostics
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-form-kernels{inner-tiles}))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-form-kernels))" | FileCheck %s --check-prefix=WHOLE

#all = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j, k) -> (i, j)>
#column = affine_map<(i, j, k) -> (i, k)>

// Temporaries are of 16 rows of a matrix. What is summed over its rows waits until they all are there.
// CHECK-LABEL: func.func @softmax(
// CHECK:         scf.forall (%[[I:.*]]) in (8)
// CHECK:           %[[X:.*]] = memref.subview %arg0[{{.*}}, 0, 0] [1, 512, 1024]
// CHECK:           scf.for %[[T:.*]] =
// CHECK:             memref.subview %[[X]][0, {{.*}}, 0] [1, 16, 1024] [1, 1, 1]
// CHECK:             memref.alloc() : memref<1x16xf32>
// CHECK:             math.exp
// CHECK:             arith.addf
// CHECK:             arith.divf
// CHECK:           } {cell.tiles = 3.200000e+01 : f64}
// CHECK:           iterator_types = ["parallel", "reduction", "parallel"]
// CHECK:         } {cell.nanoseconds
// WHOLE-LABEL: func.func @softmax(
// WHOLE:         memref.alloc() : memref<1x512xf32>
// WHOLE-NOT:     scf.for %
func.func @softmax(%x: memref<8x512x1024xf32>, %y: memref<8x512x1024xf32>, %z: memref<8x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = memref.alloc() : memref<8x512x1024xf32>
  %s = memref.alloc() : memref<8x512xf32>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<8x512x1024xf32>) outs(%e : memref<8x512x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<8x512xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : memref<8x512x1024xf32>) outs(%s : memref<8x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  // expected-remark @+1 {{1 items of 32 tiles of 16 rows, rest 0: 4 ops, 0 reduce, 1 fill, 2 temporaries, 0 deferred, 4194304 bytes in memory, 2099200 in tiles, about 461 microseconds, within a tile}}
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %s : memref<8x512x1024xf32>, memref<8x512xf32>) outs(%y : memref<8x512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<8x1024xf32>)
  // expected-remark @+1 {{8 items of 1 tiles of 1 rows, rest 0: 6 ops, 0 reduce, 2 fill, 2 temporaries, 0 deferred}}
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%y : memref<8x512x1024xf32>) outs(%z : memref<8x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}
