// Nothing upstream of a stopped gradient, a predicate or an integer gets adjoint code, at any order.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-opt %s --cell-differentiate=simplify=false | FileCheck %s --check-prefix=RAW
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// x^2 + stop(exp(tanh(x)))
func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.square %x : tensor<f64>
  %1 = cell.tanh %x : tensor<f64>
  %2 = cell.exp %1 : tensor<f64>
  %3 = cell.stop_gradient %2 : tensor<f64>
  %4 = cell.add %0, %3 : tensor<f64>
  return %4 : tensor<f64>
}

// CHECK-LABEL: func.func @first(
// CHECK-NOT: cell.tanh
// CHECK-NOT: cell.exp
// CHECK-NOT: cell.sub
// CHECK: return
// Without simplification the primal's own tanh and exp stay, but no op of their adjoints appears.
// RAW-LABEL: func.func @first(
// RAW: cell.tanh
// RAW-NOT: cell.sub
// RAW: return
func.func @first(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// CHECK-LABEL: func.func @tangent(
// CHECK-NOT: cell.tanh
// CHECK-NOT: cell.exp
// CHECK: return
func.func @tangent(%x: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// The second derivative of the whole is the constant 2 times both cotangents.
// CHECK-LABEL: func.func @second(
// CHECK-NOT: cell.tanh
// CHECK-NOT: cell.exp
// CHECK: return
func.func @second(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @first(%x, %ct) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// x * stop(x): the derivative is x, its derivative is zero.
func.func private @half(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.stop_gradient %x : tensor<f64>
  %1 = cell.mul %x, %0 : tensor<f64>
  return %1 : tensor<f64>
}
func.func private @half_first(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @half(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// CHECK-LABEL: func.func @half_second(
// CHECK-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[Z]]
func.func @half_second(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @half_first(%x) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// x * (number of exp(x) > 1, by way of integers): no adjoint of exp.
func.func private @counted(%x: tensor<2xf64>) -> tensor<2xf64> {
  %one = cell.constant dense<1.0> : tensor<2xf64>
  %0 = cell.exp %x : tensor<2xf64>
  %1 = cell.greater %0, %one : tensor<2xf64>
  %2 = cell.cast %1 : tensor<2xi1> to tensor<2xi32>
  %3 = cell.reduce_sum %2 over [0] : tensor<2xi32> -> tensor<i32>
  %4 = cell.cast %3 : tensor<i32> to tensor<f64>
  %5 = cell.broadcast %4 along [0] : tensor<f64> -> tensor<2xf64>
  %6 = cell.mul %x, %5 : tensor<2xf64>
  return %6 : tensor<2xf64>
}
// CHECK-LABEL: func.func @through_integers(
// CHECK-SAME: %{{.*}}: tensor<2xf64>, %[[CT:.*]]: tensor<2xf64>)
// CHECK: %[[N:.*]] = cell.broadcast
// CHECK-NEXT: %[[R:.*]] = cell.mul %[[CT]], %[[N]]
// CHECK-NEXT: return %[[R]]
func.func @through_integers(%x: tensor<2xf64>, %ct: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @counted(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// VALUES:      result 0: tensor<f64> 6.0
// VALUES-NEXT: result 1: tensor<f64> 2.0
// VALUES-NEXT: result 2: tensor<f64> 3.0
// VALUES-NEXT: result 3: tensor<2xf64> [1.0, 1.0]
func.func @values() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<2xf64>) {
  %x = cell.constant dense<3.0> : tensor<f64>
  %one = cell.constant dense<1.0> : tensor<f64>
  %0 = call @first(%x, %one) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = call @second(%x, %one) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = call @half_first(%x) : (tensor<f64>) -> tensor<f64>
  %v = cell.constant dense<[-2.0, 2.0]> : tensor<2xf64>
  %w = cell.constant dense<1.0> : tensor<2xf64>
  %3 = call @through_integers(%v, %w) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0, %1, %2, %3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<2xf64>
}
