// Derivative of cell.segment_cumsum. Linear in x: the adjoint sums from the ends of the segments.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.segment_cumsum %{{.*}} from %{{.*}} along 0 : tensor<5xf64>, tensor<5xi1>
func.func private @f(%x: tensor<5xf64>, %s: tensor<5xi1>) -> tensor<5xf64> {
  %0 = cell.segment_cumsum %x from %s along 0 : tensor<5xf64>, tensor<5xi1>
  return %0 : tensor<5xf64>
}

// FORWARD: cell.segment_cumsum %{{.*}} from %{{.*}} along 0 {reverse = true} : tensor<5xf64>, tensor<5xi1>
func.func private @g(%x: tensor<5xf64>, %s: tensor<5xi1>) -> tensor<5xf64> {
  %0 = cell.segment_cumsum %x from %s along 0 {reverse = true} : tensor<5xf64>, tensor<5xi1>
  return %0 : tensor<5xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[S:[a-z0-9]+]]: tensor<5xi1>, %[[CT:[a-z0-9]+]]: tensor<5xf64>)
// ADJOINT-NEXT: %[[R:.*]] = cell.segment_cumsum %[[CT]] from %[[S]] along 0 {reverse = true} : tensor<5xf64>, tensor<5xi1>
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<5xf64>, %s: tensor<5xi1>, %ct: tensor<5xf64>) -> tensor<5xf64> {
  %0:2 = cell.vjp @f(%x, %s) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[S:[a-z0-9]+]]: tensor<5xi1>, %[[T:[a-z0-9]+]]: tensor<5xf64>)
// ADJOINT-NEXT: %[[R:.*]] = cell.segment_cumsum %[[T]] from %[[S]] along 0 : tensor<5xf64>, tensor<5xi1>
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<5xf64>, %s: tensor<5xi1>, %t: tensor<5xf64>) -> tensor<5xf64> {
  %0:2 = cell.jvp @f(%x, %s) tangents(%t) wrt [0] of [0] : (tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}

// Numbers from the matrix of what is in one segment and not behind, by numpy.
// VALUES:      result 0: tensor<5xf64> [1.0, 2.0, 6.0, 14.0, 16.0]
// VALUES-NEXT: result 1: tensor<5xf64> [1.0, 4.0, 5.0, 2.0, 5.0]
// VALUES-NEXT: result 2: tensor<5xf64> [1.0, -1.0, 2.0, 4.0, 5.0]
// VALUES-NEXT: result 3: tensor<5xf64> [1.0, 14.0, 12.0, 8.0, 16.0]
// VALUES-NEXT: result 4: tensor<5xf64> [1.0, -1.0, 2.0, 4.0, 5.0]
func.func @values() -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %x = cell.constant dense<[1.0, 2.0, 4.0, 8.0, 16.0]> : tensor<5xf64>
  %s = cell.constant dense<[false, true, false, false, true]> : tensor<5xi1>
  %ct = cell.constant dense<[1.0, -1.0, 3.0, 2.0, 5.0]> : tensor<5xf64>
  %0:2 = cell.vjp @f(%x, %s) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  %1:2 = cell.jvp @f(%x, %s) tangents(%ct) wrt [0] of [0] : (tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  %2:2 = cell.vjp @g(%x, %s) cotangents(%ct) of [0] wrt [0] : (tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  return %0#0, %0#1, %1#1, %2#0, %2#1 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
}
