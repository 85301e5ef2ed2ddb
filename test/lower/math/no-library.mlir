// RUN: cellc %s -o %t.so
// RUN: cellc %s -o %t.v2.so --target=x86-64-v2
// RUN: llvm-nm -D -u %t.so | FileCheck %s --allow-empty
// RUN: llvm-nm -D -u %t.v2.so | FileCheck %s --allow-empty

// The artifact calls no function of the math library: LLVM finds an instruction for
// all that the expansion leaves.

// CHECK-NOT: U {{(a?sinh?|a?cosh?|a?tanh?|exp|log|pow|erf|cbrt|fma|round|rint|floor|ceil|trunc|nearbyint|sqrt|fmod|copysign|fabs|ldexp|frexp)[a-z0-9]*(@.*)?$}}

func.func @all_f32(%x: tensor<1000xf32>, %y: tensor<1000xf32>, %n: tensor<1000xi32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %y, %n : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xi32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %i: i32, %out: f32):
    %1 = math.exp %a : f32
    %2 = math.exp2 %1 : f32
    %3 = math.expm1 %2 : f32
    %4 = math.log %3 : f32
    %5 = math.log2 %4 : f32
    %6 = math.log10 %5 : f32
    %7 = math.log1p %6 : f32
    %8 = math.sin %7 : f32
    %9 = math.cos %8 : f32
    %10 = math.tan %9 : f32
    %11 = math.sinh %10 : f32
    %12 = math.cosh %11 : f32
    %13 = math.tanh %12 : f32
    %14 = math.asinh %13 : f32
    %15 = math.acosh %14 : f32
    %16 = math.atanh %15 : f32
    %17 = math.asin %16 : f32
    %18 = math.acos %17 : f32
    %19 = math.atan %18 : f32
    %20 = math.erf %19 : f32
    %21 = math.erfc %20 : f32
    %22 = math.cbrt %21 : f32
    %23 = math.rsqrt %22 : f32
    %24 = math.round %23 : f32
    %25 = math.floor %24 : f32
    %26 = math.ceil %25 : f32
    %27 = math.trunc %26 : f32
    %28 = math.roundeven %27 : f32
    %29 = math.sqrt %28 : f32
    %30 = math.absf %29 : f32
    %p = math.powf %30, %b : f32
    %q = math.atan2 %p, %b : f32
    %r = math.fpowi %q, %i : f32, i32
    linalg.yield %r : f32
  } -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

func.func @all_f64(%x: tensor<1000xf64>, %y: tensor<1000xf64>, %n: tensor<1000xi64>) -> tensor<1000xf64> {
  %e = tensor.empty() : tensor<1000xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %y, %n : tensor<1000xf64>, tensor<1000xf64>, tensor<1000xi64>) outs(%e : tensor<1000xf64>) {
  ^bb0(%a: f64, %b: f64, %i: i64, %out: f64):
    %1 = math.exp %a : f64
    %2 = math.exp2 %1 : f64
    %3 = math.expm1 %2 : f64
    %4 = math.log %3 : f64
    %5 = math.log2 %4 : f64
    %6 = math.log10 %5 : f64
    %7 = math.log1p %6 : f64
    %8 = math.sin %7 : f64
    %9 = math.cos %8 : f64
    %10 = math.tan %9 : f64
    %11 = math.sinh %10 : f64
    %12 = math.cosh %11 : f64
    %13 = math.tanh %12 : f64
    %14 = math.asinh %13 : f64
    %15 = math.acosh %14 : f64
    %16 = math.atanh %15 : f64
    %17 = math.asin %16 : f64
    %18 = math.acos %17 : f64
    %19 = math.atan %18 : f64
    %20 = math.erf %19 : f64
    %21 = math.erfc %20 : f64
    %22 = math.cbrt %21 : f64
    %23 = math.rsqrt %22 : f64
    %24 = math.round %23 : f64
    %25 = math.floor %24 : f64
    %26 = math.ceil %25 : f64
    %27 = math.trunc %26 : f64
    %28 = math.roundeven %27 : f64
    %29 = math.sqrt %28 : f64
    %30 = math.absf %29 : f64
    %p = math.powf %30, %b : f64
    %q = math.atan2 %p, %b : f64
    %r = math.fpowi %q, %i : f64, i64
    linalg.yield %r : f64
  } -> tensor<1000xf64>
  return %0 : tensor<1000xf64>
}

func.func @all_f16(%x: tensor<1000xf16>, %y: tensor<1000xf16>, %n: tensor<1000xi32>) -> tensor<1000xf16> {
  %e = tensor.empty() : tensor<1000xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %y, %n : tensor<1000xf16>, tensor<1000xf16>, tensor<1000xi32>) outs(%e : tensor<1000xf16>) {
  ^bb0(%a: f16, %b: f16, %i: i32, %out: f16):
    %1 = math.exp %a : f16
    %2 = math.exp2 %1 : f16
    %3 = math.expm1 %2 : f16
    %4 = math.log %3 : f16
    %5 = math.log2 %4 : f16
    %6 = math.log10 %5 : f16
    %7 = math.log1p %6 : f16
    %8 = math.sin %7 : f16
    %9 = math.cos %8 : f16
    %10 = math.tan %9 : f16
    %11 = math.sinh %10 : f16
    %12 = math.cosh %11 : f16
    %13 = math.tanh %12 : f16
    %14 = math.asinh %13 : f16
    %15 = math.acosh %14 : f16
    %16 = math.atanh %15 : f16
    %17 = math.asin %16 : f16
    %18 = math.acos %17 : f16
    %19 = math.atan %18 : f16
    %20 = math.erf %19 : f16
    %21 = math.erfc %20 : f16
    %22 = math.cbrt %21 : f16
    %23 = math.rsqrt %22 : f16
    %24 = math.round %23 : f16
    %25 = math.floor %24 : f16
    %26 = math.ceil %25 : f16
    %27 = math.trunc %26 : f16
    %28 = math.roundeven %27 : f16
    %29 = math.sqrt %28 : f16
    %30 = math.absf %29 : f16
    %p = math.powf %30, %b : f16
    %q = math.atan2 %p, %b : f16
    %r = math.fpowi %q, %i : f16, i32
    linalg.yield %r : f16
  } -> tensor<1000xf16>
  return %0 : tensor<1000xf16>
}
