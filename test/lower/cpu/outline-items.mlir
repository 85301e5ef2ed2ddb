// Loops over items that take long become functions of a range of items and of the worker that computes them.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(cell-outline-items{fewest-nanoseconds=1000})" | FileCheck %s

// The buffers are pointers, constants and views are made again, and a counter around the loop is passed. Buffers that
// do not overlap are said not to.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<64x8xf32>, %[[Y:[a-z0-9]+]]: memref<64x8xf32>
// CHECK:         %[[T:.*]] = memref.alloc() : memref<8x8xf32>
// CHECK:         scf.for %[[K:.*]] =
// CHECK-NOT:       scf.forall
// CHECK-DAG:       %[[XP:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [1], strides: [1]
// CHECK-DAG:       %[[YP:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [1], strides: [1]
// CHECK-DAG:       %[[TP:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [1], strides: [1]
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:       %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK:           func.call @cell_items(%[[XP]], %[[YP]], %[[TP]], %[[K]], %[[ZERO]], %[[EIGHT]], %[[ZERO]])
// CHECK-LABEL: func.func private @cell_items(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<1xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<1xf32> {llvm.noalias},
// CHECK-SAME:    %[[T:[a-z0-9]+]]: memref<1xf32> {llvm.noalias}, %[[K:[a-z0-9]+]]: index, %[[BEGIN:[a-z0-9]+]]: index,
// CHECK-SAME:    %[[END:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index) attributes {cell.kernel = 4 : i64} {
// CHECK-DAG:     %[[IN:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [64, 8], strides: [8, 1]
// CHECK-DAG:     %[[VIEW:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [8, 8], strides: [8, 1]
// CHECK-DAG:     %[[TEMP:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [8, 8], strides: [8, 1]
// CHECK-DAG:     %[[C5:.*]] = arith.constant 5 : index
// CHECK:         %[[C1:.*]] = arith.constant 1 : index
// CHECK:         scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %[[C1]] {
// CHECK:           memref.load %[[IN]][%[[I]], %[[C5]]]
// CHECK:           memref.store %{{.*}}, %[[VIEW]][%[[I]], %[[K]]]
// CHECK:           memref.store %{{.*}}, %[[TEMP]][%[[I]], %[[K]]]
// CHECK:         return
func.func @shared(%x: memref<64x8xf32>, %y: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %t = memref.alloc() : memref<8x8xf32>
  %view = memref.subview %y[0, 0] [8, 8] [1, 1] : memref<64x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  scf.for %k = %c0 to %c5 step %c1 {
    scf.forall (%i) in (8) {
      %0 = memref.load %x[%i, %c5] : memref<64x8xf32>
      memref.store %0, %view[%i, %k] : memref<8x8xf32, strided<[8, 1]>>
      memref.store %0, %t[%i, %k] : memref<8x8xf32>
    } {cell.nanoseconds = 1000 : i64}
  }
  return
}

// -----

