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

// An op that needs what is deferred does not join.
// CHECK-LABEL: func.func @behind_deferred(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @behind_deferred(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x8xf32>, memref<8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Rows of another place: a view of the same buffer, in which row i is row i + 1.
// CHECK-LABEL: func.func @shifted(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @shifted(%x: memref<64x8xf32>, %t: memref<64x8xf32>, %y: memref<63x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%t : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  %next = memref.subview %t[1, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1], offset: 8>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next : memref<63x8xf32, strided<[8, 1], offset: 8>>) outs(%y : memref<63x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Neighbours in one map: every row reads those behind it.
// CHECK-LABEL: func.func @windows(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, k) -> (i)>
#window = affine_map<(i, k) -> (i + k)>
func.func @windows(%x: memref<66xf32>, %y: memref<64xf32>, %w: memref<3xf32>) {
  %t = memref.alloc() : memref<66xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<66xf32>) outs(%t : memref<66xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#window, affine_map<(i, k) -> (k)>, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t, %w : memref<66xf32>, memref<3xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.maximumf %a, %b : f32
    %1 = arith.maximumf %0, %o : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// The transpose of what is written: rows of the one are columns of the other.
// CHECK-LABEL: func.func @turned(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @turned(%x: memref<64x64xf32>, %t: memref<64x64xf32>, %y: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
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

// Several views of a buffer that is written at last: which rows of it the others are is not looked at.
// CHECK-LABEL: func.func @views(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @views(%x: memref<64x8xf32>, %y: memref<63x8xf32>) {
  %next = memref.subview %x[1, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1], offset: 8>>
  %own = memref.subview %x[0, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1]>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next, %own : memref<63x8xf32, strided<[8, 1], offset: 8>>, memref<63x8xf32, strided<[8, 1]>>)
      outs(%y : memref<63x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<63x8xf32>) outs(%own : memref<63x8xf32, strided<[8, 1]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// One op that reads a view of what it writes elsewhere.
// CHECK-LABEL: func.func @own_view(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @own_view(%x: memref<64x8xf32>, %y: memref<63x8xf32>) {
  %next = memref.subview %x[1, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1], offset: 8>>
  %own = memref.subview %x[0, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next : memref<63x8xf32, strided<[8, 1], offset: 8>>) outs(%own : memref<63x8xf32, strided<[8, 1]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%own : memref<63x8xf32, strided<[8, 1]>>) outs(%y : memref<63x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// A buffer that a body reads anywhere, after rows of it are written, and before.
// CHECK-LABEL: func.func @gathered(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @gathered_before(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @gathered(%x: memref<64x8xf32>, %at: memref<64xi64>, %y: memref<64x8xf32>) {
  %t = memref.alloc() : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%t : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %at : memref<64x8xf32>, memref<64xi64>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %t[%i, %j] : memref<64x8xf32>
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @gathered_before(%x: memref<64x8xf32>, %at: memref<64xi64>, %y: memref<64x8xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<64xi64>) outs(%y : memref<64x8xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %x[%i, %j] : memref<64x8xf32>
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x8xf32>) outs(%x : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The position along the rows: a tile has rows of its own. Positions within a row are what they were.
// CHECK-LABEL: func.func @row_number(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @place_in_row(
// CHECK:         scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @row_number(%x: memref<64x8xi64>, %y: memref<64x8xi64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xi64>) outs(%y : memref<64x8xi64>) {
  ^bb0(%a: i64, %o: i64):
    %0 = arith.muli %a, %a : i64
    linalg.yield %0 : i64
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<64x8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %0 = arith.addi %n, %o : i64
    linalg.yield %0 : i64
  }
  return
}
func.func @place_in_row(%x: memref<64x8xi64>, %y: memref<64x8xi64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xi64>) outs(%y : memref<64x8xi64>) {
  ^bb0(%a: i64, %o: i64):
    %0 = arith.muli %a, %a : i64
    linalg.yield %0 : i64
  }
  // expected-remark @below {{2 ops, 0 reduce}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<64x8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %0 = arith.addi %n, %o : i64
    linalg.yield %0 : i64
  }
  return
}

// -----

// Sums over rows that are not put together from parts: in half precision parts would be rounded, what is subtracted has
// no neutral element, and what is there is read twice, or by another op than the last.
// CHECK-LABEL: func.func @half(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @difference(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @twice(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @inside(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @half(%x: memref<64x32xf16>, %y: memref<64x32xf16>, %b: memref<32xf16>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf16>) outs(%y : memref<64x32xf16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = arith.mulf %a, %a : f16
    linalg.yield %0 : f16
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf16>) outs(%b : memref<32xf16>) {
  ^bb0(%a: f16, %s: f16):
    %0 = arith.addf %a, %s : f16
    linalg.yield %0 : f16
  }
  return
}
func.func @difference(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %b: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf32>) outs(%b : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.subf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @twice(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %b: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf32>) outs(%b : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @inside(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %b: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf32>) outs(%b : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// What a loop carries may be any buffer, so nothing of it joins; and what reads it keeps its place before a later op
// that writes one of the buffers it may be.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @chosen(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @carried(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<64x8xf32>, memref<64x8xf32>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : memref<64x8xf32>) outs(%b : memref<64x8xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = math.tanh %e : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%b : memref<64x8xf32>) outs(%a : memref<64x8xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = math.cos %e : f32
      linalg.yield %0 : f32
    }
    scf.yield %b, %a : memref<64x8xf32>, memref<64x8xf32>
  }
  return
}
func.func @chosen(%c: i1, %x: memref<64x8xf32>, %y: memref<64x8xf32>, %z: memref<64x8xf32>, %w: memref<64x8xf32>) {
  %v = arith.select %c, %x, %y : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<64x8xf32>) outs(%w : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x8xf32>) outs(%x : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Something else than computing ends a group.
// CHECK-LABEL: func.func @printed(
// CHECK-NOT:     scf.forall
// CHECK:         cell.print
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @printed(%x: memref<64x8xf32>, %y: memref<64x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  cell.print "y {}" (%y : memref<64x8xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.cos %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What writes one of several buffers comes before what reads one of them.
// CHECK-LABEL: func.func @written_choice(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @written_choice(%c: i1, %x: memref<64x8xf32>, %y: memref<64x8xf32>, %z: memref<64x8xf32>, %w: memref<64x8xf32>) {
  %v = arith.select %c, %x, %y : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x8xf32>) outs(%w : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<64x8xf32>) outs(%v : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%z : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
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

// -----

// A sum over all rows is not there before the last of them, though it has a number for each row.
// CHECK-LABEL: func.func @square(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @square(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %b: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x64xf32>, memref<64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Two sums in one place, and a sum in the place of what every row reads.
// CHECK-LABEL: func.func @sum_twice(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @sum_of_read(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @sum_twice(%x: memref<64x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = math.absf %a : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @sum_of_read(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x8xf32>, memref<8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What is read anywhere of one of several buffers, and one of them is written.
// CHECK-LABEL: func.func @read_choice(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @read_choice(%c: i1, %at: memref<64xi64>, %x: memref<64x8xf32>, %y: memref<64x8xf32>, %w: memref<64x8xf32>) {
  %v = arith.select %c, %x, %y : memref<64x8xf32>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<64xi64>) outs(%w : memref<64x8xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %v[%i, %j] : memref<64x8xf32>
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<64x8xf32>) outs(%x : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}
