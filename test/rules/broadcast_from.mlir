// Derivative of cell.broadcast_from: the root gets the sum of the cotangents, the others zero.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.broadcast_from %{{.*}} root 1 : tensor<2xf64>
func.func private @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = cell.broadcast_from %x root 1 : tensor<2xf64>
  return %0 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: %[[R:.*]] = cell.all_reduce %[[CT]] "sum" : tensor<2xf64>
// ADJOINT-NEXT: %[[ME:.*]] = cell.rank : tensor<i64>
// ADJOINT-NEXT: %[[IS:.*]] = cell.equal %[[ME]], %{{.*}} : tensor<i64>
// ADJOINT-NEXT: %[[ALL:.*]] = cell.broadcast %[[IS]] along [0] : tensor<i1> -> tensor<2xi1>
// ADJOINT-NEXT: %[[S:.*]] = cell.select %[[ALL]], %[[R]], %{{.*}}
// ADJOINT-NEXT: return %[[S]]
func.func @vjp(%x: tensor<2xf64>, %ct: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: %[[R:.*]] = cell.broadcast_from %[[T]] root 1 : tensor<2xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// Rank 1 has twice the numbers of rank 0.
// VALUES: rank 0 result 0: tensor<2xf64> [2.0, -4.0]
// VALUES-NEXT: rank 0 result 1: tensor<2xf64> [0.0, 0.0]
// VALUES-NEXT: rank 0 result 2: tensor<2xf64> [6.0, 10.0]
// VALUES-NEXT: rank 1 result 0: tensor<2xf64> [2.0, -4.0]
// VALUES-NEXT: rank 1 result 1: tensor<2xf64> [30.0, 60.0]
// VALUES-NEXT: rank 1 result 2: tensor<2xf64> [6.0, 10.0]
func.func @values() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %rank = cell.rank : tensor<i64>
  %one = cell.constant dense<1> : tensor<i64>
  %number = cell.add %rank, %one : tensor<i64>
  %times = cell.cast %number : tensor<i64> to tensor<f64>
  %x0 = cell.constant dense<[1.0, -2.0]> : tensor<2xf64>
  %xs = cell.broadcast %times along [0] : tensor<f64> -> tensor<2xf64>
  %x = cell.mul %x0, %xs : tensor<2xf64>
  %ct0 = cell.constant dense<[10.0, 20.0]> : tensor<2xf64>
  %cts = cell.broadcast %times along [0] : tensor<f64> -> tensor<2xf64>
  %ct = cell.mul %ct0, %cts : tensor<2xf64>
  %t0 = cell.constant dense<[3.0, 5.0]> : tensor<2xf64>
  %t = cell.mul %t0, %xs : tensor<2xf64>
  %0 = func.call @f(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %1 = func.call @vjp(%x, %ct) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %2 = func.call @jvp(%x, %t) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
