// Derivative of cell.recurrence: the recurrence in the other direction.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.recurrence %{{.*}}, %{{.*}} along 0 : tensor<4xf64>
func.func private @f(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.recurrence %a, %b along 0 : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// FORWARD: cell.recurrence %{{.*}}, %{{.*}} along 0 {reverse = true} : tensor<4xf64>
func.func private @g(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.recurrence %a, %b along 0 {reverse = true} : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[Y:.*]] = cell.recurrence %[[A]], %[[B]] along 0 : tensor<4xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.recurrence %[[A]], %[[CT]] along 0 {reverse = true} : tensor<4xf64>
// ADJOINT-NEXT: %[[DA:.*]] = cell.mul %[[R]], %[[Y]] : tensor<4xf64>
// ADJOINT-NEXT: return %[[DA]], %[[R]]
func.func @vjp(%a: tensor<4xf64>, %b: tensor<4xf64>, %ct: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %0:3 = cell.vjp @f(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %0#1, %0#2 : tensor<4xf64>, tensor<4xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[TA:[a-z0-9]+]]: {{[^,]*}}, %[[TB:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[Y:.*]] = cell.recurrence %[[A]], %[[B]] along 0 {reverse = true} : tensor<4xf64>
// ADJOINT-NEXT: %[[M:.*]] = cell.mul %[[TA]], %[[Y]] : tensor<4xf64>
// ADJOINT-NEXT: %[[S:.*]] = cell.add %[[M]], %[[TB]] : tensor<4xf64>
// ADJOINT-NEXT: %[[T:.*]] = cell.recurrence %[[A]], %[[S]] along 0 {reverse = true} : tensor<4xf64>
// ADJOINT-NEXT: return %[[T]]
func.func @jvp(%a: tensor<4xf64>, %b: tensor<4xf64>, %ta: tensor<4xf64>, %tb: tensor<4xf64>) -> tensor<4xf64> {
  %0:2 = cell.jvp @g(%a, %b) tangents(%ta, %tb) wrt [0, 1] of [0] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// Numbers by numpy: Jacobians by complex steps.
// VALUES:      result 0: tensor<4xf64> [0.0, 1.0, 1.0, 3.0]
// VALUES-NEXT: result 1: tensor<4xf64> [-0.0, -4.0, 3.0, 0.0]
// VALUES-NEXT: result 2: tensor<4xf64> [-10.0, -4.0, 3.0, 0.0]
// VALUES-NEXT: result 3: tensor<4xf64> [0.0, -1.0, -0.5, 3.5]
// VALUES-NEXT: result 4: tensor<4xf64> [-11.0, -3.0, 7.0, 0.0]
// VALUES-NEXT: result 5: tensor<4xf64> [-0.0, -3.0, 35.0, -0.0]
// VALUES-NEXT: result 6: tensor<4xf64> [0.0, 1.0, 5.0, -6.0]
// VALUES-NEXT: result 7: tensor<4xf64> [33.5, 11.0, 4.0, 0.0]
func.func @values() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %a = cell.constant dense<[2.0, 3.0, -1.0, 5.0]> : tensor<4xf64>
  %b = cell.constant dense<[1.0, -2.0, 4.0, 7.0]> : tensor<4xf64>
  %ct = cell.constant dense<[1.0, 2.0, -1.0, 3.0]> : tensor<4xf64>
  %ta = cell.constant dense<[1.0, 0.5, 2.0, 9.0]> : tensor<4xf64>
  %tb = cell.constant dense<[-1.0, 2.0, 1.0, 4.0]> : tensor<4xf64>
  %0:3 = cell.vjp @f(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  %1:2 = cell.jvp @f(%a, %b) tangents(%ta, %tb) wrt [0, 1] of [0] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  %2:3 = cell.vjp @g(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  %3:2 = cell.jvp @g(%a, %b) tangents(%ta, %tb) wrt [0, 1] of [0] : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#0, %0#1, %0#2, %1#1, %2#0, %2#1, %2#2, %3#1 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}
