// RUN: cell-opt %s --cell-expand-math | FileCheck %s

// Nothing but the ops with a hardware instruction is left, in any type the pass
// serves, and no vector is taken apart.

// CHECK-NOT: math.{{(a?sinh?|a?cosh?|a?tanh?|exp|log|pow|erf|cbrt|rsqrt|atan2|fpowi|ipowi|sincos|round )}}
// CHECK-NOT: vector.extract
// CHECK-NOT: call

func.func @scalar_f32(%x: f32, %y: f32, %n: i32) -> (f32, i32) {
  %0 = math.exp %x : f32
  %1 = math.exp2 %0 : f32
  %2 = math.expm1 %1 : f32
  %3 = math.log %2 : f32
  %4 = math.log2 %3 : f32
  %5 = math.log10 %4 : f32
  %6 = math.log1p %5 : f32
  %7 = math.sin %6 : f32
  %8 = math.cos %7 : f32
  %9 = math.tan %8 : f32
  %10 = math.sinh %9 : f32
  %11 = math.cosh %10 : f32
  %12 = math.tanh %11 : f32
  %13 = math.asinh %12 : f32
  %14 = math.acosh %13 : f32
  %15 = math.atanh %14 : f32
  %16 = math.asin %15 : f32
  %17 = math.acos %16 : f32
  %18 = math.atan %17 : f32
  %19 = math.erf %18 : f32
  %20 = math.erfc %19 : f32
  %21 = math.cbrt %20 : f32
  %22 = math.rsqrt %21 : f32
  %23 = math.round %22 : f32
  %p = math.powf %23, %y : f32
  %q = math.atan2 %p, %y : f32
  %r = math.fpowi %q, %n : f32, i32
  %s, %c = math.sincos %r : f32
  %m = arith.addf %s, %c : f32
  %i = math.ipowi %n, %n : i32
  return %m, %i : f32, i32
}

func.func @scalar_f64(%x: f64, %y: f64, %n: i64) -> (f64, i64) {
  %0 = math.exp %x : f64
  %1 = math.exp2 %0 : f64
  %2 = math.expm1 %1 : f64
  %3 = math.log %2 : f64
  %4 = math.log2 %3 : f64
  %5 = math.log10 %4 : f64
  %6 = math.log1p %5 : f64
  %7 = math.sin %6 : f64
  %8 = math.cos %7 : f64
  %9 = math.tan %8 : f64
  %10 = math.sinh %9 : f64
  %11 = math.cosh %10 : f64
  %12 = math.tanh %11 : f64
  %13 = math.asinh %12 : f64
  %14 = math.acosh %13 : f64
  %15 = math.atanh %14 : f64
  %16 = math.asin %15 : f64
  %17 = math.acos %16 : f64
  %18 = math.atan %17 : f64
  %19 = math.erf %18 : f64
  %20 = math.erfc %19 : f64
  %21 = math.cbrt %20 : f64
  %22 = math.rsqrt %21 : f64
  %23 = math.round %22 : f64
  %p = math.powf %23, %y : f64
  %q = math.atan2 %p, %y : f64
  %r = math.fpowi %q, %n : f64, i64
  %s, %c = math.sincos %r : f64
  %m = arith.addf %s, %c : f64
  %i = math.ipowi %n, %n : i64
  return %m, %i : f64, i64
}

func.func @vector_f32(%x: vector<16xf32>, %y: vector<16xf32>, %n: vector<16xi32>) -> (vector<16xf32>, vector<16xi32>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp2 %0 : vector<16xf32>
  %2 = math.expm1 %1 : vector<16xf32>
  %3 = math.log %2 : vector<16xf32>
  %4 = math.log2 %3 : vector<16xf32>
  %5 = math.log10 %4 : vector<16xf32>
  %6 = math.log1p %5 : vector<16xf32>
  %7 = math.sin %6 : vector<16xf32>
  %8 = math.cos %7 : vector<16xf32>
  %9 = math.tan %8 : vector<16xf32>
  %10 = math.sinh %9 : vector<16xf32>
  %11 = math.cosh %10 : vector<16xf32>
  %12 = math.tanh %11 : vector<16xf32>
  %13 = math.asinh %12 : vector<16xf32>
  %14 = math.acosh %13 : vector<16xf32>
  %15 = math.atanh %14 : vector<16xf32>
  %16 = math.asin %15 : vector<16xf32>
  %17 = math.acos %16 : vector<16xf32>
  %18 = math.atan %17 : vector<16xf32>
  %19 = math.erf %18 : vector<16xf32>
  %20 = math.erfc %19 : vector<16xf32>
  %21 = math.cbrt %20 : vector<16xf32>
  %22 = math.rsqrt %21 : vector<16xf32>
  %23 = math.round %22 : vector<16xf32>
  %p = math.powf %23, %y : vector<16xf32>
  %q = math.atan2 %p, %y : vector<16xf32>
  %r = math.fpowi %q, %n : vector<16xf32>, vector<16xi32>
  %s, %c = math.sincos %r : vector<16xf32>
  %m = arith.addf %s, %c : vector<16xf32>
  %i = math.ipowi %n, %n : vector<16xi32>
  return %m, %i : vector<16xf32>, vector<16xi32>
}

