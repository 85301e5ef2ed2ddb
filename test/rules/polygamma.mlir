// Derivative of cell.polygamma: the one of the next order. Numbers are mpmath's.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=special --digits=12 | FileCheck %s --check-prefix=SPECIAL

// FORWARD-LABEL: func.func private @f(
// FORWARD: cell.polygamma %{{.*}} order 1 : tensor<5xf64>
func.func private @f(%x: tensor<5xf64>) -> tensor<5xf64> {
  %0 = cell.polygamma %x order 1 : tensor<5xf64>
  return %0 : tensor<5xf64>
}

func.func private @g(%x: tensor<5xf64>) -> tensor<5xf64> {
  %0 = cell.polygamma %x order 2 : tensor<5xf64>
  return %0 : tensor<5xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<5xf64>, %[[CT:[a-z0-9]+]]: tensor<5xf64>)
// ADJOINT-NEXT: %[[D:.*]] = cell.polygamma %[[X]] order 2 :
// ADJOINT-NEXT: %[[R:.*]] = cell.mul %[[CT]], %[[D]]
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<5xf64>, %ct: tensor<5xf64>) -> tensor<5xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<5xf64>, %[[T:[a-z0-9]+]]: tensor<5xf64>)
// ADJOINT-NEXT: %[[D:.*]] = cell.polygamma %[[X]] order 3 :
// ADJOINT-NEXT: %[[R:.*]] = cell.mul %[[T]], %[[D]]
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<5xf64>, %t: tensor<5xf64>) -> tensor<5xf64> {
  %0:2 = cell.jvp @g(%x) tangents(%t) wrt [0] of [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}

// Value of order 1, its adjoint for cotangent 3; value of order 2, its tangent for 1/2;
// the derivative of the adjoint of order 1.
// VALUES:      result 0: tensor<5xf64> [4.93480220054, 0.30533985269, 0.105166335682, 18.5418796477, 19.4338689495]
// VALUES-NEXT: result 1: tensor<5xf64> [-50.4863899327, -0.277639015548, -0.0331495049124, 368.092100351, -372.352959179]
// VALUES-NEXT: result 2: tensor<5xf64> [-16.8287966442, -0.0925463385159, -0.0110498349708, 122.697366784, -124.11765306]
// VALUES-NEXT: result 3: tensor<5xf64> [48.704545517, 0.0278526303727, 0.00115995065214, 777.881656267, 779.244875642]
// VALUES-NEXT: result 4: tensor<5xf64> [292.227273102, 0.167115782236, 0.00695970391287, 4667.2899376, 4675.46925385]
func.func private @reverse(%x: tensor<5xf64>) -> tensor<5xf64> {
  %ct = cell.constant dense<3.0> : tensor<5xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}
func.func @values(%x: tensor<5xf64> {cell.example = dense<[0.5, 3.75, 10.0, -0.25, -2.75]> : tensor<5xf64>}) -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %ct = cell.constant dense<3.0> : tensor<5xf64>
  %t = cell.constant dense<0.5> : tensor<5xf64>
  %one = cell.constant dense<1.0> : tensor<5xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  %1:2 = cell.jvp @g(%x) tangents(%t) wrt [0] of [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  %2:2 = cell.vjp @reverse(%x) cotangents(%one) of [0] wrt [0] : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#0, %0#1, %1#0, %1#1, %2#1 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
}

// Both sides of a pole agree for odd orders only.
// SPECIAL:      result 0: tensor<6xf64> [inf, inf, inf, 0.0, nan, nan]
// SPECIAL-NEXT: result 1: tensor<6xf64> [-inf, inf, nan, -0.0, nan, nan]
func.func @special(%x: tensor<6xf64> {cell.example = dense<[0.0, -0.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>}) -> (tensor<6xf64>, tensor<6xf64>) {
  %0 = cell.polygamma %x order 1 : tensor<6xf64>
  %1 = cell.polygamma %x order 2 : tensor<6xf64>
  return %0, %1 : tensor<6xf64>, tensor<6xf64>
}
