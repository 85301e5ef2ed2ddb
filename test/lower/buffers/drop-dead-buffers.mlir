// Buffers that nothing reads go, with what was computed for them alone.
// RUN: cell-opt %s --cell-drop-dead-buffers | FileCheck %s

// %dead is filled and added to, %for_it is only read to that end; so is its source.
// CHECK-LABEL: func.func @dead(
// CHECK-NOT:     memref.
// CHECK-NOT:     linalg
// CHECK:         return
func.func @dead(%x: memref<4x4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %for_it = memref.alloc() : memref<4x4xf32>
  memref.copy %x, %for_it : memref<4x4xf32> to memref<4x4xf32>
  %dead = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%v : f32) outs(%dead : memref<4x4xf32>)
  linalg.matmul ins(%for_it, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%dead : memref<4x4xf32>)
  %row = memref.subview %dead[0, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1]>>
  memref.store %v, %row[%c0] : memref<4xf32, strided<[1]>>
  return
}

// A part is read; one of two results is; the caller has the memory.
// CHECK-LABEL: func.func @read(
// CHECK:         linalg.fill
// CHECK-LABEL: func.func @two(
// CHECK:         linalg.generic
// CHECK-LABEL: func.func @callers(
// CHECK:         linalg.fill
func.func @read(%v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %x = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%v : f32) outs(%x : memref<4x4xf32>)
  %row = memref.subview %x[0, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1]>>
  %0 = memref.load %row[%c0] : memref<4xf32, strided<[1]>>
  return %0 : f32
}
#id = affine_map<(i) -> (i)>
func.func @two(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%t, %y : memref<4xf32>, memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %b, %a : f32, f32
  }
  return
}
func.func @callers(%x: memref<4xf32>, %v: f32) {
  linalg.fill ins(%v : f32) outs(%x : memref<4xf32>)
  return
}
