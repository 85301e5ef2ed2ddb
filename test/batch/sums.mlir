// What adds up, or takes an extremum, over the batch, wherever the batch is: the
// gradients of products and convolutions, tables and largest elements; in loops,
// too, where trips add to what begins as zero.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 --cell-to-linalg-pipeline --cell-cpu-pipeline -o - | FileCheck %s --check-prefix=ARENA
// RUN: cell-run %s --entry=largest --passes='cell-specialize-batch{size=3}' --arg='dense<[[1.0, -2.0], [-3.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf32>' | FileCheck %s --check-prefix=LARGEST
// LARGEST: result 0: tensor<2xf32> [1.0, 4.0]
// LARGEST: result 1: tensor<2xf32> [-3.0, -2.0]
// RUN: cell-run %s --entry=table --passes='cell-specialize-batch{size=3}' --arg='dense<[1, 0, 1]> : tensor<3xi32>' --arg='dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>' | FileCheck %s --check-prefix=TABLE
// TABLE: result 0: tensor<4x1xf32> {{\[}}[2.0], [4.0], [0.0], [0.0]]
// RUN: cell-run %s --entry=trips --passes='cell-specialize-batch{size=2}' --arg='dense<[1.0, 2.0]> : tensor<2xf32>' | FileCheck %s --check-prefix=TRIPS
// TRIPS: result 0: tensor<f32> 9.0
// RUN: cell-run %s --entry=inner --passes='cell-specialize-batch{size=2}' --arg='dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>' | FileCheck %s --check-prefix=INNER
// INNER: result 0: tensor<2xf32> [6.0, 15.0]
// INNER: result 1: tensor<f32> 21.0
// RUN: cell-run %s --entry=matrices --passes='cell-specialize-batch{size=3}' --arg='dense<[[[4.0, 2.0], [2.0, 5.0]], [[1.0, 0.0], [0.0, 1.0]], [[9.0, 3.0], [3.0, 2.0]]]> : tensor<3x2x2xf32>' --arg='dense<[[2.0, 4.0], [0.0, 8.0], [6.0, 0.0]]> : tensor<3x2xf32>' --arg='dense<[[2.0, 0.0], [0.0, 4.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=MATRICES
// MATRICES: result 0: tensor<3x2xf32> {{\[}}[1.0, 1.0], [0.0, 2.0], [3.0, 0.0]]
// MATRICES: result 1: tensor<2x2xf32> {{\[}}[6.0, 0.0], [2.0, 4.0]]

