// Numbers that follow from the batch as squares and roots.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-opt %s --cell-specialize-batch=size=9 | FileCheck %s --check-prefix=NINE

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @scaled(
  // CHECK-DAG:     math.sqrt
  // CHECK-DAG:     arith.mulf %[[NEXT:[0-9]+]], %[[NEXT]]
  // NINE-DAG: cell.constant dense<0.333333343> : tensor<f32>
  // NINE-DAG: cell.constant dense<6.400000e+01> : tensor<f32>
  func.func @scaled(%x: tensor<65521xf32>) -> (tensor<f32>, tensor<f32>) {
    %root = cell.constant dense<0.1> : tensor<f32> {cell.batch_form = array<f64: 0.0, 1.0, 1.0, 0.0, 0.5>}
    %square = cell.constant dense<0.2> : tensor<f32> {cell.batch_form = array<f64: 1.0, -1.0, 0.0, 1.0, 2.0>}
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    %1 = cell.mul %0, %root : tensor<f32>
    %2 = cell.mul %0, %square : tensor<f32>
    return %1, %2 : tensor<f32>, tensor<f32>
  }
}
