// Unsigned integers become signless ones; what callers see keeps its dtype.
// RUN: cell-opt %s --cell-lower-unsigned | FileCheck %s
// RUN: cell-opt %s --cell-to-linalg-pipeline --cell-place-pipeline | FileCheck %s --check-prefix=ENTRY
// RUN: not cell-opt %s --pass-pipeline='builtin.module(cell-to-linalg)' 2>&1 | FileCheck %s --check-prefix=ALONE

// ENTRY: args = [{dtype = "uint8", name = "arg0"
// ENTRY-SAME: results = [{dtype = "uint8", name = "out0"
// ENTRY-NOT: ui8
// ALONE: has unsigned integers; run --cell-lower-unsigned first

// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8> {cell.dtype = "uint8"}) -> (tensor<4xi8> {cell.dtype = "uint8"})
// CHECK-DAG: %[[M:.*]] = cell.constant dense<-128> : tensor<4xi8>
// CHECK-DAG: %[[A:.*]] = cell.bitwise_xor %[[X]], %[[M]]
// CHECK: %[[B:.*]] = cell.bitwise_xor
// CHECK: %[[MAX:.*]] = cell.maximum
// CHECK: cell.bitwise_xor %[[MAX]]
func.func @order(%x: tensor<4xui8>) -> tensor<4xui8> {
  %y = cell.add %x, %x : tensor<4xui8>
  %0 = cell.maximum %x, %y : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func.func @print(
// CHECK: cell.print "{} {}"({{.*}}) {cell.unsigned = array<i1: true, false>}
func.func @print(%x: tensor<2xui16>, %y: tensor<2xi16>) {
  cell.print "{} {}" (%x, %y : tensor<2xui16>, tensor<2xi16>)
  return
}

// CHECK-LABEL: func.func @positions(
// CHECK: cell.iota dim 0 : tensor<200xi64>
// CHECK: cell.cast {{.*}} : tensor<200xi64> to tensor<200xi8>
func.func @positions() -> tensor<200xui8> {
  %0 = cell.iota dim 0 : tensor<200xui8>
  return %0 : tensor<200xui8>
}
