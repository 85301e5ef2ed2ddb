// Sums of several terms: those that are products are added one by one, where none of the others is in what is added to.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-accumulate-products{target=x86-64-v4}))" | FileCheck %s

// Two products and something else: what else there is, is added at the end.
// CHECK-LABEL: func.func @several(
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}}"reduction"{{.*}} ins(%arg0, %arg1 {{.*}} outs(%arg2
// CHECK:         linalg.generic {{.*}}"reduction"{{.*}} ins(%arg3, %arg4 {{.*}} outs(%arg2
// CHECK:         linalg.generic {{.*}} ins(%arg2, %arg5 : {{.*}}) outs(%arg2
// CHECK-NEXT:    ^bb0(%[[C:.*]]: f32, %[[U:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.addf %[[U]], %[[C]]
// CHECK-NEXT:      linalg.yield
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @several(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>,
                   %d: memref<32x16xf32>, %e: memref<16x32xf32>, %u: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  %v = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %e : memref<32x16xf32>, memref<16x32xf32>) outs(%v : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %c, %v, %u : memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32):
    %0 = arith.addf %e0, %e2 : f32
    %1 = arith.addf %e3, %0 : f32
    %2 = arith.addf %1, %e1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// Twice the product, and a sum that does not begin with what is there.
// CHECK-LABEL: func.func @near(
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT:     linalg.generic {{.*}}"reduction"{{.*}} outs(%arg2
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @near(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %u: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %c : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e0 : f32
    %1 = arith.addf %e1, %0 : f32
    linalg.yield %1 : f32
  }
  %v = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%v : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v, %u : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Another term is a part of the same buffer, which the product would have changed.
// CHECK-LABEL: func.func @elsewhere(
// CHECK:         memref.alloc
// CHECK:         linalg.generic {{.*}}"reduction"{{.*}} outs(%alloc
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @elsewhere(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %all: memref<48x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.subview %all[0, 0] [32, 32] [1, 1] : memref<48x32xf32> to memref<32x32xf32, strided<[32, 1]>>
  %u = memref.subview %all[16, 0] [32, 32] [1, 1] : memref<48x32xf32> to memref<32x32xf32, strided<[32, 1], offset: 512>>
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %c, %u : memref<32x32xf32>, memref<32x32xf32, strided<[32, 1]>>, memref<32x32xf32, strided<[32, 1], offset: 512>>)
      outs(%c : memref<32x32xf32, strided<[32, 1]>>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32):
    %0 = arith.addf %e0, %e1 : f32
    %1 = arith.addf %0, %e2 : f32
    linalg.yield %1 : f32
  }
  return
}
