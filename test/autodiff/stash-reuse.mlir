// The adjoint of an adjoint reads the stash of the first: one stash and one counter serve all orders.
// RUN: cell-opt %s --cell-differentiate --canonicalize --cse | FileCheck %s

// while x < 10: x = sin(x * w)
func.func private @until(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %limit = cell.constant dense<10.0> : tensor<f64>
  %r = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %p = cell.less %a, %limit : tensor<f64>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %b = cell.mul %a, %w : tensor<f64>
    %d = cell.sin %b : tensor<f64>
    scf.yield %d : tensor<f64>
  }
  return %r : tensor<f64>
}
func.func private @until_gradient(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @until(%x, %w) cotangents(%one) of [0] wrt [1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// CHECK-LABEL: func.func @until_second
// CHECK:         scf.while ({{.*}}) : (tensor<f64>, !cell.stash<tensor<f64>>, index)
// CHECK:           cell.stash_write
// CHECK-NOT:       cell.stash_write
// CHECK:           scf.yield
// CHECK:         scf.for
// CHECK-NOT:       cell.stash_empty
// CHECK:           scf.yield
func.func @until_second(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @until_gradient(%x, %w) cotangents(%one) of [0] wrt [1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// for _ in range(5): x = sin(x * w)
func.func private @counted(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<f64>) {
    %0 = cell.mul %a, %w : tensor<f64>
    %1 = cell.sin %0 : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %r : tensor<f64>
}
func.func private @counted_gradient(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @counted(%x, %w) cotangents(%one) of [0] wrt [1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// CHECK-LABEL: func.func @counted_second
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<f64>, !cell.stash<tensor<f64>, 5>)
func.func @counted_second(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @counted_gradient(%x, %w) cotangents(%one) of [0] wrt [1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
