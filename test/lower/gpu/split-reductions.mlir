// Long reductions to few results in parts, which are combined in order.
// RUN: cell-opt %s --pass-pipeline='builtin.module(func.func(cell-split-reductions),canonicalize)' --mlir-print-local-scope | FileCheck %s

// 1024 parts; each starts from the neutral element, and what was in the result is added last.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.*]]: memref<1048576xf32>, %[[Y:.*]]: memref<f32>)
// CHECK:         %[[PARTS:.*]] = memref.alloc() : memref<1024xf32>
// CHECK:         %[[V:.*]] = memref.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [1024, 1024]
// CHECK:         linalg.fill ins(%cst : f32) outs(%[[PARTS]] : memref<1024xf32>)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%[[V]] : memref<1024x1024xf32>) outs(%[[PARTS]] : memref<1024xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[PARTS]] : memref<1024xf32>) outs(%[[Y]] : memref<f32>)
func.func @sum(%x: memref<1048576xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<1048576xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  }
  return
}

// Columns: the rows are cut. What fills no part has one of its own. Parts of f16 are f32.
// CHECK-LABEL: func.func @columns(
// CHECK:         %[[PARTS:.*]] = memref.alloc() : memref<4097x64xf32>
// CHECK:         memref.subview %{{.*}}[0, 0] [524288, 64] [1, 1]
// CHECK:         memref.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [4096, 128, 64]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:         memref.subview %{{.*}}[524288, 0] [5, 64] [1, 1]
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
// CHECK:         %[[TOTAL:.*]] = memref.alloc() : memref<64xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[PARTS]] : memref<4097x64xf32>) outs(%[[TOTAL]] : memref<64xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[TOTAL]] : memref<64xf32>) outs(%{{.*}} : memref<64xf16>)
// CHECK:           arith.truncf
func.func @columns(%x: memref<524293x64xf16>, %y: memref<64xf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<524293x64xf16>) outs(%y : memref<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = arith.maximumf %a, %o : f16
    linalg.yield %0 : f16
  }
  return
}

// Enough results as they are; positions of the largest element; a loop over items.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     memref.expand_shape
// CHECK:         return
func.func @whole(%x: memref<262144x8xf32>, %y: memref<262144xf32>, %p: memref<i32>, %z: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<262144x8xf32>) outs(%y : memref<262144xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%y : memref<262144xf32>) outs(%p : memref<i32>) {
  ^bb0(%a: f32, %o: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.maxsi %1, %o : i32
    linalg.yield %2 : i32
  }
  scf.forall (%i) in (8) {
    %column = memref.subview %x[0, %i] [262144, 1] [1, 1] : memref<262144x8xf32> to memref<262144xf32, strided<[8], offset: ?>>
    %one = memref.subview %z[%i] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%column : memref<262144xf32, strided<[8], offset: ?>>) outs(%one : memref<f32, strided<[], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// What every step does to what the steps before it have left is no sum of parts.
// CHECK-LABEL: func.func @ordered(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @ordered(%x: memref<1048576xf32>, %y: memref<f32>) {
  %half = arith.constant 0.5 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<1048576xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %o, %half : f32
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  }
  return
}
