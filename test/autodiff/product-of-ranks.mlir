// Derivatives of a product over ranks: of what the others have, so that zeros are like other numbers. Three elements
// are no multiple of two ranks. The numbers are those of jax.vjp and jax.jvp of jnp.prod over all ranks in one process.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.all_reduce %{{.*}} "prod" ranks 2 : tensor<3xf64>
func.func private @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = cell.all_reduce %x "prod" ranks 2 : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<3xf64>, %[[CT:[a-z0-9]+]]: tensor<3xf64>)
// ADJOINT: %[[TOTAL:.*]] = cell.all_reduce %[[CT]] "sum" : tensor<3xf64>
// ADJOINT-NEXT: %[[ALL:.*]] = cell.pad %[[X]] low [0] high [1] interior [0] : tensor<3xf64> -> tensor<4xf64>
// ADJOINT-NEXT: %[[PARTS:.*]] = cell.all_to_all %[[ALL]] ranks 2 : tensor<4xf64>
// ADJOINT-NEXT: %[[ROWS:.*]] = cell.reshape %[[PARTS]] : tensor<4xf64> -> tensor<2x2xf64>
// ADJOINT-NEXT: %[[BEFORE:.*]] = cell.cumprod %[[ROWS]] along 0 {exclusive = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[BEHIND:.*]] = cell.cumprod %[[ROWS]] along 0 {exclusive = true, reverse = true} : tensor<2x2xf64>
// ADJOINT-NEXT: %[[OTHERS:.*]] = cell.mul %[[BEFORE]], %[[BEHIND]] : tensor<2x2xf64>
// ADJOINT-NEXT: %[[FLAT:.*]] = cell.reshape %[[OTHERS]] : tensor<2x2xf64> -> tensor<4xf64>
// ADJOINT-NEXT: %[[BACK:.*]] = cell.all_to_all %[[FLAT]] ranks 2 : tensor<4xf64>
// ADJOINT-NEXT: %[[OWN:.*]] = cell.slice %[[BACK]]{{.*}} -> tensor<3xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.mul %[[TOTAL]], %[[OWN]] : tensor<3xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<3xf64>, %ct: tensor<3xf64>) -> tensor<3xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<3xf64>)
// ADJOINT: %[[OWN:.*]] = cell.slice
// ADJOINT: %[[PART:.*]] = cell.mul %[[T]], %[[OWN]] : tensor<3xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.all_reduce %[[PART]] "sum" : tensor<3xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<3xf64>, %t: tensor<3xf64>) -> tensor<3xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// Second derivatives, both ways.
func.func @slopes(%x: tensor<3xf64>, %ct: tensor<3xf64>, %t: tensor<3xf64>) -> tensor<3xf64> {
  %0:2 = cell.jvp @vjp(%x, %ct) tangents(%t) wrt [0] of [0] : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}
func.func @back(%x: tensor<3xf64>, %ct: tensor<3xf64>, %t: tensor<3xf64>) -> tensor<3xf64> {
  %0:2 = cell.vjp @vjp(%x, %ct) cotangents(%t) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// Of the second element one rank has a zero, of the third both.
// VALUES: rank 0 result 0: tensor<3xf64> [6.0, 0.0, 0.0]
// VALUES-NEXT: rank 0 result 1: tensor<3xf64> [90.0, 300.0, 0.0]
// VALUES-NEXT: rank 0 result 2: tensor<3xf64> [7.0, 10.0, 0.0]
// VALUES-NEXT: rank 0 result 3: tensor<3xf64> [60.0, 240.0, 540.0]
// VALUES-NEXT: rank 0 result 4: tensor<3xf64> [60.0, 240.0, 540.0]
// VALUES-NEXT: rank 1 result 0: tensor<3xf64> [6.0, 0.0, 0.0]
// VALUES-NEXT: rank 1 result 1: tensor<3xf64> [60.0, 0.0, 0.0]
// VALUES-NEXT: rank 1 result 2: tensor<3xf64> [7.0, 10.0, 0.0]
// VALUES-NEXT: rank 1 result 3: tensor<3xf64> [30.0, 120.0, 270.0]
// VALUES-NEXT: rank 1 result 4: tensor<3xf64> [30.0, 120.0, 270.0]
func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %rank = cell.rank : tensor<i64>
  %zero = cell.constant dense<0> : tensor<i64>
  %is = cell.equal %rank, %zero : tensor<i64>
  %first = cell.broadcast %is along [0] : tensor<i1> -> tensor<3xi1>
  %x0 = cell.constant dense<[2.0, 0.0, 0.0]> : tensor<3xf64>
  %x1 = cell.constant dense<[3.0, 5.0, 0.0]> : tensor<3xf64>
  %x = cell.select %first, %x0, %x1 : tensor<3xf64>
  %ct0 = cell.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf64>
  %ct1 = cell.constant dense<[20.0, 40.0, 60.0]> : tensor<3xf64>
  %ct = cell.select %first, %ct0, %ct1 : tensor<3xf64>
  %t0 = cell.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %t1 = cell.constant dense<[2.0, 4.0, 6.0]> : tensor<3xf64>
  %t = cell.select %first, %t0, %t1 : tensor<3xf64>
  %0 = func.call @f(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %1 = func.call @vjp(%x, %ct) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %2 = func.call @jvp(%x, %t) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %3 = func.call @slopes(%x, %ct, %t) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %4 = func.call @back(%x, %ct, %t) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %0, %1, %2, %3, %4 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
