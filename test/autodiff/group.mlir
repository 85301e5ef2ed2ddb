// Derivatives of the collectives of a group are collectives of that group.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --ranks=3 --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.all_reduce %{{.*}} "max" group [2, 0] : tensor<2xf64>
// FORWARD: cell.all_gather %{{.*}} ranks 2 group [2, 0] : tensor<2xf64> -> tensor<4xf64>
// FORWARD: cell.all_to_all %{{.*}} ranks 2 group [2, 0] : tensor<4xf64>
// FORWARD: cell.reduce_scatter %{{.*}} "sum" ranks 2 group [2, 0] : tensor<4xf64> -> tensor<2xf64>
// FORWARD: cell.broadcast_from %{{.*}} root 0 group [2, 0] : tensor<2xf64>
// FORWARD: cell.meet group [2, 0]
func.func private @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = cell.all_reduce %x "max" group [2, 0] : tensor<2xf64>
  %1 = cell.mul %0, %x : tensor<2xf64>
  %2 = cell.all_gather %1 ranks 2 group [2, 0] : tensor<2xf64> -> tensor<4xf64>
  %3 = cell.all_to_all %2 ranks 2 group [2, 0] : tensor<4xf64>
  %4 = cell.reduce_scatter %3 "sum" ranks 2 group [2, 0] : tensor<4xf64> -> tensor<2xf64>
  %5 = cell.broadcast_from %4 root 0 group [2, 0] : tensor<2xf64>
  cell.meet group [2, 0]
  return %5 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT: cell.meet group [2, 0]
// ADJOINT: cell.all_reduce %{{.*}} "sum" group [2, 0] : tensor<2xf64>
// ADJOINT: cell.all_gather %{{.*}} ranks 2 group [2, 0] : tensor<2xf64> -> tensor<4xf64>
// ADJOINT: cell.all_to_all %{{.*}} ranks 2 group [2, 0] : tensor<4xf64>
// ADJOINT: cell.reduce_scatter %{{.*}} "sum" ranks 2 group [2, 0] : tensor<4xf64> -> tensor<2xf64>
// ADJOINT: cell.all_reduce %{{.*}} "sum" group [2, 0] : tensor<2xf64>
// ADJOINT: cell.all_reduce %{{.*}} "sum" group [2, 0] : tensor<2xf64>
func.func @vjp(%x: tensor<2xf64>, %ct: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<2xf64>, tensor<2xf64>
}
// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-COUNT-9: group [2, 0]
func.func @jvp(%x: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// On rank 0 x is (1, -2), on rank 2 (3, -6): the maximum is (3, -2), and what all get is its product with the sum.
// VALUES-DAG: rank 1 result 0: tensor<2xf64> [2.0, -4.0]
// VALUES-DAG: rank 0 result 0: tensor<2xf64> [12.0, 16.0]
// VALUES-DAG: rank 0 result 1: tensor<2xf64> [36.0, -200.0]
// VALUES-DAG: rank 0 result 2: tensor<2xf64> [72.0, -80.0]
// VALUES-DAG: rank 2 result 0: tensor<2xf64> [12.0, 16.0]
// VALUES-DAG: rank 2 result 1: tensor<2xf64> [84.0, -40.0]
// VALUES-DAG: rank 2 result 2: tensor<2xf64> [72.0, -80.0]
func.func @values() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %rank = cell.rank : tensor<i64>
  %one = cell.constant dense<1> : tensor<i64>
  %number = cell.add %rank, %one : tensor<i64>
  %times = cell.cast %number : tensor<i64> to tensor<f64>
  %scale = cell.broadcast %times along [0] : tensor<f64> -> tensor<2xf64>
  %x0 = cell.constant dense<[1.0, -2.0]> : tensor<2xf64>
  %x = cell.mul %x0, %scale : tensor<2xf64>
  %t0 = cell.constant dense<[3.0, 5.0]> : tensor<2xf64>
  %t = cell.mul %t0, %scale : tensor<2xf64>
  %is = cell.equal %rank, %one : tensor<i64>
  %c = tensor.extract %is[] : tensor<i1>
  %r:3 = scf.if %c -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
    scf.yield %x, %x, %x : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
  } else {
    %0:2 = func.call @vjp(%x, %t) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    %1 = func.call @jvp(%x, %t) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    scf.yield %0#0, %0#1, %1 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
  }
  return %r#0, %r#1, %r#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
