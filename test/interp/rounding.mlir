// Every op rounds its result to its own type; integers wrap; sums round once.
// RUN: cell-run %s --entry=floats | FileCheck %s --check-prefix=FLOATS
// RUN: cell-run %s --entry=ints | FileCheck %s --check-prefix=INTS
// RUN: cell-run %s --entry=sums | FileCheck %s --check-prefix=SUMS

// 1 + 2^-24 is a tie of f32 and goes to even; 2048 + 1 of f16; 256 + 1 of bf16. 65504 + 32 is past the largest f16.
// FLOATS:      result 0: tensor<f32> 1.0
// FLOATS-NEXT: result 1: tensor<2xf16> [2048.0, inf]
// FLOATS-NEXT: result 2: tensor<bf16> 256.0
// FLOATS-NEXT: result 3: tensor<f64> 1.0000000596046448
func.func @floats() -> (tensor<f32>, tensor<2xf16>, tensor<bf16>, tensor<f64>) {
  %a = cell.constant dense<1.0> : tensor<f32>
  %b = cell.constant dense<5.9604644775390625e-08> : tensor<f32>
  %0 = cell.add %a, %b : tensor<f32>
  %c = cell.constant dense<[2048.0, 65504.0]> : tensor<2xf16>
  %d = cell.constant dense<[1.0, 32.0]> : tensor<2xf16>
  %1 = cell.add %c, %d : tensor<2xf16>
  %e = cell.constant dense<256.0> : tensor<bf16>
  %f = cell.constant dense<1.0> : tensor<bf16>
  %2 = cell.add %e, %f : tensor<bf16>
  %g = cell.constant dense<1.0> : tensor<f64>
  %h = cell.constant dense<5.9604644775390625e-08> : tensor<f64>
  %3 = cell.add %g, %h : tensor<f64>
  return %0, %1, %2, %3 : tensor<f32>, tensor<2xf16>, tensor<bf16>, tensor<f64>
}

// INTS:      result 0: tensor<2xi8> [-128, -128]
// INTS-NEXT: result 1: tensor<i64> -9223372036854775808
// INTS-NEXT: result 2: tensor<i64> -9223372036854775808
// INTS-NEXT: result 3: tensor<i8> 1
func.func @ints() -> (tensor<2xi8>, tensor<i64>, tensor<i64>, tensor<i8>) {
  %a = cell.constant dense<[127, -128]> : tensor<2xi8>
  %b = cell.constant dense<[1, 0]> : tensor<2xi8>
  %0 = cell.add %a, %b : tensor<2xi8>
  %c = cell.constant dense<-9223372036854775808> : tensor<i64>
  %1 = cell.neg %c : tensor<i64>
  %2 = cell.abs %c : tensor<i64>
  %d = cell.constant dense<[127, 127, 3]> : tensor<3xi8>
  %3 = cell.reduce_sum %d over [0] : tensor<3xi8> -> tensor<i8>
  return %0, %1, %2, %3 : tensor<2xi8>, tensor<i64>, tensor<i64>, tensor<i8>
}

// Accumulated in f32 one by one, both would lose the small terms: 2^24 + 1 + 1 = 2^24.
// SUMS:      result 0: tensor<f32> 16777218.0
// SUMS-NEXT: result 1: tensor<1x1xf32> {{\[\[16777218.0\]\]}}
func.func @sums() -> (tensor<f32>, tensor<1x1xf32>) {
  %a = cell.constant dense<[[16777216.0, 1.0, 1.0]]> : tensor<1x3xf32>
  %0 = cell.reduce_sum %a over [0, 1] : tensor<1x3xf32> -> tensor<f32>
  %b = cell.constant dense<1.0> : tensor<3x1xf32>
  %1 = cell.matmul %a, %b : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
  return %0, %1 : tensor<f32>, tensor<1x1xf32>
}
