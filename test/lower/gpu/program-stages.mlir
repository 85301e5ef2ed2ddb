// One program of two forms through every stage: a row a block, and what one block makes of the results.
// RUN: cell-opt %s --cell-outline-device-kernels > %t.outlined.mlir
// RUN: FileCheck %s --check-prefix=OUTLINED --input-file=%t.outlined.mlir
// RUN: cell-opt %t.outlined.mlir --cell-emit-programs --canonicalize --cse > %t.gpu.mlir
// RUN: FileCheck %s --check-prefix=GPU --input-file=%t.gpu.mlir
// RUN: cell-opt %t.outlined.mlir --cell-gpu-pipeline > %t.nvvm.mlir
// RUN: FileCheck %s --check-prefix=NVVM --input-file=%t.nvvm.mlir
// RUN: cell-opt %t.nvvm.mlir --pass-pipeline="builtin.module(gpu.module(cell-emit-ptx{chip=sm_80}))" | FileCheck %s --check-prefix=PTX

// Two functions whose body is linalg still, and the host program that calls them.
// OUTLINED-LABEL: func.func @f(
// OUTLINED:         call @f_kernel(
// OUTLINED:         call @f_kernel_0(
// OUTLINED-LABEL: func.func private @f_kernel(
// OUTLINED-SAME:    attributes {cell.device_kernel
// OUTLINED:         scf.forall (%{{.*}}) in (61)
// OUTLINED:           linalg.fill
// OUTLINED:           linalg.generic {{.*}} iterator_types = ["reduction"]
// OUTLINED:             arith.addf
// OUTLINED-LABEL: func.func private @f_kernel_0(
// OUTLINED-SAME:    attributes {cell.device_kernel
// OUTLINED-NOT:     scf.forall
// OUTLINED:         linalg.generic {{.*}} iterator_types = ["parallel"]
// OUTLINED:           math.exp

// Threads of blocks: their loops, exchanges of a warp and barriers.
// GPU:         gpu.func @f_kernel(%{{.*}}: memref<61x200xf32, 1>, %{{.*}}: memref<61xf32, 1>)
// GPU-SAME:      kernel
// GPU-SAME:      known_grid_size = array<i32: 61, 1, 1>
// GPU:           gpu.block_id  x
// GPU:           gpu.barrier
// GPU:           gpu.shuffle  xor
// GPU:         gpu.func @f_kernel_0(
// GPU-SAME:      kernel
// GPU-SAME:      known_grid_size = array<i32: 1, 1, 1>
// GPU:           gpu.thread_id  x
// GPU:           math.exp
// GPU-NOT:     linalg

// Pointers, 32-bit indices, the project's own mathematics.
// NVVM:        llvm.func @f_kernel(%{{.*}}: !llvm.ptr<1>
// NVVM-SAME:     gpu.kernel
// NVVM-SAME:     nvvm.kernel
// NVVM-DAG:      nvvm.read.ptx.sreg.ctaid.x
// NVVM-DAG:      nvvm.read.ptx.sreg.tid.x
// NVVM:          nvvm.barrier
// NVVM:          nvvm.shfl.sync bfly
// NVVM:        llvm.func @f_kernel_0(
// NVVM-NOT:    math.exp
// NVVM-NOT:    __nv_

// PTX: .target sm_80
// PTX: .entry f_kernel(
// PTX: mov.u32 {{.*}}%ctaid.x
// PTX: {{bar|barrier}}.sync
// PTX: ld.global
// PTX: shfl.sync.bfly.b32
// PTX: st.global
// PTX: .entry f_kernel_0(
// PTX: ld.global
// PTX: fma.rn.f32
// PTX: st.global
// PTX-NOT: __nv_
func.func @f(%x: memref<61x200xf32>, %y: memref<61xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<61xf32>
  scf.forall (%i) in (61) {
    %row = memref.subview %x[%i, 0] [1, 200] [1, 1] : memref<61x200xf32> to memref<200xf32, strided<[1], offset: ?>>
    %sum = memref.subview %sums[%i] [1] [1] : memref<61xf32> to memref<f32, strided<[], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%sum : memref<f32, strided<[], offset: ?>>)
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
        ins(%row : memref<200xf32, strided<[1], offset: ?>>) outs(%sum : memref<f32, strided<[], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    }
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sums : memref<61xf32>) outs(%y : memref<61xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}
