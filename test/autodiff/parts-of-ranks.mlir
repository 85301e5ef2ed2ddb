// Derivatives of the parts of extrema and of a product over ranks. The numbers are those of jax.vjp and jax.jvp of
// jnp.max, jnp.min and jnp.prod over all ranks in one process, whose ties have equal parts, too.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=extrema --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=EXTREMA
// RUN: cell-run %s --entry=products --ranks=2 --passes=cell-differentiate | FileCheck %s --check-prefix=PRODUCTS

// FORWARD: cell.reduce_scatter %{{.*}} "max" ranks 2 : tensor<4xf64> -> tensor<2xf64>
func.func private @max(%x: tensor<4xf64>) -> tensor<2xf64> {
  %0 = cell.reduce_scatter %x "max" ranks 2 : tensor<4xf64> -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// FORWARD: cell.reduce_scatter %{{.*}} "min" ranks 2 : tensor<4xf64> -> tensor<2xf64>
func.func private @min(%x: tensor<4xf64>) -> tensor<2xf64> {
  %0 = cell.reduce_scatter %x "min" ranks 2 : tensor<4xf64> -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// FORWARD: cell.reduce_scatter %{{.*}} "prod" ranks 2 : tensor<4xf64> -> tensor<2xf64>
func.func private @prod(%x: tensor<4xf64>) -> tensor<2xf64> {
  %0 = cell.reduce_scatter %x "prod" ranks 2 : tensor<4xf64> -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @vjp_max(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<4xf64>, %[[CT:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: %[[PART:.*]] = cell.reduce_scatter %[[X]] "max" ranks 2
// ADJOINT-NEXT: %[[TOTAL:.*]] = cell.all_gather %[[CT]] ranks 2 : tensor<2xf64> -> tensor<4xf64>
// ADJOINT-NEXT: %[[WHOLE:.*]] = cell.all_gather %[[PART]] ranks 2 : tensor<2xf64> -> tensor<4xf64>
// ADJOINT-NEXT: %[[IS:.*]] = cell.equal %[[X]], %[[WHOLE]] : tensor<4xf64>
// ADJOINT-NEXT: %[[MASK:.*]] = cell.cast %[[IS]]
// ADJOINT-NEXT: %[[COUNT:.*]] = cell.all_reduce %[[MASK]] "sum" : tensor<4xf64>
// ADJOINT-NEXT: %[[EACH:.*]] = cell.div %[[TOTAL]], %[[COUNT]] : tensor<4xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.mul %[[EACH]], %[[MASK]] : tensor<4xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp_max(%x: tensor<4xf64>, %ct: tensor<2xf64>) -> tensor<4xf64> {
  %0:2 = cell.vjp @max(%x) cotangents(%ct) of [0] wrt [0] : (tensor<4xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// ADJOINT-LABEL: func.func @jvp_max(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<4xf64>)
// ADJOINT: %[[MASK:.*]] = cell.cast
// ADJOINT-NEXT: %[[OWN:.*]] = cell.mul %[[T]], %[[MASK]] : tensor<4xf64>
// ADJOINT-NEXT: %[[SUM:.*]] = cell.reduce_scatter %[[OWN]] "sum" ranks 2 : tensor<4xf64> -> tensor<2xf64>
// ADJOINT-NEXT: %[[COUNT:.*]] = cell.reduce_scatter %[[MASK]] "sum" ranks 2 : tensor<4xf64> -> tensor<2xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.div %[[SUM]], %[[COUNT]] : tensor<2xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp_max(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @max(%x) tangents(%t) wrt [0] of [0] : (tensor<4xf64>, tensor<4xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
func.func @vjp_min(%x: tensor<4xf64>, %ct: tensor<2xf64>) -> tensor<4xf64> {
  %0:2 = cell.vjp @min(%x) cotangents(%ct) of [0] wrt [0] : (tensor<4xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}
func.func @jvp_min(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @min(%x) tangents(%t) wrt [0] of [0] : (tensor<4xf64>, tensor<4xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// ADJOINT-LABEL: func.func @vjp_prod(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<2xf64>)
// ADJOINT: %[[TOTAL:.*]] = cell.all_gather %[[CT]] ranks 2 : tensor<2xf64> -> tensor<4xf64>
// ADJOINT-NEXT: cell.all_to_all
// ADJOINT: %[[OTHERS:.*]] = cell.all_to_all
// ADJOINT-NEXT: %[[R:.*]] = cell.mul %[[TOTAL]], %[[OTHERS]] : tensor<4xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp_prod(%x: tensor<4xf64>, %ct: tensor<2xf64>) -> tensor<4xf64> {
  %0:2 = cell.vjp @prod(%x) cotangents(%ct) of [0] wrt [0] : (tensor<4xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}
func.func @jvp_prod(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<2xf64> {
  %0:2 = cell.jvp @prod(%x) tangents(%t) wrt [0] of [0] : (tensor<4xf64>, tensor<4xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}

// Second derivatives, both ways.
func.func @slopes(%x: tensor<4xf64>, %ct: tensor<2xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %0:2 = cell.jvp @vjp_prod(%x, %ct) tangents(%t) wrt [0] of [0] : (tensor<4xf64>, tensor<2xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}
func.func @back(%x: tensor<4xf64>, %ct: tensor<2xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %0:2 = cell.vjp @vjp_prod(%x, %ct) cotangents(%t) of [0] wrt [0] : (tensor<4xf64>, tensor<2xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// Both ranks have the extrema of the third element.
// EXTREMA:      rank 0 result 0: tensor<2xf64> [3.0, 5.0]
// EXTREMA-NEXT: rank 0 result 1: tensor<4xf64> [0.0, 20.0, 15.0, 40.0]
// EXTREMA-NEXT: rank 0 result 2: tensor<2xf64> [5.0, 2.0]
// EXTREMA-NEXT: rank 0 result 3: tensor<2xf64> [1.0, 4.0]
// EXTREMA-NEXT: rank 0 result 4: tensor<4xf64> [10.0, 0.0, 15.0, 0.0]
// EXTREMA-NEXT: rank 0 result 5: tensor<2xf64> [1.0, 6.0]
// EXTREMA-NEXT: rank 1 result 0: tensor<2xf64> [2.0, 2.0]
// EXTREMA-NEXT: rank 1 result 1: tensor<4xf64> [10.0, 0.0, 15.0, 0.0]
// EXTREMA-NEXT: rank 1 result 2: tensor<2xf64> [5.0, 4.0]
// EXTREMA-NEXT: rank 1 result 3: tensor<2xf64> [2.0, 1.0]
// EXTREMA-NEXT: rank 1 result 4: tensor<4xf64> [0.0, 20.0, 15.0, 40.0]
// EXTREMA-NEXT: rank 1 result 5: tensor<2xf64> [5.0, 8.0]
func.func @extrema() -> (tensor<2xf64>, tensor<4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<4xf64>, tensor<2xf64>) {
  %rank = cell.rank : tensor<i64>
  %zero = cell.constant dense<0> : tensor<i64>
  %is = cell.equal %rank, %zero : tensor<i64>
  %first = cell.broadcast %is along [0] : tensor<i1> -> tensor<4xi1>
  %x0 = cell.constant dense<[1.0, 5.0, 2.0, 2.0]> : tensor<4xf64>
  %x1 = cell.constant dense<[3.0, 4.0, 2.0, 1.0]> : tensor<4xf64>
  %x = cell.select %first, %x0, %x1 : tensor<4xf64>
  %part = cell.slice %first from [0] to [2] by [1] : tensor<4xi1> -> tensor<2xi1>
  %ct0 = cell.constant dense<[10.0, 20.0]> : tensor<2xf64>
  %ct1 = cell.constant dense<[30.0, 40.0]> : tensor<2xf64>
  %ct = cell.select %part, %ct0, %ct1 : tensor<2xf64>
  %t0 = cell.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %t1 = cell.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf64>
  %t = cell.select %first, %t0, %t1 : tensor<4xf64>
  %0 = func.call @max(%x) : (tensor<4xf64>) -> tensor<2xf64>
  %1 = func.call @vjp_max(%x, %ct) : (tensor<4xf64>, tensor<2xf64>) -> tensor<4xf64>
  %2 = func.call @jvp_max(%x, %t) : (tensor<4xf64>, tensor<4xf64>) -> tensor<2xf64>
  %3 = func.call @min(%x) : (tensor<4xf64>) -> tensor<2xf64>
  %4 = func.call @vjp_min(%x, %ct) : (tensor<4xf64>, tensor<2xf64>) -> tensor<4xf64>
  %5 = func.call @jvp_min(%x, %t) : (tensor<4xf64>, tensor<4xf64>) -> tensor<2xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf64>, tensor<4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<4xf64>, tensor<2xf64>
}

// A zero of one rank, of both, and of the other.
// PRODUCTS:      rank 0 result 0: tensor<2xf64> [6.0, 0.0]
// PRODUCTS-NEXT: rank 0 result 1: tensor<4xf64> [30.0, 100.0, 0.0, 0.0]
// PRODUCTS-NEXT: rank 0 result 2: tensor<2xf64> [13.0, 10.0]
// PRODUCTS-NEXT: rank 0 result 3: tensor<4xf64> [50.0, 120.0, 210.0, 320.0]
// PRODUCTS-NEXT: rank 0 result 4: tensor<4xf64> [50.0, 120.0, 210.0, 320.0]
// PRODUCTS-NEXT: rank 1 result 0: tensor<2xf64> [0.0, 0.0]
// PRODUCTS-NEXT: rank 1 result 1: tensor<4xf64> [20.0, 0.0, 0.0, 160.0]
// PRODUCTS-NEXT: rank 1 result 2: tensor<2xf64> [0.0, 32.0]
// PRODUCTS-NEXT: rank 1 result 3: tensor<4xf64> [10.0, 40.0, 90.0, 160.0]
// PRODUCTS-NEXT: rank 1 result 4: tensor<4xf64> [10.0, 40.0, 90.0, 160.0]
func.func @products() -> (tensor<2xf64>, tensor<4xf64>, tensor<2xf64>, tensor<4xf64>, tensor<4xf64>) {
  %rank = cell.rank : tensor<i64>
  %zero = cell.constant dense<0> : tensor<i64>
  %is = cell.equal %rank, %zero : tensor<i64>
  %first = cell.broadcast %is along [0] : tensor<i1> -> tensor<4xi1>
  %x0 = cell.constant dense<[2.0, 0.0, 0.0, 4.0]> : tensor<4xf64>
  %x1 = cell.constant dense<[3.0, 5.0, 0.0, 0.0]> : tensor<4xf64>
  %x = cell.select %first, %x0, %x1 : tensor<4xf64>
  %part = cell.slice %first from [0] to [2] by [1] : tensor<4xi1> -> tensor<2xi1>
  %ct0 = cell.constant dense<[10.0, 20.0]> : tensor<2xf64>
  %ct1 = cell.constant dense<[30.0, 40.0]> : tensor<2xf64>
  %ct = cell.select %part, %ct0, %ct1 : tensor<2xf64>
  %t0 = cell.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %t1 = cell.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf64>
  %t = cell.select %first, %t0, %t1 : tensor<4xf64>
  %0 = func.call @prod(%x) : (tensor<4xf64>) -> tensor<2xf64>
  %1 = func.call @vjp_prod(%x, %ct) : (tensor<4xf64>, tensor<2xf64>) -> tensor<4xf64>
  %2 = func.call @jvp_prod(%x, %t) : (tensor<4xf64>, tensor<4xf64>) -> tensor<2xf64>
  %3 = func.call @slopes(%x, %ct, %t) : (tensor<4xf64>, tensor<2xf64>, tensor<4xf64>) -> tensor<4xf64>
  %4 = func.call @back(%x, %ct, %t) : (tensor<4xf64>, tensor<2xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0, %1, %2, %3, %4 : tensor<2xf64>, tensor<4xf64>, tensor<2xf64>, tensor<4xf64>, tensor<4xf64>
}
