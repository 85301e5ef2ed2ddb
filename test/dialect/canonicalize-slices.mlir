// A slice reaches through what makes its operand, so that only what it keeps is computed. Numbers: test_slices.py.
// RUN: cell-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @of_slice(
// CHECK-NEXT: cell.slice %arg0 from [3, 2] to [8, 3] by [4, 1] : tensor<9x5xf32> -> tensor<2x1xf32>
// CHECK-NEXT: return
func.func @of_slice(%x: tensor<9x5xf32>) -> tensor<2x1xf32> {
  %0 = cell.slice %x from [1, 0] to [9, 5] by [2, 1] : tensor<9x5xf32> -> tensor<4x5xf32>
  %1 = cell.slice %0 from [1, 2] to [4, 4] by [2, 2] : tensor<4x5xf32> -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}

// Padding shrinks; what lies beyond it is sliced; strides that take the elements of x, or every dilation, are undone.
// CHECK-LABEL: func.func @of_pad(
// CHECK-NEXT: %[[A:.*]] = cell.pad %arg0 low [1, 0] high [0, 2] interior [0, 0] : tensor<3x4xf32> -> tensor<4x6xf32>
// CHECK-NEXT: %[[S:.*]] = cell.slice %arg0 from [1, 0] to [3, 2] by [1, 1] : tensor<3x4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[B:.*]] = cell.pad %[[S]] low [1, 2] high [0, 0] interior [1, 0] : tensor<2x2xf32> -> tensor<4x4xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %arg0
func.func @of_pad(%x: tensor<3x4xf32>) -> (tensor<4x6xf32>, tensor<4x4xf32>, tensor<3x4xf32>) {
  %0 = cell.pad %x low [2, 0] high [1, 3] interior [0, 0] : tensor<3x4xf32> -> tensor<6x7xf32>
  %1 = cell.slice %0 from [1, 0] to [5, 6] by [1, 1] : tensor<6x7xf32> -> tensor<4x6xf32>
  %2 = cell.pad %x low [0, 2] high [0, 0] interior [1, 0] : tensor<3x4xf32> -> tensor<5x6xf32>
  %3 = cell.slice %2 from [1, 0] to [5, 4] by [1, 1] : tensor<5x6xf32> -> tensor<4x4xf32>
  %4 = cell.pad %x low [0, 2] high [1, 0] interior [1, 0] : tensor<3x4xf32> -> tensor<6x6xf32>
  %5 = cell.slice %4 from [0, 2] to [6, 6] by [2, 1] : tensor<6x6xf32> -> tensor<3x4xf32>
  return %1, %3, %5 : tensor<4x6xf32>, tensor<4x4xf32>, tensor<3x4xf32>
}

// The adjoint of a padded convolution: windows that lie around the operand are not computed.
// CHECK-LABEL: func.func @of_conv(
// CHECK-NEXT: %[[P:.*]] = cell.pad %arg0 low [0, 0, 1] high [0, 0, 1] interior [0, 0, 0] : tensor<4x3x7xf32> -> tensor<4x3x9xf32>
// CHECK-NEXT: %[[C:.*]] = cell.conv %[[P]], %arg1 strides [1] dilations [1] groups 1 : (tensor<4x3x9xf32>, tensor<5x3x3xf32>) -> tensor<4x5x7xf32>
// CHECK-NEXT: return %[[C]]
func.func @of_conv(%ct: tensor<4x3x7xf32>, %w: tensor<5x3x3xf32>) -> tensor<4x5x7xf32> {
  %0 = cell.pad %ct low [0, 0, 2] high [0, 0, 2] interior [0, 0, 0] : tensor<4x3x7xf32> -> tensor<4x3x11xf32>
  %1 = cell.conv %0, %w strides [1] dilations [1] groups 1 : (tensor<4x3x11xf32>, tensor<5x3x3xf32>) -> tensor<4x5x9xf32>
  %2 = cell.slice %1 from [0, 0, 1] to [4, 5, 8] by [1, 1, 1] : tensor<4x5x9xf32> -> tensor<4x5x7xf32>
  return %2 : tensor<4x5x7xf32>
}

// CHECK-LABEL: func.func @of_strided_conv(
// CHECK-NEXT: %[[S:.*]] = cell.slice %arg0 from [1, 0, 4] to [3, 2, 13] by [1, 1, 1] : tensor<4x2x15xf32> -> tensor<2x2x9xf32>
// CHECK-NEXT: %[[C:.*]] = cell.conv %[[S]], %arg1 strides [2] dilations [2] groups 2
// CHECK-NEXT: return %[[C]]
func.func @of_strided_conv(%x: tensor<4x2x15xf32>, %w: tensor<4x1x3xf32>) -> tensor<2x4x3xf32> {
  %0 = cell.conv %x, %w strides [2] dilations [2] groups 2 : (tensor<4x2x15xf32>, tensor<4x1x3xf32>) -> tensor<4x4x6xf32>
  %1 = cell.slice %0 from [1, 0, 2] to [3, 4, 5] by [1, 1, 1] : tensor<4x4x6xf32> -> tensor<2x4x3xf32>
  return %1 : tensor<2x4x3xf32>
}

// What another reads is computed anyway; a slice of the filters, of padding alone, and strides across the padding's stay.
// CHECK-LABEL: func.func @stays(
// CHECK: cell.conv
// CHECK-NEXT: cell.slice
// CHECK-NEXT: cell.conv
// CHECK-NEXT: cell.slice
// CHECK-NEXT: cell.pad
// CHECK-NEXT: cell.slice
// CHECK-NEXT: cell.slice
func.func @stays(%x: tensor<4x2x9xf32>, %w: tensor<4x2x3xf32>) -> (tensor<4x4x7xf32>, tensor<4x4x6xf32>, tensor<4x3x7xf32>, tensor<4x2x1xf32>, tensor<4x2x6xf32>) {
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<4x2x9xf32>, tensor<4x2x3xf32>) -> tensor<4x4x7xf32>
  %1 = cell.slice %0 from [0, 0, 1] to [4, 4, 7] by [1, 1, 1] : tensor<4x4x7xf32> -> tensor<4x4x6xf32>
  %2 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<4x2x9xf32>, tensor<4x2x3xf32>) -> tensor<4x4x7xf32>
  %3 = cell.slice %2 from [0, 1, 0] to [4, 4, 7] by [1, 1, 1] : tensor<4x4x7xf32> -> tensor<4x3x7xf32>
  %4 = cell.pad %x low [0, 0, 3] high [0, 0, 0] interior [0, 0, 1] : tensor<4x2x9xf32> -> tensor<4x2x20xf32>
  %5 = cell.slice %4 from [0, 0, 0] to [4, 2, 1] by [1, 1, 1] : tensor<4x2x20xf32> -> tensor<4x2x1xf32>
  %6 = cell.slice %4 from [0, 0, 2] to [4, 2, 20] by [1, 1, 3] : tensor<4x2x20xf32> -> tensor<4x2x6xf32>
  return %0, %1, %3, %5, %6 : tensor<4x4x7xf32>, tensor<4x4x6xf32>, tensor<4x3x7xf32>, tensor<4x2x1xf32>, tensor<4x2x6xf32>
}
