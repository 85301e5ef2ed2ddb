// Sums over the batch cut a program into phases: samples minus their mean, the
// sum of squares of these, and an update in place. 1 / n is computed.
// RUN: cell-opt %s --cell-tile-batch=tiles=4,1 | FileCheck %s
// RUN: cell-opt %s --cell-specialize-batch=size=2 | FileCheck %s --check-prefix=TWO
// RUN: cell-run %s --passes='cell-specialize-batch{size=2}' --arg='dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>' --arg='dense<[1.0, 2.0]> : tensor<2xf32>' | FileCheck %s --check-prefix=NUMBERS
// By hand: the mean is [2, 3], and samples less it are -1 and 1 in all places.
// NUMBERS: result 0: tensor<f32> 4.0
// NUMBERS: result 1: tensor<2xf32> [3.0, 5.0]
// NUMBERS: result 2: tensor<2x2xf32> {{\[}}[-1.0, -1.0], [1.0, 1.0]]
// TWO: cell.constant dense<5.000000e-01> : tensor<2xf32>

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK: func @step(%[[N:.*]]: tensor<i64> {{.*}}, %[[X:.*]]: tensor<65521x2xf32>, %[[W:.*]]: tensor<2xf32> {cell.donate = 1 : i64})
  // The number of samples, and what follows from it, in double precision.
  // CHECK: %[[B:.*]] = arith.index_cast %{{.*}} : i64 to index
  // CHECK: %[[F:.*]] = arith.sitofp %{{.*}} : i64 to f64
  // CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %{{.*}} : f64
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[INVERSE]] : f64 to f32
  // CHECK: %[[SHARED:.*]] = cell.broadcast %{{.*}} along [0] : tensor<f32> -> tensor<2xf32>
  // The first phase adds up from zero: tiles do not overlap.
  // CHECK: %[[ZERO:.*]] = cell.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK-NOT: arith.minsi
  // CHECK: %[[S4:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]])
  // CHECK: %[[PART:.*]] = func.call @step_phase_0_of_4(%{{.*}}) : (tensor<4x2xf32>) -> tensor<2xf32>
  // CHECK: cell.add %[[SUM]], %[[PART]]
  // CHECK: %[[S1:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[S4]])
  // CHECK: func.call @step_phase_0_of_1
  // Once, between the phases.
  // CHECK: %[[MEAN:.*]] = cell.mul %[[S1]], %[[SHARED]]
  // CHECK-NOT: cell.add %[[W]], %[[MEAN]]
  // CHECK: %[[R:.*]]:2 = scf.for
  // CHECK: func.call @step_phase_1_of_4(%{{.*}}, %[[MEAN]])
  // CHECK: cell.add
  // CHECK: tensor.insert_slice
  // What no phase needs is changed when nothing can fail any more.
  // CHECK: %[[NEW:.*]] = cell.add %[[W]], %[[MEAN]]
  // CHECK: return %{{.*}}#0, %[[NEW]], %{{.*}}#1
  func.func @step(%x: tensor<65521x2xf32>, %w: tensor<2xf32> {cell.donate = 1 : i64})
      -> (tensor<f32>, tensor<2xf32>, tensor<65521x2xf32>) {
    %sum = cell.reduce_sum %x over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %n = cell.constant dense<1.526226e-05> : tensor<2xf32> {cell.batch_form = array<f64: 0.0, 1.0, 1.0, 0.0>}
    %mean = cell.mul %sum, %n : tensor<2xf32>
    %means = cell.broadcast %mean along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %centred = cell.sub %x, %means : tensor<65521x2xf32>
    %squares = cell.square %centred : tensor<65521x2xf32>
    %loss = cell.reduce_sum %squares over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    %new = cell.add %w, %mean : tensor<2xf32>
    return %loss, %new, %centred : tensor<f32>, tensor<2xf32>, tensor<65521x2xf32>
  }
  // CHECK: func private @step_phase_0_of_4(%{{.*}}: tensor<4x2xf32>) -> tensor<2xf32>
  // CHECK: cell.reduce_sum {{.*}} over [0] : tensor<4x2xf32> -> tensor<2xf32>
  // CHECK: func private @step_phase_1_of_4(%{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<2xf32>) -> (tensor<f32>, tensor<4x2xf32>)
  // CHECK-NOT: over [0] : tensor<4x2xf32>
}