func.func @vector_f64(%x: vector<8xf64>, %y: vector<8xf64>, %n: vector<8xi64>) -> (vector<8xf64>, vector<8xi64>) {
  %0 = math.exp %x : vector<8xf64>
  %1 = math.exp2 %0 : vector<8xf64>
  %2 = math.expm1 %1 : vector<8xf64>
  %3 = math.log %2 : vector<8xf64>
  %4 = math.log2 %3 : vector<8xf64>
  %5 = math.log10 %4 : vector<8xf64>
  %6 = math.log1p %5 : vector<8xf64>
  %7 = math.sin %6 : vector<8xf64>
  %8 = math.cos %7 : vector<8xf64>
  %9 = math.tan %8 : vector<8xf64>
  %10 = math.sinh %9 : vector<8xf64>
  %11 = math.cosh %10 : vector<8xf64>
  %12 = math.tanh %11 : vector<8xf64>
  %13 = math.asinh %12 : vector<8xf64>
  %14 = math.acosh %13 : vector<8xf64>
  %15 = math.atanh %14 : vector<8xf64>
  %16 = math.asin %15 : vector<8xf64>
  %17 = math.acos %16 : vector<8xf64>
  %18 = math.atan %17 : vector<8xf64>
  %19 = math.erf %18 : vector<8xf64>
  %20 = math.erfc %19 : vector<8xf64>
  %21 = math.cbrt %20 : vector<8xf64>
  %22 = math.rsqrt %21 : vector<8xf64>
  %23 = math.round %22 : vector<8xf64>
  %p = math.powf %23, %y : vector<8xf64>
  %q = math.atan2 %p, %y : vector<8xf64>
  %r = math.fpowi %q, %n : vector<8xf64>, vector<8xi64>
  %s, %c = math.sincos %r : vector<8xf64>
  %m = arith.addf %s, %c : vector<8xf64>
  %i = math.ipowi %n, %n : vector<8xi64>
  return %m, %i : vector<8xf64>, vector<8xi64>
}

func.func @vector_f16(%x: vector<16xf16>, %y: vector<16xf16>, %n: vector<16xi16>) -> (vector<16xf16>, vector<16xi16>) {
  %0 = math.exp %x : vector<16xf16>
  %1 = math.exp2 %0 : vector<16xf16>
  %2 = math.expm1 %1 : vector<16xf16>
  %3 = math.log %2 : vector<16xf16>
  %4 = math.log2 %3 : vector<16xf16>
  %5 = math.log10 %4 : vector<16xf16>
  %6 = math.log1p %5 : vector<16xf16>
  %7 = math.sin %6 : vector<16xf16>
  %8 = math.cos %7 : vector<16xf16>
  %9 = math.tan %8 : vector<16xf16>
  %10 = math.sinh %9 : vector<16xf16>
  %11 = math.cosh %10 : vector<16xf16>
  %12 = math.tanh %11 : vector<16xf16>
  %13 = math.asinh %12 : vector<16xf16>
  %14 = math.acosh %13 : vector<16xf16>
  %15 = math.atanh %14 : vector<16xf16>
  %16 = math.asin %15 : vector<16xf16>
  %17 = math.acos %16 : vector<16xf16>
  %18 = math.atan %17 : vector<16xf16>
  %19 = math.erf %18 : vector<16xf16>
  %20 = math.erfc %19 : vector<16xf16>
  %21 = math.cbrt %20 : vector<16xf16>
  %22 = math.rsqrt %21 : vector<16xf16>
  %23 = math.round %22 : vector<16xf16>
  %p = math.powf %23, %y : vector<16xf16>
  %q = math.atan2 %p, %y : vector<16xf16>
  %r = math.fpowi %q, %n : vector<16xf16>, vector<16xi16>
  %s, %c = math.sincos %r : vector<16xf16>
  %m = arith.addf %s, %c : vector<16xf16>
  %i = math.ipowi %n, %n : vector<16xi16>
  return %m, %i : vector<16xf16>, vector<16xi16>
}

