// One buffer of two that a copy connects, unless one is written while the other may still be read.
// RUN: cell-opt %s --cell-coalesce-buffers --split-input-file | FileCheck %s

// A product reads what it would overwrite: the copy stays. The sum behind it is computed in place.
// CHECK-LABEL: func.func @product_in_loop(
// CHECK:         scf.for
// CHECK:           %[[NEXT:.*]] = memref.alloc()
// CHECK:           linalg.matmul {{.*}} outs(%[[NEXT]] :
// CHECK:           memref.copy %[[NEXT]]
// CHECK-LABEL: func.func @sum_in_loop(
// CHECK:         %[[SUM:.*]] = memref.alloc()
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK-NOT:       memref.copy
// CHECK:           linalg.add ins(%[[SUM]], %{{.*}} : memref<4x4xf32>, memref<4x4xf32>) outs(%[[SUM]] :
// CHECK:         }
func.func @product_in_loop(%w: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<4x4xf32>
  memref.copy %w, %x : memref<4x4xf32> to memref<4x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<4x4xf32>
    linalg.matmul ins(%x, %w : memref<4x4xf32>, memref<4x4xf32>) outs(%t : memref<4x4xf32>)
    memref.copy %t, %x : memref<4x4xf32> to memref<4x4xf32>
  }
  return
}
func.func @sum_in_loop(%w: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<4x4xf32>
  memref.copy %w, %x : memref<4x4xf32> to memref<4x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<4x4xf32>
    linalg.add ins(%x, %w : memref<4x4xf32>, memref<4x4xf32>) outs(%t : memref<4x4xf32>)
    memref.copy %t, %x : memref<4x4xf32> to memref<4x4xf32>
  }
  return
}

// -----

// Elements that are read at other places than they are written at, through a map or by the body.
// CHECK-LABEL: func.func @other_places(
// CHECK-COUNT-2: memref.copy
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @other_places(%c0: index) {
  %x = memref.alloc() : memref<4x4xf32>
  %y = memref.alloc() : memref<4x4xf32>
  %z = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  memref.copy %y, %x : memref<4x4xf32> to memref<4x4xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%z : memref<4x4xf32>) {
  ^bb0(%b: f32):
    %a = memref.load %x[%c0, %c0] : memref<4x4xf32>
    linalg.yield %a : f32
  }
  memref.copy %z, %x : memref<4x4xf32> to memref<4x4xf32>
  return
}

// -----

