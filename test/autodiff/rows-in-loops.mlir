// A loop that reads a row each trip: its adjoint adds each row's cotangent to the sum of all, in place.
// RUN: cell-opt %s --cell-differentiate --canonicalize --cse | FileCheck %s

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
