// Ops that share rows are one loop over items, of a few rows each.
// RUN: cell-opt %s --split-input-file --verify-diagnostics --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=128 fewest-nanoseconds=1000000 print-plan}))" \
// RUN:   | FileCheck %s

// Softmax: what only the group uses is there for the rows of a tile, 512 bytes are the slices of 3 rows of 13 elements,
// the last row fills no tile. Fills go along.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: memref<31x13xf32>, %[[Y:.*]]: memref<31x13xf32>)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     linalg
// CHECK:         scf.forall (%[[I:.*]]) in (10) {
// CHECK:           %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 * 3)>(%[[I]])
// CHECK:           %[[IN:.*]] = memref.subview %[[X]][%[[ROW]], 0] [3, 13] [1, 1]
// CHECK:           %[[MAX:.*]] = memref.alloc() : memref<3xf32>
// CHECK:           %[[EXP:.*]] = memref.alloc() : memref<3x13xf32>
// CHECK:           %[[SUM:.*]] = memref.alloc() : memref<3xf32>
// CHECK:           %[[OUT:.*]] = memref.subview %[[Y]][%[[ROW]], 0] [3, 13] [1, 1]
// CHECK:           linalg.fill {{.*}} outs(%[[MAX]]
// CHECK:           linalg.generic {{.*}} ins(%[[IN]] {{.*}} outs(%[[MAX]]
// CHECK:           linalg.generic {{.*}} ins(%[[IN]], %[[MAX]] {{.*}} outs(%[[EXP]]
// CHECK:           linalg.fill {{.*}} outs(%[[SUM]]
// CHECK:           linalg.generic {{.*}} ins(%[[EXP]] {{.*}} outs(%[[SUM]]
// CHECK:           linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]] {{.*}} outs(%[[OUT]]
// CHECK:         } {cell.nanoseconds = {{[0-9]+}} : i64}
// CHECK:         %[[REST:.*]] = memref.subview %[[X]][30, 0] [1, 13] [1, 1]
// CHECK:         memref.alloc() : memref<1xf32>
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax(%x: memref<31x13xf32>, %y: memref<31x13xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<31xf32>
  linalg.fill ins(%low : f32) outs(%max : memref<31xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<31x13xf32>) outs(%max : memref<31xf32>) {
  ^bb0(%a: f32, %m: f32):
    %0 = arith.maximumf %a, %m : f32
    linalg.yield %0 : f32
  }
  %exp = memref.alloc() : memref<31x13xf32>
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : memref<31x13xf32>, memref<31xf32>) outs(%exp : memref<31x13xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  %sum = memref.alloc() : memref<31xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<31xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : memref<31x13xf32>) outs(%sum : memref<31xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  // expected-remark @below {{10 items of 1 tiles of 3 rows, rest 1: 6 ops, 0 reduce, 2 fill, 3 temporaries, 0 deferred}}
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : memref<31x13xf32>, memref<31xf32>) outs(%y : memref<31x13xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.divf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The gradient of a layer and, beside it, that of its bias: 200 rows are 100 items of 2. Each item keeps a sum of its
// own, from the neutral element; they are added to what is there, in order, after the loop.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[X:.*]]: memref<200x16xf32>, %{{.*}}, %[[Y:.*]]: memref<200x16xf32>, %[[B:.*]]: memref<16xf32>)
// CHECK:         linalg.fill {{.*}} outs(%[[B]] : memref<16xf32>)
// CHECK:         %[[PARTS:.*]] = memref.alloc() : memref<100x16xf32>
// CHECK:         scf.forall (%[[I:.*]]) in (100) {
// CHECK:           %[[PART:.*]] = memref.subview %[[PARTS]][%[[I]], 0] [1, 16] [1, 1] : memref<100x16xf32> to memref<16xf32,
// CHECK:           %[[NEUTRAL:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:           linalg.fill ins(%[[NEUTRAL]] : f32) outs(%[[PART]]
// CHECK-NOT:       scf.for
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} {{.*}} outs(%[[PART]]
// CHECK:         }
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[PARTS]] : memref<100x16xf32>) outs(%[[B]] : memref<16xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @bias(%x: memref<200x16xf32>, %g: memref<200x16xf32>, %y: memref<200x16xf32>, %b: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<200x16xf32>
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : memref<200x16xf32>, memref<200x16xf32>) outs(%t, %y : memref<200x16xf32>, memref<200x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32, %p: f32):
    %0 = math.tanh %a : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1, %0 : f32, f32
  }
  linalg.fill ins(%zero : f32) outs(%b : memref<16xf32>)
  // expected-remark @below {{100 items of 1 tiles of 2 rows, rest 0: 2 ops, 1 reduce, 0 fill, 1 temporaries, 0 deferred}}
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%t : memref<200x16xf32>) outs(%b : memref<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// 401 rows are 401 tiles: 101 items of 4 tiles, and the last one of 1. What the old value is combined with may stand
// on either side; the neutral element of a maximum is minus infinity.
// CHECK-LABEL: func.func @tiles(
// CHECK:         scf.forall (%[[I:.*]]) in (101) {
// CHECK:           %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK:           linalg.fill ins(%[[LOW]] : f32)
// CHECK:           %[[FIRST:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[I]])
// CHECK:           %[[END:.*]] = affine.apply affine_map<(d0) -> (d0 + 4)>(%[[FIRST]])
// CHECK:           %[[TILES:.*]] = arith.constant 401 : index
// CHECK:           %[[LAST:.*]] = arith.minsi %[[END]], %[[TILES]] : index
// CHECK:           scf.for %[[TILE:.*]] = %[[FIRST]] to %[[LAST]] step
// CHECK:             affine.apply affine_map<(d0) -> (d0)>(%[[TILE]])
// CHECK:         }
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[PART:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT:      arith.maximumf %[[OLD]], %[[PART]]
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @tiles(%x: memref<401x100xf32>, %y: memref<401x100xf32>, %b: memref<100xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<401x100xf32>) outs(%y : memref<401x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  // expected-remark @below {{101 items of 4 tiles of 1 rows, rest 0: 2 ops, 1 reduce}}
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<401x100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.maximumf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What reads the sum over rows comes after the loop; what is in nobody's way stays before it, and so does what another
// op reads that is deferred.
// CHECK-LABEL: func.func @deferred(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<64x8xf32>, %[[Y:[a-z0-9]+]]: memref<64x8xf32>, %[[B:[a-z0-9]+]]: memref<8xf32>, %[[C:[a-z0-9]+]]: memref<8xf32>, %[[D:[a-z0-9]+]]: memref<8xf32>, %[[H:[a-z0-9]+]]: memref<8xf32>)
// CHECK:         linalg.generic {{.*}} outs(%[[C]] :
// CHECK:         scf.forall
// CHECK:         linalg.generic {{.*}} outs(%[[B]] :
// CHECK:         linalg.generic {{.*}} ins(%[[B]], %[[C]] : {{.*}}) outs(%[[D]] :
// CHECK-NEXT:    ^bb0
// CHECK:         memref.copy %[[D]], %[[H]]
// CHECK-NEXT:    memref.copy %[[D]], %[[B]]
// CHECK-NEXT:    return
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i) -> (i)>
func.func @deferred(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>,
    %h: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%c : memref<8xf32>) {
  ^bb0(%o: f32):
    %0 = math.cos %o : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%b, %c : memref<8xf32>, memref<8xf32>) outs(%d : memref<8xf32>) {
  ^bb0(%a: f32, %e: f32, %o: f32):
    %0 = arith.mulf %a, %e : f32
    linalg.yield %0 : f32
  }
  memref.copy %d, %h : memref<8xf32> to memref<8xf32>
  memref.copy %d, %b : memref<8xf32> to memref<8xf32>
  // expected-remark @below {{8 items of 1 tiles of 8 rows, rest 0: 2 ops, 1 reduce, 0 fill, 0 temporaries, 3 deferred}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Rows of a batch: slices that are not contiguous.
// CHECK-LABEL: func.func @inner(
// CHECK-NOT:     scf.forall (%{{.*}}) in (64)
#id = affine_map<(i, j) -> (i, j)>
#inner = affine_map<(i, j) -> (j)>
func.func @inner(%x: memref<64xf32>, %y: memref<2x64xf32>, %z: memref<2x64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #inner, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %t : memref<2x64xf32>, memref<64xf32>) outs(%z : memref<2x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A fill of more than is read stays before the loop.
// CHECK-LABEL: func.func @fill_of_more(
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : memref<65x8xf32>)
// CHECK:         scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @fill_of_more(%x: memref<64x8xf32>, %t: memref<65x8xf32>, %y: memref<64x8xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%t : memref<65x8xf32>)
  %part = memref.subview %t[1, 0] [64, 8] [1, 1] : memref<65x8xf32> to memref<64x8xf32, strided<[8, 1], offset: 8>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%part : memref<64x8xf32, strided<[8, 1], offset: 8>>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  // expected-remark @below {{2 ops, 0 reduce, 0 fill}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%part : memref<64x8xf32, strided<[8, 1], offset: 8>>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}
