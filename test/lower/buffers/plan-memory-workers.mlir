// What kernels need is memory of each worker: at the end of the arena, which counts it once.
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory)" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory{poison})" | FileCheck %s --check-prefix=POISON

// Workers have parts of 512 bytes: those of the kernel that needs most, in cache lines of their own. All of its
// temporaries are views into the part of the worker that runs it.
// CHECK-LABEL: func.func private @first(
// CHECK-SAME:    %{{.*}}: memref<64x40xf32>, %{{.*}}: index, %{{.*}}: index, %[[WORKER:[a-z0-9]+]]: index,
// CHECK-SAME:    %[[ALL:[a-z0-9]+]]: memref<512xi8> {llvm.noalias}) attributes {cell.kernel = 1 : i64}
// CHECK:         %[[STRIDE:.*]] = arith.constant 512 : index
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[WORKER]], %[[STRIDE]] : index
// CHECK:         %[[OWN:.*]] = memref.view %[[ALL]][%[[OFFSET]]][] : memref<512xi8> to memref<512xi8>
// CHECK:         %[[A:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[OWN]][%[[A]]][] : memref<512xi8> to memref<40xf32>
// CHECK:         %[[B:.*]] = arith.constant 192 : index
// CHECK:         memref.view %[[OWN]][%[[B]]][] : memref<512xi8> to memref<40xf32>
// POISON-LABEL: func.func private @first(
// POISON:         %[[OWN:.*]] = memref.view %{{.*}}[%{{.*}}][] : memref<512xi8> to memref<512xi8>
// POISON:         memref.view %[[OWN]][%{{.*}}][] : memref<512xi8> to memref<24xi64>
func.func private @first(%x: memref<64x40xf32>, %begin: index, %end: index, %worker: index)
    attributes {cell.kernel = 1 : i64} {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %row = memref.subview %x[%i, 0] [1, 40] [1, 1] : memref<64x40xf32> to memref<40xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<40xf32>
    %b = memref.alloc() : memref<40xf32>
    memref.copy %row, %a : memref<40xf32, strided<[1], offset: ?>> to memref<40xf32>
    memref.copy %row, %b : memref<40xf32, strided<[1], offset: ?>> to memref<40xf32>
    memref.copy %a, %row : memref<40xf32> to memref<40xf32, strided<[1], offset: ?>>
    memref.copy %b, %row : memref<40xf32> to memref<40xf32, strided<[1], offset: ?>>
  }
  return
}

// CHECK-LABEL: func.func private @second(
// CHECK-SAME:    %[[WORKER:[a-z0-9]+]]: index, %[[ALL:[a-z0-9]+]]: memref<512xi8> {llvm.noalias})
// CHECK:         %[[STRIDE:.*]] = arith.constant 512 : index
// CHECK:         arith.muli %[[WORKER]], %[[STRIDE]] : index
func.func private @second(%x: memref<64xf32>, %begin: index, %end: index, %worker: index)
    attributes {cell.kernel = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<1xf32>
  %0 = memref.load %x[%begin] : memref<64xf32>
  memref.store %0, %t[%c0] : memref<1xf32>
  return
}

// One that needs nothing is given nothing.
// CHECK-LABEL: func.func private @third(
// CHECK-SAME:    %{{.*}}: index, %{{.*}}: index, %{{[a-z0-9]+}}: index) attributes
func.func private @third(%x: memref<64xf32>, %begin: index, %end: index, %worker: index)
    attributes {cell.kernel = 1 : i64} {
  return
}

// The entry's own 256 bytes and 512 of workers; both kernels have the same ones.
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %[[ARENA:[a-z0-9]+]]: memref<768xi8> {llvm.noalias})
// CHECK-SAME:    attributes {cell.arena_bytes = 768 : i64, cell.slot_bytes = 512 : i64}
// CHECK:         %[[FIXED:.*]] = arith.constant 256 : index
// CHECK:         %[[FIRST:.*]] = memref.view %[[ARENA]][%[[FIXED]]][] : memref<768xi8> to memref<512xi8>
// CHECK:         call @first(%{{.*}}, %[[FIRST]])
// CHECK:         %[[FIXED2:.*]] = arith.constant 256 : index
// CHECK:         %[[SECOND:.*]] = memref.view %[[ARENA]][%[[FIXED2]]][] : memref<768xi8> to memref<512xi8>
// CHECK:         call @second(%{{.*}}, %[[SECOND]])
// CHECK:         call @third(
func.func @entry(%x: memref<64x40xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : memref<64xf32>
  memref.copy %y, %t : memref<64xf32> to memref<64xf32>
  call @first(%x, %c0, %c64, %c0) : (memref<64x40xf32>, index, index, index) -> ()
  call @second(%t, %c0, %c64, %c0) : (memref<64xf32>, index, index, index) -> ()
  call @third(%t, %c0, %c64, %c0) : (memref<64xf32>, index, index, index) -> ()
  return
}

// An entry without kernels has none.
// CHECK-LABEL: func.func @alone(
// CHECK-SAME:    attributes {cell.arena_bytes = 256 : i64} {
func.func @alone(%y: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  memref.copy %y, %t : memref<64xf32> to memref<64xf32>
  return
}
