// Products of matrices among ops that share rows with them.
// RUN: cell-opt %s --split-input-file --verify-diagnostics --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-nanoseconds=1 product-nanoseconds=5000 item-nanoseconds=0 products-anywhere=true print-plan}))" \
// RUN:   | FileCheck %s
// None joins where that is not asked for.
// RUN: cell-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-nanoseconds=1}))" \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE-NOT: memref<12x8xf32>

// A layer and the one behind it, whose weights are stored by output: they are transposed once, not for each tile.
// CHECK-LABEL: func.func @layers(
// CHECK:         %[[TURNED:.*]] = memref.alloc() : memref<12x8xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      ins(%arg2 : memref<8x12xf32>) outs(%[[TURNED]]
// CHECK:         scf.forall (%{{.*}}) in (8)
// CHECK-DAG:       memref.alloc() : memref<8x12xf32>
// CHECK:           linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %arg1 : {{.*}}, memref<6x12xf32>) outs(%{{.*}} : memref<8x12xf32>)
// CHECK:           math.tanh
// CHECK:           linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, {{.*}}"reduction"
// CHECK-SAME:        ins(%{{.*}}, %[[TURNED]] : memref<8x12xf32>, memref<12x8xf32>)
// CHECK-NOT:     memref<64x12xf32>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @layers(%x: memref<64x6xf32>, %v: memref<6x12xf32>, %w: memref<8x12xf32>, %y: memref<64x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x12xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<64x12xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<64x6xf32>, memref<6x12xf32>) outs(%t : memref<64x12xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  %h = memref.alloc() : memref<64x12xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x12xf32>) outs(%h : memref<64x12xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.tanh %e0 : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<64x8xf32>)
  // expected-remark @+1 {{8 items of 1 tiles of 8 rows, rest 0: 5 ops, 0 reduce, 2 fill, 2 temporaries, 0 deferred, 3584 bytes in memory, 6144 in tiles, about 0 microseconds, with products}}
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w : memref<64x12xf32>, memref<8x12xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The rest is never one row, whose product would add in another order.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @no_rest_of_one(%x: memref<73x6xf32>, %v: memref<6x12xf32>, %t: memref<73x12xf32>, %y: memref<73x12xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<73x6xf32>, memref<6x12xf32>) outs(%t : memref<73x12xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  // expected-remark @+1 {{7 items of 1 tiles of 10 rows, rest 3: 2 ops}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<73x12xf32>) outs(%y : memref<73x12xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.tanh %e0 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// With its epilogue, next to each other.
// CHECK-LABEL: func.func @epilogue(
// CHECK:         scf.forall
// CHECK:           linalg.generic {{.*}}"reduction"
// CHECK:           linalg.generic {{.*}} attrs = {cell.epilogue}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @epilogue(%x: memref<64x6xf32>, %v: memref<6x12xf32>, %t: memref<64x12xf32>, %y: memref<64x12xf32>, %z: memref<64x12xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<64x6xf32>, memref<6x12xf32>) outs(%t : memref<64x12xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x12xf32>) outs(%y : memref<64x12xf32>) attrs = {cell.epilogue} {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.tanh %e0 : f32
    linalg.yield %0 : f32
  }
  // expected-remark @+1 {{8 items of 1 tiles of 8 rows, rest 0: 3 ops}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x12xf32>) outs(%z : memref<64x12xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.exp %e0 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// An epilogue that reads the rows in another order keeps its product apart.
// CHECK-LABEL: func.func @epilogue_apart(
// CHECK:         scf.forall
// CHECK:           math.exp
// CHECK:         } {cell.nanoseconds
// CHECK-NOT:     scf.forall
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} attrs = {cell.epilogue}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @epilogue_apart(%x: memref<64x6xf32>, %v: memref<6x64xf32>, %u: memref<64x64xf32>, %t: memref<64x64xf32>, %y: memref<64x64xf32>,
                          %z: memref<64x6xf32>) {
  // expected-remark @+1 {{8 items of 1 tiles of 8 rows, rest 0: 1 ops}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x6xf32>) outs(%x : memref<64x6xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.exp %e0 : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<64x6xf32>, memref<6x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %u : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>) attrs = {cell.epilogue} {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.mulf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Too long: it has items of its own. Too few rows for two tiles. And a B that no cache keeps.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     scf.forall
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @apart(%x: memref<256x64xf32>, %v: memref<64x64xf32>, %t: memref<256x64xf32>,
                 %few: memref<15x64xf32>, %s: memref<15x64xf32>,
                 %wide: memref<16x4xf32>, %large: memref<4x9000xf32>, %y: memref<16x9000xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<256x64xf32>, memref<64x64xf32>) outs(%t : memref<256x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %q = arith.addf %p2, %p : f32
    linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%few, %v : memref<15x64xf32>, memref<64x64xf32>) outs(%s : memref<15x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %q = arith.addf %p2, %p : f32
    linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide, %large : memref<16x4xf32>, memref<4x9000xf32>) outs(%y : memref<16x9000xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %q = arith.addf %p2, %p : f32
    linalg.yield %q : f32
  }
  return
}
