// A sum that no other needs is put where the less of the samples has to be kept. The gradient needs how many samples
// count, which no product is needed for: it is computed once, behind that number, for the loss and the gradient.
// RUN: cell-opt %s --cell-tile-batch='tiles=4,2,1 kept=8' | FileCheck %s
// RUN: cell-run %s --entry=loss --passes='cell-specialize-batch{size=2}' --arg='dense<[[0.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>' --arg='dense<[1.0, 3.0]> : tensor<2xf32>' --arg='dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=NUMBERS
// By hand: 3 + e, and 4 (3 + e).
// NUMBERS: result 0: tensor<f32> 5.71828
// NUMBERS: result 1: tensor<f32> 22.8731

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @loss(
  // CHECK: func private @loss_phase_0_of_4(
  // CHECK-NOT: cell.matmul
  // CHECK: return
  // CHECK: func private @loss_phase_1_of_4(
  // CHECK: cell.matmul
  // CHECK: cell.exp
  // CHECK-DAG: %[[LOSS:.*]] = cell.reduce_sum %{{.*}} over [0, 1] : tensor<4x2xf32>
  // CHECK: return %{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>
  func.func @loss(%x: tensor<65521x2xf32>, %counts: tensor<65521xf32>, %w: tensor<2x2xf32>) -> (tensor<f32>, tensor<f32>) {
    %number = cell.reduce_sum %counts over [0] : tensor<65521xf32> -> tensor<f32>
    %p = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x2xf32>) -> tensor<65521x2xf32>
    %e = cell.exp %p : tensor<65521x2xf32>
    %loss = cell.reduce_sum %e over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    %each = cell.broadcast %number along [0, 1] : tensor<f32> -> tensor<65521x2xf32>
    %slope = cell.mul %e, %each : tensor<65521x2xf32>
    %gradient = cell.reduce_sum %slope over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    return %loss, %gradient : tensor<f32>, tensor<f32>
  }
}
