// Calls, printing in order, passes before evaluation, and input from a pipe.
// RUN: cell-run %s --entry=main | FileCheck %s
// RUN: cell-run --entry=main < %s | FileCheck %s
// RUN: cell-run %s --entry=derivative --passes='cell-differentiate,cse' | FileCheck %s --check-prefix=GRAD

// CHECK:      first 2.0
// CHECK-NEXT: x=2.0, pair=[1.0, 2.0]!
// CHECK-NEXT: no tensors
// CHECK-NEXT: result 0: tensor<f32> 4.0
// CHECK-NEXT: result 1: tensor<f32> -2.0
func.func @main(%x: tensor<f32> {cell.example = dense<2.0> : tensor<f32>}) -> (tensor<f32>, tensor<f32>) {
  cell.print "first {}" (%x : tensor<f32>)
  %0:2 = call @both(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  cell.print "no tensors"
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

func.func private @both(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %pair = cell.constant dense<[1.0, 2.0]> : tensor<2xf32>
  cell.print "x={}, pair={}!" (%x, %pair : tensor<f32>, tensor<2xf32>)
  %0 = cell.square %x : tensor<f32>
  %1 = cell.neg %x : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

func.func private @cube(%x: tensor<f32>) -> tensor<f32> {
  %0 = cell.square %x : tensor<f32>
  %1 = cell.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}

// GRAD: result 0: tensor<f32> 12.0
func.func private @derivative() -> tensor<f32> {
  %x = cell.constant dense<2.0> : tensor<f32>
  %ct = cell.constant dense<1.0> : tensor<f32>
  %0:2 = cell.vjp @cube(%x) cotangents(%ct) of [0] wrt [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
