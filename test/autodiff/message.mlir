// Derivatives of cell.send and cell.receive: each is the adjoint of the other, on the other rank.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=second --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=SECOND

// Rank 0 has x and gives 3 x; rank 1 gives y * y of the y = 2 x that it gets.
// FORWARD: cell.send %{{.*}} to 1 tag 5 : tensor<2xf64>
// FORWARD: cell.receive %{{.*}} from 0 tag 5 : tensor<2xf64>
func.func private @first(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = cell.add %x, %x : tensor<2xf64>
  %zeros = cell.send %y to 1 tag 5 : tensor<2xf64>
  %0 = cell.add %y, %x : tensor<2xf64>
  %1 = cell.add %0, %zeros : tensor<2xf64>
  return %1 : tensor<2xf64>
}
func.func private @last(%like: tensor<2xf64>) -> tensor<2xf64> {
  %y = cell.receive %like from 0 tag 5 : tensor<2xf64>
  %0 = cell.mul %y, %y : tensor<2xf64>
  return %0 : tensor<2xf64>
}

// What comes back is told from what is sent by its tag: 1 << 32 | 5, and of tangents 2 << 32 | 5.
// ADJOINT-LABEL: func.func @vjp_first(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<2xf64>, %[[CT:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: %[[ZEROS:.*]] = cell.send %{{.*}} to 1 tag 5
// ADJOINT: %[[TIED:.*]] = cell.add %[[CT]], %[[ZEROS]]
// ADJOINT: %[[BACK:.*]] = cell.receive %[[TIED]] from 1 tag 4294967301 : tensor<2xf64>
// ADJOINT: cell.add %{{.*}}%[[BACK]]
func.func @vjp_first(%x: tensor<2xf64>, %ct: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @first(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
// ADJOINT-LABEL: func.func @vjp_last(
// ADJOINT: cell.receive %{{.*}} from 0 tag 5
// ADJOINT: %[[ZEROS:.*]] = cell.send %{{.*}} to 0 tag 4294967301 : tensor<2xf64>
// ADJOINT: return %[[ZEROS]]
func.func @vjp_last(%like: tensor<2xf64>, %ct: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @last(%like) cotangents(%ct) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
// ADJOINT-LABEL: func.func @jvp_first(
// ADJOINT: cell.send %{{.*}} to 1 tag 8589934597
func.func @jvp_first(%x: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @first(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
// ADJOINT-LABEL: func.func @jvp_last(
// ADJOINT: cell.receive %{{.*}} from 0 tag 8589934597
func.func @jvp_last(%like: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @last(%like) tangents(%t) wrt [0] of [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// Of 3 x + 10 (2 x)^2, where rank 1 has the cotangent 10: 3 + 80 x. The tangent of rank 1 is 8 x.
// VALUES-DAG: rank 0 result 0: tensor<2xf64> [83.0, -157.0]
// VALUES-DAG: rank 0 result 1: tensor<2xf64> [3.0, 3.0]
// VALUES-DAG: rank 1 result 0: tensor<2xf64> [0.0, 0.0]
// VALUES-DAG: rank 1 result 1: tensor<2xf64> [8.0, -16.0]
func.func @values() -> (tensor<2xf64>, tensor<2xf64>) {
  %x = cell.constant dense<[1.0, -2.0]> : tensor<2xf64>
  %one = cell.constant dense<1.0> : tensor<2xf64>
  %ten = cell.constant dense<10.0> : tensor<2xf64>
  %rank = cell.rank : tensor<i64>
  %zero = cell.constant dense<0> : tensor<i64>
  %is = cell.equal %rank, %zero : tensor<i64>
  %c = tensor.extract %is[] : tensor<i1>
  %r:2 = scf.if %c -> (tensor<2xf64>, tensor<2xf64>) {
    %0 = func.call @vjp_first(%x, %one) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %1 = func.call @jvp_first(%x, %one) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    scf.yield %0, %1 : tensor<2xf64>, tensor<2xf64>
  } else {
    %0 = func.call @vjp_last(%x, %ten) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %1 = func.call @jvp_last(%x, %one) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    scf.yield %0, %1 : tensor<2xf64>, tensor<2xf64>
  }
  return %r#0, %r#1 : tensor<2xf64>, tensor<2xf64>
}

// Both ranks differentiate their gradients: of 3 + 80 x, with a cotangent of 1, it is 80.
// SECOND-DAG: rank 0 result 0: tensor<2xf64> [80.0, 80.0]
// SECOND-DAG: rank 1 result 0: tensor<2xf64> [0.0, 0.0]
func.func private @slope_first(%x: tensor<2xf64>) -> tensor<2xf64> {
  %one = cell.constant dense<1.0> : tensor<2xf64>
  %0 = func.call @vjp_first(%x, %one) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func private @slope_last(%like: tensor<2xf64>) -> tensor<2xf64> {
  %ten = cell.constant dense<10.0> : tensor<2xf64>
  %0 = func.call @vjp_last(%like, %ten) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @second() -> tensor<2xf64> {
  %x = cell.constant dense<[1.0, -2.0]> : tensor<2xf64>
  %one = cell.constant dense<1.0> : tensor<2xf64>
  %rank = cell.rank : tensor<i64>
  %zero = cell.constant dense<0> : tensor<i64>
  %is = cell.equal %rank, %zero : tensor<i64>
  %c = tensor.extract %is[] : tensor<i1>
  %r = scf.if %c -> (tensor<2xf64>) {
    %0:2 = cell.vjp @slope_first(%x) cotangents(%one) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    scf.yield %0#1 : tensor<2xf64>
  } else {
    %0:2 = cell.vjp @slope_last(%x) cotangents(%one) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    scf.yield %0#1 : tensor<2xf64>
  }
  return %r : tensor<2xf64>
}
