// Derivative of cell.cummax: what is an extremum when it comes starts a segment, whose tangent is its own.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.cummax %{{.*}} along 1 : tensor<2x4xf64>
func.func private @f(%x: tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xi32>) {
  %0:2 = cell.cummax %x along 1 : tensor<2x4xf64>
  return %0#0, %0#1 : tensor<2x4xf64>, tensor<2x4xi32>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[ZERO:.*]] = cell.constant dense<0.000000e+00> : tensor<2x4xf64>
// ADJOINT-NEXT: %{{.*}}, %[[AT:.*]] = cell.cummax %[[X]] along 1 : tensor<2x4xf64>
// ADJOINT-NEXT: %[[SELF:.*]] = cell.iota dim 1 : tensor<2x4xi32>
// ADJOINT-NEXT: %[[STARTS:.*]] = cell.equal %[[AT]], %[[SELF]] : tensor<2x4xi32>
// ADJOINT-NEXT: %[[SUMS:.*]] = cell.segment_cumsum %[[CT]] from %[[STARTS]] along 1 {reverse = true} : tensor<2x4xf64>, tensor<2x4xi1>
// ADJOINT-NEXT: %[[DX:.*]] = cell.select %[[STARTS]], %[[SUMS]], %[[ZERO]] : tensor<2x4xf64>
// ADJOINT-NEXT: return %[[DX]]
func.func @vjp(%x: tensor<2x4xf64>, %ct: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %0:3 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x4xf64>, tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xi32>, tensor<2x4xf64>)
  return %0#2 : tensor<2x4xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[ZERO:.*]] = cell.constant dense<0.000000e+00> : tensor<2x4xf64>
// ADJOINT-NEXT: %{{.*}}, %[[AT:.*]] = cell.cummax %[[X]] along 1 : tensor<2x4xf64>
// ADJOINT-NEXT: %[[SELF:.*]] = cell.iota dim 1 : tensor<2x4xi32>
// ADJOINT-NEXT: %[[STARTS:.*]] = cell.equal %[[AT]], %[[SELF]] : tensor<2x4xi32>
// ADJOINT-NEXT: %[[FIRST:.*]] = cell.select %[[STARTS]], %[[T]], %[[ZERO]] : tensor<2x4xf64>
// ADJOINT-NEXT: %[[DY:.*]] = cell.segment_cumsum %[[FIRST]] from %[[STARTS]] along 1 : tensor<2x4xf64>, tensor<2x4xi1>
// ADJOINT-NEXT: return %[[DY]]
func.func @jvp(%x: tensor<2x4xf64>, %t: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %0:3 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x4xf64>, tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xi32>, tensor<2x4xf64>)
  return %0#2 : tensor<2x4xf64>
}

// Of equal elements the last one counts. Numbers by numpy.
// VALUES:      result 0: tensor<2x4xf64> {{\[\[1.0, 3.0, 3.0, 3.0\], \[-0.5, -0.5, 0.0, 0.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x4xi32> {{\[\[0, 1, 1, 3\], \[0, 0, 2, 3\]\]}}
// VALUES-NEXT: result 2: tensor<2x4xf64> {{\[\[1.0, 5.0, 0.0, 4.0\], \[11.0, 0.0, 7.0, 8.0\]\]}}
// VALUES-NEXT: result 3: tensor<2x4xf64> {{\[\[1.0, -1.0, -1.0, 5.0\], \[3.0, 3.0, 4.0, -2.0\]\]}}
func.func @values() -> (tensor<2x4xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x4xf64>) {
  %x = cell.constant dense<[[1.0, 3.0, 2.0, 3.0], [-0.5, -1.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %ct = cell.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf64>
  %t = cell.constant dense<[[1.0, -1.0, 2.0, 5.0], [3.0, 1.0, 4.0, -2.0]]> : tensor<2x4xf64>
  %0:3 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2x4xf64>, tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xi32>, tensor<2x4xf64>)
  %1:3 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<2x4xf64>, tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xi32>, tensor<2x4xf64>)
  return %0#0, %0#1, %0#2, %1#2 : tensor<2x4xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x4xf64>
}
