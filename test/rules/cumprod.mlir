// Derivative of cell.cumprod: products before each element, so that zeros are like other numbers.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.cumprod %{{.*}} along 1 : tensor<2x3xf64>
func.func private @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = cell.cumprod %x along 1 : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// FORWARD: cell.cumprod %{{.*}} along 0 {exclusive = true, reverse = true} : tensor<3x1xf64>
func.func private @g(%x: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %0 = cell.cumprod %x along 0 {exclusive = true, reverse = true} : tensor<3x1xf64>
  return %0 : tensor<3x1xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[Y:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}}, %[[CU:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[W:.*]] = cell.mul %[[CT]], %[[X]] : tensor<2x3xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.recurrence %[[X]], %[[W]] along 1 {reverse = true} : tensor<2x3xf64>
// ADJOINT-NEXT: %[[S:.*]] = cell.add %[[R]], %[[CT]] : tensor<2x3xf64>
// ADJOINT-NEXT: %[[P:.*]] = cell.cumprod %[[X]] along 1 {exclusive = true} : tensor<2x3xf64>
// ADJOINT-NEXT: %[[DX:.*]] = cell.mul %[[S]], %[[P]] : tensor<2x3xf64>
// ADJOINT-NEXT: %[[Q:.*]] = cell.cumprod %[[Y]] along 0 {exclusive = true, reverse = true} : tensor<3x1xf64>
// ADJOINT-NEXT: %[[T:.*]] = cell.recurrence %[[Y]], %[[CU]] along 0 : tensor<3x1xf64>
// ADJOINT-NEXT: %[[DY:.*]] = cell.mul %[[T]], %[[Q]] : tensor<3x1xf64>
// ADJOINT-NEXT: return %[[DX]], %[[DY]]
func.func @vjp(%x: tensor<2x3xf64>, %y: tensor<3x1xf64>, %ct: tensor<2x3xf64>, %cu: tensor<3x1xf64>) -> (tensor<2x3xf64>, tensor<3x1xf64>) {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.vjp @g(%y) cotangents(%cu) of [0] wrt [0] : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#1, %1#1 : tensor<2x3xf64>, tensor<3x1xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[Y:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}}, %[[U:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT: %[[E:.*]] = cell.mul %[[T]], %{{.*}} : tensor<2x3xf64>
// ADJOINT: cell.recurrence %[[X]], %[[E]] along 1 : tensor<2x3xf64>
// ADJOINT: %[[Q:.*]] = cell.cumprod %[[Y]] along 0 {exclusive = true, reverse = true} : tensor<3x1xf64>
// ADJOINT-NEXT: %[[D:.*]] = cell.mul %[[U]], %[[Q]] : tensor<3x1xf64>
// ADJOINT-NEXT: cell.recurrence %[[Y]], %[[D]] along 0 {reverse = true} : tensor<3x1xf64>
func.func @jvp(%x: tensor<2x3xf64>, %y: tensor<3x1xf64>, %t: tensor<2x3xf64>, %u: tensor<3x1xf64>) -> (tensor<2x3xf64>, tensor<3x1xf64>) {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @g(%y) tangents(%u) wrt [0] of [0] : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#1, %1#1 : tensor<2x3xf64>, tensor<3x1xf64>
}

// Numbers from the products without each factor, by numpy; one factor is zero.
// VALUES:      result 0: tensor<2x3xf64> {{\[\[2.0, 6.0, 24.0\], \[5.0, 0.0, 0.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x3xf64> {{\[\[-2.0, -2.0, 0.0\], \[2.0, 110.0, 0.0\]\]}}
// VALUES-NEXT: result 2: tensor<2x3xf64> {{\[\[1.0, 1.0, 4.0\], \[2.0, 5.0, 35.0\]\]}}
// VALUES-NEXT: result 3: tensor<3x1xf64> {{\[\[12.0\], \[4.0\], \[1.0\]\]}}
// VALUES-NEXT: result 4: tensor<3x1xf64> {{\[\[0.0\], \[8.0\], \[9.0\]\]}}
// VALUES-NEXT: result 5: tensor<3x1xf64> {{\[\[24.0\], \[4.0\], \[0.0\]\]}}
func.func @values() -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>) {
  %x = cell.constant dense<[[2.0, 3.0, 4.0], [5.0, 0.0, 7.0]]> : tensor<2x3xf64>
  %w = cell.constant dense<[[1.0, -1.0, 0.0], [2.0, 1.0, 3.0]]> : tensor<2x3xf64>
  %y = cell.constant dense<[[2.0], [3.0], [4.0]]> : tensor<3x1xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%w) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %2:2 = cell.vjp @g(%y) cotangents(%y) of [0] wrt [0] : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  %3:2 = cell.jvp @g(%y) tangents(%y) wrt [0] of [0] : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %0#0, %0#1, %1#1, %2#0, %2#1, %3#1 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>
}
