// A call of a kernel becomes one of the pool that the caller lends: its arguments lie in a frame, of which a task
// takes them, with the range and the worker that the pool says.
// RUN: cell-opt %s --cell-launch-kernels | FileCheck %s

// CHECK-DAG:   llvm.func @cell_run(i64, i32, !llvm.ptr, !llvm.ptr)
// CHECK-DAG:   llvm.func @cell_workers(i64, i64) -> i32
// CHECK-LABEL: llvm.func @cell_items(
// CHECK-NOT:     cell.kernel
// A task computes as an entry does, whatever its thread is set to, which is so afterwards.
// CHECK-LABEL: llvm.func internal @cell_items.task(
// CHECK-SAME:    %[[FRAME:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[WORKER:.*]]: i32) {
// CHECK:         "llvm.x86.sse.stmxcsr"(%[[OLD:.*]])
// CHECK:         %[[ROUNDING:.*]] = llvm.mlir.constant(8064 : i32)
// CHECK:         llvm.store %[[ROUNDING]], %[[NEW:.*]] : i32
// CHECK:         "llvm.x86.sse.ldmxcsr"(%[[NEW]])
// CHECK:         %[[XAT:.*]] = llvm.getelementptr %[[FRAME]][0, 0] : {{.*}} !llvm.struct<(ptr, i64, ptr)>
// CHECK:         %[[X:.*]] = llvm.load %[[XAT]] : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[NAT:.*]] = llvm.getelementptr %[[FRAME]][0, 1] : {{.*}} !llvm.struct<(ptr, i64, ptr)>
// CHECK:         %[[N:.*]] = llvm.load %[[NAT]] : !llvm.ptr -> i64
// CHECK:         %[[MAT:.*]] = llvm.getelementptr %[[FRAME]][0, 2] : {{.*}} !llvm.struct<(ptr, i64, ptr)>
// CHECK:         %[[MEMORY:.*]] = llvm.load %[[MAT]] : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[WIDE:.*]] = llvm.zext %[[WORKER]] : i32 to i64
// CHECK:         llvm.call @cell_items(%[[X]], %[[N]], %[[BEGIN]], %[[END]], %[[WIDE]], %[[MEMORY]])
// CHECK:         "llvm.x86.sse.ldmxcsr"(%[[OLD]])
// CHECK:         llvm.return
llvm.func @cell_items(%x: !llvm.ptr, %n: i64, %begin: i64, %end: i64, %worker: i64, %memory: !llvm.ptr)
    attributes {cell.kernel = 2 : i64} {
  llvm.return
}

// The frame is there once, also for a call in a loop. Of the arena, 1024 bytes with the memory of one worker, 768 are
// not workers'.
// CHECK-LABEL: llvm.func @f(
// CHECK-SAME:    %[[X:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
// CHECK:         %[[FIXED:.*]] = llvm.mlir.constant(768 : i64)
// CHECK:         %[[SLOT:.*]] = llvm.mlir.constant(256 : i64)
// CHECK:         %[[WORKERS:.*]] = llvm.call @cell_workers(%[[FIXED]], %[[SLOT]])
// CHECK:         %[[FRAME:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, i64, ptr)>
// CHECK-DAG:     %[[N:.*]] = llvm.mlir.constant(7 : i64)
// CHECK-DAG:     %[[ITEMS:.*]] = llvm.mlir.constant(8 : i64)
// CHECK:       ^bb1:
// CHECK:         %[[AT0:.*]] = llvm.getelementptr %[[FRAME]][0, 0]
// CHECK:         llvm.store %[[X]], %[[AT0]]
// CHECK:         %[[AT1:.*]] = llvm.getelementptr %[[FRAME]][0, 1]
// CHECK:         llvm.store %[[N]], %[[AT1]]
// CHECK:         %[[AT2:.*]] = llvm.getelementptr %[[FRAME]][0, 2]
// CHECK:         llvm.store %[[ARENA]], %[[AT2]]
// CHECK:         %[[TASK:.*]] = llvm.mlir.addressof @cell_items.task
// CHECK:         llvm.call @cell_run(%[[ITEMS]], %[[WORKERS]], %[[TASK]], %[[FRAME]])
// CHECK-NOT:     llvm.call @cell_items
// CHECK:       ^bb2:
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) attributes {cell.arena_bytes = 1024 : i64, cell.slot_bytes = 256 : i64} {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c7 = llvm.mlir.constant(7 : i64) : i64
  %c8 = llvm.mlir.constant(8 : i64) : i64
  %yes = llvm.mlir.constant(true) : i1
  llvm.br ^bb1
^bb1:
  llvm.call @cell_items(%x, %c7, %c0, %c8, %c0, %arena) : (!llvm.ptr, i64, i64, i64, i64, !llvm.ptr) -> ()
  llvm.cond_br %yes, ^bb1, ^bb2
^bb2:
  llvm.return
}

// Two kernels without memory of workers; each call has a frame, and each kernel one task.
// CHECK-LABEL: llvm.func internal @second.task(
// CHECK:         llvm.call @second(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-LABEL: llvm.func @g(
// CHECK:         llvm.alloca %{{.*}} x !llvm.struct<(ptr)>
// CHECK:         llvm.mlir.constant(0 : i64)
// CHECK:         llvm.mlir.constant(0 : i64)
// CHECK:         llvm.call @cell_workers
// CHECK:         llvm.alloca %{{.*}} x !llvm.struct<(ptr)>
// CHECK:         llvm.mlir.addressof @second.task
// CHECK:         llvm.call @cell_run
// CHECK:         llvm.mlir.addressof @second.task
// CHECK:         llvm.call @cell_run
llvm.func @second(%x: !llvm.ptr, %begin: i64, %end: i64, %worker: i64) attributes {cell.kernel = 1 : i64} {
  llvm.return
}
llvm.func @g(%x: !llvm.ptr, %y: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c8 = llvm.mlir.constant(8 : i64) : i64
  llvm.call @second(%x, %c0, %c8, %c0) : (!llvm.ptr, i64, i64, i64) -> ()
  llvm.call @second(%y, %c0, %c8, %c0) : (!llvm.ptr, i64, i64, i64) -> ()
  llvm.return
}

// A function that entries call gets from them how many workers there are.
// CHECK-LABEL: llvm.func @shared(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[OF:.*]]: i32)
// CHECK:         llvm.call @cell_run(%{{.*}}, %[[OF]],
// CHECK-LABEL: llvm.func @caller(
// CHECK:         %[[ASKED:.*]] = llvm.call @cell_workers
// CHECK:         llvm.call @shared(%{{.*}}, %[[ASKED]])
llvm.func @shared(%x: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c8 = llvm.mlir.constant(8 : i64) : i64
  llvm.call @second(%x, %c0, %c8, %c0) : (!llvm.ptr, i64, i64, i64) -> ()
  llvm.return
}
llvm.func @caller(%x: !llvm.ptr) attributes {cell.arena_bytes = 64 : i64} {
  llvm.call @shared(%x) : (!llvm.ptr) -> ()
  llvm.return
}
