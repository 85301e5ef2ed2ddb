// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-to-linalg,func.func(cell-fuse-linalg),cse,canonicalize)" --split-input-file | FileCheck %s

// A reduction over windows reads the tensor in place. Nothing else says how large a window
// is, so a tensor of its size does; it is not read.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func.func @max
// CHECK:         %[[SIZE:.*]] = tensor.empty() : tensor<3xi8>
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[K]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %[[SIZE]] :
// CHECK-NOT:     linalg.generic
func.func @max(%x: tensor<2x9xf32>) -> tensor<2x4xf32> {
  %0 = cell.windows %x sizes [3] strides [2] dilations [1] : tensor<2x9xf32> -> tensor<2x4x3xf32>
  %1 = cell.reduce_max %0 over [2] : tensor<2x4x3xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// So does one of what is computed from them.
// CHECK-LABEL: func.func @squares
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %{{.*}}: i8, %[[OUT:.*]]: f32):
// CHECK-NEXT:      arith.mulf %[[IN]], %[[IN]]
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @squares(%x: tensor<2x9xf32>) -> tensor<2x4xf32> {
  %0 = cell.windows %x sizes [3] strides [2] dilations [1] : tensor<2x9xf32> -> tensor<2x4x3xf32>
  %1 = cell.square %0 : tensor<2x4x3xf32>
  %2 = cell.reduce_sum %1 over [2] : tensor<2x4x3xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// What is added up where windows overlap is computed on the way.
// CHECK-LABEL: func.func @adjoint
// CHECK:         linalg.fill
// CHECK:         linalg.generic
// CHECK:           arith.select
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @adjoint(%ct: tensor<2x4xf32>, %m: tensor<2x4x3xi1>) -> tensor<2x9xf32> {
  %z = cell.constant dense<0.0> : tensor<2x4x3xf32>
  %b = cell.broadcast %ct along [2] : tensor<2x4xf32> -> tensor<2x4x3xf32>
  %0 = cell.select %m, %b, %z : tensor<2x4x3xf32>
  %1 = cell.overlap_add %0 strides [2] dilations [1] : tensor<2x4x3xf32> -> tensor<2x9xf32>
  return %1 : tensor<2x9xf32>
}

// -----

// A convolution reads through transposes, and nothing is merged into it.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d2 + d4)>
// CHECK-LABEL: func.func @conv
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      math.exp
// CHECK:         linalg.generic {indexing_maps = [#[[X]], {{.*}} ins(%[[E]], %arg1 :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
func.func @conv(%x: tensor<3x2x9xf32>, %w: tensor<5x3x2xf32>) -> tensor<2x5x8xf32> {
  %e = cell.exp %x : tensor<3x2x9xf32>
  %t = cell.transpose %e perm [1, 0, 2] : tensor<3x2x9xf32> -> tensor<2x3x9xf32>
  %0 = cell.conv %t, %w strides [1] dilations [1] groups 1 : (tensor<2x3x9xf32>, tensor<5x3x2xf32>) -> tensor<2x5x8xf32>
  return %0 : tensor<2x5x8xf32>
}
