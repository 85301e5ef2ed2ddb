// Row softmax, 512 x 1024 f32, in one pass over memory. One block of 256 threads a row: a thread keeps four neighbouring
// elements in registers from the load to the store. Reductions: xor shuffles in the warp, then one value a warp through
// shared memory, combined by every thread in the same order.
gpu.module @kernels {
func.func private @body(%in: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %in : vector<4xf32>
  return %0 : vector<4xf32>
}
  memref.global "private" @warps : memref<8xf32, 3> = uninitialized {alignment = 16 : i64}
  func.func private @warp_max(%v: f32) -> f32 {
    %w = arith.constant 32 : i32
    %c16 = arith.constant 16 : i32
    %c8 = arith.constant 8 : i32
    %c4 = arith.constant 4 : i32
    %c2 = arith.constant 2 : i32
    %c1 = arith.constant 1 : i32
    %a, %p0 = gpu.shuffle xor %v, %c16, %w : f32
    %m0 = arith.maximumf %v, %a : f32
    %b, %p1 = gpu.shuffle xor %m0, %c8, %w : f32
    %m1 = arith.maximumf %m0, %b : f32
    %c, %p2 = gpu.shuffle xor %m1, %c4, %w : f32
    %m2 = arith.maximumf %m1, %c : f32
    %d, %p3 = gpu.shuffle xor %m2, %c2, %w : f32
    %m3 = arith.maximumf %m2, %d : f32
    %e, %p4 = gpu.shuffle xor %m3, %c1, %w : f32
    %m4 = arith.maximumf %m3, %e : f32
    return %m4 : f32
  }
  func.func private @warp_sum(%v: f32) -> f32 {
    %w = arith.constant 32 : i32
    %c16 = arith.constant 16 : i32
    %c8 = arith.constant 8 : i32
    %c4 = arith.constant 4 : i32
    %c2 = arith.constant 2 : i32
    %c1 = arith.constant 1 : i32
    %a, %p0 = gpu.shuffle xor %v, %c16, %w : f32
    %m0 = arith.addf %v, %a : f32
    %b, %p1 = gpu.shuffle xor %m0, %c8, %w : f32
    %m1 = arith.addf %m0, %b : f32
    %c, %p2 = gpu.shuffle xor %m1, %c4, %w : f32
    %m2 = arith.addf %m1, %c : f32
    %d, %p3 = gpu.shuffle xor %m2, %c2, %w : f32
    %m3 = arith.addf %m2, %d : f32
    %e, %p4 = gpu.shuffle xor %m3, %c1, %w : f32
    %m4 = arith.addf %m3, %e : f32
    return %m4 : f32
  }
  gpu.func @softmax(%x: memref<512x1024xf32, 1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                    %y: memref<512x1024xf32, 1> {llvm.noalias, llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %row = gpu.block_id x
    %tid = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c31 = arith.constant 31 : index
    %col = arith.muli %tid, %c4 : index
    %warp = arith.shrui %tid, %c5 : index
    %lane = arith.andi %tid, %c31 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %s = memref.get_global @warps : memref<8xf32, 3>
    %v = vector.load %x[%row, %col] {alignment = 16} : memref<512x1024xf32, 1>, vector<4xf32>

    %m0 = vector.reduction <maximumf>, %v : vector<4xf32> into f32
    %m1 = func.call @warp_max(%m0) : (f32) -> f32
    scf.if %first { memref.store %m1, %s[%warp] : memref<8xf32, 3> }
    gpu.barrier
    %mv = vector.load %s[%c0] {alignment = 16} : memref<8xf32, 3>, vector<8xf32>
    %m = vector.reduction <maximumf>, %mv : vector<8xf32> into f32
    gpu.barrier

    %mb = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %v, %mb : vector<4xf32>
    %e = func.call @body(%d) : (vector<4xf32>) -> vector<4xf32>
    %s0 = vector.reduction <add>, %e : vector<4xf32> into f32
    %s1 = func.call @warp_sum(%s0) : (f32) -> f32
    scf.if %first { memref.store %s1, %s[%warp] : memref<8xf32, 3> }
    gpu.barrier
    %sv = vector.load %s[%c0] {alignment = 16} : memref<8xf32, 3>, vector<8xf32>
    %sum = vector.reduction <add>, %sv : vector<8xf32> into f32

    %sb = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %e, %sb : vector<4xf32>
    vector.store %r, %y[%row, %col] {alignment = 16} : memref<512x1024xf32, 1>, vector<4xf32>
    gpu.return
  }
}
