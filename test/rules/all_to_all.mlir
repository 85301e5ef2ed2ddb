// Derivative of cell.all_to_all: cotangents go back the same way.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.all_to_all %{{.*}} ranks 2 : tensor<4xf64>
func.func private @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.all_to_all %x ranks 2 : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<4xf64>)
// ADJOINT: %[[R:.*]] = cell.all_to_all %[[CT]] ranks 2 : tensor<4xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<4xf64>, %ct: tensor<4xf64>) -> tensor<4xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<4xf64>)
// ADJOINT: %[[R:.*]] = cell.all_to_all %[[T]] ranks 2 : tensor<4xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// Rank 1 has twice the numbers of rank 0.
// VALUES: rank 0 result 0: tensor<4xf64> [1.0, 2.0, 2.0, 4.0]
// VALUES-NEXT: rank 0 result 1: tensor<4xf64> [10.0, 20.0, 20.0, 40.0]
// VALUES-NEXT: rank 0 result 2: tensor<4xf64> [1.0, 0.0, 2.0, 0.0]
// VALUES-NEXT: rank 1 result 0: tensor<4xf64> [3.0, 4.0, 6.0, 8.0]
// VALUES-NEXT: rank 1 result 1: tensor<4xf64> [30.0, 40.0, 60.0, 80.0]
// VALUES-NEXT: rank 1 result 2: tensor<4xf64> [2.0, 5.0, 4.0, 10.0]
func.func @values() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %rank = cell.rank : tensor<i64>
  %one = cell.constant dense<1> : tensor<i64>
  %number = cell.add %rank, %one : tensor<i64>
  %times = cell.cast %number : tensor<i64> to tensor<f64>
  %x0 = cell.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %xs = cell.broadcast %times along [0] : tensor<f64> -> tensor<4xf64>
  %x = cell.mul %x0, %xs : tensor<4xf64>
  %ct0 = cell.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf64>
  %cts = cell.broadcast %times along [0] : tensor<f64> -> tensor<4xf64>
  %ct = cell.mul %ct0, %cts : tensor<4xf64>
  %t0 = cell.constant dense<[1.0, 0.0, 2.0, 5.0]> : tensor<4xf64>
  %t = cell.mul %t0, %xs : tensor<4xf64>
  %0 = func.call @f(%x) : (tensor<4xf64>) -> tensor<4xf64>
  %1 = func.call @vjp(%x, %ct) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %2 = func.call @jvp(%x, %t) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0, %1, %2 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}