// A choice of buffers may be any of them.
// CHECK-LABEL: func.func @may_overlap(
// CHECK:         call @cell_items(
// CHECK-LABEL: func.func private @cell_items(
// CHECK-NOT:     llvm.noalias
func.func @may_overlap(%c: i1, %x: memref<64xf32>, %y: memref<64xf32>) {
  %v = arith.select %c, %x, %y : memref<64xf32>
  scf.forall (%i) in (64) {
    %0 = memref.load %v[%i] : memref<64xf32>
    memref.store %0, %x[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  return
}

// -----

// Plain loops: what is short, of one item, of an unknown time, in a function that items call, of what is no
// pointer and fits in no register, and what prints.
// CHECK-NOT:   cell_items
// CHECK-NOT:   scf.forall
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func @one(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func private @leaf(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func @half(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func @strided(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-LABEL: func.func @prints(
// CHECK-NOT:     cell_items
// CHECK:         scf.for
// CHECK-NOT:   cell_items
func.func @short(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    memref.store %v, %x[%i] : memref<64xf32>
  } {cell.nanoseconds = 999 : i64}
  return
}
func.func @one(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) in (1) {
    memref.store %v, %x[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  return
}
func.func @unknown(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}
func.func private @leaf(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    memref.store %v, %x[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  return
}
func.func @calls_leaf(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    func.call @leaf(%x, %v) : (memref<64xf32>, f32) -> ()
  }
  return
}
func.func @half(%x: memref<64xf16>, %v: f16) {
  scf.forall (%i) in (64) {
    memref.store %v, %x[%i] : memref<64xf16>
  } {cell.nanoseconds = 1000 : i64}
  return
}
func.func @dynamic(%x: memref<?xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    memref.store %v, %x[%i] : memref<?xf32>
  } {cell.nanoseconds = 1000 : i64}
  return
}
func.func @strided(%c: i1, %x: memref<64x8xf32>, %v: f32) {
  %a = memref.subview %x[0, 0] [64, 1] [1, 1] : memref<64x8xf32> to memref<64xf32, strided<[8]>>
  %b = memref.subview %x[0, 1] [64, 1] [1, 1] : memref<64x8xf32> to memref<64xf32, strided<[8], offset: 1>>
  %p = memref.cast %a : memref<64xf32, strided<[8]>> to memref<64xf32, strided<[8], offset: ?>>
  %q = memref.cast %b : memref<64xf32, strided<[8], offset: 1>> to memref<64xf32, strided<[8], offset: ?>>
  %y = arith.select %c, %p, %q : memref<64xf32, strided<[8], offset: ?>>
  scf.forall (%i) in (64) {
    memref.store %v, %y[%i] : memref<64xf32, strided<[8], offset: ?>>
  } {cell.nanoseconds = 1000 : i64}
  return
}
func.func @prints(%x: memref<64xf32>) {
  scf.forall (%i) in (64) {
    cell.print "x {}" (%x : memref<64xf32>)
  } {cell.nanoseconds = 1000 : i64}
  return
}

// -----

// Workers do not share their work: a loop in a loop over items that is a kernel is a plain one.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT:     scf.for
// CHECK:         call @cell_items(
// CHECK-LABEL: func.func private @cell_items(
// CHECK:         scf.for %
// CHECK:           scf.for %
// CHECK-NOT:   scf.forall
// CHECK-NOT:   cell_items
func.func @nested(%x: memref<64x8xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    scf.forall (%j) in (8) {
      memref.store %v, %x[%i, %j] : memref<64x8xf32>
    } {cell.nanoseconds = 1000 : i64}
  } {cell.nanoseconds = 8000 : i64}
  return
}

// -----

// ... and of a loop over items that is none, too.
// CHECK-NOT:   cell_items
// CHECK-LABEL: func.func @short_around(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:   scf.forall
// CHECK-NOT:   cell_items
func.func @short_around(%x: memref<64x8xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    scf.forall (%j) in (8) {
      memref.store %v, %x[%i, %j] : memref<64x8xf32>
    } {cell.nanoseconds = 1000 : i64}
  }
  return
}

// A function that entries alone call may share its loops.
// CHECK-LABEL: func.func private @product(
// CHECK-NOT:     scf.for
// CHECK:         call @cell_items
func.func private @product(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) in (64) {
    memref.store %v, %x[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  return
}
func.func @calls_product(%x: memref<64xf32>, %v: f32) {
  call @product(%x, %v) : (memref<64xf32>, f32) -> ()
  return
}

// -----

// Equal kernels are one function; one with another constant is another.
// CHECK-LABEL: func.func @equal(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<64xf32>, %[[Y:[a-z0-9]+]]: memref<64xf32>
// CHECK:         %[[X0:.*]] = memref.reinterpret_cast %[[X]] to offset: [0]
// CHECK:         %[[Y0:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0]
// CHECK:         call @[[ONE:.*]](%[[X0]], %[[Y0]],
// CHECK:         %[[Y1:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0]
// CHECK:         %[[X1:.*]] = memref.reinterpret_cast %[[X]] to offset: [0]
// CHECK:         call @[[ONE]](%[[Y1]], %[[X1]],
// CHECK:         call @[[OTHER:[a-z_0-9]+]](
// CHECK:       func.func private @[[ONE]](
// CHECK:       func.func private @[[OTHER]](
// CHECK-NOT:   func.func private @cell_items
func.func @equal(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  scf.forall (%i) in (64) {
    %0 = memref.load %x[%i] : memref<64xf32>
    %1 = arith.mulf %0, %two : f32
    memref.store %1, %y[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  scf.forall (%i) in (64) {
    %0 = memref.load %y[%i] : memref<64xf32>
    %1 = arith.mulf %0, %two : f32
    memref.store %1, %x[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  scf.forall (%i) in (64) {
    %0 = memref.load %x[%i] : memref<64xf32>
    %1 = arith.mulf %0, %three : f32
    memref.store %1, %y[%i] : memref<64xf32>
  } {cell.nanoseconds = 1000 : i64}
  return
}

// -----

// Rows of one buffer are one kernel, whose argument is where the row begins; and so are the calls in it that say that.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[ONE:.*]] = arith.constant 64 : index
// CHECK:         call @cell_items(%{{[a-z0-9_]+}}, %[[ONE]], %{{.*}})
// CHECK:         %[[TWO:.*]] = arith.constant 128 : index
// CHECK:         call @cell_items(%{{[a-z0-9_]+}}, %[[TWO]], %{{.*}})
// CHECK:       func.func private @cell_items(%[[X:[a-z0-9]+]]: memref<1xf32> {llvm.noalias}, %[[AT:[a-z0-9]+]]: index,
// CHECK:         %[[ROW:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[AT]]], sizes: [64], strides: [1]
// CHECK:           %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[ROW]]
// CHECK:           func.call @leaf(%{{.*}}, %[[OFFSET]])
// CHECK-NOT:   func.func private @cell_items
func.func private @leaf(%x: memref<1xf32>, %at: index) {
  return
}
func.func @rows(%x: memref<4x64xf32>) {
  %a = memref.subview %x[1, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: 64>>
  %b = memref.subview %x[2, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: 128>>
  scf.forall (%i) in (64) {
    %begin = memref.reinterpret_cast %a to offset: [0], sizes: [1], strides: [1] : memref<64xf32, strided<[1], offset: 64>> to memref<1xf32>
    %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<64xf32, strided<[1], offset: 64>> -> memref<f32>, index, index, index
    func.call @leaf(%begin, %offset) : (memref<1xf32>, index) -> ()
  } {cell.nanoseconds = 1000 : i64}
  scf.forall (%i) in (64) {
    %begin = memref.reinterpret_cast %b to offset: [0], sizes: [1], strides: [1] : memref<64xf32, strided<[1], offset: 128>> to memref<1xf32>
    %base, %offset, %size, %stride = memref.extract_strided_metadata %b : memref<64xf32, strided<[1], offset: 128>> -> memref<f32>, index, index, index
    func.call @leaf(%begin, %offset) : (memref<1xf32>, index) -> ()
  } {cell.nanoseconds = 1000 : i64}
  return
}
