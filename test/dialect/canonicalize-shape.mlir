// Identities of ops that move elements, of reductions and of products.
// RUN: cell-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @nothing_moves(
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @nothing_moves(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = cell.reshape %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = cell.broadcast %x along [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = cell.transpose %x perm [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = cell.slice %x from [0, 0] to [2, 3] by [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = cell.pad %x low [0, 0] high [0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = cell.concat %x dim 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = cell.reduce_sum %x over [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %7 = cell.reduce_max %x over [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %8 = cell.reduce_min %x over [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %9 = cell.cast %x : tensor<2x3xf32> to tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT: %[[R:.*]] = cell.reshape %arg0 : tensor<2x3x5xf32> -> tensor<30xf32>
// CHECK-NEXT: %[[T:.*]] = cell.transpose %arg0 perm [1, 0, 2] : tensor<2x3x5xf32> -> tensor<3x2x5xf32>
// CHECK-NEXT: %[[S:.*]] = cell.reduce_sum %arg0 over [0, 2] : tensor<2x3x5xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[B:.*]] = cell.broadcast %arg1 along [0, 2, 3] : tensor<7xf32> -> tensor<4x7x5x6xf32>
// CHECK-NEXT: return %[[R]], %[[T]], %[[S]], %[[B]]
func.func @twice(%x: tensor<2x3x5xf32>, %v: tensor<7xf32>) -> (tensor<30xf32>, tensor<3x2x5xf32>, tensor<3xf32>, tensor<4x7x5x6xf32>) {
  %0 = cell.reshape %x : tensor<2x3x5xf32> -> tensor<6x5xf32>
  %1 = cell.reshape %0 : tensor<6x5xf32> -> tensor<30xf32>
  %2 = cell.transpose %x perm [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  %3 = cell.transpose %2 perm [2, 1, 0] : tensor<5x2x3xf32> -> tensor<3x2x5xf32>
  %4 = cell.reduce_sum %x over [2] : tensor<2x3x5xf32> -> tensor<2x3xf32>
  %5 = cell.reduce_sum %4 over [0] : tensor<2x3xf32> -> tensor<3xf32>
  %6 = cell.broadcast %v along [1] : tensor<7xf32> -> tensor<7x5xf32>
  %7 = cell.broadcast %6 along [0, 3] : tensor<7x5xf32> -> tensor<4x7x5x6xf32>
  return %1, %3, %5, %7 : tensor<30xf32>, tensor<3x2x5xf32>, tensor<3xf32>, tensor<4x7x5x6xf32>
}

// Two transposes that undo each other vanish.
// CHECK-LABEL: func.func @there_and_back(
// CHECK-NEXT: return %arg0, %arg0
func.func @there_and_back(%x: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %0 = cell.transpose %x perm [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  %1 = cell.transpose %0 perm [1, 2, 0] : tensor<5x2x3xf32> -> tensor<2x3x5xf32>
  %2 = cell.reshape %x : tensor<2x3x5xf32> -> tensor<30xf32>
  %3 = cell.reshape %2 : tensor<30xf32> -> tensor<2x3x5xf32>
  return %1, %3 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @product_of_transposes(
// CHECK-NEXT: cell.matmul %arg0, %arg1 {transpose_a = true}
// CHECK-NEXT: cell.matmul %arg0, %arg1 {transpose_b = true}
// CHECK-NEXT: cell.matmul %arg0, %arg1 :
// CHECK-NEXT: return
func.func @product_of_transposes(%x: tensor<4x3x3xf32>, %y: tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x3x3xf32>) {
  %tx = cell.transpose %x perm [0, 2, 1] : tensor<4x3x3xf32> -> tensor<4x3x3xf32>
  %ty = cell.transpose %y perm [0, 2, 1] : tensor<4x3x3xf32> -> tensor<4x3x3xf32>
  %0 = cell.matmul %tx, %y : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %1 = cell.matmul %x, %ty : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %2 = cell.matmul %tx, %ty {transpose_a = true, transpose_b = true} : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  return %0, %1, %2 : tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x3x3xf32>
}

// CHECK-LABEL: func.func @transposes_of_products(
// CHECK-NEXT: cell.matmul %arg1, %arg0 {transpose_a = true, transpose_b = true} : {{.*}} -> tensor<4x5x2xf32>
// CHECK-NEXT: cell.matmul %arg2, %arg0 {transpose_b = true} : {{.*}} -> tensor<4x5x2xf32>
// CHECK-NEXT: return
func.func @transposes_of_products(%x: tensor<4x2x3xf32>, %y: tensor<4x3x5xf32>, %z: tensor<4x5x3xf32>) -> (tensor<4x5x2xf32>, tensor<4x5x2xf32>) {
  %0 = cell.matmul %x, %y : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
  %1 = cell.transpose %0 perm [0, 2, 1] : tensor<4x2x5xf32> -> tensor<4x5x2xf32>
  %2 = cell.matmul %x, %z {transpose_b = true} : (tensor<4x2x3xf32>, tensor<4x5x3xf32>) -> tensor<4x2x5xf32>
  %3 = cell.transpose %2 perm [0, 2, 1] : tensor<4x2x5xf32> -> tensor<4x5x2xf32>
  return %1, %3 : tensor<4x5x2xf32>, tensor<4x5x2xf32>
}

// Products that move their batch, or have other readers, stay as they are.
// CHECK-LABEL: func.func @products_that_stay(
// CHECK: %[[P:.*]] = cell.matmul %arg0, %arg0
// CHECK: cell.transpose %[[P]] perm [0, 2, 1]
// CHECK: %[[Q:.*]] = cell.matmul %arg0, %arg0
// CHECK: cell.transpose %[[Q]] perm [1, 0, 2]
func.func @products_that_stay(%x: tensor<3x3x3xf32>) -> (tensor<3x3x3xf32>, tensor<3x3x3xf32>, tensor<3x3x3xf32>) {
  %0 = cell.matmul %x, %x : (tensor<3x3x3xf32>, tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %1 = cell.transpose %0 perm [0, 2, 1] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %2 = cell.matmul %x, %x {transpose_a = true} : (tensor<3x3x3xf32>, tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %3 = cell.transpose %2 perm [1, 0, 2] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  return %0, %1, %3 : tensor<3x3x3xf32>, tensor<3x3x3xf32>, tensor<3x3x3xf32>
}

// A transpose that moves a batch dimension stays, as do a sum with other readers' inner sum, a slice that leaves
// elements out, and a sum of what was broadcast: adding x up n times is not x * n in floating point.
// CHECK-LABEL: func.func @stays(
// CHECK: cell.transpose %arg0 perm [1, 0, 2]
// CHECK: cell.matmul
// CHECK: %[[S:.*]] = cell.reduce_sum %arg0 over [2]
// CHECK: cell.reduce_sum %[[S]] over [0]
// CHECK: cell.slice
// CHECK: cell.broadcast
// CHECK: cell.reduce_sum
func.func @stays(%x: tensor<3x3x3xf32>) -> (tensor<3x3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<1x3x3xf32>, tensor<3x3x3xf32>) {
  %0 = cell.transpose %x perm [1, 0, 2] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %1 = cell.matmul %0, %x : (tensor<3x3x3xf32>, tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %2 = cell.reduce_sum %x over [2] : tensor<3x3x3xf32> -> tensor<3x3xf32>
  %3 = cell.reduce_sum %2 over [0] : tensor<3x3xf32> -> tensor<3xf32>
  %4 = cell.slice %x from [0, 0, 0] to [3, 3, 3] by [3, 1, 1] : tensor<3x3x3xf32> -> tensor<1x3x3xf32>
  %5 = cell.broadcast %x along [0] : tensor<3x3x3xf32> -> tensor<7x3x3x3xf32>
  %6 = cell.reduce_sum %5 over [0] : tensor<7x3x3x3xf32> -> tensor<3x3x3xf32>
  return %1, %2, %3, %4, %6 : tensor<3x3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<1x3x3xf32>, tensor<3x3x3xf32>
}
