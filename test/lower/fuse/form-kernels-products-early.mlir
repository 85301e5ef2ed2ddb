// The epilogue of a product would make a large result long before it is used, past a sum that waits: neither joins.
// RUN: cell-opt %s --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-nanoseconds=1 product-nanoseconds=50000 item-nanoseconds=0 products-anywhere=true tile-bytes=4096}))" \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @early(
// CHECK:         scf.forall
// CHECK-NOT:       cell.epilogue
// CHECK:         } {cell.nanoseconds
// CHECK:         math.sin
// CHECK:         scf.forall
// CHECK:           cell.epilogue
// CHECK:         } {cell.nanoseconds
// CHECK:         memref.store
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @early(%x: memref<64x64xf32>, %v: memref<64x64xf32>, %u: memref<64x64xf32>, %z: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %h = memref.alloc() : memref<64x64xf32>
  %t = memref.alloc() : memref<64x64xf32>
  %g = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<64x64xf32>, memref<64x64xf32>) outs(%h : memref<64x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : memref<64x64xf32>) outs(%z : memref<64x64xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.sin %e0 : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %v : memref<64x64xf32>, memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%g : memref<64x64xf32>) attrs = {cell.epilogue} {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.tanh %e0 : f32
    linalg.yield %0 : f32
  }
  memref.store %zero, %u[%c0, %c0] : memref<64x64xf32>
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %0 = math.sin %e0 : f32
    linalg.yield %0 : f32
  }
  return
}
