// An epilogue that must come after a kernel takes its product with it, and is in no kernel itself.
// RUN: cell-opt %s --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=1 fewest-nanoseconds=0}))" | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @stays(
// CHECK:         scf.forall
// CHECK:           math.tanh
// CHECK:           math.exp
// CHECK:         cell.nanoseconds
// CHECK-NOT:     scf.forall
// CHECK:         arith.mulf
// CHECK-NOT:     scf.forall
// CHECK:         cell.epilogue
func.func @stays(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %x: memref<32x32xf32>,
    %t: memref<32x32xf32>, %y: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<32x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.tanh %0 : f32
    linalg.yield %2 : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %p = arith.mulf %0, %1 : f32
    %s = arith.addf %2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %s = arith.addf %0, %1 : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<32x32xf32>) outs(%y : memref<32x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.exp %0 : f32
    linalg.yield %2 : f32
  }
  return
}
