// Samples behind others: groups of them, which each tile has of its own samples. Bounds and borders that are
// multiples of the batch follow from it.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-run %s --entry=views --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>' --arg='dense<[[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]> : tensor<3x2xf32>' | FileCheck %s --check-prefix=VIEWS
// VIEWS: result 0: tensor<3x2xf32> {{\[\[}}-9.0, -18.0], [-27.0, -36.0], [-45.0, -54.0]]
// VIEWS: result 1: tensor<f32> 252.0
// RUN: cell-run %s --entry=rows --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>' | FileCheck %s --check-prefix=ROWS
// ROWS: result 0: tensor<3x2xf32> {{\[\[}}2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  func.func @views(%x: tensor<65521x2xf32>, %y: tensor<65521x2xf32>) -> (tensor<65521x2xf32>, tensor<f32>) {
    %0 = cell.concat %x, %y, %x dim 0 : (tensor<65521x2xf32>, tensor<65521x2xf32>, tensor<65521x2xf32>) -> tensor<196563x2xf32>
    %1 = cell.slice %0 from [131042, 0] to [196563, 2] by [1, 1] : tensor<196563x2xf32> -> tensor<65521x2xf32>
    %2 = cell.slice %0 from [65521, 0] to [131042, 2] by [1, 1] : tensor<196563x2xf32> -> tensor<65521x2xf32>
    %3 = cell.sub %1, %2 : tensor<65521x2xf32>
    %4 = cell.reduce_sum %0 over [0, 1] : tensor<196563x2xf32> -> tensor<f32>
    return %3, %4 : tensor<65521x2xf32>, tensor<f32>
  }
  // Groups of two rows for each sample, behind a group of zeros.
  func.func @rows(%x: tensor<65521x2xf32>) -> tensor<65521x2xf32> {
    %0 = cell.reshape %x : tensor<65521x2xf32> -> tensor<131042xf32>
    %1 = cell.pad %0 low [131042] high [0] interior [0] : tensor<131042xf32> -> tensor<262084xf32>
    %2 = cell.concat %0, %1 dim 0 : (tensor<131042xf32>, tensor<262084xf32>) -> tensor<393126xf32>
    %3 = cell.reshape %2 : tensor<393126xf32> -> tensor<3x65521x2xf32>
    %4 = cell.reduce_sum %3 over [0] : tensor<3x65521x2xf32> -> tensor<65521x2xf32>
    return %4 : tensor<65521x2xf32>
  }
  // CHECK-LABEL: func private @views_phase_0_of_2(
  // CHECK:         cell.concat %{{.*}} dim 0 : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
  // CHECK-DAG:     cell.slice %{{.*}} from [4, 0] to [6, 2] by [1, 1] : tensor<6x2xf32> -> tensor<2x2xf32>
  // CHECK-DAG:     cell.slice %{{.*}} from [2, 0] to [4, 2] by [1, 1] : tensor<6x2xf32> -> tensor<2x2xf32>
  // CHECK-LABEL: func private @rows_phase_0_of_2(
  // CHECK:         cell.pad %{{.*}} low [4] high [0] interior [0] : tensor<4xf32> -> tensor<8xf32>
}