func.func @scalar_bf16(%x: bf16, %y: bf16, %n: i32) -> (bf16, i32) {
  %0 = math.exp %x : bf16
  %1 = math.exp2 %0 : bf16
  %2 = math.expm1 %1 : bf16
  %3 = math.log %2 : bf16
  %4 = math.log2 %3 : bf16
  %5 = math.log10 %4 : bf16
  %6 = math.log1p %5 : bf16
  %7 = math.sin %6 : bf16
  %8 = math.cos %7 : bf16
  %9 = math.tan %8 : bf16
  %10 = math.sinh %9 : bf16
  %11 = math.cosh %10 : bf16
  %12 = math.tanh %11 : bf16
  %13 = math.asinh %12 : bf16
  %14 = math.acosh %13 : bf16
  %15 = math.atanh %14 : bf16
  %16 = math.asin %15 : bf16
  %17 = math.acos %16 : bf16
  %18 = math.atan %17 : bf16
  %19 = math.erf %18 : bf16
  %20 = math.erfc %19 : bf16
  %21 = math.cbrt %20 : bf16
  %22 = math.rsqrt %21 : bf16
  %23 = math.round %22 : bf16
  %p = math.powf %23, %y : bf16
  %q = math.atan2 %p, %y : bf16
  %r = math.fpowi %q, %n : bf16, i32
  %s, %c = math.sincos %r : bf16
  %m = arith.addf %s, %c : bf16
  %i = math.ipowi %n, %n : i32
  return %m, %i : bf16, i32
}

func.func @vector_2d(%x: vector<4x8xf32>, %y: vector<4x8xf32>, %n: vector<4x8xi32>) -> (vector<4x8xf32>, vector<4x8xi32>) {
  %0 = math.exp %x : vector<4x8xf32>
  %1 = math.exp2 %0 : vector<4x8xf32>
  %2 = math.expm1 %1 : vector<4x8xf32>
  %3 = math.log %2 : vector<4x8xf32>
  %4 = math.log2 %3 : vector<4x8xf32>
  %5 = math.log10 %4 : vector<4x8xf32>
  %6 = math.log1p %5 : vector<4x8xf32>
  %7 = math.sin %6 : vector<4x8xf32>
  %8 = math.cos %7 : vector<4x8xf32>
  %9 = math.tan %8 : vector<4x8xf32>
  %10 = math.sinh %9 : vector<4x8xf32>
  %11 = math.cosh %10 : vector<4x8xf32>
  %12 = math.tanh %11 : vector<4x8xf32>
  %13 = math.asinh %12 : vector<4x8xf32>
  %14 = math.acosh %13 : vector<4x8xf32>
  %15 = math.atanh %14 : vector<4x8xf32>
  %16 = math.asin %15 : vector<4x8xf32>
  %17 = math.acos %16 : vector<4x8xf32>
  %18 = math.atan %17 : vector<4x8xf32>
  %19 = math.erf %18 : vector<4x8xf32>
  %20 = math.erfc %19 : vector<4x8xf32>
  %21 = math.cbrt %20 : vector<4x8xf32>
  %22 = math.rsqrt %21 : vector<4x8xf32>
  %23 = math.round %22 : vector<4x8xf32>
  %p = math.powf %23, %y : vector<4x8xf32>
  %q = math.atan2 %p, %y : vector<4x8xf32>
  %r = math.fpowi %q, %n : vector<4x8xf32>, vector<4x8xi32>
  %s, %c = math.sincos %r : vector<4x8xf32>
  %m = arith.addf %s, %c : vector<4x8xf32>
  %i = math.ipowi %n, %n : vector<4x8xi32>
  return %m, %i : vector<4x8xf32>, vector<4x8xi32>
}

func.func @vector_0d(%x: vector<f64>, %y: vector<f64>, %n: vector<i32>) -> (vector<f64>, vector<i32>) {
  %0 = math.exp %x : vector<f64>
  %1 = math.exp2 %0 : vector<f64>
  %2 = math.expm1 %1 : vector<f64>
  %3 = math.log %2 : vector<f64>
  %4 = math.log2 %3 : vector<f64>
  %5 = math.log10 %4 : vector<f64>
  %6 = math.log1p %5 : vector<f64>
  %7 = math.sin %6 : vector<f64>
  %8 = math.cos %7 : vector<f64>
  %9 = math.tan %8 : vector<f64>
  %10 = math.sinh %9 : vector<f64>
  %11 = math.cosh %10 : vector<f64>
  %12 = math.tanh %11 : vector<f64>
  %13 = math.asinh %12 : vector<f64>
  %14 = math.acosh %13 : vector<f64>
  %15 = math.atanh %14 : vector<f64>
  %16 = math.asin %15 : vector<f64>
  %17 = math.acos %16 : vector<f64>
  %18 = math.atan %17 : vector<f64>
  %19 = math.erf %18 : vector<f64>
  %20 = math.erfc %19 : vector<f64>
  %21 = math.cbrt %20 : vector<f64>
  %22 = math.rsqrt %21 : vector<f64>
  %23 = math.round %22 : vector<f64>
  %p = math.powf %23, %y : vector<f64>
  %q = math.atan2 %p, %y : vector<f64>
  %r = math.fpowi %q, %n : vector<f64>, vector<i32>
  %s, %c = math.sincos %r : vector<f64>
  %m = arith.addf %s, %c : vector<f64>
  %i = math.ipowi %n, %n : vector<i32>
  return %m, %i : vector<f64>, vector<i32>
}
