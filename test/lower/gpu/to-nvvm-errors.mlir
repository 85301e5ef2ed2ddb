// RUN: cell-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(gpu.module(cell-gpu-to-nvvm))"
// RUN: not cell-opt %s --pass-pipeline="builtin.module(gpu.module(cell-gpu-to-nvvm{index-bits=16}))" --split-input-file 2>&1 | FileCheck %s

// CHECK: error: index-bits: expected 32, 64 or 0, not 16

// Upstream's conversion makes calls of NVIDIA's library of these.
gpu.module @kernels {
  gpu.func @exp(%x: memref<64xf32, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<64xf32, 1>
    // expected-error @below {{'math.exp' op is no instruction of a GPU; run cell-expand-math, and cell-share-math, before cell-gpu-to-nvvm}}
    %0 = math.exp %v : f32
    memref.store %0, %x[%i] : memref<64xf32, 1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @remainder(%x: memref<64xf32, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<64xf32, 1>
    // expected-error @below {{'arith.remf' op is no instruction of a GPU}}
    %0 = arith.remf %v, %v : f32
    memref.store %0, %x[%i] : memref<64xf32, 1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @large(%x: f32, %n: f32, %r: f32, %low: f32) kernel {
    // expected-error @below {{'special.sech_squared' op is no instruction of a GPU}}
    %0 = special.sech_squared %x : f32
    gpu.return
  }
}

// -----

// What has no form on the device is named.
gpu.module @kernels {
  gpu.func @allocates(%i: index) kernel {
    %z = arith.constant 0.0 : f32
    %m = memref.alloca() : memref<4xf32>
    // expected-error @below {{failed to legalize operation 'linalg.fill'}}
    linalg.fill ins(%z : f32) outs(%m : memref<4xf32>)
    gpu.return
  }
}
