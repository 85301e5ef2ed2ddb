// In text, dimensions `?` are the batch: what stands for it is put in when the
// file is read, and no dimension of the program is a multiple of that.
// RUN: cell-opt %s -split-input-file | FileCheck %s
// RUN: cell-opt %s -split-input-file | cell-opt -split-input-file | FileCheck %s
// RUN: cell-opt %s -split-input-file --cell-specialize-batch=size=5 | FileCheck %s --check-prefix=FIVE
// RUN: cell-opt %s -split-input-file --canonicalize --cse --cell-specialize-batch=size=5 | FileCheck %s --check-prefix=SIMPLE

// CHECK: module attributes {cell.batch = {max = 2147483647 : i64, size = 65521 : i64}}
// FIVE-NOT: cell.batch
// CHECK: func @rows(%{{.*}}: tensor<65521x3xf32>) -> tensor<65521x1xf32>
// FIVE: func @rows(%{{.*}}: tensor<5x3xf32>) -> tensor<5x1xf32>
func.func @rows(%x: tensor<?x3xf32>) -> tensor<?x1xf32> {
  // CHECK: cell.slice %{{.*}} from [0, 2] to [65521, 3]
  // FIVE: cell.slice %{{.*}} from [0, 2] to [5, 3]
  %0 = cell.slice %x from [0, 2] to [-1, 3] by [1, 1] : tensor<?x3xf32> -> tensor<?x1xf32>
  // Loops, branches and calls carry samples, too; the batch may move.
  %n = cell.constant dense<1.0> : tensor<f32>
  %least = arith.constant 0 : index
  %most = arith.constant 2 : index
  %step = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<65521x1xf32>)
  %1 = scf.for %i = %least to %most step %step iter_args(%y = %0) -> (tensor<?x1xf32>) {
    %ones = cell.broadcast %n along [0, 1] : tensor<f32> -> tensor<?x1xf32>
    %sum = cell.add %y, %ones : tensor<?x1xf32>
    scf.yield %sum : tensor<?x1xf32>
  }
  // CHECK: tensor<65521x1xf32> -> tensor<1x65521xf32>
  %2 = cell.transpose %1 perm [1, 0] : tensor<?x1xf32> -> tensor<1x?xf32>
  %3 = cell.transpose %2 perm [1, 0] : tensor<1x?xf32> -> tensor<?x1xf32>
  %4 = call @same(%3) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %4 : tensor<?x1xf32>
}
func.func private @same(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  return %x : tensor<?x1xf32>
}

// -----

// A table of 65521 rows is no batch, and neither is one of 2 * 65519.
// CHECK: module attributes {cell.batch = {max = 7 : i64, size = 65497 : i64}}
// CHECK: func @table(%{{.*}}: tensor<65521x2xf32>, %{{.*}}: tensor<65497xi32>)
// FIVE: func @table(%{{.*}}: tensor<65521x2xf32>, %{{.*}}: tensor<5xi32>)
module attributes {cell.batch = {max = 7 : i64}} {
  func.func @table(%t: tensor<65521x2xf32>, %i: tensor<?xi32>) -> tensor<?x2xf32> {
    %u = cell.reshape %t : tensor<65521x2xf32> -> tensor<131042xf32>
    %0 = cell.gather %t at %i dim 0 : tensor<65521x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
    %1 = cell.constant dense<0.0> : tensor<131038xf32>
    return %0 : tensor<?x2xf32>
  }
}

// -----

// What a derivative adds up is written out, and a number that follows from the
// batch may be said.
// CHECK: func @gradient(
// CHECK-NOT: cell.vjp
// CHECK: cell.batch_form
// CHECK: cell.matmul {{.*}} {transpose_a = true} : (tensor<65521x3xf32>, tensor<65521x2xf32>) -> tensor<3x2xf32>
// FIVE: cell.constant dense<2.000000e-01> : tensor<f32>
func.func private @loss(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> tensor<f32> {
  %0 = cell.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %1 = cell.tanh %0 : tensor<?x2xf32>
  %2 = cell.reduce_sum %1 over [0, 1] : tensor<?x2xf32> -> tensor<f32>
  %3 = cell.constant dense<0.0> : tensor<f32> {cell.batch_form = array<f64: 0.0, 1.0, 1.0, 0.0>}
  %4 = cell.mul %2, %3 : tensor<f32>
  return %4 : tensor<f32>
}
func.func @gradient(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = cell.constant dense<1.0> : tensor<f32>
  %1:2 = cell.vjp @loss(%x, %w) cotangents(%0) of [0] wrt [1]
      : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<3x2xf32>)
  return %1#1 : tensor<3x2xf32>
}

// -----

// Simplifications do not take a number that follows from the batch, 0.5 for two
// samples, for a number, or for another one that is 0.5.
// SIMPLE: func @numbers(
// SIMPLE-DAG: %[[MEAN:.*]] = cell.constant dense<2.000000e-01> : tensor<f32>
// SIMPLE-DAG: %[[HALF:.*]] = cell.constant dense<5.000000e-01> : tensor<f32>
// SIMPLE-DAG: %[[TWO:.*]] = cell.constant dense<2.000000e+00> : tensor<f32>
// SIMPLE: cell.mul %[[MEAN]], %[[TWO]]
// SIMPLE: cell.add %{{.*}}, %[[HALF]]
func.func @numbers(%x: tensor<?xf32>) -> tensor<f32> {
  %mean = cell.constant dense<0.5> : tensor<f32> {cell.batch_form = array<f64: 0.0, 1.0, 1.0, 0.0>}
  %half = cell.constant dense<0.5> : tensor<f32>
  %two = cell.constant dense<2.0> : tensor<f32>
  %0 = cell.reduce_sum %x over [0] : tensor<?xf32> -> tensor<f32>
  %1 = cell.mul %mean, %two : tensor<f32>
  %2 = cell.mul %0, %1 : tensor<f32>
  %3 = cell.add %2, %half : tensor<f32>
  return %3 : tensor<f32>
}
