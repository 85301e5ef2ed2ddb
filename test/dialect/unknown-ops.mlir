// An op that does not exist: the nearest name.
// RUN: not cell-opt %s --split-input-file 2>&1 | FileCheck %s
// RUN: split-file %s %t
// RUN: not cellc %t/custom.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not cell-run %t/custom.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: custom.mlir:3:8: error: custom op 'cell.tahn' is unknown
// ONE: note: did you mean 'cell.tanh'?

//--- custom.mlir
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: error: custom op 'cell.tahn' is unknown
  %0 = cell.tahn %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK: note: did you mean 'cell.tanh'?

// -----

func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: error: unregistered operation 'cell.mull' found in dialect
  %0 = "cell.mull"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK: note: did you mean 'cell.mul'?

// -----

func.func @h(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: error: custom op 'cell.something_else_entirely' is unknown
  %0 = cell.something_else_entirely %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK: note: docs/op-syntax.md lists the ops of this dialect
// CHECK-NOT: did you mean

// -----

// Ops of others are as MLIR says it.
func.func @k(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: error: {{.*}}tensor.brodcast
  // CHECK-NOT: note: d
  %0 = tensor.brodcast %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
