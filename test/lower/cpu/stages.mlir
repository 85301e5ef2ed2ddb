// Each stage is a pipeline of its own, and what they give one after another, each in a process of its own and
// read from the text of the one before, is what the whole gives.
// RUN: cell-opt %s --cell-to-linalg-pipeline -o %t.linalg
// RUN: cell-opt %t.linalg --cell-fuse-pipeline -o %t.fused
// RUN: cell-opt %t.fused --cell-place-pipeline -o %t.placed
// RUN: cell-opt %t.placed --cell-buffer-pipeline -o %t.buffers
// RUN: cell-opt %t.buffers --cell-cpu-kernel-pipeline=target=x86-64-v3 -o %t.kernels
// RUN: cell-opt %t.kernels --cell-convert-to-llvm-pipeline=target=x86-64-v3 -o %t.llvm
// RUN: cell-opt %t.linalg --cell-cpu-pipeline=target=x86-64-v3 | diff - %t.llvm
// RUN: cell-opt %s --cell-to-llvm-pipeline=target=x86-64-v3 | diff - %t.llvm

// What each of them leaves.
// RUN: FileCheck %s --check-prefix=LINALG --input-file=%t.linalg --implicit-check-not="= cell."
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.fused
// RUN: FileCheck %s --check-prefix=PLACED --input-file=%t.placed
// RUN: FileCheck %s --check-prefix=BUFFERS --input-file=%t.buffers --implicit-check-not=tensor --implicit-check-not=vector
// RUN: FileCheck %s --check-prefix=KERNELS --input-file=%t.kernels --implicit-check-not=linalg --implicit-check-not=memref.alloc
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.llvm --implicit-check-not=memref

// LINALG: func.func @step({{.*}}tensor<64x48xf32>
// LINALG: linalg.matmul
// FUSED: linalg.generic
// FUSED-NOT: linalg.matmul
// PLACED: func.func @step({{.*}}memref<64x48xf32>
// PLACED: bufferization.materialize_in_destination
// BUFFERS: linalg.generic {{.*}} outs({{.*}} : memref<
// KERNELS: vector.fma {{.*}} : vector<8xf32>
// LLVM: llvm.func @step(

func.func @step(%w: tensor<64x48xf32> {cell.donate = 0 : i64}, %x: tensor<64x64xf32>, %g: tensor<64x48xf32>)
    -> (tensor<64x48xf32>, tensor<f32>) {
  %y = cell.matmul %x, %w : (tensor<64x64xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  %t = cell.tanh %y : tensor<64x48xf32>
  %s = cell.reduce_sum %t over [0, 1] : tensor<64x48xf32> -> tensor<f32>
  %u = cell.sub %w, %g : tensor<64x48xf32>
  return %u, %s : tensor<64x48xf32>, tensor<f32>
}
