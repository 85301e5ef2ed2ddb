// A start moves up to the last writer of what it sends, a wait down to the first op that needs what it gives; what
// may end the call, and what writes where the caller's values are, stays on its side of the wait.
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-schedule-collectives)" --split-input-file | FileCheck %s

// Between the producer and the reader, other work goes on; the start takes along what names its buffers.
// CHECK-LABEL: func.func @beside
// CHECK: memref.store %{{.*}}, %[[A:[a-z0-9_]+]][%c0]
// CHECK: %[[R:.*]] = memref.alloc() {name = "r"}
// CHECK-NEXT: cell.collective_start 1 send %[[A]] : memref<4xf32> receive %[[R]]
// CHECK-NEXT: memref.store %{{.*}}, %[[B:[a-z0-9_]+]][%c0]
// A reader of what is sent does not wait.
// CHECK-NEXT: memref.load %[[A]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: cell.collective_wait 1 send %[[A]] : memref<4xf32> receive %[[R]]
// CHECK-NEXT: memref.load %[[R]]
func.func @beside(%x: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.store %cst, %a[%c0] : memref<4xf32>
  memref.store %cst, %b[%c0] : memref<4xf32>
  %r = memref.alloc() {name = "r"} : memref<4xf32>
  cell.collective_start 0 send %a : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a : memref<4xf32> receive %r : memref<4xf32>
  %0 = memref.load %a[%c0] : memref<4xf32>
  memref.store %0, %b[%c0] : memref<4xf32>
  %1 = memref.load %r[%c0] : memref<4xf32>
  memref.store %1, %out[%c0] : memref<4xf32>
  return
}

// -----

// Nothing to gain: request 0.
// CHECK-LABEL: func.func @at_once
// CHECK: cell.collective_start 0
// CHECK: cell.collective_wait 0
// CHECK-NEXT: memref.load
func.func @at_once(%x: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %r = memref.alloc() : memref<4xf32>
  cell.collective_start 0 send %x : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %r : memref<4xf32>
  %1 = memref.load %r[%c0] : memref<4xf32>
  memref.store %1, %out[%c0] : memref<4xf32>
  return
}

// -----

