// RUN: cell-opt %s --cell-expand-math --cell-share-math \
// RUN:   | mlir-opt --convert-scf-to-cf --convert-math-to-llvm --convert-arith-to-llvm \
// RUN:       --convert-cf-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-translate --mlir-to-llvmir | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 \
// RUN:   | FileCheck %s --implicit-check-not=.extern

// The scalar formulas need no device library either: every op has a PTX instruction, and what is
// called is here.

// CHECK-LABEL: .visible .func{{.*}} all_f32
// CHECK: cell_reduce_large_f32
// CHECK-LABEL: .visible .func{{.*}} all_f64
// CHECK: cell_reduce_large_f64

func.func @all_f32(%x: f32, %y: f32, %n: i32) -> f32 {
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
  %24 = math.floor %23 : f32
  %25 = math.ceil %24 : f32
  %26 = math.trunc %25 : f32
  %27 = math.roundeven %26 : f32
  %28 = math.sqrt %27 : f32
  %29 = math.absf %28 : f32
  %p = math.powf %29, %y : f32
  %q = math.atan2 %p, %y : f32
  %r = math.fpowi %q, %n : f32, i32
  return %r : f32
}

func.func @all_f64(%x: f64, %y: f64, %n: i32) -> f64 {
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
  %24 = math.floor %23 : f64
  %25 = math.ceil %24 : f64
  %26 = math.trunc %25 : f64
  %27 = math.roundeven %26 : f64
  %28 = math.sqrt %27 : f64
  %29 = math.absf %28 : f64
  %p = math.powf %29, %y : f64
  %q = math.atan2 %p, %y : f64
  %r = math.fpowi %q, %n : f64, i32
  return %r : f64
}
