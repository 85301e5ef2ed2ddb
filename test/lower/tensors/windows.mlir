// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// A convolution is one sum of products; its map says where a window reads.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 * 2 + d4 * 3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @conv
// The last element is out of reach.
// CHECK:         %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [2, 3, 8] [1, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[PART]], %{{.*}}) outs(
// CHECK:           arith.mulf
// CHECK:           arith.addf
func.func @conv(%x: tensor<2x3x9xf32>, %w: tensor<5x3x2xf32>) -> tensor<2x5x3xf32> {
  %0 = cell.conv %x, %w strides [2] dilations [3] groups 1 : (tensor<2x3x9xf32>, tensor<5x3x2xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// -----

// A group is a dimension of its own. Half precision is summed in f32 and rounded once.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 + d5)>
// CHECK-LABEL: func.func @groups
// CHECK:         arith.extf
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[0\], \[1, 2\], \[3\]\]}} output_shape [2, 2, 3, 9]
// CHECK:         linalg.generic {indexing_maps = [#[[X]],
// CHECK:           arith.mulf {{.*}} : f32
// CHECK:         arith.truncf
func.func @groups(%x: tensor<2x6x9xf16>, %w: tensor<4x3x2xf16>) -> tensor<2x4x8xf16> {
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 2 : (tensor<2x6x9xf16>, tensor<4x3x2xf16>) -> tensor<2x4x8xf16>
  return %0 : tensor<2x4x8xf16>
}

// -----

// Without channels there is nothing to sum.
// CHECK-LABEL: func.func @no_channels
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.fill
func.func @no_channels(%x: tensor<2x0x9xf32>, %w: tensor<5x0x2xf32>) -> tensor<2x5x8xf32> {
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<2x0x9xf32>, tensor<5x0x2xf32>) -> tensor<2x5x8xf32>
  return %0 : tensor<2x5x8xf32>
}

// -----

// Windows share elements of the sum, so only the leading dimensions are parallel.
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2 * 2)>
// CHECK-LABEL: func.func @overlap_add
// CHECK:         %[[ZERO:.*]] = linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[Y]], #[[X]]], iterator_types = ["parallel", "reduction", "reduction"]} ins(%{{.*}}) outs(%[[ZERO]]
func.func @overlap_add(%y: tensor<4x5x3xf32>) -> tensor<4x9xf32> {
  %0 = cell.overlap_add %y strides [1] dilations [2] : tensor<4x5x3xf32> -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// -----

// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1) -> (-d0 + 3, d1)>
// CHECK-LABEL: func.func @reverse
// CHECK:         linalg.generic {indexing_maps = [#[[R]],
func.func @reverse(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = cell.reverse %x over [0] : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