// Starts keep their order, and what a second one sends is waited for. Writers of what is sent wait, too, through views,
// calls and loops.
// CHECK-LABEL: func.func @order
// CHECK: cell.collective_start 1 send %[[A:[a-z0-9_]+]] : memref<4xf32> receive %[[R:[a-z0-9_]+]] : memref<4xf32>
// CHECK-NOT: memref.store
// CHECK: cell.collective_start 2 send %{{.*}} : memref<4xf32> receive %[[S:[a-z0-9_]+]] : memref<4xf32>
// CHECK: call @reads
// CHECK: cell.collective_wait 1 send %[[A]]
// CHECK: call @writes
// CHECK: memref.store
// CHECK: cell.collective_wait 2
// CHECK-NEXT: cell.collective_start 0 send %[[S]]
// CHECK-NEXT: cell.collective_wait 0 send %[[S]]
func.func private @writes(%x: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %v = memref.collapse_shape %x [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  scf.for %i = %c0 to %c0 step %c0 {
    memref.store %cst, %v[%i] : memref<4xf32>
  }
  return
}
func.func private @reads(%x: memref<2x2xf32>, %to: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0, %c0] : memref<2x2xf32>
  memref.store %0, %to[%c0] : memref<4xf32>
  return
}
func.func @order(%x: memref<4xf32>, %y: memref<4xf32>, %out: memref<4xf32>, %more: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  %r = memref.alloc() : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  %v = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  func.call @writes(%v) : (memref<2x2xf32>) -> ()
  cell.collective_start 0 send %a : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a : memref<4xf32> receive %r : memref<4xf32>
  func.call @reads(%v, %more) : (memref<2x2xf32>, memref<4xf32>) -> ()
  func.call @writes(%v) : (memref<2x2xf32>) -> ()
  memref.store %cst, %out[%c0] : memref<4xf32>
  cell.collective_start 0 send %y : memref<4xf32> receive %s : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %y : memref<4xf32> receive %s : memref<4xf32>
  cell.collective_start 0 send %s : memref<4xf32> receive %t : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %s : memref<4xf32> receive %t : memref<4xf32>
  memref.copy %t, %out : memref<4xf32> to memref<4xf32>
  memref.copy %r, %more : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Reading a donated argument passes, writing it does not; nor does what may end the call.
// CHECK-LABEL: func.func @donated
// CHECK: cell.collective_start 1
// CHECK: memref.load %{{.*}} : memref<4xf32>
// CHECK: memref.store %{{.*}}, %[[OUT:.*]][%c0] : memref<4xf32>
// CHECK-NEXT: cell.collective_wait 1
// CHECK-NEXT: memref.store
// CHECK: cell.check
// CHECK-NEXT: cell.collective_start 0
// CHECK-NEXT: cell.collective_wait 0
// CHECK-NEXT: cell.check
func.func @donated(%w: memref<4xf32>, %x: memref<4xf32>, %ok: memref<i1>, %out: memref<4xf32>)
    attributes {cell.signature = {args = [{donate = 0 : i64}, {}, {}], results = []}} {
  %c0 = arith.constant 0 : index
  %r = memref.alloc() : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  cell.collective_start 0 send %x : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %r : memref<4xf32>
  %0 = memref.load %w[%c0] : memref<4xf32>
  memref.store %0, %out[%c0] : memref<4xf32>
  memref.store %0, %w[%c0] : memref<4xf32>
  %b = memref.load %ok[] : memref<i1>
  cell.check %b "no" : i1
  cell.collective_start 0 send %x : memref<4xf32> receive %s : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %s : memref<4xf32>
  cell.check %b "no" : i1
  memref.copy %s, %out : memref<4xf32> to memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

// In a loop both stay in one trip; what a branch chooses may be any buffer, and so may arguments of private functions.
// CHECK-LABEL: func.func @loops
// CHECK: scf.for
// CHECK-NEXT: cell.collective_start 1
// CHECK-NEXT: memref.store
// CHECK-NEXT: cell.collective_wait 1
// CHECK-NEXT: }
// CHECK: cell.collective_start 0
// CHECK-NEXT: cell.collective_wait 0
// CHECK-NEXT: memref.store %{{.*}}, %[[SOME:.*]][%c0]
// CHECK-LABEL: func.func private @lent
// CHECK: cell.collective_start 0
// CHECK: cell.collective_wait 0
// CHECK-NEXT: memref.store
func.func @loops(%x: memref<4xf32>, %y: memref<4xf32>, %b: i1, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cst = arith.constant 1.0 : f32
  %r = memref.alloc() : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %cst, %out[%i] : memref<4xf32>
    cell.collective_start 0 send %x : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
    cell.collective_wait 0 send %x : memref<4xf32> receive %r : memref<4xf32>
  }
  %some = arith.select %b, %s, %out : memref<4xf32>
  cell.collective_start 0 send %x : memref<4xf32> receive %s : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %s : memref<4xf32>
  memref.store %cst, %some[%c0] : memref<4xf32>
  memref.copy %s, %out : memref<4xf32> to memref<4xf32>
  return
}
func.func private @lent(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %s = memref.alloc() : memref<4xf32>
  cell.collective_start 0 send %x : memref<4xf32> receive %s : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %s : memref<4xf32>
  memref.store %cst, %y[%c0] : memref<4xf32>
  return
}

// -----

// A profile's calls around a kernel stay with it, and so do the views it makes in between.
// CHECK-LABEL: func.func @profiled
// CHECK: llvm.call @cell_probe
// CHECK: memref.store %{{.*}}, %[[A:[a-z0-9_]+]][%c0]
// CHECK-NEXT: llvm.call @cell_probe
// CHECK-NEXT: cell.collective_start 1 send %[[A]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: cell.collective_wait 1 send %[[A]]
// CHECK-NEXT: llvm.call @cell_probe
// CHECK-NEXT: memref.subview
// CHECK-NEXT: memref.load %[[A]]
llvm.func @cell_probe(i32, i32)
func.func @profiled(%out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %begins = llvm.mlir.constant(1 : i32) : i32
  %ends = llvm.mlir.constant(0 : i32) : i32
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  llvm.call @cell_probe(%ends, %begins) : (i32, i32) -> ()
  memref.store %cst, %a[%c0] : memref<4xf32>
  llvm.call @cell_probe(%ends, %ends) : (i32, i32) -> ()
  memref.store %cst, %b[%c0] : memref<4xf32>
  cell.collective_start 0 send %a : memref<4xf32> receive %a : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a : memref<4xf32> receive %a : memref<4xf32>
  llvm.call @cell_probe(%begins, %begins) : (i32, i32) -> ()
  %view = memref.subview %out[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %1 = memref.load %a[%c0] : memref<4xf32>
  memref.store %1, %view[%c0] : memref<2xf32, strided<[1]>>
  llvm.call @cell_probe(%begins, %ends) : (i32, i32) -> ()
  return
}
