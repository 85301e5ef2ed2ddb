// RUN: cell-opt %s --cell-outline-kernels --split-input-file | FileCheck %s
// RUN: cell-opt %s --split-input-file \
// RUN:   --pass-pipeline="builtin.module(cell-outline-kernels,func.func(cell-emit-gemm,cell-emit-loops),cell-plan-memory)" \
// RUN:   | FileCheck %s --check-prefix=PLAN

#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#kinds = {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}

// Two products of one shape; the zeros that each starts from go along. Every buffer is apart from
// the others, so no argument aliases another.
// CHECK-LABEL: func.func @products(
// CHECK-SAME:    %[[A:.*]]: memref<8x16xf32>, %[[B:.*]]: memref<16x32xf32>, %[[C:.*]]: memref<32x32xf32>, %[[OUT:.*]]: memref<8x32xf32>)
// CHECK:         %[[ALLOC:.*]] = memref.alloc
// CHECK-NOT:     linalg.fill
// CHECK:         call @cell_kernel(%[[A]], %[[B]], %[[ALLOC]])
// CHECK-NOT:     linalg.fill
// CHECK:         call @cell_kernel(%[[A]], %[[B]], %[[OUT]])
// One product of another shape keeps its place.
// CHECK:         linalg.generic
// CHECK-NOT:     call
// CHECK:         return
// CHECK-LABEL: func.func private @cell_kernel(
// CHECK-SAME:    memref<8x16xf32> {llvm.noalias}, %{{.*}}: memref<16x32xf32> {llvm.noalias}, %[[TO:.*]]: memref<8x32xf32> {llvm.noalias})
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         linalg.fill ins(%[[ZERO]] : f32) outs(%[[TO]]
// CHECK:         linalg.generic
func.func @products(%a: memref<8x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %out: memref<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<8x32xf32>)
  linalg.fill ins(%zero : f32) outs(%out : memref<8x32xf32>)
  linalg.generic #kinds ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%t : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic #kinds ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%out : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic #kinds ins(%t, %c : memref<8x32xf32>, memref<32x32xf32>) outs(%out : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// Slices at different offsets are one kernel; the offset is an argument. Values that a loop chooses
// are passed, constants are not. An op in place has one argument for both operands, and memory that
// is shared is not said to be apart.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME:    %[[IN:.*]]: memref<4x64xf32>)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[ROW:.*]] = memref.subview %[[IN]][%[[I]], 0]
// CHECK:           %[[MEMORY:.*]] = memref.reinterpret_cast %[[ROW]] to offset: [0], sizes: [1], strides: [1]
// CHECK:           %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[ROW]]
// CHECK:           call @cell_kernel(%[[MEMORY]], %[[OFFSET]])
// CHECK:         %{{.*}}, %[[FIXED:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %{{.*}} : memref<64xf32, strided<[1], offset: 128>>
// CHECK:         call @cell_kernel(%{{.*}}, %[[FIXED]])
// CHECK:         math.exp
// CHECK-LABEL: func.func private @cell_kernel(
// CHECK-SAME:    %[[BASE:.*]]: memref<1xf32> {llvm.noalias}, %[[AT:.*]]: index)
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [%[[AT]]], sizes: [64], strides: [1]
// CHECK:         %[[HALF:.*]] = arith.constant 5.0
// CHECK:         linalg.generic
// CHECK:           math.tanh
// CHECK:           arith.mulf %{{.*}}, %[[HALF]]
func.func @slices(%in: memref<4x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  scf.for %i = %zero to %two step %one {
    %row = memref.subview %in[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%row : memref<64xf32, strided<[1], offset: ?>>) outs(%row : memref<64xf32, strided<[1], offset: ?>>) {
    ^bb0(%x: f32, %o: f32):
      %t = math.tanh %x : f32
      %e = math.exp %t : f32
      %h = arith.mulf %e, %half : f32
      linalg.yield %h : f32
    }
  }
  %row = memref.subview %in[2, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: 128>>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%row : memref<64xf32, strided<[1], offset: 128>>) outs(%row : memref<64xf32, strided<[1], offset: 128>>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    %h = arith.mulf %e, %half : f32
    linalg.yield %h : f32
  }
  // Another constant makes another op.
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%row : memref<64xf32, strided<[1], offset: 128>>) outs(%row : memref<64xf32, strided<[1], offset: 128>>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    %h = arith.mulf %e, %x : f32
    linalg.yield %h : f32
  }
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Two updates of one shape, one of two halves of one buffer: its memory is not apart. Few elements
// and short bodies are no calls.
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-2: call @cell_kernel
// CHECK-NOT:     call
// CHECK-LABEL: func.func private @cell_kernel(
// CHECK-SAME:    %{{.*}}: memref<1xf32>, %{{.*}}: memref<8x8xf32, strided<[8, 1]>>, %{{.*}}: index) {
// The tile that a transposed access goes through is a temporary of the callers, for the time of each
// call.
// PLAN-LABEL:  func.func @shared(
// PLAN-SAME:     %[[ARENA:[a-z0-9]+]]: memref<256xi8> {llvm.noalias}) attributes {cell.arena_bytes = 256 : i64}
// PLAN:          %[[FIRST:.*]] = memref.view %[[ARENA]]
// PLAN:          call @cell_kernel(%{{.*}}, %[[FIRST]]) :
// PLAN:          %[[SECOND:.*]] = memref.view %[[ARENA]]
// PLAN:          call @cell_kernel(%{{.*}}, %[[SECOND]]) :
// PLAN-LABEL:  func.func private @cell_kernel(
// PLAN-SAME:     %[[LENT:[a-z0-9]+]]: memref<256xi8> {llvm.noalias}) {
// PLAN:          memref.view %[[LENT]]
func.func @shared(%in: memref<2x8x8xf32>, %other: memref<2x8x8xf32>, %small: memref<4x4xf32>) {
  %a = memref.subview %in[0, 0, 0] [1, 8, 8] [1, 1, 1] : memref<2x8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  %b = memref.subview %in[1, 0, 0] [1, 8, 8] [1, 1, 1] : memref<2x8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 64>>
  %c = memref.subview %other[1, 0, 0] [1, 8, 8] [1, 1, 1] : memref<2x8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 64>>
  linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<8x8xf32, strided<[8, 1], offset: 64>>) outs(%a : memref<8x8xf32, strided<[8, 1]>>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<8x8xf32, strided<[8, 1], offset: 64>>) outs(%a : memref<8x8xf32, strided<[8, 1]>>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%small : memref<4x4xf32>) outs(%small : memref<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%small : memref<4x4xf32>) outs(%small : memref<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Constants outside of the body are compared by value.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT:   call
// CHECK-COUNT-2: linalg.generic
func.func @constants(%x: memref<64xf32>, %y: memref<64xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.tanh %in : f32
    %1 = math.exp %0 : f32
    %2 = arith.mulf %1, %two : f32
    linalg.yield %2 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.tanh %in : f32
    %1 = math.exp %0 : f32
    %2 = arith.mulf %1, %three : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#x = affine_map<(n, o, h, w, c, p, q) -> (n, c, h + p, w + q)>
#w = affine_map<(n, o, h, w, c, p, q) -> (o, c, p, q)>
#y = affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>
#convolution = {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}

// The function does not see that the images were padded with zeros: the product says so. One whose memory something
// else may have written is no such product.
// CHECK-LABEL: func.func @padded(
// CHECK-COUNT-2: call @cell_kernel(
// CHECK:         linalg.generic
// CHECK-NOT:     cell.zero_borders
// CHECK-LABEL: func.func private @cell_kernel(
// CHECK:         linalg.generic {{.*}} attrs = {cell.zero_borders = [array<i64: 0, 0, 1, 0, 0, 1, 0, 0, 1, 5>, array<i64: 0, 0, 0, 1, 0, 0, 1, 0, 1, 5>]}
func.func private @changes(memref<1x2x6x6xf32>)
func.func @padded(%a: memref<1x2x4x4xf32>, %w: memref<2x2x3x3xf32>, %y: memref<1x2x4x4xf32>, %z: memref<1x2x4x4xf32>, %u: memref<1x2x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<1x2x6x6xf32>
  %q = memref.alloc() : memref<1x2x6x6xf32>
  %r = memref.alloc() : memref<1x2x6x6xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<1x2x6x6xf32>)
  linalg.fill ins(%zero : f32) outs(%q : memref<1x2x6x6xf32>)
  linalg.fill ins(%zero : f32) outs(%r : memref<1x2x6x6xf32>)
  func.call @changes(%r) : (memref<1x2x6x6xf32>) -> ()
  %pi = memref.subview %p[0, 0, 1, 1] [1, 2, 4, 4] [1, 1, 1, 1] : memref<1x2x6x6xf32> to memref<1x2x4x4xf32, strided<[72, 36, 6, 1], offset: 7>>
  %qi = memref.subview %q[0, 0, 1, 1] [1, 2, 4, 4] [1, 1, 1, 1] : memref<1x2x6x6xf32> to memref<1x2x4x4xf32, strided<[72, 36, 6, 1], offset: 7>>
  memref.copy %a, %pi : memref<1x2x4x4xf32> to memref<1x2x4x4xf32, strided<[72, 36, 6, 1], offset: 7>>
  linalg.generic #convolution ins(%p, %w : memref<1x2x6x6xf32>, memref<2x2x3x3xf32>) outs(%y : memref<1x2x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  memref.copy %y, %qi : memref<1x2x4x4xf32> to memref<1x2x4x4xf32, strided<[72, 36, 6, 1], offset: 7>>
  linalg.generic #convolution ins(%q, %w : memref<1x2x6x6xf32>, memref<2x2x3x3xf32>) outs(%z : memref<1x2x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  linalg.generic #convolution ins(%r, %w : memref<1x2x6x6xf32>, memref<2x2x3x3xf32>) outs(%u : memref<1x2x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}