// ARENA-NOT: memref<65521
module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // What is added up before the batch moves it; then all of it is added up.
  // CHECK-LABEL: func @inner(
  // CHECK: cell.add %{{.*}} : tensor<f32>
  func.func @inner(%x: tensor<65521x3xf32>) -> (tensor<65521xf32>, tensor<f32>) {
    %0 = cell.transpose %x perm [1, 0] : tensor<65521x3xf32> -> tensor<3x65521xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<3x65521xf32> -> tensor<65521xf32>
    %2 = cell.reduce_sum %1 over [0] : tensor<65521xf32> -> tensor<f32>
    return %1, %2 : tensor<65521xf32>, tensor<f32>
  }
  // CHECK-LABEL: func @weights(
  // CHECK: cell.constant dense<0.000000e+00> : tensor<3x4xf32>
  // CHECK: cell.add %{{.*}} : tensor<3x4xf32>
  func.func @weights(%x: tensor<65521x3xf32>, %c: tensor<65521x4xf32>) -> tensor<3x4xf32> {
    %0 = cell.matmul %x, %c {transpose_a = true} : (tensor<65521x3xf32>, tensor<65521x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  // Samples are channels, two groups of them.
  // CHECK-LABEL: func @filters(
  func.func @filters(%x: tensor<65521x2x2x5xf32>, %c: tensor<65521x6x3xf32>) -> tensor<2x6x3xf32> {
    %0 = cell.transpose %x perm [2, 1, 0, 3] : tensor<65521x2x2x5xf32> -> tensor<2x2x65521x5xf32>
    %1 = cell.reshape %0 : tensor<2x2x65521x5xf32> -> tensor<2x131042x5xf32>
    %2 = cell.transpose %c perm [1, 0, 2] : tensor<65521x6x3xf32> -> tensor<6x65521x3xf32>
    %3 = cell.conv %1, %2 strides [1] dilations [1] groups 2 : (tensor<2x131042x5xf32>, tensor<6x65521x3xf32>) -> tensor<2x6x3xf32>
    return %3 : tensor<2x6x3xf32>
  }
  // Filters are samples, of which each group has all: the adjoint of the sum above.
  // CHECK-LABEL: func @groups(
  func.func @groups(%x: tensor<2x6x3xf32>, %w: tensor<65521x6x5xf32>) -> tensor<65521x2x2xf32> {
    %0 = cell.reshape %w : tensor<65521x6x5xf32> -> tensor<65521x2x3x5xf32>
    %1 = cell.transpose %0 perm [1, 0, 2, 3] : tensor<65521x2x3x5xf32> -> tensor<2x65521x3x5xf32>
    %2 = cell.reshape %1 : tensor<2x65521x3x5xf32> -> tensor<131042x3x5xf32>
    %3 = cell.pad %x low [0, 0, 1] high [0, 0, 1] interior [0, 0, 1] : tensor<2x6x3xf32> -> tensor<2x6x7xf32>
    %4 = cell.conv %3, %2 strides [2] dilations [1] groups 2 : (tensor<2x6x7xf32>, tensor<131042x3x5xf32>) -> tensor<2x131042x2xf32>
    %5 = cell.reduce_sum %4 over [0] : tensor<2x131042x2xf32> -> tensor<131042x2xf32>
    %6 = cell.reshape %5 : tensor<131042x2xf32> -> tensor<2x65521x2xf32>
    %7 = cell.transpose %6 perm [1, 0, 2] : tensor<2x65521x2xf32> -> tensor<65521x2x2xf32>
    return %7 : tensor<65521x2x2xf32>
  }
  // A matrix for each sample, and one for all.
  // CHECK-LABEL: func @matrices(
  func.func @matrices(%a: tensor<65521x2x2xf32>, %b: tensor<65521x2xf32>, %m: tensor<2x2xf32>) -> (tensor<65521x2xf32>, tensor<2x2xf32>) {
    %l = cell.cholesky %a : tensor<65521x2x2xf32>
    %s = cell.reduce_sum %l over [0] : tensor<65521x2x2xf32> -> tensor<2x2xf32>
    %0 = cell.transpose %b perm [1, 0] : tensor<65521x2xf32> -> tensor<2x65521xf32>
    %1 = cell.solve %m, %0 : tensor<2x2xf32>, tensor<2x65521xf32>
    %2 = cell.transpose %1 perm [1, 0] : tensor<2x65521xf32> -> tensor<65521x2xf32>
    return %2, %s : tensor<65521x2xf32>, tensor<2x2xf32>
  }
  // CHECK-LABEL: func @largest(
  // CHECK: cell.constant dense<0xFF800000> : tensor<2xf32>
  // CHECK: cell.constant dense<0x7F800000> : tensor<2xf32>
  // CHECK: cell.maximum
  // CHECK: cell.minimum
  func.func @largest(%x: tensor<65521x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = cell.reduce_max %x over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %1 = cell.reduce_min %x over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK-LABEL: func @table(
  func.func @table(%i: tensor<65521xi32>, %u: tensor<65521x1xf32>) -> tensor<4x1xf32> {
    %zero = cell.constant dense<0.0> : tensor<4x1xf32>
    %0 = cell.scatter "add" %u into %zero at %i dim 0 : tensor<65521x1xf32>, tensor<4x1xf32>, tensor<65521xi32>
    return %0 : tensor<4x1xf32>
  }
  // CHECK-LABEL: func @trips(
  // CHECK: call @trips_phase_0_of_2
  func.func @trips(%x: tensor<65521xf32>) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = cell.constant dense<0.0> : tensor<f32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<f32>) {
      %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
      %1 = cell.add %s, %0 : tensor<f32>
      scf.yield %1 : tensor<f32>
    }
    return %r : tensor<f32>
  }
  // CHECK: func private @weights_phase_0_of_2
  // CHECK: cell.matmul {{.*}} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  // CHECK: func private @filters_phase_0_of_2
  // CHECK: cell.transpose {{.*}} : tensor<2x2x2x5xf32> -> tensor<2x2x2x5xf32>
  // CHECK: cell.reshape {{.*}} : tensor<2x2x2x5xf32> -> tensor<2x4x5xf32>
  // CHECK: cell.conv {{.*}} groups 2 : (tensor<2x4x5xf32>, tensor<6x2x3xf32>) -> tensor<2x6x3xf32>
  // CHECK: func private @groups_phase_0_of_2
  // CHECK: cell.conv {{.*}} groups 2 : (tensor<2x6x7xf32>, tensor<4x3x5xf32>) -> tensor<2x4x2xf32>
  // CHECK: func private @matrices_phase_0_of_2
  // CHECK: cell.cholesky {{.*}} : tensor<2x2x2xf32>
  // CHECK: cell.solve {{.*}} : tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK: func private @largest_phase_0_of_2
  // CHECK: cell.reduce_max
  // CHECK: func private @table_phase_0_of_2
  // CHECK: cell.scatter "add"
  // CHECK: func private @trips_phase_0_of_2
  // CHECK: scf.for
  // CHECK: cell.reduce_sum
}
