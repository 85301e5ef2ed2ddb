// One thread: four neighbouring elements, one 16-byte access each way. n = 100000 = 97 blocks of 256 * 4 and a rest.
// elementwise_body.mlir gives @body, expanded by cell-expand-math.
gpu.module @kernels {
func.func private @body(%in: vector<4xf32>) -> vector<4xf32> {
  %2 = special.sech_squared %in : vector<4xf32>
  %3 = arith.mulf %in, %in : vector<4xf32>
  %4 = arith.negf %3 : vector<4xf32>
  %5 = math.exp %4 : vector<4xf32>
  %6 = math.tanh %in : vector<4xf32>
  %7 = arith.mulf %6, %5 : vector<4xf32>
  %8 = arith.mulf %7, %in : vector<4xf32>
  %9 = math.cos %in : vector<4xf32>
  %10 = arith.subf %9, %8 : vector<4xf32>
  %11 = arith.subf %10, %8 : vector<4xf32>
  %12 = arith.mulf %5, %2 : vector<4xf32>
  %13 = arith.addf %11, %12 : vector<4xf32>
  return %13 : vector<4xf32>
}
  gpu.func @elementwise(%x: memref<100000xf32, 1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                        %y: memref<100000xf32, 1> {llvm.noalias, llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %bid = gpu.block_id x
    %tid = gpu.thread_id x
    %c1024 = arith.constant 1024 : index
    %c4 = arith.constant 4 : index
    %n = arith.constant 100000 : index
    %0 = arith.muli %bid, %c1024 : index
    %1 = arith.muli %tid, %c4 : index
    %i = arith.addi %0, %1 : index
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {   // n is a multiple of 4; otherwise a scalar tail
      %v = vector.load %x[%i] {alignment = 16} : memref<100000xf32, 1>, vector<4xf32>
      %r = func.call @body(%v) : (vector<4xf32>) -> vector<4xf32>
      vector.store %r, %y[%i] {alignment = 16} : memref<100000xf32, 1>, vector<4xf32>
    }
    gpu.return
  }
}
