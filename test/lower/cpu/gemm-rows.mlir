// Products of the rows of a batch, as many as there are when the code runs: a plan for few, and one for all that there
// is room for.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{target=x86-64-v4 print-plan}))" -o /dev/null --verify-diagnostics
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{target=x86-64-v4}))" | FileCheck %s

#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[COUNT:[a-z0-9]*]]: index)
// CHECK-NOT:     linalg.fill
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %[[COUNT]], %c64
// CHECK:         scf.if %[[FEW]]
// One block of the sum, as long as the batch, in one chain.
// CHECK:           %[[LEFT:.*]] = arith.subi %[[COUNT]], %c0{{.*}} : index
// CHECK:           %[[SIZE:.*]] = arith.minsi %[[LEFT]], %c64{{.*}} : index
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %[[SIZE]] step %c1{{.*}} -> (vector<
// CHECK-COUNT-16:    vector.fma
// CHECK-NOT:         vector.fma
// CHECK:         } else {
// Blocks of it: the first is stored, the others are added.
// CHECK:           scf.for %[[AT:.*]] = %c0{{.*}} to %[[COUNT]] step %c256{{.*}} {
// CHECK:             %[[LEFT2:.*]] = arith.subi %[[COUNT]], %[[AT]] : index
// CHECK:             %[[SIZE2:.*]] = arith.minsi %[[LEFT2]], %c256{{.*}} : index
// CHECK:             %[[STOP:.*]] = arith.minsi %{{.*}}, %[[SIZE2]] : index
// CHECK-COUNT-16:    vector.fma
// CHECK:             arith.cmpi eq, %[[AT]], %c0
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @rows(%x: memref<1024x8xf32>, %y: memref<65521x32xf32>, %c: memref<8x32xf32>, %count: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x32xf32>)
  %a = memref.subview %x[0, 0] [%count, 8] [1, 1] : memref<1024x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  %b = memref.subview %y[0, 0] [%count, 32] [1, 1] : memref<65521x32xf32> to memref<?x32xf32, strided<[32, 1]>>
  // expected-remark @+2 {{8x32x?, 64 at most: tile 8x32, rows 1024, columns 32, depth 64}}
  // expected-remark @+1 {{8x32x?, 1024 at most: tile 8x32, rows 256, columns 32, depth 256, ask for B}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x8xf32, strided<[8, 1]>>, memref<?x32xf32, strided<[32, 1]>>) outs(%c : memref<8x32xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A layer multiplies each row. Of few, what is left over of tiles of 8 is one tile more, for each number of rows another; of
// many, a tile of 4, one of 2 and one of 1. Many rows are multiplied by panels of B that are packed, few by B as it lies.
// They may begin anywhere.
#each = affine_map<(m, n, k) -> (m, k)>
// CHECK-LABEL: func.func @layer
// CHECK-SAME:    %[[FROM:[a-z0-9]*]]: index, %[[COUNT:[a-z0-9]*]]: index)
// CHECK-NOT:     linalg.fill
// CHECK:         %[[ROWS:.*]] = arith.minsi %[[COUNT]], %[[COUNT]]
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %c64
// CHECK:         scf.if %[[FEW]]
// CHECK:           arith.muli %[[FROM]], %c512
// CHECK:           %[[WHOLE:.*]] = arith.divui %[[ROWS]], %c8
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %[[WHOLE]] step
// CHECK-COUNT-16:    vector.fma
// CHECK-NOT:         vector.fma
// CHECK:           %[[LEFT:.*]] = arith.andi %[[ROWS]], %c7
// CHECK:           %[[ONE:.*]] = arith.cmpi eq, %[[LEFT]], %c1
// CHECK:           scf.if %[[ONE]]
// CHECK:             arith.subi %[[ROWS]], %[[LEFT]]
// CHECK-COUNT-2:     vector.fma
// CHECK-NOT:         vector.fma
// CHECK:           arith.cmpi eq, %{{.*}}, %c2
// CHECK-COUNT-4:     vector.fma
// CHECK:           arith.cmpi eq, %{{.*}}, %c7
// CHECK-COUNT-14:    vector.fma
// CHECK:           arith.muli %[[FROM]], %c512
// CHECK-COUNT-16:  vector.fma
// CHECK:           %[[SEVEN:.*]] = arith.andi %[[ROWS]], %c7
// CHECK:           arith.cmpi uge, %[[SEVEN]], %c4
// CHECK-COUNT-8:   vector.fma
// CHECK:           %[[THREE:.*]] = arith.andi %[[ROWS]], %c3
// CHECK:           arith.cmpi uge, %[[THREE]], %c2
// CHECK-COUNT-4:   vector.fma
// CHECK:           arith.andi %[[ROWS]], %c1
// CHECK-COUNT-2:   vector.fma
// CHECK-NOT:       vector.fma
// CHECK:         return
func.func @layer(%x: memref<65521x512xf32>, %w: memref<512x512xf32>, %y: memref<256x512xf32>, %from: index, %count: index) {
  %zero = arith.constant 0.0 : f32
  %a = memref.subview %x[%from, 0] [%count, 512] [1, 1] : memref<65521x512xf32> to memref<?x512xf32, strided<[512, 1], offset: ?>>
  %c = memref.subview %y[0, 0] [%count, 512] [1, 1] : memref<256x512xf32> to memref<?x512xf32, strided<[512, 1]>>
  linalg.fill ins(%zero : f32) outs(%c : memref<?x512xf32, strided<[512, 1]>>)
  // expected-remark @+2 {{?x512x512, about 8: tile 8x32}}
  // expected-remark @+1 {{?x512x512, about 128: tile 8x32}}
  linalg.generic {indexing_maps = [#each, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<?x512xf32, strided<[512, 1], offset: ?>>, memref<512x512xf32>) outs(%c : memref<?x512xf32, strided<[512, 1]>>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Columns that do not begin at the first have no plan: cell-emit-loops refuses what is left.
// CHECK-LABEL: func.func @other
// CHECK:         linalg.generic
func.func @other(%x: memref<1024x9xf32>, %c: memref<8x8xf32>, %count: index) {
  %a = memref.subview %x[0, 1] [%count, 8] [1, 1] : memref<1024x9xf32> to memref<?x8xf32, strided<[9, 1], offset: 1>>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : memref<?x8xf32, strided<[9, 1], offset: 1>>, memref<?x8xf32, strided<[9, 1], offset: 1>>) outs(%c : memref<8x8xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
