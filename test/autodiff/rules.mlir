// Calls with derivatives of their own, and calls that are run again for their adjoint.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES

func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.mul %x, %x : tensor<f64>
  return %0 : tensor<f64>
}
// Cotangent 7 x ct, which no differentiation gives.
func.func private @square_vjp(%x: tensor<f64>, %y: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %seven = cell.constant dense<7.0> : tensor<f64>
  %0 = cell.mul %x, %seven : tensor<f64>
  %1 = cell.mul %0, %ct : tensor<f64>
  return %1 : tensor<f64>
}
func.func private @square_jvp(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %five = cell.constant dense<5.0> : tensor<f64>
  %y = cell.mul %x, %x : tensor<f64>
  %0 = cell.mul %x, %five : tensor<f64>
  %1 = cell.mul %0, %t : tensor<f64>
  return %y, %1 : tensor<f64>, tensor<f64>
}

func.func private @by_vjp(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.custom @square(%x) vjp @square_vjp : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @by_jvp(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.custom @square(%x) jvp @square_jvp : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// Derivatives along 2.
// CHECK-LABEL: func.func @reverse
// CHECK-SAME:    %[[X:.*]]: tensor<f64>)
// CHECK:         %[[FOURTEEN:.*]] = cell.constant dense<1.4{{0*}}e+01>
// CHECK:         %[[R:.*]] = cell.mul %[[X]], %[[FOURTEEN]]
// CHECK-NOT:     cell.custom
// CHECK:         return %[[R]]
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @by_vjp(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// The transpose of the rule for forward mode.
// CHECK-LABEL: func.func @transposed
// CHECK:         %[[TEN:.*]] = cell.constant dense<1.0{{0*}}e+01>
// CHECK:         %[[R:.*]] = cell.mul %{{.*}}, %[[TEN]]
// CHECK:         return %[[R]]
func.func @transposed(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @by_jvp(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func @forward(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.jvp @by_jvp(%x) tangents(%two) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// Left alone, it is a call.
// CHECK-LABEL: func.func @plain
// CHECK:         cell.mul
// CHECK-NEXT:    return
func.func @plain(%x: tensor<f64>) -> tensor<f64> {
  %0 = func.call @by_vjp(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// sin(exp(x)): the adjoint computes exp(x) a second time, from behind a barrier, and only when its cotangent is there.
func.func private @block(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.exp %x : tensor<f64>
  %1 = cell.sin %0 : tensor<f64>
  return %1 : tensor<f64>
}
func.func private @with_recompute(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.recompute @block(%x) : (tensor<f64>) -> tensor<f64>
  %1 = cell.square %0 : tensor<f64>
  return %1 : tensor<f64>
}
// CHECK-LABEL: func.func @recomputed
// CHECK-SAME:    %[[X:.*]]: tensor<f64>)
// CHECK:         %[[FIRST:.*]] = cell.exp %[[X]]
// CHECK:         %[[SIN:.*]] = cell.sin %[[FIRST]]
// CHECK:         %[[CT:.*]] = cell.mul
// CHECK:         %[[AGAIN:.*]] = cell.barrier %[[X]] after(%[[CT]])
// CHECK:         %[[SECOND:.*]] = cell.exp %[[AGAIN]]
// CHECK:         cell.cos %[[SECOND]]
func.func @recomputed(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @with_recompute(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// In forward mode there is nothing to compute again.
// CHECK-LABEL: func.func @pushed
// CHECK-NOT:     cell.barrier
// CHECK:         return
func.func @pushed(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.jvp @with_recompute(%x) tangents(%two) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// The last two are 2 sin(2 exp(x)) exp(x) at 0.5, by mpmath.
// VALUES:      result 0: tensor<f64> 42.0
// VALUES-NEXT: result 1: tensor<f64> 30.0
// VALUES-NEXT: result 2: tensor<f64> 30.0
// VALUES-NEXT: result 3: tensor<f64> 9.0
// VALUES-NEXT: result 4: tensor<f64> -0.511828181827
// VALUES-NEXT: result 5: tensor<f64> -0.511828181827
func.func @values() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = cell.constant dense<3.0> : tensor<f64>
  %half = cell.constant dense<0.5> : tensor<f64>
  %0 = func.call @reverse(%x) : (tensor<f64>) -> tensor<f64>
  %1 = func.call @transposed(%x) : (tensor<f64>) -> tensor<f64>
  %2 = func.call @forward(%x) : (tensor<f64>) -> tensor<f64>
  %3 = func.call @plain(%x) : (tensor<f64>) -> tensor<f64>
  %4 = func.call @recomputed(%half) : (tensor<f64>) -> tensor<f64>
  %5 = func.call @pushed(%half) : (tensor<f64>) -> tensor<f64>
  return %0, %1, %2, %3, %4, %5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}
