// The host program of an entry: launches and reads through the runtime.
// RUN: split-file %s %t
// RUN: cell-opt %t/program.mlir --cell-emit-programs --cell-lend-scratch --cell-plan-memory=alignment=256 --cell-host-program | FileCheck %s
// RUN: not cell-opt %t/left.mlir --cell-host-program 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not cell-opt %t/call.mlir --cell-host-program 2>&1 | FileCheck %s --check-prefix=OTHER

//--- program.mlir
#id = affine_map<(i) -> (i)>

// CHECK: module attributes {cell.device_kernels = [{name = "map", place = "program.mlir:[[#]]"}, {name = "big", place = "program.mlir:[[#]]"}]}

// Extents and arguments are on the stack; a status that is no CG_OK ends the
// entry. The waits of its reads are why it is no list of launches.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<1000xf32>, %[[C:.*]]: memref<i1>, %[[ARENA:[a-z0-9]+]]: memref<[[#BYTES:]]xi8> {{.*}}, %[[CALL:.*]]: !llvm.ptr)
// CHECK-SAME: cell.reads_device
// CHECK: %[[VALUES:.*]] = llvm.alloca {{.*}} x !llvm.array<2 x i64>
// CHECK: %[[ARGS:.*]] = llvm.alloca {{.*}} x !llvm.array<6 x i64>
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: %[[WORD:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK: llvm.store %[[WORD]]
// CHECK: %[[STATUS:.*]] = llvm.call @cell_rt_cuda_launch(%[[CALL]],
// CHECK: %[[OK:.*]] = llvm.icmp "eq" %[[STATUS]],
// CHECK: cell.end %[[OK]], %[[STATUS]]
// CHECK: %[[FROM:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: llvm.call @cell_rt_cuda_read(%[[CALL]], %[[VALUES]], %[[FROM]],
// CHECK: cell.end
// CHECK: %[[BYTE:.*]] = llvm.load %[[VALUES]] : !llvm.ptr -> i8
// CHECK: %[[BIT:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: cell.check %[[BIT]]
// CHECK: llvm.call @cell_rt_cuda_launch
// CHECK: %[[HOST:.*]] = llvm.call @cell_rt_cuda_host_memory(%[[CALL]],
// CHECK: llvm.icmp "ne" %[[HOST]]
// CHECK: cell.end
// CHECK: llvm.call @cell_rt_cuda_read(%[[CALL]],
// CHECK: cell.print "{}"(%{{.*}} : memref<i1>)
func.func @f(%x: memref<1000xf32>, %c: memref<i1>) {
  %c3 = arith.constant 3 : index
  call @map(%x, %c3) : (memref<1000xf32>, index) -> ()
  %0 = memref.load %c[] : memref<i1>
  cell.check %0 "holds" : i1
  call @big(%x) : (memref<1000xf32>) -> ()
  cell.print "{}" (%c : memref<i1>)
  return
}

// Nothing is read: a list of launches. The arena is behind the buffers.
// CHECK-LABEL: func.func @g(
// CHECK-SAME: memref<4096xi8>
// CHECK-NOT: cell.reads_device
// CHECK: llvm.call @cell_rt_cuda_launch
// CHECK-NOT: llvm.call
// CHECK: return
func.func @g() {
  %c3 = arith.constant 3 : index
  %y = memref.alloc() : memref<1000xf32>
  call @map(%y, %c3) : (memref<1000xf32>, index) -> ()
  return
}

// An element of a view: ((5 + i * 2) * 4) bytes behind its buffer's start.
// CHECK-LABEL: func.func @element(
// CHECK: llvm.alloca {{.*}} x !llvm.array<1 x i64>
// CHECK: %[[I:.*]] = arith.constant 3 : index
// CHECK: %[[BASE:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[STEPS:.*]] = arith.muli %[[I]], %[[TWO]]
// CHECK: %[[AT:.*]] = arith.addi %[[FIVE]], %[[STEPS]]
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[AT]], %[[FOUR]]
// CHECK: arith.addi %[[BASE]], %[[OFFSET]]
func.func @element(%x: memref<100xi32>) {
  %c3 = arith.constant 3 : index
  %s = memref.reinterpret_cast %x to offset: [5], sizes: [40], strides: [2] : memref<100xi32> to memref<40xi32, strided<[2], offset: 5>>
  %0 = memref.load %s[%c3] : memref<40xi32, strided<[2], offset: 5>>
  %zero = arith.constant 0 : i32
  %1 = arith.cmpi eq, %0, %zero : i32
  cell.check %1 "zero" : i1
  return
}

// CHECK-NOT: func.func private
func.func private @map(%x: memref<1000xf32>, %n: index) attributes {cell.device_kernel} {
  %0 = arith.constant 1.0 : f32
  memref.store %0, %x[%n] : memref<1000xf32>
  return
}

// A temporary that does not fit in shared memory is lent by the host.
func.func private @big(%x: memref<1000xf32>) attributes {cell.device_kernel} {
  %0 = memref.alloc() : memref<20000xf32>
  %1 = arith.constant 0 : index
  %2 = memref.load %x[%1] : memref<1000xf32>
  linalg.fill ins(%2 : f32) outs(%0 : memref<20000xf32>)
  %3 = memref.load %0[%1] : memref<20000xf32>
  memref.store %3, %x[%1] : memref<1000xf32>
  return
}

//--- left.mlir
// LEFT: left.mlir:4:3: error: 'memref.store' op is left in the host program of a device: it belongs in a kernel
func.func @f(%x: memref<f32>) {
  %0 = arith.constant 1.0 : f32
  memref.store %0, %x[] : memref<f32>
  return
}

//--- call.mlir
// OTHER: call.mlir:4:3: error: 'func.call' op calls 'other', which is not a kernel of the device
func.func private @other()
func.func @f() {
  call @other() : () -> ()
  return
}
