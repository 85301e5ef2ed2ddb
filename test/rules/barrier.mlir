// Derivative of cell.barrier: the identity in x, whatever comes before it.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.barrier %{{.*}} after(%{{.*}}) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
func.func private @f(%x: tensor<2xf64>, %y: tensor<f64>) -> tensor<2xf64> {
  %0 = cell.barrier %x after(%y) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<f64>
// ADJOINT: return %[[CT]], %[[Z]]
func.func @vjp(%x: tensor<2xf64>, %y: tensor<f64>, %ct: tensor<2xf64>) -> (tensor<2xf64>, tensor<f64>) {
  %0:3 = cell.vjp @f(%x, %y) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<f64>)
  return %0#1, %0#2 : tensor<2xf64>, tensor<f64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: return %[[T]]
func.func @jvp(%x: tensor<2xf64>, %y: tensor<f64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @f(%x, %y) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// VALUES: result 0: tensor<2xf64> [1.5, -2.0]
// VALUES-NEXT: result 1: tensor<2xf64> [3.0, 4.0]
// VALUES-NEXT: result 2: tensor<2xf64> [5.0, 6.0]
func.func @values() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %x = cell.constant dense<[1.5, -2.0]> : tensor<2xf64>
  %y = cell.constant dense<7.0> : tensor<f64>
  %ct = cell.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %t = cell.constant dense<[5.0, 6.0]> : tensor<2xf64>
  %0 = func.call @f(%x, %y) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %1:2 = func.call @vjp(%x, %y, %ct) : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<f64>)
  %2 = func.call @jvp(%x, %y, %t) : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  return %0, %1#0, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
