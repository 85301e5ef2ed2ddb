// A collective is a start and a wait on buffers, then calls of the runtime; an entry agrees on a hash first.
// RUN: cell-opt %s --cell-to-linalg-pipeline --cell-fuse-pipeline --cell-place-pipeline --cell-buffer-pipeline | FileCheck %s --check-prefix=BUFFERS
// RUN: cell-opt %s --cell-to-llvm-pipeline | FileCheck %s --check-prefix=CALLS

// The result is written where the caller wants it.
// BUFFERS: func.func @f(%[[X:[a-z0-9]+]]: memref<6xf32>
// BUFFERS: cell.collective_start 0 send %[[Y:.*]] : memref<6xf32> receive %[[R:.*]] : memref<6xf32> {combine = 3 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
// BUFFERS-NEXT: cell.collective_wait 0 send %[[Y]] : memref<6xf32> receive %[[R]] : memref<6xf32>
// BUFFERS: cell.meet
// BUFFERS: cell.collective_start 0 send %[[Y]] : memref<6xf32> receive %{{.*}} : memref<12xf32> {combine = 0 : i32, flags = 0 : i32, kind = 2 : i32, ranks = 2 : i64, root = 0 : i32}
// CALLS: llvm.func @f
// CALLS: llvm.call @cell_comm_agree
// CALLS: llvm.call @cell_comm_start
// CALLS: llvm.call @cell_comm_wait
// CALLS: llvm.call @cell_comm_start
// CALLS: llvm.call @cell_comm_wait
// CALLS: llvm.call @cell_comm_start
func.func @f(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<12xf32>) {
  %y = cell.mul %x, %x : tensor<6xf32>
  %0 = cell.all_reduce %y "max" : tensor<6xf32>
  cell.meet
  %1 = cell.all_gather %y ranks 2 : tensor<6xf32> -> tensor<12xf32>
  return %0, %1 : tensor<6xf32>, tensor<12xf32>
}
