// Solves with one matrix for a batch of right-hand sides are one solve with more columns: the matrix
// is factorized once. A batch of matrices is a leading dimension.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s

// CHECK-LABEL: func.func @one_matrix(
// CHECK-SAME:    %[[A:.*]]: tensor<2x3x3xf32>, %[[B:.*]]: tensor<5x2x3x4xf32>)
// CHECK-NEXT:    %[[T:.*]] = cell.transpose %[[B]] perm [1, 2, 0, 3] : tensor<5x2x3x4xf32> -> tensor<2x3x5x4xf32>
// CHECK-NEXT:    %[[C:.*]] = cell.reshape %[[T]] : tensor<2x3x5x4xf32> -> tensor<2x3x20xf32>
// CHECK-NEXT:    %[[S:.*]] = cell.solve %[[A]], %[[C]] : tensor<2x3x3xf32>, tensor<2x3x20xf32>
// CHECK-NEXT:    %[[R:.*]] = cell.reshape %[[S]] : tensor<2x3x20xf32> -> tensor<2x3x5x4xf32>
// CHECK-NEXT:    %[[Y:.*]] = cell.transpose %[[R]] perm [2, 0, 1, 3] : tensor<2x3x5x4xf32> -> tensor<5x2x3x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func private @f(%a: tensor<2x3x3xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = cell.solve %a, %b : tensor<2x3x3xf32>, tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
func.func @one_matrix(%a: tensor<2x3x3xf32>, %b: tensor<5x2x3x4xf32>) -> tensor<5x2x3x4xf32> {
  %0 = cell.vmap @f(%a, %b) in [-1, 0] out [0] : (tensor<2x3x3xf32>, tensor<5x2x3x4xf32>) -> tensor<5x2x3x4xf32>
  return %0 : tensor<5x2x3x4xf32>
}

// CHECK-LABEL: func.func @one_right_hand_side(
// CHECK:         %[[B:.*]] = cell.broadcast %{{.*}} along [0]
// CHECK:         cell.solve %{{.*}}, %[[B]] : tensor<5x2x3x3xf32>, tensor<5x2x3x4xf32>
func.func @one_right_hand_side(%a: tensor<5x2x3x3xf32>, %b: tensor<2x3x4xf32>) -> tensor<5x2x3x4xf32> {
  %0 = cell.vmap @f(%a, %b) in [0, -1] out [0] : (tensor<5x2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<5x2x3x4xf32>
  return %0 : tensor<5x2x3x4xf32>
}

// CHECK-LABEL: func.func @triangular(
// CHECK:         cell.triangular_solve %{{.*}}, %{{.*}} {lower = true, transpose = true, unit_diagonal = true} : tensor<3x3xf32>, tensor<3x5xf32>
// CHECK:         cell.swap_rows %{{.*}}, %{{.*}} {inverse = true} : tensor<3x5xf32>, tensor<3xi32>
func.func private @g(%a: tensor<3x3xf32>, %b: tensor<3x1xf32>, %p: tensor<3xi32>) -> tensor<3x1xf32> {
  %0 = cell.triangular_solve %a, %b {lower = true, transpose = true, unit_diagonal = true} : tensor<3x3xf32>, tensor<3x1xf32>
  %1 = cell.swap_rows %0, %p {inverse = true} : tensor<3x1xf32>, tensor<3xi32>
  return %1 : tensor<3x1xf32>
}
func.func @triangular(%a: tensor<3x3xf32>, %b: tensor<5x3x1xf32>, %p: tensor<3xi32>) -> tensor<5x3x1xf32> {
  %0 = cell.vmap @g(%a, %b, %p) in [-1, 0, -1] out [0] : (tensor<3x3xf32>, tensor<5x3x1xf32>, tensor<3xi32>) -> tensor<5x3x1xf32>
  return %0 : tensor<5x3x1xf32>
}
