// Tensors without elements pass through every rule, twice.
// RUN: cell-run %s --entry=first --passes=cell-differentiate --seed=1 | FileCheck %s --check-prefix=FIRST
// RUN: cell-run %s --entry=second --passes=cell-differentiate --seed=1 | FileCheck %s --check-prefix=SECOND
// RUN: cellc %s -o %t.so

func.func private @f(%x: tensor<0x3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>) {
  %0 = cell.tanh %x : tensor<0x3xf32>
  %1 = cell.square %0 : tensor<0x3xf32>
  %b = cell.broadcast %y along [0] : tensor<3xf32> -> tensor<0x3xf32>
  %2 = cell.maximum %1, %b : tensor<0x3xf32>
  %3 = cell.reduce_sum %2 over [0] : tensor<0x3xf32> -> tensor<3xf32>
  %p = cell.pad %x low [1, 0] high [0, 0] interior [2, 0] : tensor<0x3xf32> -> tensor<1x3xf32>
  %q = cell.reshape %p : tensor<1x3xf32> -> tensor<3xf32>
  %4 = cell.add %3, %q : tensor<3xf32>
  %5 = cell.mul %4, %y : tensor<3xf32>
  %6 = cell.slice %5 from [1] to [1] by [1] : tensor<3xf32> -> tensor<0xf32>
  %7 = cell.concat %5, %6 dim 0 : (tensor<3xf32>, tensor<0xf32>) -> tensor<3xf32>
  return %7 : tensor<3xf32>
}
// FIRST:      result 0: tensor<3xf32> [0.0, 0.0, 0.0]
// FIRST-NEXT: result 1: tensor<0x3xf32> []
// FIRST-NEXT: result 2: tensor<3xf32> [0.0, 0.0, 0.0]
func.func @first(%x: tensor<0x3xf32>, %y: tensor<3xf32>, %ct: tensor<3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>, tensor<3xf32>) {
  %0:3 = cell.vjp @f(%x, %y) cotangents(%ct) of [0] wrt [0, 1] : (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<0x3xf32>, tensor<3xf32>
}
// SECOND:      result 0: tensor<0x3xf32> []
// SECOND-NEXT: result 1: tensor<3xf32> [0.0, 0.0, 0.0]
func.func @second(%x: tensor<0x3xf32>, %y: tensor<3xf32>, %ct: tensor<3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>) {
  %0:5 = cell.vjp @first(%x, %y, %ct) cotangents(%ct, %ct) of [0, 2] wrt [0, 1] : (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>, tensor<3xf32>, tensor<0x3xf32>, tensor<3xf32>)
  return %0#3, %0#4 : tensor<0x3xf32>, tensor<3xf32>
}