// A part of one is written while the other is still needed, after a branch that writes neither, or by the next trip.
// CHECK-LABEL: func.func @still_needed(
// CHECK:         memref.copy
// CHECK:         memref.store
// CHECK:         memref.load
func.func @still_needed(%c: i1, %v: f32, %i: index) -> f32 {
  %x = memref.alloc() : memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  linalg.fill ins(%v : f32) outs(%x : memref<4xf32>)
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  memref.store %v, %y[%i] : memref<4xf32>
  scf.if %c {
    linalg.fill ins(%v : f32) outs(%x : memref<4xf32>)
  }
  %r = memref.load %x[%i] : memref<4xf32>
  %s = memref.load %y[%i] : memref<4xf32>
  %sum = arith.addf %r, %s : f32
  return %sum : f32
}
// CHECK-LABEL: func.func @next_trip(
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:           memref.copy
// CHECK:           linalg.fill
func.func @next_trip(%v: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  linalg.fill ins(%v : f32) outs(%y : memref<4xf32>)
  scf.for %k = %c0 to %n step %c1 {
    %r = memref.load %y[%k] : memref<4xf32>
    memref.copy %y, %x : memref<4xf32> to memref<4xf32>
    linalg.fill ins(%r : f32) outs(%x : memref<4xf32>)
    memref.store %r, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// Where a check may still end the call, a donated argument keeps its contents: the loop has a buffer of its own.
// CHECK-LABEL: func.func @donated(
// CHECK-SAME:    %[[W:.*]]: memref<4xf32>)
// CHECK:         %[[COPY:.*]] = memref.alloc()
// CHECK:         memref.copy %[[W]], %[[COPY]]
// CHECK:         scf.for
// CHECK:           linalg.exp ins(%[[COPY]] : memref<4xf32>) outs(%[[COPY]] :
// CHECK:           cell.check
// CHECK:         memref.copy %[[COPY]], %[[W]]
func.func @donated(%w: memref<4xf32>) attributes {cell.signature = {args = [{donate = 0 : i64}], results = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<4xf32>
  memref.copy %w, %x : memref<4xf32> to memref<4xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
    %v = memref.load %x[%i] : memref<4xf32>
    %ok = arith.cmpf olt, %v, %one : f32
    cell.check %ok "too large" : i1
  }
  memref.copy %x, %w : memref<4xf32> to memref<4xf32>
  return
}

// The op that can fail may be one that reads the buffer.
// CHECK-LABEL: func.func @stashed(
// CHECK-SAME:    %[[W:.*]]: memref<4xf32>)
// CHECK:         %[[COPY:.*]] = memref.alloc()
// CHECK:         memref.copy %[[W]], %[[COPY]]
// CHECK:         memref.copy %[[COPY]], %[[W]]
func.func @stashed(%w: memref<4xf32>) attributes {cell.signature = {args = [{donate = 0 : i64}], results = []}} {
  %c0 = arith.constant 0 : index
  %stash = cell.stash_empty : !cell.stash<tensor<4xf32>>
  %x = memref.alloc() : memref<4xf32>
  memref.copy %w, %x : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  cell.stash_store %x, %stash at %c0 : memref<4xf32>, !cell.stash<tensor<4xf32>>
  memref.copy %x, %w : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Shapes may differ: a temporary becomes a view of the other buffer.
// CHECK-LABEL: func.func @reshaped(
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<2x8xf32>
// CHECK-NEXT:    %[[VIEW:.*]] = memref.collapse_shape %[[OUT]]
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[VIEW]] :
// CHECK-NOT:     memref.copy
// CHECK:         memref.load %[[OUT]]
func.func @reshaped(%v: f32, %i: index) -> f32 {
  %x = memref.alloc() : memref<16xf32>
  linalg.fill ins(%v : f32) outs(%x : memref<16xf32>)
  %e = memref.expand_shape %x [[0, 1]] output_shape [2, 8] : memref<16xf32> into memref<2x8xf32>
  %y = memref.alloc() : memref<2x8xf32>
  memref.copy %e, %y : memref<2x8xf32> to memref<2x8xf32>
  %r = memref.load %y[%i, %i] : memref<2x8xf32>
  return %r : f32
}

// -----

// So does one that is copied into a view.
// CHECK-LABEL: func.func @into_view(
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<16xf32>
// CHECK-NEXT:    %[[VIEW:.*]] = memref.expand_shape %[[OUT]]
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[VIEW]] :
// CHECK-NOT:     memref.copy
// CHECK:         memref.load %[[OUT]]
func.func @into_view(%v: f32, %i: index) -> f32 {
  %x = memref.alloc() : memref<2x8xf32>
  linalg.fill ins(%v : f32) outs(%x : memref<2x8xf32>)
  %y = memref.alloc() : memref<16xf32>
  %e = memref.expand_shape %y [[0, 1]] output_shape [2, 8] : memref<16xf32> into memref<2x8xf32>
  memref.copy %x, %e : memref<2x8xf32> to memref<2x8xf32>
  %r = memref.load %y[%i] : memref<16xf32>
  return %r : f32
}

// -----

// A copy into itself, through whatever views of all of it, goes.
// CHECK-LABEL: func.func @into_itself(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @into_itself(%w: memref<4xf32>) {
  memref.copy %w, %w : memref<4xf32> to memref<4xf32>
  %e = memref.expand_shape %w [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  %f = memref.collapse_shape %e [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  memref.copy %f, %w : memref<4xf32> to memref<4xf32>
  return
}
