// Derivative of cell.reduce_min. Equal parts to all elements that attain it, as MindSpore has it.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// FORWARD: cell.reduce_min %{{.*}} over [1] : tensor<4x3xf64> -> tensor<4xf64>
func.func private @f(%x: tensor<4x3xf64>) -> tensor<4xf64> {
  %0 = cell.reduce_min %x over [1] : tensor<4x3xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[Y:.*]] = cell.reduce_min %[[X]] over [1]
// ADJOINT-NEXT: %[[B:.*]] = cell.broadcast %[[Y]] along [1]
// ADJOINT-NEXT: %[[E:.*]] = cell.equal %[[X]], %[[B]]
// ADJOINT-NEXT: %[[A:.*]] = cell.cast %[[E]]
// ADJOINT-NEXT: %[[N:.*]] = cell.reduce_sum %[[A]] over [1]
// ADJOINT-NEXT: %[[S:.*]] = cell.div %[[CT]], %[[N]]
// ADJOINT-NEXT: %[[D:.*]] = cell.broadcast %[[S]] along [1]
// ADJOINT-NEXT: %[[R:.*]] = cell.mul %[[D]], %[[A]]
// ADJOINT-NEXT: return %[[R]]
func.func @vjp(%x: tensor<4x3xf64>, %ct: tensor<4xf64>) -> tensor<4x3xf64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<4x3xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4x3xf64>)
  return %0#1 : tensor<4x3xf64>
}

// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[Y:.*]] = cell.reduce_min %[[X]] over [1]
// ADJOINT-NEXT: %[[B:.*]] = cell.broadcast %[[Y]] along [1]
// ADJOINT-NEXT: %[[E:.*]] = cell.equal %[[X]], %[[B]]
// ADJOINT-NEXT: %[[A:.*]] = cell.cast %[[E]]
// ADJOINT-NEXT: %[[M:.*]] = cell.mul %[[T]], %[[A]]
// ADJOINT-NEXT: %[[S:.*]] = cell.reduce_sum %[[M]] over [1]
// ADJOINT-NEXT: %[[N:.*]] = cell.reduce_sum %[[A]] over [1]
// ADJOINT-NEXT: %[[R:.*]] = cell.div %[[S]], %[[N]]
// ADJOINT-NEXT: return %[[R]]
func.func @jvp(%x: tensor<4x3xf64>, %t: tensor<4x3xf64>) -> tensor<4xf64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<4x3xf64>, tensor<4x3xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#1 : tensor<4xf64>
}

// One, two and three attain it; a NaN reaches every element of its row.
// VALUES:      result 0: tensor<4xf64> [-5.0, 2.0, 3.0, nan]
// VALUES-NEXT: result 1: tensor<4x3xf64> {{\[\[0.0, 0.0, 12.0\], \[0.0, 6.0, 6.0\], \[4.0, 4.0, 4.0\], \[nan, nan, nan\]\]}}
// VALUES-NEXT: result 2: tensor<4xf64> [3.0, 2.5, 2.0, nan]
func.func @values() -> (tensor<4xf64>, tensor<4x3xf64>, tensor<4xf64>) {
  %x = cell.constant dense<[[1.0, 2.0, -5.0], [3.0, 2.0, 2.0], [3.0, 3.0, 3.0], [1.0, 0x7FF8000000000000, 0.0]]> : tensor<4x3xf64>
  %w = cell.constant dense<[12.0, 12.0, 12.0, 12.0]> : tensor<4xf64>
  %t = cell.constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<4x3xf64>
  %0:2 = cell.vjp @f(%x) cotangents(%w) of [0] wrt [0] : (tensor<4x3xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4x3xf64>)
  %1:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<4x3xf64>, tensor<4x3xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %0#0, %0#1, %1#1 : tensor<4xf64>, tensor<4x3xf64>, tensor<4xf64>
}
