// RUN: cell-opt %s --split-input-file --verify-diagnostics

// The formulas are for f32 and f64, scalars and flat vectors of fixed size.

func.func @half(%x: f16, %n: i16) -> f16 {
  // expected-error @+1 {{'x' must be 32-bit float or 64-bit float}}
  %0:3 = special.reduce_large %x, %n, %x, %x : f16
  return %0#1 : f16
}

// -----

func.func @width(%x: f32, %n: i64) -> f32 {
  // expected-error @+1 {{failed to verify that integers of the width of the floats}}
  %0:3 = "special.reduce_large"(%x, %n, %x, %x) : (f32, i64, f32, f32) -> (i32, f32, f32)
  return %0#1 : f32
}
