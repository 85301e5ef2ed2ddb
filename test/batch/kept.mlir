// Products of matrices that a later phase needs are kept for batches of at most
// 8 samples. Larger batches compute them again.
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=8' | FileCheck %s
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=8' | FileCheck %s --check-prefix=PHASES
// For all batches that may be:
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=100' | FileCheck %s --check-prefix=ALL --implicit-check-not=scf.if
// ALL: func @step
// ALL: tensor.empty() : tensor<100x2xf32>
// ALL: func @folded
// ALL: tensor.empty() : tensor<200x2xf32>
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=0' | FileCheck %s --check-prefix=NONE --implicit-check-not=scf.if --implicit-check-not=tensor.empty
// NONE: func @step
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=8' | FileCheck %s --check-prefix=EARLY
// Larger batches have loops over each second size of tiles, and over single samples, but not over two.
// RUN: cell-opt %s --cell-tile-batch='tiles=32,16,8,4,2,1 kept=8' | FileCheck %s --check-prefix=OTHER
// OTHER-LABEL: func @step(
// OTHER: } else {
// OTHER: func.call @step_phase_0_of_32
// OTHER-NOT: _of_16
// OTHER: func.call @step_phase_0_of_8
// OTHER-NOT: _of_4
// OTHER-NOT: _of_2
// OTHER: func.call @step_phase_0_of_1_
// OTHER: func.call @step_phase_1_of_32
// RUN: cell-run %s --entry=step --passes='cell-specialize-batch{size=2}' --arg='dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>' --arg='dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=NUMBERS
// By hand: rows [1, 4] and [3, 8] less their sum are [-3, -8] and [-1, -4].
// NUMBERS: result 0: tensor<f32> 90.0

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @step
  // CHECK: %[[B:.*]] = arith.index_cast
  // CHECK: %[[MOST:.*]] = arith.constant 8 : index
  // CHECK: %[[KEEPS:.*]] = arith.cmpi sle, %[[B]], %[[MOST]] : index
  // CHECK: scf.if %[[KEEPS]]
  // CHECK: tensor.empty() : tensor<8x2xf32>
  // CHECK: scf.for
  // CHECK: %[[AT:.*]] = arith.addi
  // CHECK: %[[FIRST:.*]]:2 = func.call @step_phase_0_of_4(
  // CHECK: tensor.insert_slice %[[FIRST]]#1 into %{{.*}}[%[[AT]], 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<8x2xf32>
  // CHECK: %[[R:.*]]:2 = scf.for
  // CHECK: func.call @step_phase_0_of_1(
  // CHECK: tensor.insert_slice {{.*}} : tensor<1x2xf32> into tensor<8x2xf32>
  // CHECK: %[[KEPT:.*]] = tensor.extract_slice %[[R]]#1[%{{.*}}, 0] [4, 2] [1, 1] : tensor<8x2xf32> to tensor<4x2xf32>
  // CHECK: func.call @step_phase_1_of_4(%[[KEPT]], %[[R]]#0)
  // CHECK: } else {
  // CHECK-NOT: tensor<8x2xf32>
  // CHECK: func.call @step_phase_1_of_4_0(
  // PHASES: func private @step_phase_1_of_4(
  // PHASES-NOT: cell.matmul
  // PHASES: func private @step_phase_1_of_1(
  // PHASES-NOT: cell.matmul
  // PHASES: func private @step_phase_0_of_4_0(
  // PHASES: func private @step_phase_1_of_4_0(
  // PHASES-NEXT: cell.matmul
  func.func @step(%x: tensor<65521x2xf32>, %w: tensor<2x2xf32>) -> tensor<f32> {
    %h = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x2xf32>) -> tensor<65521x2xf32>
    %sum = cell.reduce_sum %h over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %sums = cell.broadcast %sum along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %less = cell.sub %h, %sums : tensor<65521x2xf32>
    %squares = cell.square %less : tensor<65521x2xf32>
    %loss = cell.reduce_sum %squares over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // Two rows a sample: they begin at twice the sample.
  // CHECK-LABEL: func @folded
  // CHECK: tensor.empty() : tensor<16x2xf32>
  // CHECK: %[[AT:.*]] = arith.addi
  // CHECK: %[[FIRST:.*]]:2 = func.call @folded_phase_0_of_4(
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: %[[ROW:.*]] = arith.muli %[[AT]], %[[TWO]] : index
  // CHECK: tensor.insert_slice %[[FIRST]]#1 into %{{.*}}[%[[ROW]], 0] [8, 2]
  // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c2
  // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c2
  // CHECK: tensor.extract_slice %{{.*}}#1[%[[ROW]], 0] [8, 2]
  func.func @folded(%x: tensor<65521x4xf32>, %w: tensor<2x2xf32>) -> tensor<f32> {
    %rows = cell.reshape %x : tensor<65521x4xf32> -> tensor<131042x2xf32>
    %h = cell.matmul %rows, %w : (tensor<131042x2xf32>, tensor<2x2xf32>) -> tensor<131042x2xf32>
    %sum = cell.reduce_sum %h over [0] : tensor<131042x2xf32> -> tensor<2xf32>
    %sums = cell.broadcast %sum along [0] : tensor<2xf32> -> tensor<131042x2xf32>
    %less = cell.sub %h, %sums : tensor<131042x2xf32>
    %squares = cell.square %less : tensor<131042x2xf32>
    %loss = cell.reduce_sum %squares over [0, 1] : tensor<131042x2xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // The rows of a sample are not next to each other: computed again.
  // CHECK-LABEL: func @turned
  // CHECK-NOT: scf.if
  // CHECK-NOT: tensor.empty
  func.func @turned(%x: tensor<65521x2xf32>, %w: tensor<2x2xf32>) -> tensor<f32> {
    %columns = cell.transpose %x perm [1, 0] : tensor<65521x2xf32> -> tensor<2x65521xf32>
    %line = cell.reshape %columns : tensor<2x65521xf32> -> tensor<131042x1xf32>
    %ones = cell.constant dense<1.0> : tensor<1x2xf32>
    %h = cell.matmul %line, %ones : (tensor<131042x1xf32>, tensor<1x2xf32>) -> tensor<131042x2xf32>
    %sum = cell.reduce_sum %h over [0] : tensor<131042x2xf32> -> tensor<2xf32>
    %sums = cell.broadcast %sum along [0] : tensor<2xf32> -> tensor<131042x2xf32>
    %less = cell.sub %h, %sums : tensor<131042x2xf32>
    %squares = cell.square %less : tensor<131042x2xf32>
    %loss = cell.reduce_sum %squares over [0, 1] : tensor<131042x2xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // The end of a long chain of elementwise operations is kept, too; what only moves elements is not.
  // CHECK-LABEL: func @chain
  // CHECK: scf.if
  // CHECK: tensor.empty() : tensor<8x2xf32>
  // CHECK: func.call @chain_phase_1_of_4(
  // CHECK-NOT: tensor.empty
  // CHECK: } else {
  // PHASES: func private @chain_phase_1_of_4(%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<4x2xf32>, %[[KEPT:.*]]: tensor<4x2xf32>)
  // PHASES-NEXT: cell.pad %[[KEPT]]
  func.func @chain(%x: tensor<65521x2xf32>, %w: tensor<2x2xf32>, %v: tensor<4x2xf32>) -> tensor<f32> {
    %h = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x2xf32>) -> tensor<65521x2xf32>
    %0 = cell.tanh %h : tensor<65521x2xf32>
    %1 = cell.mul %0, %0 : tensor<65521x2xf32>
    %2 = cell.add %1, %0 : tensor<65521x2xf32>
    %3 = cell.relu %2 : tensor<65521x2xf32>
    %sum = cell.reduce_sum %3 over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %padded = cell.pad %3 low [0, 1] high [0, 1] interior [0, 0] : tensor<65521x2xf32> -> tensor<65521x4xf32>
    %y = cell.matmul %padded, %v : (tensor<65521x4xf32>, tensor<4x2xf32>) -> tensor<65521x2xf32>
    %sums = cell.broadcast %sum along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %less = cell.sub %y, %sums : tensor<65521x2xf32>
    %loss = cell.reduce_sum %less over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // A shorter one is computed again from the product that is kept.
  // CHECK-LABEL: func @short
  // CHECK: tensor.empty() : tensor<8x2xf32>
  // CHECK-NOT: tensor.empty
  // CHECK: } else {
  // PHASES: func private @short_phase_1_of_4(%{{.*}}: tensor<2xf32>, %[[KEPT:.*]]: tensor<4x2xf32>)
  // PHASES-NEXT: cell.tanh %[[KEPT]]
  func.func @short(%x: tensor<65521x2xf32>, %w: tensor<2x2xf32>) -> tensor<f32> {
    %h = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x2xf32>) -> tensor<65521x2xf32>
    %0 = cell.tanh %h : tensor<65521x2xf32>
    %1 = cell.mul %0, %0 : tensor<65521x2xf32>
    %2 = cell.relu %1 : tensor<65521x2xf32>
    %sum = cell.reduce_sum %2 over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %sums = cell.broadcast %sum along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %less = cell.sub %2, %sums : tensor<65521x2xf32>
    %squares = cell.square %less : tensor<65521x2xf32>
    %loss = cell.reduce_sum %squares over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // The batch as a second dimension is none whose rows are kept, also where the first is 1.
  // CHECK-LABEL: func @unit
  // CHECK-NOT: scf.if
  // CHECK-NOT: tensor.empty
  func.func @unit(%x: tensor<65521x2xf32>, %w: tensor<1x2x2xf32>) -> tensor<f32> {
    %rows = cell.reshape %x : tensor<65521x2xf32> -> tensor<1x65521x2xf32>
    %h = cell.matmul %rows, %w : (tensor<1x65521x2xf32>, tensor<1x2x2xf32>) -> tensor<1x65521x2xf32>
    %sum = cell.reduce_sum %h over [1] : tensor<1x65521x2xf32> -> tensor<1x2xf32>
    %sums = cell.broadcast %sum along [1] : tensor<1x2xf32> -> tensor<1x65521x2xf32>
    %less = cell.sub %h, %sums : tensor<1x65521x2xf32>
    %squares = cell.square %less : tensor<1x65521x2xf32>
    %loss = cell.reduce_sum %squares over [0, 1, 2] : tensor<1x65521x2xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // CHECK-LABEL: func @columns
  // CHECK-NOT: scf.if
  // CHECK-NOT: tensor.empty
  // CHECK-LABEL: func @early
  func.func @columns(%x: tensor<65521x2xf32>) -> tensor<f32> {
    %0 = cell.transpose %x perm [1, 0] : tensor<65521x2xf32> -> tensor<2x65521xf32>
    %1 = cell.tanh %0 : tensor<2x65521xf32>
    %2 = cell.mul %1, %1 : tensor<2x65521xf32>
    %3 = cell.add %2, %1 : tensor<2x65521xf32>
    %4 = cell.relu %3 : tensor<2x65521xf32>
    %sum = cell.reduce_sum %4 over [1] : tensor<2x65521xf32> -> tensor<2xf32>
    %sums = cell.broadcast %sum along [1] : tensor<2xf32> -> tensor<2x65521xf32>
    %less = cell.sub %4, %sums : tensor<2x65521xf32>
    %squares = cell.square %less : tensor<2x65521xf32>
    %loss = cell.reduce_sum %squares over [0, 1] : tensor<2x65521xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // Where samples are kept, sums are added up as early as can be, else beside the sums that come last.
  // EARLY-LABEL: func @early
  // EARLY: func.call @early_phase_0_of_4({{.*}} -> (tensor<2xf32>, tensor<f32>, tensor<4x2xf32>)
  // EARLY: func.call @early_phase_1_of_4({{.*}} -> tensor<f32>
  // EARLY: } else {
  // EARLY: func.call @early_phase_0_of_4_0({{.*}} -> tensor<2xf32>
  // EARLY: func.call @early_phase_1_of_4_0({{.*}} -> (tensor<f32>, tensor<f32>)
  func.func @early(%x: tensor<65521x2xf32>, %w: tensor<2x2xf32>) -> (tensor<f32>, tensor<f32>) {
    %h = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x2xf32>) -> tensor<65521x2xf32>
    %sum = cell.reduce_sum %h over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %loss = cell.reduce_sum %h over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    %sums = cell.broadcast %sum along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %less = cell.sub %h, %sums : tensor<65521x2xf32>
    %rest = cell.reduce_sum %less over [0, 1] : tensor<65521x2xf32> -> tensor<f32>
    return %loss, %rest : tensor<f32>, tensor<f32>
  }
}
