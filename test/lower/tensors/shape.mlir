// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reshape
// CHECK:         tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [3, 2]
// CHECK:         tensor.collapse_shape %arg1 [] : tensor<1x1xf32> into tensor<f32>
func.func @reshape(%x: tensor<2x3xf32>, %s: tensor<1x1xf32>) -> (tensor<3x2xf32>, tensor<f32>) {
  %y = cell.reshape %x : tensor<2x3xf32> -> tensor<3x2xf32>
  %t = cell.reshape %s : tensor<1x1xf32> -> tensor<f32>
  return %y, %t : tensor<3x2xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @reshape_empty
// CHECK-NEXT:    tensor.empty() : tensor<3x0xf32>
func.func @reshape_empty(%x: tensor<0x2xf32>) -> tensor<3x0xf32> {
  %y = cell.reshape %x : tensor<0x2xf32> -> tensor<3x0xf32>
  return %y : tensor<3x0xf32>
}

// -----

// CHECK-LABEL: func.func @move
// CHECK:         linalg.broadcast ins(%arg0 : tensor<3xf32>) {{.*}} dimensions = [0, 2]
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<2x3x4xf32>) {{.*}} permutation = [2, 0, 1]
func.func @move(%x: tensor<3xf32>) -> tensor<4x2x3xf32> {
  %b = cell.broadcast %x along [0, 2] : tensor<3xf32> -> tensor<2x3x4xf32>
  %t = cell.transpose %b perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %t : tensor<4x2x3xf32>
}

// -----

// A pad is a strided insertion into zeros: the exact adjoint of a strided slice.
// CHECK-LABEL: func.func @slice_and_pad
// CHECK:         %[[S:.*]] = tensor.extract_slice %arg0[1] [3] [2] : tensor<8xf32> to tensor<3xf32>
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK:         tensor.insert_slice %[[S]] into %[[Z]][1] [3] [2] : tensor<3xf32> into tensor<8xf32>
func.func @slice_and_pad(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = cell.slice %x from [1] to [7] by [2] : tensor<8xf32> -> tensor<3xf32>
  %p = cell.pad %s low [1] high [2] interior [1] : tensor<3xf32> -> tensor<8xf32>
  return %p : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @concat
// CHECK:         %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK:         tensor.insert_slice %arg1 into %[[A]][0, 3] [2, 1] [1, 1]
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %c = cell.concat %x, %y dim 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

// Nothing is moved from or into empty tensors.
// CHECK-LABEL: func.func @empty
// CHECK-NOT:     extract_slice
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK-NOT:     insert_slice
// CHECK:         tensor.insert_slice %arg1 into %{{.*}}[0] [3] [1]
// CHECK:         return %{{.*}}, %[[Z]], %{{.*}}
func.func @empty(%x: tensor<0xf32>, %y: tensor<3xf32>) -> (tensor<0xf32>, tensor<2xf32>, tensor<3xf32>) {
  %s = cell.slice %y from [3] to [3] by [1] : tensor<3xf32> -> tensor<0xf32>
  %p = cell.pad %x low [1] high [1] interior [0] : tensor<0xf32> -> tensor<2xf32>
  %c = cell.concat %x, %y, %x dim 0 : (tensor<0xf32>, tensor<3xf32>, tensor<0xf32>) -> tensor<3xf32>
  return %s, %p, %c : tensor<0xf32>, tensor<2xf32>, tensor<3xf32>
}
