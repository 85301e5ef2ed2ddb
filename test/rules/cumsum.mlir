// Derivative of cell.cumsum. Linear: the adjoint sums from the other end.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.cumsum %{{.*}} along 1 : tensor<2x3xf64>
func.func private @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = cell.cumsum %x along 1 : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// FORWARD: cell.cumsum %{{.*}} along 0 {exclusive = true, reverse = true} : tensor<3x1xf64>
func.func private @g(%x: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %0 = cell.cumsum %x along 0 {exclusive = true, reverse = true} : tensor<3x1xf64>
  return %0 : tensor<3x1xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}}, %[[CU:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.cumsum %[[CT]] along 1 {reverse = true} : tensor<2x3xf64>
// ADJOINT-NEXT: %[[S:.*]] = cell.cumsum %[[CU]] along 0 {exclusive = true} : tensor<3x1xf64>
// ADJOINT-NEXT: return %[[R]], %[[S]]
func.func @vjp(%x: tensor<2x3xf64>, %y: tensor<3x1xf64>, %ct: tensor<2x3xf64>, %cu: tensor<3x1xf64>) -> (tensor<2x3xf64>, tensor<3x1xf64>) {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.vjp @g(%y) cotangents(%cu) of [0] wrt [0] : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#1, %1#1 : tensor<2x3xf64>, tensor<3x1xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.cumsum %[[T]] along 1
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2x3xf64>, %t: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// VALUES:      result 0: tensor<2x3xf64> {{\[\[1.0, 3.0, 6.0\], \[4.0, 9.0, 15.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x3xf64> {{\[\[0.0, -1.0, 0.0\], \[2.0, 0.0, 0.0\]\]}}
// VALUES-NEXT: result 2: tensor<2x3xf64> {{\[\[1.0, 0.0, 0.0\], \[2.0, 2.0, 2.0\]\]}}
// VALUES-NEXT: result 3: tensor<3x1xf64> {{\[\[6.0\], \[4.0\], \[0.0\]\]}}
// VALUES-NEXT: result 4: tensor<3x1xf64> {{\[\[0.0\], \[1.0\], \[3.0\]\]}}
func.func @values() -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<3x1xf64>, tensor<3x1xf64>) {
  %x = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %w = cell.constant dense<[[1.0, -1.0, 0.0], [2.0, 0.0, 0.0]]> : tensor<2x3xf64>
  %y = cell.constant dense<[[1.0], [2.0], [4.0]]> : tensor<3x1xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%w) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %2:2 = cell.vjp @g(%y) cotangents(%y) of [0] wrt [0] : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#0, %0#1, %1#1, %2#0, %2#1 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<3x1xf64>, tensor<3x1xf64>
}
