// RUN: split-file %s %t
// RUN: not cellc %t/foreign.mlir --emit=ptx -o %t/none --reproducers=%t 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not cellc %t/two.mlir --emit=ptx -o %t/none 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not cellc %t/none.mlir --emit=ptx -o %t/none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not cellc %t/remainder.mlir --emit=ptx -o %t/none --reproducers=%t 2>&1 | FileCheck %s --check-prefix=REMAINDER
// RUN: not cellc %t/host.mlir --emit=ptx -o %t/none 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not ls %t/none

// A function that is nowhere.
// FOREIGN: 'gpu.module' op calls 'elsewhere', which is not in it
// TWO: error: expected one gpu.module, or functions on buffers with cell.device_kernel, to make PTX of; found 2
// NONE: error: expected one gpu.module, {{.*}}; found 0
// REMAINDER: 'arith.remf' op is no instruction of a GPU
// HOST: host.mlir:2:8: error: 'cell.send' op is of a call of a function of Python ('host_call'), which a program on a GPU cannot make

//--- foreign.mlir
gpu.module @kernels {
  func.func private @elsewhere(%x: f32) -> f32
  gpu.func @f(%x: memref<4xf32, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<4xf32, 1>
    %w = func.call @elsewhere(%v) : (f32) -> f32
    memref.store %w, %x[%i] : memref<4xf32, 1>
    gpu.return
  }
}

//--- none.mlir
func.func private @f(%x: memref<4xf32>) {
  return
}

//--- two.mlir
gpu.module @a {
}
gpu.module @b {
}

//--- remainder.mlir
gpu.module @kernels {
  gpu.func @f(%x: memref<4xf32, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<4xf32, 1>
    %w = arith.remf %v, %v : f32
    memref.store %w, %x[%i] : memref<4xf32, 1>
    gpu.return
  }
}

//--- host.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = cell.send %x to 2147483647 tag 0 : tensor<4xf32>
  %1 = cell.receive %0 from 2147483647 tag 0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
