// Functions that code shares are where it is: in the module of device code, too.
// RUN: cell-opt %s --cell-expand-math --cell-share-math | FileCheck %s

// CHECK:       gpu.module @kernels {
// CHECK:         gpu.func @k
// CHECK:           call @cell_reduce_large_f32
// CHECK:         func.func private @cell_reduce_large_f32
// CHECK:       }
// CHECK:       func.func @f
// CHECK:         call @cell_reduce_large_f32
// CHECK:       func.func private @cell_reduce_large_f32
gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<4xf32, 1>
    %s = math.sin %v : f32
    memref.store %s, %x[%i] : memref<4xf32, 1>
    gpu.return
  }
}
func.func @f(%x: f32) -> f32 {
  %s = math.sin %x : f32
  return %s : f32
}
