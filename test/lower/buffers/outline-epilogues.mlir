// A product and its epilogue go together, with the result that nobody else uses and the view of it.
// RUN: cell-opt %s --cell-outline-kernels --split-input-file | FileCheck %s
// RUN: cell-opt %s --split-input-file -o /dev/null \
// RUN:   --pass-pipeline="builtin.module(cell-outline-kernels,func.func(cell-emit-gemm{target=x86-64-v4 print-plan}))" 2>&1 | FileCheck %s --check-prefix=PLAN

// PLAN-COUNT-1:  epilogue of 1 ops
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<8x16xf32>, %[[B:[a-z0-9]+]]: memref<16x32xf32>, %[[Y:[a-z0-9]+]]: memref<2x4x32xf32>, %[[Z:[a-z0-9]+]]: memref<2x4x32xf32>)
// CHECK-NOT:     memref.alloc
// CHECK:         call @cell_kernel(%[[A]], %[[B]], %[[Y]])
// CHECK-NOT:     linalg
// CHECK:         call @cell_kernel(%[[A]], %[[B]], %[[Z]])
// CHECK-LABEL: func.func private @cell_kernel(
// CHECK:         %[[C:.*]] = memref.alloc() : memref<8x32xf32>
// CHECK:         %[[E:.*]] = memref.expand_shape %[[C]]
// CHECK:         linalg.fill {{.*}} outs(%[[C]]
// CHECK:         linalg.generic {{.*}} outs(%[[C]]
// CHECK:         linalg.generic {{.*}} ins(%[[E]] {{.*}} {cell.epilogue}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j, k) -> (i, j, k)>
func.func @twice(%a: memref<8x16xf32>, %b: memref<16x32xf32>, %y0: memref<2x4x32xf32>, %y1: memref<2x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%c0 : memref<8x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c0 : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %e0 = memref.expand_shape %c0 [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32> into memref<2x4x32xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e0 : memref<2x4x32xf32>) outs(%y0 : memref<2x4x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  }
  %c1 = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%c1 : memref<8x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c1 : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %e1 = memref.expand_shape %c1 [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32> into memref<2x4x32xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e1 : memref<2x4x32xf32>) outs(%y1 : memref<2x4x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Products with other epilogues are others.
// PLAN-COUNT-2:  epilogue of 1 ops
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     call
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j, k) -> (i, j, k)>
func.func @others(%a: memref<8x16xf32>, %b: memref<16x32xf32>, %y0: memref<2x4x32xf32>, %y1: memref<2x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%c0 : memref<8x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c0 : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %e0 = memref.expand_shape %c0 [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32> into memref<2x4x32xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e0 : memref<2x4x32xf32>) outs(%y0 : memref<2x4x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %o: f32):
    %r = arith.subf %x, %o : f32
    linalg.yield %r : f32
  }
  %c1 = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%c1 : memref<8x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c1 : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %e1 = memref.expand_shape %c1 [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32> into memref<2x4x32xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e1 : memref<2x4x32xf32>) outs(%y1 : memref<2x4x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %o: f32):
    %r = arith.subf %o, %x : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// An epilogue that reads a reshape of a part: the part's offset is an argument, and so open in the reshape's type.
// PLAN-COUNT-1:  epilogue of 1 ops
// CHECK-LABEL: func.func @parts(
// CHECK-COUNT-2: call @cell_kernel(
// CHECK-LABEL: func.func private @cell_kernel(
// CHECK:         memref.expand_shape {{.*}} into memref<2x4x32xf32, strided<[192, 48, 1], offset: ?>>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j, k) -> (i, j, k)>
func.func @parts(%a: memref<8x16xf32>, %b: memref<16x32xf32>, %whole: memref<8x48xf32>, %y0: memref<2x4x32xf32>, %y1: memref<2x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %whole[0, 5] [8, 32] [1, 1] : memref<8x48xf32> to memref<8x32xf32, strided<[48, 1], offset: 5>>
  %q = memref.expand_shape %part [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32, strided<[48, 1], offset: 5>> into memref<2x4x32xf32, strided<[192, 48, 1], offset: 5>>
  %c0 = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%c0 : memref<8x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c0 : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %e0 = memref.expand_shape %c0 [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32> into memref<2x4x32xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e0, %q : memref<2x4x32xf32>, memref<2x4x32xf32, strided<[192, 48, 1], offset: 5>>) outs(%y0 : memref<2x4x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %r = arith.mulf %x, %z : f32
    linalg.yield %r : f32
  }
  %c1 = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%c1 : memref<8x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c1 : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  %e1 = memref.expand_shape %c1 [[0, 1], [2]] output_shape [2, 4, 32] : memref<8x32xf32> into memref<2x4x32xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e1, %q : memref<2x4x32xf32>, memref<2x4x32xf32, strided<[192, 48, 1], offset: 5>>) outs(%y1 : memref<2x4x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %r = arith.mulf %x, %z : f32
    linalg.yield %r : f32
  }
  return
}
