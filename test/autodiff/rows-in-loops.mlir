// A loop that reads a row each trip: its adjoint adds each row's cotangent to the sum of all, in place.
// RUN: cell-opt %s --cell-differentiate --canonicalize --cse --cell-chain-sums | FileCheck %s

func.func private @product(%rows: tensor<5x3xf32>) -> tensor<3xf32> {
  %one = cell.constant dense<1.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %one) -> (tensor<3xf32>) {
    %n = arith.index_cast %i : index to i64
    %t = tensor.from_elements %n : tensor<i64>
    %row = cell.gather %rows at %t dim 0 : tensor<5x3xf32>, tensor<i64> -> tensor<3xf32>
    %b = cell.mul %a, %row : tensor<3xf32>
    scf.yield %b : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func.func @gradient
// CHECK:         scf.for
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<3xf32>, tensor<5x3xf32>)
// CHECK:           %[[NEXT:.*]] = cell.scatter "add" %{{.*}} into %[[SUM]] at
// CHECK-NOT:       cell.add
// CHECK:           scf.yield %{{.*}}, %[[NEXT]]
func.func @gradient(%rows: tensor<5x3xf32>, %ct: tensor<3xf32>) -> tensor<5x3xf32> {
  %0:2 = cell.vjp @product(%rows) cotangents(%ct) of [0] wrt [0] : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return %0#1 : tensor<5x3xf32>
}

// What else adds to the gradient does so first: the loop goes on from there, and no tensor of zeros is summed up with it.
// Loops in loops hand it on.
func.func private @product_and_sum(%rows: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  %one = cell.constant dense<1.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %one) -> (tensor<3xf32>) {
    %q = scf.for %j = %c0 to %c5 step %c1 iter_args(%c = %a) -> (tensor<3xf32>) {
      %n = arith.index_cast %j : index to i64
      %t = tensor.from_elements %n : tensor<i64>
      %row = cell.gather %rows at %t dim 0 : tensor<5x3xf32>, tensor<i64> -> tensor<3xf32>
      %b = cell.mul %c, %row : tensor<3xf32>
      scf.yield %b : tensor<3xf32>
    }
    scf.yield %q : tensor<3xf32>
  }
  %s = cell.sin %rows : tensor<5x3xf32>
  return %r, %s : tensor<3xf32>, tensor<5x3xf32>
}

// CHECK-LABEL: func.func @gradient_of_both
// CHECK:         %[[FIRST:.*]] = cell.mul %arg2, %{{.*}} : tensor<5x3xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %arg1, %[[SUM:.*]] = %[[FIRST]]) -> (tensor<3xf32>, tensor<5x3xf32>)
// CHECK:           scf.for {{.*}} %[[INNER:.*]] = %[[SUM]]) -> (tensor<3xf32>, tensor<5x3xf32>)
// CHECK:             cell.scatter "add" %{{.*}} into %[[INNER]] at
// CHECK-NOT:     cell.add
// CHECK:         return
func.func @gradient_of_both(%rows: tensor<5x3xf32>, %ct: tensor<3xf32>, %cs: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0:3 = cell.vjp @product_and_sum(%rows) cotangents(%ct, %cs) of [0, 1] wrt [0] : (tensor<5x3xf32>, tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>)
  return %0#2 : tensor<5x3xf32>
}

// A region inside a trip may add to it or not, and what is made of that is no sum: the rest is added behind the loop.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME:    %{{.*}}, %[[REST:.*]]: tensor<3xf32>
// CHECK:         %[[LOOP:.*]] = scf.for
// CHECK:         %[[TOTAL:.*]] = cell.add %[[LOOP]], %[[REST]]
// CHECK:         return %[[TOTAL]]
func.func @branch(%take: tensor<i1>, %x: tensor<3xf32>, %rest: tensor<3xf32>) -> tensor<3xf32> {
  %zero = cell.constant dense<0.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %bit = tensor.extract %take[] : tensor<i1>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<3xf32>) {
    %a = scf.if %bit -> (tensor<3xf32>) {
      %b = cell.add %s, %x : tensor<3xf32>
      scf.yield %b : tensor<3xf32>
    } else {
      scf.yield %x : tensor<3xf32>
    }
    %c = cell.tanh %a : tensor<3xf32>
    scf.yield %c : tensor<3xf32>
  }
  %y = cell.add %r, %rest : tensor<3xf32>
  return %y : tensor<3xf32>
}

// A trip that carries the sum on as another value, itself or by a loop within; reads it, or scatters it; a result that others read.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %{{.*}}, %[[REST:.*]]: tensor<3xf32>
// CHECK-DAG:     %[[ZERO:.*]] = cell.constant dense<0.0{{.*}}> : tensor<3xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %{{.*}})
// CHECK:         cell.add
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:         cell.add
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %{{.*}})
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
func.func @others(%x: tensor<3xf32>, %rest: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = cell.constant dense<0.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero, %t = %x) -> (tensor<3xf32>, tensor<3xf32>) {
    %a = cell.add %s, %x : tensor<3xf32>
    scf.yield %t, %a : tensor<3xf32>, tensor<3xf32>
  }
  %y = cell.add %r#0, %rest : tensor<3xf32>
  %q = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<3xf32>) {
    %b = cell.sin %s : tensor<3xf32>
    %a = cell.add %s, %x : tensor<3xf32>
    %c = cell.add %a, %b : tensor<3xf32>
    scf.yield %c : tensor<3xf32>
  }
  %z = cell.add %q, %rest : tensor<3xf32>
  %p:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero, %t = %x) -> (tensor<3xf32>, tensor<3xf32>) {
    %a:2 = scf.for %j = %c0 to %c5 step %c1 iter_args(%u = %s, %v = %t) -> (tensor<3xf32>, tensor<3xf32>) {
      %b = cell.add %u, %x : tensor<3xf32>
      scf.yield %v, %b : tensor<3xf32>, tensor<3xf32>
    }
    scf.yield %a#0, %a#1 : tensor<3xf32>, tensor<3xf32>
  }
  %w = cell.add %p#0, %rest : tensor<3xf32>
  %o = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<3xf32>) {
    %a = cell.add %s, %x : tensor<3xf32>
    scf.yield %a : tensor<3xf32>
  }
  %v = cell.add %o, %rest : tensor<3xf32>
  %turned = cell.constant dense<[2, 1, 0]> : tensor<3xi32>
  %n = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> (tensor<3xf32>) {
    %a = cell.scatter "add" %s into %x at %turned dim 0 : tensor<3xf32>, tensor<3xf32>, tensor<3xi32>
    scf.yield %a : tensor<3xf32>
  }
  %u = cell.add %n, %rest : tensor<3xf32>
  return %y, %z, %w, %v, %o, %u : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
