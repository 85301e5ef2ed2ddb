// Equal loops on buffers become calls of one function.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope --cell-outline-loops | FileCheck %s

// Buffers are pointers, with an offset where it differs. Two slices of one buffer have one pointer: how far apart they
// are is the same in all. Memory that is apart in all calls is said to be. The number that differs is an argument.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<8x16xf32>, %[[Y:[a-z0-9]+]]: memref<16xf32>, %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32)
// CHECK:         %[[X0:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [1], strides: [1]
// CHECK:         %[[Y0:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [1], strides: [1]
// CHECK:         %[[C16:.*]] = arith.constant 16 : index
// CHECK:         call @cell_loop(%[[X0]], %[[Y0]], %[[C16]], %[[A]])
// CHECK:         %[[C64:.*]] = arith.constant 64 : index
// CHECK:         call @cell_loop(%{{.*}}, %{{.*}}, %[[C64]], %[[B]])
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func private @cell_loop(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<1xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<1xf32> {llvm.noalias}, %[[AT:[a-z0-9]+]]: index, %[[S:[a-z0-9]+]]: f32) {
// CHECK:         %[[ROW:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[AT]]], sizes: [16], strides: [1] : memref<1xf32> to memref<16xf32, strided<[1], offset: ?>>
// CHECK:         %[[OUT:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [16], strides: [1] : memref<1xf32> to memref<16xf32, strided<[1]>>
// CHECK:         %[[C32:.*]] = arith.constant 32 : index
// CHECK:         %[[LATER:.*]] = arith.addi %[[AT]], %[[C32]]
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [%[[LATER]]], sizes: [16], strides: [1]
// CHECK:         scf.for
// CHECK:           arith.mulf %{{.*}}, %[[S]]
func.func @slices(%x: memref<8x16xf32>, %y: memref<16xf32>, %a: f32, %b: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r1 = memref.reinterpret_cast %x to offset: [16], sizes: [16], strides: [1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: 16>>
  %r3 = memref.reinterpret_cast %x to offset: [48], sizes: [16], strides: [1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: 48>>
  %out = memref.reinterpret_cast %y to offset: [0], sizes: [16], strides: [1] : memref<16xf32> to memref<16xf32, strided<[1]>>
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %r1[%i] : memref<16xf32, strided<[1], offset: 16>>
    %1 = arith.mulf %0, %a : f32
    memref.store %1, %out[%i] : memref<16xf32, strided<[1]>>
    memref.store %0, %r3[%i] : memref<16xf32, strided<[1], offset: 48>>
  }
  %r4 = memref.reinterpret_cast %x to offset: [64], sizes: [16], strides: [1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: 64>>
  %r6 = memref.reinterpret_cast %x to offset: [96], sizes: [16], strides: [1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: 96>>
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %r4[%i] : memref<16xf32, strided<[1], offset: 64>>
    %1 = arith.mulf %0, %b : f32
    memref.store %1, %out[%i] : memref<16xf32, strided<[1]>>
    memref.store %0, %r6[%i] : memref<16xf32, strided<[1], offset: 96>>
  }
  return
}

// -----

// The load that a sum starts from goes along, and so do the sum of its lanes and the store. Memory that may be the
// same is not said to be apart.
// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     scf.for
// CHECK:         call @cell_loop(
// CHECK-NOT:     vector.store
// CHECK:         call @cell_loop(
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @cell_loop(
// CHECK-NOT:     noalias
// CHECK:         %[[START:.*]] = vector.load
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK:         vector.store %[[SUM]]
// CHECK:         return
func.func @sums(%c: i1, %x: memref<64xf32>, %y: memref<64xf32>, %o: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %either = arith.select %c, %x, %y : memref<64xf32>
  %o0 = memref.reinterpret_cast %o to offset: [0], sizes: [8], strides: [1] : memref<2x8xf32> to memref<8xf32>
  %o1 = memref.reinterpret_cast %o to offset: [8], sizes: [8], strides: [1] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  %s0 = vector.load %o0[%c0] : memref<8xf32>, vector<8xf32>
  %r0 = scf.for %i = %c0 to %c64 step %c8 iter_args(%s = %s0) -> vector<8xf32> {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.addf %s, %0 : vector<8xf32>
    scf.yield %1 : vector<8xf32>
  }
  vector.store %r0, %o0[%c0] : memref<8xf32>, vector<8xf32>
  %s1 = vector.load %o1[%c0] : memref<8xf32, strided<[1], offset: 8>>, vector<8xf32>
  %r1 = scf.for %i = %c0 to %c64 step %c8 iter_args(%s = %s1) -> vector<8xf32> {
    %0 = vector.load %either[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.addf %s, %0 : vector<8xf32>
    scf.yield %1 : vector<8xf32>
  }
  vector.store %r1, %o1[%c0] : memref<8xf32, strided<[1], offset: 8>>, vector<8xf32>
  return
}

// -----

// These stay: loops whose code differs in a constant, in the order of operands, in which buffers are one, in how far
// apart two slices are.
// CHECK-NOT:   cell_loop
func.func @different(%x: memref<4x16xf32>, %y: memref<16xf32>, %z: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %y[%i] : memref<16xf32>
    %1 = memref.load %z[%i] : memref<16xf32>
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c16 step %c2 {
    %0 = memref.load %y[%i] : memref<16xf32>
    %1 = memref.load %z[%i] : memref<16xf32>
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %y[%i] : memref<16xf32>
    %1 = memref.load %z[%i] : memref<16xf32>
    %2 = arith.divf %1, %0 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %y[%i] : memref<16xf32>
    %1 = memref.load %z[%i] : memref<16xf32>
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %z[%i] : memref<16xf32>
  }
  %r0 = memref.reinterpret_cast %x to offset: [0], sizes: [16], strides: [1] : memref<4x16xf32> to memref<16xf32>
  %r1 = memref.reinterpret_cast %x to offset: [16], sizes: [16], strides: [1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: 16>>
  %r3 = memref.reinterpret_cast %x to offset: [48], sizes: [16], strides: [1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: 48>>
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %r0[%i] : memref<16xf32>
    %1 = memref.load %r1[%i] : memref<16xf32, strided<[1], offset: 16>>
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %r1[%i] : memref<16xf32, strided<[1], offset: 16>>
    %1 = memref.load %r3[%i] : memref<16xf32, strided<[1], offset: 48>>
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  return
}

// -----

// ... and loops that do more than compute, loops of kernels, loops whose results or starts others use or write, and
// short ones.
// CHECK-NOT:   cell_loop
func.func private @other(%x: memref<16xf32>)
func.func @more(%x: memref<16xf32>, %y: memref<16xf32>, %o: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.addf %0, %0 : f32
    %2 = arith.divf %0, %1 : f32
    func.call @other(%x) : (memref<16xf32>) -> ()
    memref.store %2, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.addf %0, %0 : f32
    %2 = arith.divf %0, %1 : f32
    func.call @other(%x) : (memref<16xf32>) -> ()
    memref.store %2, %y[%i] : memref<16xf32>
  }
  // A store between the loop and the store of its sum.
  %s0 = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> f32 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.addf %s, %0 : f32
    %2 = arith.mulf %1, %0 : f32
    scf.yield %2 : f32
  }
  memref.store %zero, %x[%c0] : memref<16xf32>
  memref.store %s0, %o[%c0] : memref<4xf32>
  // Its sum is returned.
  %s1 = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> f32 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.addf %s, %0 : f32
    %2 = arith.mulf %1, %0 : f32
    scf.yield %2 : f32
  }
  memref.store %s1, %o[%c0] : memref<4xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    memref.store %0, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    memref.store %0, %y[%i] : memref<16xf32>
  }
  return %s1 : f32
}
func.func private @cell_items(%x: memref<16xf32>, %y: memref<16xf32>, %begin: index, %end: index, %worker: index) attributes {cell.kernel = 2 : i64} {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.addf %0, %0 : f32
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  scf.for %i = %begin to %end step %c1 {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.addf %0, %0 : f32
    %2 = arith.divf %0, %1 : f32
    memref.store %2, %y[%i] : memref<16xf32>
  }
  return
}

// -----

// A load that others use, too, and one of what is written before the loop, stay outside; their values cannot be passed, so
// the loops stay as well.
// CHECK-LABEL: func.func @starts(
// CHECK-COUNT-4: scf.for
// CHECK-NOT:   cell_loop
func.func @starts(%x: memref<64xf32>, %o: memref<8xf32>, %p: memref<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %s0 = vector.load %o[%c0] : memref<8xf32>, vector<8xf32>
  %twice_s0 = arith.addf %s0, %s0 : vector<8xf32>
  %r0 = scf.for %i = %c0 to %c64 step %c8 iter_args(%s = %s0) -> vector<8xf32> {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.addf %s, %0 : vector<8xf32>
    scf.yield %1 : vector<8xf32>
  }
  vector.store %r0, %o[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %twice_s0, %p[%c0] : memref<8xf32>, vector<8xf32>
  %s1 = vector.load %p[%c0] : memref<8xf32>, vector<8xf32>
  %twice_s1 = arith.addf %s1, %s1 : vector<8xf32>
  %r1 = scf.for %i = %c0 to %c64 step %c8 iter_args(%s = %s1) -> vector<8xf32> {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.addf %s, %0 : vector<8xf32>
    scf.yield %1 : vector<8xf32>
  }
  vector.store %r1, %p[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %twice_s1, %o[%c0] : memref<8xf32>, vector<8xf32>
  %s2 = vector.load %o[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %v, %o[%c0] : memref<8xf32>, vector<8xf32>
  %r2 = scf.for %i = %c0 to %c64 step %c8 iter_args(%s = %s2) -> vector<8xf32> {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.mulf %s, %0 : vector<8xf32>
    scf.yield %1 : vector<8xf32>
  }
  vector.store %r2, %o[%c0] : memref<8xf32>, vector<8xf32>
  %s3 = vector.load %p[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %v, %p[%c0] : memref<8xf32>, vector<8xf32>
  %r3 = scf.for %i = %c0 to %c64 step %c8 iter_args(%s = %s3) -> vector<8xf32> {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.mulf %s, %0 : vector<8xf32>
    scf.yield %1 : vector<8xf32>
  }
  vector.store %r3, %p[%c0] : memref<8xf32>, vector<8xf32>
  return
}

// -----

// Types of views in the loop name the offset: loops on other parts of a buffer are other loops.
// CHECK-LABEL: func.func @named_offsets(
// CHECK-COUNT-2: scf.for
// CHECK-NOT:   cell_loop
func.func @named_offsets(%x: memref<4x16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r1 = memref.subview %x[1, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: 16>>
  %r2 = memref.subview %x[2, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: 32>>
  scf.for %i = %c0 to %c8 step %c1 {
    %h = memref.subview %r1[8] [8] [1] : memref<16xf32, strided<[1], offset: 16>> to memref<8xf32, strided<[1], offset: 24>>
    %0 = memref.load %h[%i] : memref<8xf32, strided<[1], offset: 24>>
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %y[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %h = memref.subview %r2[8] [8] [1] : memref<16xf32, strided<[1], offset: 32>> to memref<8xf32, strided<[1], offset: 40>>
    %0 = memref.load %h[%i] : memref<8xf32, strided<[1], offset: 40>>
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %y[%i] : memref<16xf32>
  }
  return
}
