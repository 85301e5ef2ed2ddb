// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-sum-behind-loops))" | FileCheck %s

// Trips keep the rows of both operands, and one product of all rows is added to where the sum began.
// CHECK-LABEL: func.func private @sum(
// CHECK-SAME:    %[[XS:.*]]: tensor<5x2x16xf32>, %[[SUM:.*]]: tensor<16x8xf32>
// CHECK-DAG:     %[[AS:.*]] = tensor.empty() : tensor<5x2x16xf32>
// CHECK-DAG:     %[[BS:.*]] = tensor.empty() : tensor<5x2x8xf32>
// CHECK:         %[[KEPT:.*]]:4 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[B:[a-z0-9]+]] = %{{.*}}, %[[S:[a-z0-9]+]] = %[[SUM]],
// CHECK-SAME:        %[[A_IN:[a-z0-9]+]] = %[[AS]], %[[B_IN:[a-z0-9]+]] = %[[BS]])
// CHECK:           %[[A:.*]] = tensor.extract_slice %[[XS]][%[[I]], 0, 0]
// CHECK-NOT:       cell.matmul
// CHECK:           %[[A_OUT:.*]] = tensor.insert_slice %[[A]] into %[[A_IN]][%[[I]], 0, 0] [1, 2, 16]
// CHECK:           %[[B_OUT:.*]] = tensor.insert_slice %[[B]] into %[[B_IN]][%[[I]], 0, 0] [1, 2, 8]
// CHECK:           scf.yield %{{.*}}, %[[S]], %[[A_OUT]], %[[B_OUT]]
// CHECK-DAG:     %[[A_ROWS:.*]] = cell.reshape %[[KEPT]]#2 : tensor<5x2x16xf32> -> tensor<10x16xf32>
// CHECK-DAG:     %[[B_ROWS:.*]] = cell.reshape %[[KEPT]]#3 : tensor<5x2x8xf32> -> tensor<10x8xf32>
// CHECK:         %[[PRODUCT:.*]] = cell.matmul %[[A_ROWS]], %[[B_ROWS]] {transpose_a = true}
// CHECK:         %[[TOTAL:.*]] = cell.add %[[SUM]], %[[PRODUCT]]
// CHECK:         return %[[KEPT]]#0, %[[TOTAL]]
func.func private @sum(%xs: tensor<5x2x16xf32>, %sum: tensor<16x8xf32>, %b: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %b, %s = %sum) -> (tensor<2x8xf32>, tensor<16x8xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<5x2x16xf32> to tensor<2x16xf32>
    %p = cell.matmul %x, %y {transpose_a = true} : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %t = cell.add %s, %p : tensor<16x8xf32>
    %z = cell.neg %y : tensor<2x8xf32>
    scf.yield %z, %t : tensor<2x8xf32>, tensor<16x8xf32>
  }
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<16x8xf32>
}

// From zero, the product is the sum. Of two terms, one of which is no product, only that stays.
// CHECK-LABEL: func.func private @terms(
// CHECK:         %[[KEPT:.*]]:3 = scf.for
// CHECK:           cell.add
// CHECK-NOT:       cell.add
// CHECK:           scf.yield
// CHECK:         %[[PRODUCT:.*]] = cell.matmul
// CHECK:         cell.add %[[KEPT]]#0, %[[PRODUCT]]
func.func private @terms(%xs: tensor<5x2x16xf32>, %b: tensor<2x8xf32>, %other: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = cell.constant dense<0.0> : tensor<16x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<16x8xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<5x2x16xf32> to tensor<2x16xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %t = cell.add %p, %s : tensor<16x8xf32>
    %u = cell.add %t, %other : tensor<16x8xf32>
    scf.yield %u : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func private @zero(
// CHECK:         scf.for
// CHECK:         %[[PRODUCT:.*]] = cell.matmul
// CHECK-NEXT:    return %[[PRODUCT]]
func.func private @zero(%xs: tensor<5x2x16xf32>, %b: tensor<2x8xf32>) -> tensor<16x8xf32> {
  %zero = cell.constant dense<0.0> : tensor<16x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<16x8xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<5x2x16xf32> to tensor<2x16xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %t = cell.add %s, %p : tensor<16x8xf32>
    scf.yield %t : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}

// A trip reads the sum for something else, the product is used twice, or goes down columns.
// CHECK-LABEL: func.func private @stay(
// CHECK:         scf.for
// CHECK-COUNT-3:   cell.matmul
// CHECK:           scf.yield
// CHECK-NOT:     cell.matmul
func.func private @stay(%xs: tensor<5x2x16xf32>, %b: tensor<2x8xf32>, %c: tensor<1x16xf32>, %d: tensor<8x1xf32>)
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %zero = cell.constant dense<0.0> : tensor<16x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:4 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero, %t = %zero, %u = %zero, %v = %zero)
      -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<5x2x16xf32> to tensor<2x16xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %s1 = cell.add %s, %p : tensor<16x8xf32>
    %s2 = cell.tanh %s : tensor<16x8xf32>
    %q = cell.matmul %x, %b {transpose_a = true} : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %t1 = cell.add %t, %q : tensor<16x8xf32>
    %w = cell.matmul %c, %d {transpose_a = true, transpose_b = true} : (tensor<1x16xf32>, tensor<8x1xf32>) -> tensor<16x8xf32>
    %u1 = cell.add %u, %w : tensor<16x8xf32>
    %v1 = cell.add %s2, %q : tensor<16x8xf32>
    scf.yield %s1, %t1, %u1, %v1 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// What trips add to is what the next one carries as another value.
// CHECK-LABEL: func.func private @swapped(
// CHECK:         scf.for
// CHECK:           cell.matmul
// CHECK:           scf.yield
func.func private @swapped(%xs: tensor<5x2x16xf32>, %b: tensor<2x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %zero = cell.constant dense<0.0> : tensor<16x8xf32>
  %one = cell.constant dense<1.0> : tensor<16x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero, %t = %one) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<5x2x16xf32> to tensor<2x16xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %u = cell.add %s, %p : tensor<16x8xf32>
    scf.yield %t, %u : tensor<16x8xf32>, tensor<16x8xf32>
  }
  return %r#0, %r#1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// So many rows that the product computes longer than it waits for the sum; more rows to keep than trips read; trips
