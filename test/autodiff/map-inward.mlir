// The mapped gradient of a loop whose length differs within the batch is the gradient of the mapped loop.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// while x < 10: x = x * x
func.func private @power(%x: tensor<f64>) -> tensor<f64> {
  %limit = cell.constant dense<10.0> : tensor<f64>
  %r = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %p = cell.less %a, %limit : tensor<f64>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %b = cell.mul %a, %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %r : tensor<f64>
}

func.func private @gradient(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @power(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

func.func private @second(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @gradient(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// One loop for all, that keeps batches; the walk back leaves elements alone that had ended.
// CHECK-LABEL: func.func @gradients
// CHECK:         %[[FORWARD:.*]]:3 = scf.while ({{.*}}) : (tensor<3xf64>, !cell.stash<tensor<3xf64>>, index)
// CHECK:           cell.reduce_max
// CHECK:           cell.stash_write
// CHECK:         scf.for {{.*}} to %[[FORWARD]]#2
// CHECK:           %[[KEPT:.*]] = cell.stash_read %[[FORWARD]]#1
// CHECK:           %[[ACTIVE:.*]] = cell.less %[[KEPT]]
// CHECK:           cell.select %[[ACTIVE]]
// CHECK-NOT:     cell.vmap
// CHECK-NOT:     cell.vjp
func.func @gradients(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = cell.vmap @gradient(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func @seconds(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = cell.vmap @second(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// A batch of batches: the inner map is exchanged first.
func.func private @row(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = cell.vmap @gradient(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// Two, three and no trips: x^4, x^8 and x, of which the derivatives are exact.
func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<2x3xf64>) {
  %x = cell.constant dense<[3.0, 1.5, 20.0]> : tensor<3xf64>
  %xs = cell.constant dense<[[3.0, 1.5, 20.0], [20.0, 20.0, 3.0]]> : tensor<2x3xf64>
  // VALUES: tensor<3xf64> [108.0, 136.6875, 1.0]
  %0 = cell.vmap @gradient(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  // VALUES: tensor<3xf64> [108.0, 637.875, 0.0]
  %1 = cell.vmap @second(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  // VALUES: tensor<2x3xf64> {{\[\[}}108.0, 136.6875, 1.0], [1.0, 1.0, 108.0]]
  %2 = cell.vmap @row(%xs) in [0] out [0] : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0, %1, %2 : tensor<3xf64>, tensor<3xf64>, tensor<2x3xf64>
}
