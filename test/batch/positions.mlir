// The position of an extremum over the batch is the least of the numbers of those that attain it, NaN among them.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-run %s --entry=largest --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, -2.0], [3.0, 4.0], [3.0, 0.0]]> : tensor<3x2xf32>' | FileCheck %s --check-prefix=LARGEST
// LARGEST: result 0: tensor<2xi32> [1, 1]
// RUN: cell-run %s --entry=largest --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, 0x7FC00000], [3.0, 4.0], [0x7FC00000, 0.0]]> : tensor<3x2xf32>' | FileCheck %s --check-prefix=NOTANUMBER
// NOTANUMBER: result 0: tensor<2xi32> [2, 0]
// RUN: cell-run %s --entry=smallest --passes='cell-specialize-batch{size=3}' --arg='dense<[[1, -2], [3, 4], [3, -7]]> : tensor<3x2xi8>' | FileCheck %s --check-prefix=SMALLEST
// SMALLEST: result 0: tensor<i64> 5

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @largest(
  // CHECK:         scf.for
  // CHECK:         cell.maximum
  // CHECK:         scf.for
  // CHECK:         cell.minimum
  func.func @largest(%x: tensor<65521x2xf32>) -> tensor<2xi32> {
    %0 = cell.argmax %x over [0] : tensor<65521x2xf32> -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  // CHECK-LABEL: func @smallest(
  func.func @smallest(%x: tensor<65521x2xi8>) -> tensor<i64> {
    %0 = cell.argmin %x over [0, 1] : tensor<65521x2xi8> -> tensor<i64>
    return %0 : tensor<i64>
  }
  // CHECK-LABEL: func private @largest_phase_1_of_2(
  // CHECK-SAME:    cell.first_sample
  // CHECK:         %[[SAME:.*]] = cell.equal
  // CHECK:         %[[OTHER:.*]] = cell.not_equal %[[X:.*]], %[[X]]
  // CHECK:         cell.logical_or %[[SAME]], %[[OTHER]]
  // CHECK:         cell.reduce_min
  // CHECK-LABEL: func private @smallest_phase_1_of_2(
  // CHECK-DAG:     cell.constant dense<2> : tensor<2x2xi64>
  // CHECK-NOT:     cell.not_equal
}
