// One loop over a stream whatever its shape, one over the keys; nothing but integer arithmetic.
// RUN: cell-opt %s --cell-to-linalg | FileCheck %s

// CHECK: #[[WORD:.*]] = affine_map<(d0, d1) -> (d0, 1)>
// CHECK-LABEL: func.func @stream
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<12xi32>)
// CHECK: linalg.index 0
// CHECK-COUNT-20: arith.shrui
// CHECK-NOT: arith.shrui
// CHECK: linalg.yield
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [3, 4]
func.func @stream(%k: tensor<2xi32>) -> tensor<3x4xi32> {
  %0 = cell.random_bits %k : tensor<2xi32> -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// CHECK-LABEL: func.func @streams
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<5x12xi64>)
// CHECK: linalg.index 1
// CHECK: arith.extui {{.*}} : i32 to i64
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [5, 3, 4]
func.func @streams(%k: tensor<5x2xi32>) -> tensor<5x3x4xi64> {
  %0 = cell.random_bits %k : tensor<5x2xi32> -> tensor<5x3x4xi64>
  return %0 : tensor<5x3x4xi64>
}
