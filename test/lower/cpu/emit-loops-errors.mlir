// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops))" --split-input-file --verify-diagnostics
// RUN: not cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops{target=x86}))" 2>&1 | FileCheck %s

// CHECK: unknown target 'x86': expected one of sapphirerapids, znver4, x86-64-v4, x86-64-v3, x86-64-avx, x86-64-v2, x86-64

func.func @nonlinear(%x: memref<8xf32>, %y: memref<16xf32>) {
  // expected-error @+1 {{is not linear in the loop variables; only sums of constant multiples can be lowered}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @dynamic(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{must have a static iteration space}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @dynamic_stride(%x: memref<8xf32, strided<[?]>>, %y: memref<8xf32>) {
  // expected-error @+1 {{operand #0 must be a memref of static shape and strides, but is 'memref<8xf32, strided<[?]>>'}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32, strided<[?]>>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// What the body of an op reads by itself is addressed in the same way.
func.func @body(%t: memref<?xf32>, %x: memref<8xindex>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<8xindex>) outs(%y : memref<8xf32>) {
  ^bb0(%i: index, %o: f32):
    // expected-error @+1 {{'memref.load' op must read a memref of static shape and strides, not 'memref<?xf32>'}}
    %v = memref.load %t[%i] : memref<?xf32>
    linalg.yield %v : f32
  }
  return
}
