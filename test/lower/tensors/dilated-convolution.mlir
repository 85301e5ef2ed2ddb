// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// Results 0, 2, .. meet taps 0 and 2 of the filter, results 1, 3 only tap 1: two convolutions
// without zeros between elements, whose results take turns.
// CHECK-DAG: #[[TWO:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>
// CHECK-LABEL: func.func @stride
// CHECK-SAME:    %[[X:.*]]: tensor<1x1x3xf32>, %[[W:.*]]: tensor<1x1x3xf32>
// CHECK:         %[[ALL:.*]] = tensor.empty() : tensor<1x1x7xf32>
// CHECK:         %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0, 0] [1, 1, 2] [1, 1, 2]
// CHECK:         %[[EVEN:.*]] = linalg.generic {indexing_maps = [#[[TWO]],
// CHECK:         %[[SOME:.*]] = tensor.insert_slice %[[EVEN]] into %[[ALL]][0, 0, 0] [1, 1, 4] [1, 1, 2]
// CHECK:         %[[W1:.*]] = tensor.extract_slice %[[W]][0, 0, 1] [1, 1, 1] [1, 1, 2]
// CHECK:         %[[ODD:.*]] = linalg.generic
// CHECK:         tensor.insert_slice %[[ODD]] into %[[SOME]][0, 0, 1] [1, 1, 3] [1, 1, 2]
func.func @stride(%x: tensor<1x1x3xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x7xf32> {
  %p = cell.pad %x low [0, 0, 2] high [0, 0, 2] interior [0, 0, 1] : tensor<1x1x3xf32> -> tensor<1x1x9xf32>
  %0 = cell.conv %p, %w strides [1] dilations [1] groups 1 : (tensor<1x1x9xf32>, tensor<1x1x3xf32>) -> tensor<1x1x7xf32>
  return %0 : tensor<1x1x7xf32>
}

// -----

// Dilations that share a factor with the stride leave results that meet zeros only.
// CHECK-LABEL: func.func @gaps
// CHECK:         %[[ALL:.*]] = linalg.fill {{.*}} -> tensor<1x1x7xf32>
// CHECK:         tensor.insert_slice %{{.*}} into %[[ALL]][0, 0, 0] [1, 1, 4] [1, 1, 2]
// CHECK-NOT:     tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 1]
// CHECK:         return
func.func @gaps(%x: tensor<1x1x3xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x7xf32> {
  %p = cell.pad %x low [0, 0, 2] high [0, 0, 2] interior [0, 0, 1] : tensor<1x1x3xf32> -> tensor<1x1x9xf32>
  %0 = cell.conv %p, %w strides [1] dilations [2] groups 1 : (tensor<1x1x9xf32>, tensor<1x1x2xf32>) -> tensor<1x1x7xf32>
  return %0 : tensor<1x1x7xf32>
}

// -----

// Zeros around a tensor are no reason.
// CHECK-LABEL: func.func @border
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @border(%x: tensor<1x1x3xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x6xf32> {
  %p = cell.pad %x low [0, 0, 2] high [0, 0, 2] interior [0, 0, 0] : tensor<1x1x3xf32> -> tensor<1x1x7xf32>
  %0 = cell.conv %p, %w strides [1] dilations [1] groups 1 : (tensor<1x1x7xf32>, tensor<1x1x2xf32>) -> tensor<1x1x6xf32>
  return %0 : tensor<1x1x6xf32>
}
