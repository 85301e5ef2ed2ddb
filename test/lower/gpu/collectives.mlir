// Collectives of a model for a GPU are the host program's, with addresses of the device.
// RUN: cell-opt %s --cell-to-linalg-pipeline --cell-fuse-pipeline --cell-place-pipeline --cell-buffer-pipeline --cell-cuda-kernel-pipeline | FileCheck %s --check-prefix=KERNELS
// RUN: cell-opt %s --cell-to-cuda-pipeline | FileCheck %s --check-prefix=CALLS
// RUN: cellc %s --device=cuda -o %t.so --emit=so

// Two sums are one, whose parts lie in one buffer; it begins behind the kernel that writes them, and is waited for
// where its results are needed.
// KERNELS-LABEL: func.func @f(
// KERNELS: %[[S:.*]] = memref.view
// KERNELS: call @f_kernel
// KERNELS-NOT: call @
// KERNELS: cell.collective_start 1 send %[[S]] {{.*}} kind = 0
// KERNELS-NOT: cell.collective_wait
// KERNELS: call @
// KERNELS: cell.collective_wait 1 send %[[S]]
// KERNELS: call @
// KERNELS: cell.meet
// KERNELS: cell.rank_load
// No launch is in a graph.
// CALLS: llvm.func @f(
// CALLS: llvm.call @cell_rt_cuda_launch
// CALLS: llvm.call @cell_comm_start
// CALLS: llvm.call @cell_rt_cuda_launch
// CALLS: llvm.call @cell_comm_wait
// CALLS: llvm.call @cell_comm_start
// The number of the rank is two fills, for which nobody waits.
// CALLS: %[[RANK:.*]] = llvm.call @cell_comm_rank
// CALLS: llvm.call @cell_rt_cuda_fill({{.*}}, %[[RANK]],
// CALLS: llvm.call @cell_rt_cuda_fill(
// CALLS-NOT: cell_rt_cuda_read
// CALLS: llvm.return
func.func @f(%x: tensor<6xf32>, %z: tensor<512x128xf32>) -> (tensor<6xf32>, tensor<512x128xf32>, tensor<i64>) {
  %a = cell.mul %x, %x : tensor<6xf32>
  %b = cell.sin %x : tensor<6xf32>
  %0 = cell.all_reduce %a "sum" : tensor<6xf32>
  %1 = cell.all_reduce %b "sum" : tensor<6xf32>
  %2 = cell.mul %z, %z : tensor<512x128xf32>
  %3 = cell.mul %0, %1 : tensor<6xf32>
  cell.meet
  %4 = cell.rank : tensor<i64>
  return %3, %2, %4 : tensor<6xf32>, tensor<512x128xf32>, tensor<i64>
}

// The ranks of a group are in memory of the host; what is sent and received in that of the device.
// KERNELS-LABEL: func.func @some(
// KERNELS: cell.collective_start {{.*}} group = array<i64: 0, 1>, kind = 0
// KERNELS: cell.collective_start {{.*}}kind = 8
// KERNELS: cell.collective_start {{.*}}kind = 9
// CALLS: llvm.func @some(
// CALLS: llvm.mlir.addressof @cell_group_0_1
// CALLS: llvm.call @cell_comm_start
// CALLS: llvm.call @cell_comm_start
// CALLS: llvm.call @cell_comm_start
func.func @some(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = cell.all_reduce %x "sum" group [0, 1] : tensor<6xf32>
  %1 = cell.send %0 to 1 tag 5 : tensor<6xf32>
  %2 = cell.receive %1 from 1 tag 5 : tensor<6xf32>
  return %0, %2 : tensor<6xf32>, tensor<6xf32>
}
