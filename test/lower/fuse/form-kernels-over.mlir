// What a kernel writes over, and nothing reads behind it, does not go to memory: a tile of its own stands for it.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=4096 inner-tiles}))" | FileCheck %s

// CHECK-LABEL: func.func @dead(
// CHECK:         %[[T:.*]] = memref.alloc() : memref<64x256xf32>
// CHECK:         scf.forall
// CHECK:           %[[S:.*]] = memref.subview %[[T]]
// CHECK:           %[[K:.*]] = memref.alloc() : memref<{{.*}}x256xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%[[K]] :
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:        math.exp
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[K]] :
// CHECK:             arith.mulf
#id = affine_map<(i, j) -> (i, j)>
#turn = affine_map<(i, j) -> (j, i)>
func.func @dead(%x: memref<256x64xf32>, %y: memref<64x256xf32>) {
  %t = memref.alloc() : memref<64x256xf32>
  linalg.transpose ins(%x : memref<256x64xf32>) outs(%t : memref<64x256xf32>) permutation = [1, 0]
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x256xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x256xf32>) outs(%t : memref<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %t : memref<64x256xf32>, memref<64x256xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// It goes there where somebody reads it later.
// CHECK-LABEL: func.func @read(
// CHECK:         scf.forall
// CHECK-NOT:       memref.alloc
// CHECK:         memref.copy
#id = affine_map<(i, j) -> (i, j)>
#turn = affine_map<(i, j) -> (j, i)>
func.func @read(%x: memref<256x64xf32>, %y: memref<64x256xf32>, %z: memref<64x256xf32>) {
  %t = memref.alloc() : memref<64x256xf32>
  linalg.transpose ins(%x : memref<256x64xf32>) outs(%t : memref<64x256xf32>) permutation = [1, 0]
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x256xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x256xf32>) outs(%t : memref<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %t : memref<64x256xf32>, memref<64x256xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %z : memref<64x256xf32> to memref<64x256xf32>
  return
}

// -----

// Or where the old value is added to.
// CHECK-LABEL: func.func @added(
// CHECK:         scf.forall
// CHECK-NOT:       memref.alloc
// CHECK:         return
#id = affine_map<(i, j) -> (i, j)>
#turn = affine_map<(i, j) -> (j, i)>
func.func @added(%x: memref<256x64xf32>, %y: memref<64x256xf32>) {
  %t = memref.alloc() : memref<64x256xf32>
  linalg.transpose ins(%x : memref<256x64xf32>) outs(%t : memref<64x256xf32>) permutation = [1, 0]
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x256xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x256xf32>) outs(%t : memref<64x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %t : memref<64x256xf32>, memref<64x256xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
