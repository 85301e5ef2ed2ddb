// Derivative of cell.cast. It passes between floating point types and is zero where numbers are rounded to integers.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.cast %{{.*}} : tensor<2xf32> to tensor<2xf16>
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf16> {
  %0 = cell.cast %x : tensor<2xf32> to tensor<2xf16>
  return %0 : tensor<2xf16>
}

func.func private @floor(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = cell.cast %x : tensor<2xf32> to tensor<2xi32>
  %1 = cell.cast %0 : tensor<2xi32> to tensor<2xf32>
  return %1 : tensor<2xf32>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[CT:[a-z0-9]+]]: tensor<2xf16>)
// ADJOINT-NEXT: %[[R:.*]] = cell.cast %[[CT]] : tensor<2xf16> to tensor<2xf32>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<2xf32>, %ct: tensor<2xf16>) -> tensor<2xf32> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[T:[a-z0-9]+]]: tensor<2xf32>)
// ADJOINT-NEXT: %[[R:.*]] = cell.cast %[[T]] : tensor<2xf32> to tensor<2xf16>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf16> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf16>, tensor<2xf16>)
  return %0#1 : tensor<2xf16>
}

// ADJOINT-LABEL: func.func @through_integer(
// ADJOINT-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<2xf32>
// ADJOINT-NEXT: return %[[Z]], %[[Z]]
func.func @through_integer(%x: tensor<2xf32>, %ct: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = cell.vjp @floor(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %1:2 = cell.jvp @floor(%x) tangents(%ct) wrt [0] of [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1, %1#1 : tensor<2xf32>, tensor<2xf32>
}

// 1/3 rounds to 0.3333 in f16 and 70000 overflows; the cotangent passes as it is, the tangent rounds.
// VALUES:      result 0: tensor<2xf16> [0.3333, inf]
// VALUES-NEXT: result 1: tensor<2xf32> [1.5, 2.0]
// VALUES-NEXT: result 2: tensor<2xf16> [0.6665, 4.0]
// VALUES-NEXT: result 3: tensor<2xf32> [0.0, 69999.0]
// VALUES-NEXT: result 4: tensor<2xf32> [0.0, 0.0]
func.func @values() -> (tensor<2xf16>, tensor<2xf32>, tensor<2xf16>, tensor<2xf32>, tensor<2xf32>) {
  %x = cell.constant dense<[0.33333334, 69999.5]> : tensor<2xf32>
  %w = cell.constant dense<[1.5, 2.0]> : tensor<2xf16>
  %t = cell.constant dense<[0.6666667, 4.0]> : tensor<2xf32>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf32>)
  %1:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf16>, tensor<2xf16>)
  %2:2 = cell.vjp @floor(%x) cotangents(%t) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1, %1#1, %2#0, %2#1 : tensor<2xf16>, tensor<2xf32>, tensor<2xf16>, tensor<2xf32>, tensor<2xf32>
}
