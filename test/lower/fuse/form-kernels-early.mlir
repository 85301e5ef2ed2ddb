// An op joins a kernel before its place only if that makes no large result that
// waits in memory: a tensor and its slope, which a derivative needs much later,
// are not computed in one pass over what both read.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=4096}))" | FileCheck %s

// CHECK-LABEL: func.func @large(
// CHECK-NOT:     scf.forall
// CHECK:         memref.copy %{{.*}}, %arg1
// CHECK-NEXT:    memref.alloc
// CHECK-NEXT:    linalg.generic
#id = affine_map<(i, j) -> (i, j)>
func.func @large(%x: memref<64x64xf32>, %u: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %t = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %u : memref<64x64xf32> to memref<64x64xf32>
  %s = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %s, %y : memref<64x64xf32> to memref<64x64xf32>
  return
}

// -----

// What the caller has anyway is made early.
// CHECK-LABEL: func.func @result(
// CHECK:         scf.forall (%{{.*}}) in
// CHECK:           linalg.generic
// CHECK:           linalg.generic
// CHECK:         memref.copy %{{.*}}, %arg1
#id = affine_map<(i, j) -> (i, j)>
func.func @result(%x: memref<64x64xf32>, %u: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %t = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %u : memref<64x64xf32> to memref<64x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Small results may wait.
// CHECK-LABEL: func.func @small(
// CHECK:         scf.forall (%{{.*}}) in
#id = affine_map<(i, j) -> (i, j)>
func.func @small(%x: memref<32x33xf32>, %u: memref<32x33xf32>, %y: memref<32x33xf32>) {
  %t = memref.alloc() : memref<32x33xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<32x33xf32>) outs(%t : memref<32x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %u : memref<32x33xf32> to memref<32x33xf32>
  %s = memref.alloc() : memref<32x33xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<32x33xf32>) outs(%s : memref<32x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %s, %y : memref<32x33xf32> to memref<32x33xf32>
  return
}

// -----

// A result in the place of what the kernel uses waits where that would.
// CHECK-LABEL: func.func @in_place(
// CHECK:         scf.forall (%{{.*}}) in
// CHECK:           math.tanh
// CHECK:           arith.mulf
// CHECK:         memref.copy %{{.*}}, %arg1
// CHECK:         memref.copy %{{.*}}, %arg2
#id = affine_map<(i, j) -> (i, j)>
func.func @in_place(%x: memref<64x64xf32>, %u: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %t = memref.alloc() : memref<64x64xf32>
  %p = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t, %p : memref<64x64xf32>, memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32, %q: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0, %a : f32, f32
  }
  memref.copy %p, %u : memref<64x64xf32> to memref<64x64xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%t : memref<64x64xf32>) {
  ^bb0(%o: f32):
    %0 = arith.mulf %o, %o : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %y : memref<64x64xf32> to memref<64x64xf32>
  return
}
