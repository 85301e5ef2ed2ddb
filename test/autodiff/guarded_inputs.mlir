// Inputs count as finite, unless the program selects by a mask, a test for NaN or a comparison of an input.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES

func.func private @masked(%m: tensor<3xi1>, %x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %zero = cell.constant dense<0.0> : tensor<3xf64>
  %p = cell.mul %x, %y : tensor<3xf64>
  %0 = cell.select %m, %p, %zero : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: func.func private @by_mask(
// CHECK: %[[CT:.*]] = cell.select
// CHECK: %[[P:.*]] = cell.mul %[[CT]]
// CHECK-NEXT: cell.guard %[[P]], %[[CT]]
func.func private @by_mask(%m: tensor<3xi1>, %x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %0:2 = cell.vjp @masked(%m, %x, %y) cotangents(%ones) of [0] wrt [1] : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

func.func private @known(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %zero = cell.constant dense<0.0> : tensor<3xf64>
  %nan = cell.is_nan %y : tensor<3xf64>
  %inf = cell.is_inf %y : tensor<3xf64>
  %c = cell.logical_or %nan, %inf : tensor<3xi1>
  %d = cell.sub %x, %y : tensor<3xf64>
  %s = cell.square %d : tensor<3xf64>
  %0 = cell.select %c, %zero, %s : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func private @by_test(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %0:2 = cell.vjp @known(%x, %y) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// The second derivative of acos is x / (x^2 - 1)^1.5 up to sign, NaN at infinity, where it is not taken.
func.func private @inside(%x: tensor<3xf64>) -> tensor<3xf64> {
  %one = cell.constant dense<1.0> : tensor<3xf64>
  %a = cell.abs %x : tensor<3xf64>
  %c = cell.less %a, %one : tensor<3xf64>
  %r = cell.acos %x : tensor<3xf64>
  %0 = cell.select %c, %r, %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func private @by_input(%x: tensor<3xf64>) -> tensor<3xf64> {
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %0:2 = cell.vjp @inside(%x) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// A comparison of what the program has computed, as in activation functions, tells nothing of the inputs.
// CHECK-LABEL: func.func @activation(
// CHECK-NOT: cell.guard
// CHECK: return
func.func private @leaky(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
  %zero = cell.constant dense<0.0> : tensor<3xf64>
  %h = cell.mul %x, %w : tensor<3xf64>
  %c = cell.greater %h, %zero : tensor<3xf64>
  %s = cell.mul %h, %w : tensor<3xf64>
  %0 = cell.select %c, %h, %s : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @activation(%x: tensor<3xf64>, %w: tensor<3xf64>, %ct: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %0:3 = cell.vjp @leaky(%x, %w) cotangents(%ct) of [0] wrt [0, 1] : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %0#1, %0#2 : tensor<3xf64>, tensor<3xf64>
}

// The derivative of x y is y where it counts; of (x - y)^2 first 2 (x - y), then 2.
// VALUES:      result 0: tensor<3xf64> [4.0, 0.0, 0.0]
// VALUES-NEXT: result 1: tensor<3xf64> [-4.0, 0.0, 0.0]
// VALUES-NEXT: result 2: tensor<3xf64> [2.0, 0.0, 0.0]
// VALUES-NEXT: result 3: tensor<3xf64> [2.0, 0.0, 0.0]
// -1 / sqrt(1 - x^2) and -x / (1 - x^2)^1.5 at 1/2; outside 1 and 0.
// VALUES-NEXT: result 4: tensor<3xf64> [-1.15470053838, 1.0, 1.0]
// VALUES-NEXT: result 5: tensor<3xf64> [-0.76980035892, 0.0, 0.0]
// VALUES-NEXT: result 6: tensor<3xf64> [-0.76980035892, 0.0, 0.0]
func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %m = cell.constant dense<[true, false, false]> : tensor<3xi1>
  %x = cell.constant dense<[2.0, 3.0, 5.0]> : tensor<3xf64>
  %y = cell.constant dense<[4.0, 0x7FF8000000000000, 0x7FF0000000000000]> : tensor<3xf64>
  %z = cell.constant dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000]> : tensor<3xf64>
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %0 = func.call @by_mask(%m, %x, %y) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %1 = func.call @by_test(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %2:2 = cell.vjp @by_test(%x, %y) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %3:2 = cell.jvp @by_test(%x, %y) tangents(%ones) wrt [0] of [0] : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %4 = func.call @by_input(%z) : (tensor<3xf64>) -> tensor<3xf64>
  %5:2 = cell.vjp @by_input(%z) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %6:2 = cell.jvp @by_input(%z) tangents(%ones) wrt [0] of [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0, %1, %2#1, %3#1, %4, %5#1, %6#1 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
