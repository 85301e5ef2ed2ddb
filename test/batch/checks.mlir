// Behind sums over the batch: checks of samples, which no result needs, and arguments that are results.
// RUN: cell-opt %s --cell-tile-batch=tiles=4,1 | FileCheck %s

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // A phase may have nothing but checks.
  // CHECK-LABEL: func @checked(
  // CHECK: %[[FOURS:.*]] = scf.for
  // CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FOURS]])
  // CHECK: func.call @checked_phase_0_of_1(
  // CHECK: func.call @checked_phase_1_of_4(%{{.*}}, %[[SUM]])
  // CHECK: func.call @checked_phase_1_of_1(%{{.*}}, %[[SUM]])
  // CHECK: return %[[SUM]]
  func.func @checked(%x: tensor<65521x2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %1 = cell.broadcast %0 along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %2 = cell.less %x, %1 : tensor<65521x2xf32>
    cell.check %2 "too large" : tensor<65521x2xi1>
    return %0 : tensor<2xf32>
  }
  // CHECK-LABEL: func @given(
  // CHECK: %[[Y:.*]]:2 = func.call @given_phase_0_of_4(
  // CHECK: cell.add %{{.*}}, %[[Y]]#0
  // CHECK: tensor.insert_slice %[[Y]]#1
  // CHECK: %[[R:.*]]:2 = scf.for
  // CHECK: func.call @given_phase_0_of_1(
  // CHECK: return %[[R]]#0, %[[R]]#1
  func.func @given(%x: tensor<65521x2xf32>, %y: tensor<65521x2xf32>) -> (tensor<2xf32>, tensor<65521x2xf32>) {
    %0 = cell.reduce_sum %x over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    return %0, %y : tensor<2xf32>, tensor<65521x2xf32>
  }
  // CHECK-LABEL: func private @checked_phase_1_of_4(
  // CHECK: %[[LESS:.*]] = cell.less
  // CHECK: cell.check %[[LESS]] "too large"
  // CHECK-LABEL: func private @given_phase_0_of_4(
  // CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<4x2xf32>, %[[X:[a-z0-9]+]]: tensor<4x2xf32>)
  // CHECK: %[[SUM:.*]] = cell.reduce_sum %[[X]]
  // CHECK: return %[[SUM]], %[[Y]]
}
