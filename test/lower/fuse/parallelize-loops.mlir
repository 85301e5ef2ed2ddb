// Which loops become items: those in which no step touches what another one writes.
// RUN: cell-opt %s --split-input-file --cell-parallelize-loops=fewest-nanoseconds=0 \
// RUN:   | FileCheck %s
// RUN: cell-opt %s --split-input-file --cell-parallelize-loops=fewest-nanoseconds=100000000 \
// RUN:   | FileCheck %s --check-prefix=SHORT
// SHORT-NOT: scf.forall

// Rows in place, and a temporary of each step. What all read is not written.
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.forall (%[[I:.*]]) in (7) {
// CHECK:           memref.alloc
// CHECK:           memref.subview %arg0[%[[I]], 0]
// CHECK:         } {cell.nanoseconds =
func.func @rows(%x: memref<7x4xf32>, %w: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %t = memref.alloc() : memref<4xf32>
    %row = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<7x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%row, %w : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%t : memref<4xf32>)
    memref.copy %t, %row : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// -----

// Items count from zero; elements from the end on, in blocks.
// CHECK-LABEL: func.func @down(
// CHECK:         scf.forall (%[[I:.*]]) in (4) {
// CHECK:           affine.apply #{{.*}}(%[[I]])
// CHECK-LABEL: func.func @blocks(
// CHECK:         scf.forall (%{{.*}}) in (4) {
func.func @down(%x: memref<12xf32>, %v: f32) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c2 to %c12 step %c3 {
    %at = arith.subi %c11, %i : index
    memref.store %v, %x[%at] : memref<12xf32>
    %0 = memref.load %x[%at] : memref<12xf32>
  }
  return
}
func.func @blocks(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c3 {
    %block = memref.subview %x[%i] [3] [1] : memref<12xf32> to memref<3xf32, strided<[1], offset: ?>>
    linalg.fill ins(%v : f32) outs(%block : memref<3xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----

// The neighbour is read; slices overlap; up in one place and down in another; a number is carried.
// CHECK-LABEL: func.func @neighbour(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @overlap(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @overlap_by_steps(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @up_and_down(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     scf.forall
func.func @neighbour(%x: memref<12xf32>) {
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c1 to %c12 step %c1 {
    %before = arith.subi %i, %c1 : index
    %0 = memref.load %x[%before] : memref<12xf32>
    memref.store %0, %x[%i] : memref<12xf32>
  }
  return
}
func.func @overlap(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c1 {
    %two = memref.subview %x[%i] [2] [1] : memref<12xf32> to memref<2xf32, strided<[1], offset: ?>>
    linalg.fill ins(%v : f32) outs(%two : memref<2xf32, strided<[1], offset: ?>>)
  }
  return
}
func.func @overlap_by_steps(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c2 {
    %two = memref.subview %x[%i] [2] [2] : memref<12xf32> to memref<2xf32, strided<[2], offset: ?>>
    linalg.fill ins(%v : f32) outs(%two : memref<2xf32, strided<[2], offset: ?>>)
  }
  return
}
func.func @up_and_down(%x: memref<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c1 {
    %down = arith.subi %c5, %i : index
    %up = arith.addi %c5, %i : index
    %0 = memref.load %x[%down] : memref<6xf32>
    memref.store %0, %x[%up] : memref<6xf32>
  }
  return
}
func.func @carried(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %v) -> f32 {
    %1 = memref.load %x[%i] : memref<12xf32>
    %2 = arith.addf %sum, %1 : f32
    memref.store %2, %x[%i] : memref<12xf32>
    scf.yield %2 : f32
  }
  return
}

// -----

// The same step of two parts that overlap, of another shape, of a part that moves with an inner loop.
// CHECK-LABEL: func.func @two_parts(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @two_shapes(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @moving_part(
// CHECK-NOT:     scf.forall
func.func @two_parts(%x: memref<12xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %first = memref.subview %x[%n] [6] [1] : memref<12xf32> to memref<6xf32, strided<[1], offset: ?>>
  %other = memref.subview %x[%m] [6] [1] : memref<12xf32> to memref<6xf32, strided<[1], offset: ?>>
  scf.for %i = %c0 to %c6 step %c1 {
    %0 = memref.load %first[%i] : memref<6xf32, strided<[1], offset: ?>>
    memref.store %0, %other[%i] : memref<6xf32, strided<[1], offset: ?>>
  }
  return
}
func.func @two_shapes(%x: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %flat = memref.collapse_shape %x [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = memref.load %flat[%i] : memref<16xf32>
    memref.store %0, %x[%i, %c0] : memref<4x4xf32>
  }
  return
}
func.func @moving_part(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = scf.for %j = %c0 to %c4 step %c1 iter_args(%sum = %v) -> f32 {
      %part = memref.subview %x[%j] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: ?>>
      %old = memref.load %part[%i] : memref<4xf32, strided<[1], offset: ?>>
      memref.store %sum, %part[%i] : memref<4xf32, strided<[1], offset: ?>>
      scf.yield %old : f32
    }
  }
  return
}

// -----

// An inner loop where the outer one is none; what prints or may fail stays in order; a buffer that is chosen.
// CHECK-LABEL: func.func @inner(
// CHECK:         scf.for
// CHECK:           scf.forall
// CHECK-LABEL: func.func @prints(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @chosen(
// CHECK-NOT:     scf.forall
func.func @inner(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    scf.for %j = %c0 to %c12 step %c1 {
      memref.store %v, %x[%j] : memref<12xf32>
    }
  }
  return
}
func.func @prints(%x: memref<12xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    cell.print "x {}" (%x : memref<12xf32>)
  }
  return
}
func.func @chosen(%x: memref<12xf32>, %y: memref<12xf32>, %which: i1, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %z = arith.select %which, %x, %y : memref<12xf32>
  scf.for %i = %c0 to %c12 step %c1 {
    %before = arith.subi %c12, %i : index
    %0 = memref.load %x[%before] : memref<12xf32>
    memref.store %0, %z[%i] : memref<12xf32>
  }
  return
}

// -----

// A few steps of long ops: the items of the ops keep more cores busy.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     scf.forall
func.func @few(%x: memref<4x1048576xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 1048576] [1, 1] : memref<4x1048576xf32> to memref<1048576xf32, strided<[1], offset: ?>>
    linalg.fill ins(%v : f32) outs(%row : memref<1048576xf32, strided<[1], offset: ?>>)
  }
  return
}
