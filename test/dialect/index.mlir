// Index ops, printed and read again in all forms, and what folds.
// RUN: cell-opt %s | cell-opt | FileCheck %s
// RUN: cell-opt %s --mlir-print-op-generic | cell-opt | FileCheck %s
// RUN: cell-opt %s --emit-bytecode | cell-opt | FileCheck %s
// RUN: cell-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @print(
func.func @print(%x: tensor<2x3xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4xf32>) {
  // CHECK-NEXT: cell.gather %arg0 at %arg1 dim 1 batch 1 : tensor<2x3xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  %0 = cell.gather %x at %i dim 1 batch 1 : tensor<2x3xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  // CHECK-NEXT: cell.gather %arg0 at %arg1 dim 0 : tensor<2x3xf32>, tensor<2x4xi32> -> tensor<2x4x3xf32>
  %1 = cell.gather %x at %i dim 0 : tensor<2x3xf32>, tensor<2x4xi32> -> tensor<2x4x3xf32>
  // CHECK-NEXT: cell.scatter "set" %arg2 into %arg0 at %arg1 dim 1 batch 1 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4xi32>
  %2 = cell.scatter "set" %u into %x at %i dim 1 batch 1 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4xi32>
  // CHECK-NEXT: cell.iota dim 1 : tensor<2x3xi8>
  %3 = cell.iota dim 1 : tensor<2x3xi8>
  // CHECK-NEXT: cell.argmax %arg0 over [0, 1] : tensor<2x3xf32> -> tensor<i64>
  %4 = cell.argmax %x over [0, 1] : tensor<2x3xf32> -> tensor<i64>
  // CHECK-NEXT: cell.argmin %arg0 over [1] : tensor<2x3xf32> -> tensor<2xi32>
  %5 = cell.argmin %x over [1] : tensor<2x3xf32> -> tensor<2xi32>
  // CHECK-NEXT: cell.reverse %arg0 over [0, 1] : tensor<2x3xf32>
  %6 = cell.reverse %x over [0, 1] : tensor<2x3xf32>
  // CHECK-NEXT: cell.cumsum %arg0 along 0 : tensor<2x3xf32>
  %7 = cell.cumsum %x along 0 : tensor<2x3xf32>
  // CHECK-NEXT: cell.argsort %arg0 along 1 {descending = true} : tensor<2x3xf32> -> tensor<2x3xi64>
  %8 = cell.argsort %x along 1 {descending = true} : tensor<2x3xf32> -> tensor<2x3xi64>
  // CHECK-NEXT: cell.argsort %arg0 along 1 : tensor<2x3xf32> -> tensor<2x1xi32>
  %first = cell.argsort %x along 1 : tensor<2x3xf32> -> tensor<2x1xi32>
  %9 = cell.is_nan %x : tensor<2x3xf32>
  // CHECK:      cell.check %{{.*}} "not a number" : tensor<2x3xi1>
  cell.check %9 "not a number" : tensor<2x3xi1>
  return
}

// FOLD-LABEL: func.func @fold(
// FOLD-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>
// FOLD-NEXT:    %[[S:.*]] = cell.constant dense<4.000000e+00> : tensor<5x3xf32>
// FOLD-NEXT:    %[[C:.*]] = cell.constant dense<4.000000e+00> : tensor<2x3xf32>
// FOLD-NEXT:    return %[[S]], %[[X]], %[[X]], %[[C]]
func.func @fold(%x: tensor<2x3xf32>, %i: tensor<5xi32>) -> (tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %c = cell.constant dense<4.0> : tensor<2x3xf32>
  %0 = cell.gather %c at %i dim 0 : tensor<2x3xf32>, tensor<5xi32> -> tensor<5x3xf32>
  %1 = cell.reverse %x over [] : tensor<2x3xf32>
  %2 = cell.reverse %x over [1] : tensor<2x3xf32>
  %3 = cell.reverse %2 over [1] : tensor<2x3xf32>
  %4 = cell.reverse %c over [0] : tensor<2x3xf32>
  return %0, %1, %3, %4 : tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// FOLD-LABEL: func.func @one(
// FOLD-SAME:    %[[X:[a-z0-9]+]]: tensor<2x1xf32>
// FOLD-NEXT:    %[[Y:.*]] = cell.cumsum %[[X]] along 1 {exclusive = true}
// FOLD-NEXT:    return %[[X]], %[[Y]], %[[X]]
func.func @one(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %0 = cell.cumsum %x along 1 : tensor<2x1xf32>
  %1 = cell.cumsum %x along 1 {exclusive = true} : tensor<2x1xf32>
  %2 = cell.cumprod %x along 1 : tensor<2x1xf32>
  return %0, %1, %2 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

// What always holds is not checked.
// FOLD-LABEL: func.func @holds(
// FOLD-NEXT:    %[[C:.*]] = cell.constant dense<[true, false]>
// FOLD-NEXT:    cell.check %[[C]] "two"
// FOLD-NEXT:    return
func.func @holds() {
  %0 = cell.constant dense<true> : tensor<2xi1>
  %1 = cell.constant dense<[true, false]> : tensor<2xi1>
  cell.check %0 "one" : tensor<2xi1>
  cell.check %1 "two" : tensor<2xi1>
  return
}
