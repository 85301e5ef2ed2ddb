// What the host keeps of control flow, of values and of buffers.
// RUN: cell-opt %s --split-input-file --cell-outline-device-kernels | FileCheck %s

// The host knows where buffers are: it decides which one a branch gives.
// CHECK-LABEL: func.func @either(
// CHECK:       %[[C:.*]] = memref.load
// CHECK:       %[[T:.*]] = scf.if %[[C]] -> (memref<8xf32>)
// CHECK:       call @either_kernel(%[[T]],
func.func @either(%c: memref<i1>, %x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %takes = memref.load %c[] : memref<i1>
  %t = scf.if %takes -> (memref<8xf32>) {
    scf.yield %x : memref<8xf32>
  } else {
    scf.yield %y : memref<8xf32>
  }
  memref.copy %t, %z : memref<8xf32> to memref<8xf32>
  return
}

// -----

// Items that are checked are steps of a loop of the host.
// CHECK-LABEL: func.func @checked(
// CHECK-NOT:   scf.forall
// CHECK:       scf.for
// CHECK:         memref.load
// CHECK:         cell.check
// CHECK:         func.call @checked_kernel
func.func @checked(%c: memref<4xi1>, %x: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (4) {
    %ok = memref.load %c[%i] : memref<4xi1>
    cell.check %ok "holds" : i1
    memref.store %one, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// What a kernel of blocks writes before another one reads it is no block's own.
// CHECK-LABEL: func.func @shared(
// CHECK:       %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK:       call @shared_kernel({{.*}}%[[T]]
// CHECK:       func.func private @shared_kernel(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
func.func @shared(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  scf.forall (%i) in (4) {
    %a = memref.load %x[%i] : memref<4xf32>
    memref.store %a, %t[%i] : memref<4xf32>
    %b = memref.load %t[%i] : memref<4xf32>
    memref.store %b, %y[%i] : memref<4xf32>
  }
  return
}

// -----

// What a kernel leaves for its next launch is the host's.
// CHECK-LABEL: func.func @kept(
// CHECK:       %[[T:.*]] = memref.alloc() : memref<f32>
// CHECK:       scf.for
// CHECK:         cell.poll
// CHECK:         func.call @kept_kernel({{.*}}%[[T]]
func.func @kept(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : memref<f32>
  scf.for %i = %c0 to %c4 step %c1 {
    cell.poll
    %a = memref.load %t[] : memref<f32>
    memref.store %a, %x[%i] : memref<4xf32>
    memref.store %a, %t[] : memref<f32>
  }
  return
}

// -----

// A value that the host and the kernel that loads it use is loaded by both, by the host after the kernel.
// CHECK-LABEL: func.func @both(
// CHECK:       call @both_kernel(
// CHECK:       memref.load
// CHECK:       cell.check
// CHECK:       call @both_kernel_0(
func.func @both(%n: memref<i32>, %y: memref<8xf32>, %z: memref<f32>) {
  %zero = arith.constant 0 : i32
  %a = memref.load %n[] : memref<i32>
  %i = arith.index_cast %a : i32 to index
  %b = memref.load %y[%i] : memref<8xf32>
  %ok = arith.cmpi sge, %a, %zero : i32
  cell.check %ok "not negative" : i1
  memref.store %b, %z[] : memref<f32>
  return
}
