// An element of each row, by the row's number: a gather in each row by itself, and
// so is the scatter that is its derivative. What is beside multiples of the row's
// number is checked to be in the row. Tiles count rows from their first sample.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-run %s --entry=picked --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>' --arg='dense<[1, 0, 1]> : tensor<3xi32>' | FileCheck %s --check-prefix=PICKED
// PICKED: result 0: tensor<3xf32> [2.0, 3.0, 6.0]
// RUN: not cell-run %s --entry=picked --passes='cell-specialize-batch{size=3}' --arg='dense<0.0> : tensor<3x2xf32>' --arg='dense<[1, -1, 1]> : tensor<3xi32>' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: an index is of an element of another sample
// RUN: cell-run %s --entry=put --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>' --arg='dense<[1, 0, 1]> : tensor<3xi64>' | FileCheck %s --check-prefix=PUT
// PUT: result 0: tensor<3x2xf32> {{\[\[}}1.0, 7.0], [7.0, 4.0], [5.0, 7.0]]
// RUN: cell-run %s --entry=added --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0], [2.0], [4.0]]> : tensor<3x1xf32>' --arg='dense<[1, 0, 1]> : tensor<3xi32>' --arg='dense<[[0.5], [0.25]]> : tensor<2x1xf32>' | FileCheck %s --check-prefix=ADDED
// ADDED: result 0: tensor<2x1xf32> {{\[\[}}2.5], [5.25]]
// RUN: cell-run %s --entry=numbered --passes='cell-specialize-batch{size=3}' --arg='dense<1.0> : tensor<3x2xf32>' | FileCheck %s --check-prefix=NUMBERED
// NUMBERED: result 0: tensor<3x2xf32> {{\[\[}}1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @picked(
  func.func @picked(%x: tensor<65521x2xf32>, %i: tensor<65521xi32>) -> tensor<65521xf32> {
    %0 = cell.iota dim 0 : tensor<65521xi32>
    %c0 = cell.constant dense<0> : tensor<i32>
    %zero = cell.broadcast %c0 along [0] : tensor<i32> -> tensor<65521xi32>
    // A row's number is not negative.
    %1 = cell.less %0, %zero : tensor<65521xi32>
    %2 = cell.add %0, %0 : tensor<65521xi32>
    %3 = cell.select %1, %2, %0 : tensor<65521xi32>
    %c2 = cell.constant dense<2> : tensor<i32>
    %two = cell.broadcast %c2 along [0] : tensor<i32> -> tensor<65521xi32>
    %4 = cell.mul %two, %3 : tensor<65521xi32>
    %5 = cell.add %4, %i : tensor<65521xi32>
    %6 = cell.reshape %x : tensor<65521x2xf32> -> tensor<131042xf32>
    %7 = cell.gather %6 at %5 dim 0 : tensor<131042xf32>, tensor<65521xi32> -> tensor<65521xf32>
    return %7 : tensor<65521xf32>
  }
  // CHECK-LABEL: func @put(
  func.func @put(%x: tensor<65521x2xf32>, %i: tensor<65521xi64>) -> tensor<65521x2xf32> {
    // Numbers and places side by side, as a tensor of tuples has them.
    %0 = cell.iota dim 0 : tensor<65521x1xi64>
    %1 = cell.reshape %i : tensor<65521xi64> -> tensor<65521x1xi64>
    %2 = cell.concat %0, %1 dim 1 : (tensor<65521x1xi64>, tensor<65521x1xi64>) -> tensor<65521x2xi64>
    %3 = cell.slice %2 from [0, 0] to [65521, 1] by [1, 1] : tensor<65521x2xi64> -> tensor<65521x1xi64>
    %4 = cell.slice %2 from [0, 1] to [65521, 2] by [1, 1] : tensor<65521x2xi64> -> tensor<65521x1xi64>
    %two = cell.constant dense<2> : tensor<65521x1xi64>
    %5 = cell.mul %3, %two : tensor<65521x1xi64>
    %6 = cell.sub %4, %5 : tensor<65521x1xi64>
    %7 = cell.sub %5, %6 : tensor<65521x1xi64>
    %8 = cell.sub %7, %5 : tensor<65521x1xi64>
    %9 = cell.add %8, %4 : tensor<65521x1xi64>
    %10 = cell.add %9, %4 : tensor<65521x1xi64>
    %11 = cell.reshape %x : tensor<65521x2xf32> -> tensor<131042xf32>
    %seven = cell.constant dense<7.0> : tensor<65521x1xf32>
    %12 = cell.scatter "set" %seven into %11 at %10 dim 0 : tensor<65521x1xf32>, tensor<131042xf32>, tensor<65521x1xi64>
    %13 = cell.reshape %12 : tensor<131042xf32> -> tensor<65521x2xf32>
    return %13 : tensor<65521x2xf32>
  }
  // What samples add to what they share is added up by itself.
  // CHECK-LABEL: func @added(
  // CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<2x1xf32>) ->
  // CHECK:         %[[SUM:.*]] = scf.for
  // CHECK:         %[[LAST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[SUM]])
  // CHECK:         cell.add %[[TABLE]], %[[LAST]]
  func.func @added(%u: tensor<65521x1xf32>, %i: tensor<65521xi32>, %table: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = cell.scatter "add" %u into %table at %i dim 0 : tensor<65521x1xf32>, tensor<2x1xf32>, tensor<65521xi32>
    return %0 : tensor<2x1xf32>
  }

  // CHECK-LABEL: func @numbered(
  func.func @numbered(%x: tensor<65521x2xf32>) -> tensor<65521x2xf32> {
    %0 = cell.iota dim 0 : tensor<131042xf32>
    %1 = cell.reshape %0 : tensor<131042xf32> -> tensor<65521x2xf32>
    %2 = cell.add %x, %1 : tensor<65521x2xf32>
    return %2 : tensor<65521x2xf32>
  }

  // CHECK-LABEL: func private @picked_phase_0_of_2(
  // CHECK-SAME:    %[[I:[a-z0-9]+]]: tensor<2xi32>
  // CHECK-NOT:     cell.iota
  // CHECK-DAG:     %[[LEAST:.*]] = cell.greater_equal %[[I]],
  // CHECK-DAG:     %[[MOST:.*]] = cell.less %[[I]],
  // CHECK:         %[[OK:.*]] = cell.logical_and %[[LEAST]], %[[MOST]]
  // CHECK:         cell.check %[[OK]] "an index is of an element of another sample
  // CHECK:         cell.gather %{{.*}} at %[[I]] dim 1 batch 1 : tensor<2x2xf32>, tensor<2xi32> -> tensor<2xf32>
  // CHECK-LABEL: func private @put_phase_0_of_2(
  // CHECK:         cell.scatter "set" %{{.*}} into %{{.*}} at %{{.*}} dim 1 batch 1 : tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xi64>
  // Two numbers for each sample.
  // CHECK-LABEL: func private @numbered_phase_0_of_2(
  // CHECK-SAME:    %[[FIRST:[a-z0-9]+]]: tensor<i64> {cell.first_sample})
  // CHECK:         %[[COUNT:.*]] = cell.constant dense<2> : tensor<i64>
  // CHECK:         %[[AT:.*]] = cell.mul %[[FIRST]], %[[COUNT]]
  // CHECK-DAG:     %[[OWN:.*]] = cell.iota dim 0 : tensor<4xi64>
  // CHECK-DAG:     %[[ALL:.*]] = cell.broadcast %[[AT]] along [0] : tensor<i64> -> tensor<4xi64>
  // CHECK:         %[[NUMBERS:.*]] = cell.add %[[OWN]], %[[ALL]]
  // CHECK:         cell.cast %[[NUMBERS]] : tensor<4xi64> to tensor<4xf32>
}