// that are not known.
// CHECK-LABEL: func.func private @others(
// CHECK-COUNT-3: cell.matmul
// CHECK-NOT:     cell.matmul
// CHECK:         return
func.func private @others(%xs: tensor<5x16x128xf32>, %b: tensor<16x128xf32>, %ys: tensor<5x2xf32>, %c: tensor<1x8xf32>, %d: tensor<1x16xf32>, %n: index)
    -> (tensor<128x128xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = cell.constant dense<0.0> : tensor<128x128xf32>
  %small = cell.constant dense<0.0> : tensor<8x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<5x16x128xf32> to tensor<16x128xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<16x128xf32>, tensor<16x128xf32>) -> tensor<128x128xf32>
    %t = cell.add %s, %p : tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %q = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %small) -> (tensor<8x16xf32>) {
    %y = tensor.extract_slice %ys[%i, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<2xf32>
    %p = cell.matmul %c, %d {transpose_a = true} : (tensor<1x8xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
    %t = cell.add %s, %p : tensor<8x16xf32>
    scf.yield %t : tensor<8x16xf32>
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%s = %small) -> (tensor<8x16xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<5x16x128xf32> to tensor<16x128xf32>
    %p = cell.matmul %c, %d {transpose_a = true} : (tensor<1x8xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
    %t = cell.add %s, %p : tensor<8x16xf32>
    scf.yield %t : tensor<8x16xf32>
  }
  return %r, %q, %u : tensor<128x128xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// The number of a trip is no row where a loop begins elsewhere, or has other steps.
// CHECK-LABEL: func.func private @other_numbers(
// CHECK:         scf.for
// CHECK:           cell.matmul
// CHECK:           scf.yield
// CHECK-NOT:     cell.matmul
// CHECK:         scf.for
// CHECK:           cell.matmul
// CHECK:           scf.yield
// CHECK-NOT:     cell.matmul
// CHECK:         return
func.func private @other_numbers(%xs: tensor<6x1x16xf32>, %b: tensor<1x16xf32>, %sum: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %i = %c1 to %c6 step %c1 iter_args(%s = %sum) -> (tensor<16x16xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 1, 16] [1, 1, 1] : tensor<6x1x16xf32> to tensor<1x16xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
    %t = cell.add %s, %p : tensor<16x16xf32>
    scf.yield %t : tensor<16x16xf32>
  }
  %q = scf.for %i = %c0 to %c6 step %c2 iter_args(%s = %sum) -> (tensor<16x16xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 1, 16] [1, 1, 1] : tensor<6x1x16xf32> to tensor<1x16xf32>
    %p = cell.matmul %x, %b {transpose_a = true} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
    %t = cell.add %s, %p : tensor<16x16xf32>
    scf.yield %t : tensor<16x16xf32>
  }
  return %r, %q : tensor<16x16xf32>, tensor<16x16xf32>
}
