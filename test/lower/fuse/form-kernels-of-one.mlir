// An op that takes long is cut into items by itself.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=1000000 fewest-nanoseconds=100}))" | FileCheck %s

// CHECK-LABEL: func.func @long(
// CHECK:         scf.forall (%{{.*}}) in (8) {
// CHECK:           linalg.generic
// CHECK:         } {cell.nanoseconds = 26214 : i64}
#id = affine_map<(i, j) -> (i, j)>
func.func @long(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x1024xf32>) outs(%y : memref<64x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// One that takes less is left alone.
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @short(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%y : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// So is one that writes rows which other items read.
// CHECK-LABEL: func.func @own_view(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @own_view(%x: memref<65x512xf32>) {
  %next = memref.subview %x[1, 0] [64, 512] [1, 1] : memref<65x512xf32> to memref<64x512xf32, strided<[512, 1], offset: 512>>
  %own = memref.subview %x[0, 0] [64, 512] [1, 1] : memref<65x512xf32> to memref<64x512xf32, strided<[512, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next : memref<64x512xf32, strided<[512, 1], offset: 512>>) outs(%own : memref<64x512xf32, strided<[512, 1]>>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}
