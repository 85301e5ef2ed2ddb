// Derivative of cell.reverse. Linear and its own adjoint.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.reverse %{{.*}} over [1] : tensor<2x3xf64>
func.func private @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = cell.reverse %x over [1] : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<2x3xf64>)
// ADJOINT-NEXT: %[[A:.*]] = cell.reverse %[[CT]] over [1] : tensor<2x3xf64>
// ADJOINT-NEXT: return %[[A]]
func.func @vjp(%x: tensor<2x3xf64>, %ct: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<2x3xf64>)
// ADJOINT-NEXT: %[[R:.*]] = cell.reverse %[[T]] over [1] : tensor<2x3xf64>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2x3xf64>, %t: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// VALUES:      result 0: tensor<2x3xf64> {{\[\[3.0, 2.0, 1.0\], \[6.0, 5.0, 4.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x3xf64> {{\[\[30.0, 20.0, 10.0\], \[60.0, 50.0, 40.0\]\]}}
// VALUES-NEXT: result 2: tensor<2x3xf64> {{\[\[9.0, 8.0, -7.0\], \[-6.0, 5.0, 4.0\]\]}}
// VALUES-NEXT: result 3: tensor<2x3xf64> {{\[\[6.0, 5.0, 4.0\], \[3.0, 2.0, 1.0\]\]}}
func.func @values() -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %x = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %ct = cell.constant dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf64>
  %t = cell.constant dense<[[-7.0, 8.0, 9.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1 = func.call @jvp(%x, %t) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %2 = cell.reverse %x over [0, 1] : tensor<2x3xf64>
  return %0#0, %0#1, %1, %2 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}
