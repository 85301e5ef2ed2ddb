// RUN: cell-opt %s --cell-differentiate --split-input-file | FileCheck %s

// A function on a batch is its ops on the whole batch; what is the same for all elements
// is computed once.
func.func private @f(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<f32> {
  %e = cell.exp %w : tensor<3xf32>
  %p = cell.mul %x, %e : tensor<3xf32>
  %s = cell.reduce_sum %p over [0] : tensor<3xf32> -> tensor<f32>
  return %s : tensor<f32>
}
// CHECK-LABEL: func.func @batch
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x3xf32>, %[[W:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT:    %[[E:.*]] = cell.exp %[[W]] : tensor<3xf32>
// CHECK-NEXT:    %[[B:.*]] = cell.broadcast %[[E]] along [0] : tensor<3xf32> -> tensor<8x3xf32>
// CHECK-NEXT:    %[[P:.*]] = cell.mul %[[X]], %[[B]] : tensor<8x3xf32>
// CHECK-NEXT:    %[[S:.*]] = cell.reduce_sum %[[P]] over [1] : tensor<8x3xf32> -> tensor<8xf32>
// CHECK-NEXT:    return %[[S]]
func.func @batch(%x: tensor<8x3xf32>, %w: tensor<3xf32>) -> tensor<8xf32> {
  %y = cell.vmap @f(%x, %w) in [0, -1] out [0] : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// The batch may come in and go out in any dimension.
func.func private @g(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %n = cell.neg %x : tensor<2xf32>
  %c = cell.constant dense<1.0> : tensor<f32>
  return %n, %c : tensor<2xf32>, tensor<f32>
}
// CHECK-LABEL: func.func @dimensions
// CHECK:         %[[C:.*]] = cell.constant dense<1.000000e+00> : tensor<5xf32>
// CHECK:         %[[T:.*]] = cell.transpose %arg0 perm [1, 0]
// CHECK:         %[[N:.*]] = cell.neg %[[T]] : tensor<5x2xf32>
// CHECK:         %[[R:.*]] = cell.transpose %[[N]] perm [1, 0]
// CHECK:         return %[[R]], %[[C]]
func.func @dimensions(%x: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<5xf32>) {
  %y:2 = cell.vmap @g(%x) in [1] out [1, 0] : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<5xf32>)
  return %y#0, %y#1 : tensor<2x5xf32>, tensor<5xf32>
}

// -----

// Rows of a batch times one matrix are one product, not a batch of products.
func.func private @h(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %y = cell.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @rows
// CHECK:         cell.matmul %{{.*}}, %arg1 : (tensor<32x3xf32>, tensor<3x2xf32>) -> tensor<32x2xf32>
func.func @rows(%x: tensor<8x4x3xf32>, %w: tensor<3x2xf32>) -> tensor<8x4x2xf32> {
  %y = cell.vmap @h(%x, %w) in [0, -1] out [0] : (tensor<8x4x3xf32>, tensor<3x2xf32>) -> tensor<8x4x2xf32>
  return %y : tensor<8x4x2xf32>
}
// CHECK-LABEL: func.func @matrices
// CHECK:         cell.matmul %{{.*}}, %arg1 : (tensor<8x4x3xf32>, tensor<8x3x2xf32>) -> tensor<8x4x2xf32>
func.func @matrices(%x: tensor<4x3xf32>, %w: tensor<8x3x2xf32>) -> tensor<8x4x2xf32> {
  %y = cell.vmap @h(%x, %w) in [-1, 0] out [0] : (tensor<4x3xf32>, tensor<8x3x2xf32>) -> tensor<8x4x2xf32>
  return %y : tensor<8x4x2xf32>
}

// -----

// Per-example gradients: a batch of vjps; and the gradient of a batch.
func.func private @k(%x: tensor<f32>) -> tensor<f32> {
  %y = cell.tanh %x : tensor<f32>
  return %y : tensor<f32>
}
func.func private @dk(%x: tensor<f32>) -> tensor<f32> {
  %c = cell.constant dense<1.0> : tensor<f32>
  %y, %d = cell.vjp @k(%x) cotangents(%c) of [0] wrt [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %d : tensor<f32>
}
func.func private @kb(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = cell.vmap @k(%x) in [0] out [0] : (tensor<6xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}
// CHECK-LABEL: func.func @batch_of_vjp
// CHECK:         %[[D:.*]] = cell.sech_squared %arg0 : tensor<6xf32>
// CHECK-NEXT:    return %[[D]]
func.func @batch_of_vjp(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = cell.vmap @dk(%x) in [0] out [0] : (tensor<6xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}
// CHECK-LABEL: func.func @vjp_of_batch
// CHECK:         %[[D:.*]] = cell.sech_squared %arg0 : tensor<6xf32>
// CHECK:         cell.mul %arg1, %[[D]]
func.func @vjp_of_batch(%x: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
  %y, %d = cell.vjp @kb(%x) cotangents(%c) of [0] wrt [0] : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
  return %d : tensor<6xf32>
}

// -----

// Shape ops keep the batch out of their way.
func.func private @shapes(%x: tensor<2x3xf32>) -> tensor<4x2xf32> {
  %t = cell.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %s = cell.slice %t from [0, 0] to [3, 2] by [2, 1] : tensor<3x2xf32> -> tensor<2x2xf32>
  %c = cell.concat %s, %s dim 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %m = cell.reduce_max %c over [0] : tensor<4x2xf32> -> tensor<2xf32>
  %b = cell.broadcast %m along [0] : tensor<2xf32> -> tensor<4x2xf32>
  return %b : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @shape_ops
// CHECK:         cell.transpose %arg0 perm [0, 2, 1]
// CHECK:         cell.slice %{{.*}} from [0, 0, 0] to [7, 3, 2] by [1, 2, 1]
// CHECK:         cell.concat %{{.*}} dim 1
// CHECK:         cell.reduce_max %{{.*}} over [1]
// CHECK:         cell.broadcast %{{.*}} along [1] : tensor<7x2xf32> -> tensor<7x4x2xf32>
func.func @shape_ops(%x: tensor<7x2x3xf32>) -> tensor<7x4x2xf32> {
  %y = cell.vmap @shapes(%x) in [0] out [0] : (tensor<7x2x3xf32>) -> tensor<7x4x2xf32>
  return %y : tensor<7x4x2xf32>
}
