// Functions that changed are simplified unless asked not to be; others are left as they are.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefixes=CHECK,ON
// RUN: cell-opt %s --cell-differentiate=simplify=false | FileCheck %s --check-prefixes=CHECK,OFF

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.exp %x : tensor<f64>
  %1 = cell.exp %x : tensor<f64>
  %2 = cell.mul %0, %1 : tensor<f64>
  return %2 : tensor<f64>
}

// CHECK-LABEL: func.func @untouched
// CHECK-NEXT: cell.neg
// CHECK-NEXT: cell.neg
func.func @untouched(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.neg %x : tensor<f64>
  %1 = cell.neg %0 : tensor<f64>
  return %1 : tensor<f64>
}

// ON-LABEL: func.func @gradient
// ON-COUNT-1: cell.exp
// ON-NOT: cell.exp
// OFF-LABEL: func.func @gradient
// OFF-COUNT-2: cell.exp
func.func @gradient(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
