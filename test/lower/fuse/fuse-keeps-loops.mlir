// RUN: cell-opt %s --cell-to-linalg --cell-fuse-linalg --split-input-file | FileCheck %s

// A scalar has no shape: reading one in the place of the only operand that spans a loop
// would lose the loop's trip count.
// CHECK-LABEL: func.func @sum_of_splat
// CHECK:         %[[T:.*]] = linalg.fill {{.*}} -> tensor<8xf32>
// CHECK:         linalg.{{generic|reduce}} {{.*}}ins(%[[T]] : tensor<8xf32>)
func.func @sum_of_splat() -> tensor<f32> {
  %c = cell.constant dense<2.0> : tensor<8xf32>
  %s = cell.reduce_sum %c over [0] : tensor<8xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// The same for a broadcast along the loop, read through a view or merged.
// CHECK-LABEL: func.func @sum_of_broadcast
// CHECK-NOT:     ins(%arg0 : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK:         return
func.func @sum_of_broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = cell.broadcast %x along [1] : tensor<4xf32> -> tensor<4x3xf32>
  %t = cell.square %b : tensor<4x3xf32>
  %s = cell.reduce_sum %t over [1] : tensor<4x3xf32> -> tensor<4xf32>
  return %s : tensor<4xf32>
}
