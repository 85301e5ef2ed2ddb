// A loop of as many trips for all elements stays one; what is the same for all is so in every trip.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// Three times v = v x + y, from v = x: x^4 + y x^2 + y x + y.
func.func private @horner(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %start = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant 3 : index
  %0:2 = scf.for %i = %start to %end step %step iter_args(%v = %x, %c = %y) -> (tensor<f64>, tensor<f64>) {
    %1 = cell.mul %v, %x : tensor<f64>
    %2 = cell.add %1, %y : tensor<f64>
    %3 = cell.add %c, %y : tensor<f64>
    scf.yield %2, %3 : tensor<f64>, tensor<f64>
  }
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}
// CHECK-LABEL: func.func @mapped
// CHECK-SAME:      %[[X:.*]]: tensor<3xf64>, %[[Y:.*]]: tensor<f64>
// CHECK:         scf.for {{.*}} iter_args(%[[V:.*]] = %[[X]], %[[C:.*]] = %[[Y]]) -> (tensor<3xf64>, tensor<f64>)
// CHECK:           cell.mul %[[V]], %[[X]] : tensor<3xf64>
// CHECK:           cell.add %[[C]], %[[Y]] : tensor<f64>
func.func @mapped(%x: tensor<3xf64>, %y: tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %0:2 = cell.vmap @horner(%x, %y) in [0, -1] out [0, 0] : (tensor<3xf64>, tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#0, %0#1 : tensor<3xf64>, tensor<3xf64>
}

// A derivative of a loop without a known end: the map goes before it, and takes a map along. x is
// doubled and summed, and doubled again until it is 10 or more: 4 from 3, and 1 from 12.
func.func private @double(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.add %x, %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func private @until(%x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %less = cell.less %a, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %b = cell.add %a, %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func private @derivative(%x: tensor<2xf64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %doubled = cell.vmap @double(%x) in [0] out [0] : (tensor<2xf64>) -> tensor<2xf64>
  %sum = cell.reduce_sum %doubled over [0] : tensor<2xf64> -> tensor<f64>
  %0:2 = cell.vjp @until(%sum) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<2xf64>) {
  %x = cell.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %y = cell.constant dense<1.0> : tensor<f64>
  // VALUES: tensor<3xf64> [4.0, 23.0, 94.0]
  // VALUES: tensor<3xf64> [4.0, 4.0, 4.0]
  %0:2 = cell.vmap @horner(%x, %y) in [0, -1] out [0, 0] : (tensor<3xf64>, tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>)
  %rows = cell.constant dense<[[1.0, 0.5], [4.0, 2.0]]> : tensor<2x2xf64>
  // VALUES: tensor<2xf64> [4.0, 1.0]
  %1 = cell.vmap @derivative(%rows) in [0] out [0] : (tensor<2x2xf64>) -> tensor<2xf64>
  return %0#0, %0#1, %1 : tensor<3xf64>, tensor<3xf64>, tensor<2xf64>
}
