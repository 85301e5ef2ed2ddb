// RUN: cell-opt %s --cell-expand-math --cse | FileCheck %s

// The slope of a sigmoid beside the sigmoid is of the same exponential: one rounding to a multiple of ln 2.
// CHECK-LABEL: func @sigmoid_and_slope(
// CHECK-COUNT-1: arith.constant dense<1.44269502>
// CHECK: arith.shrsi
// CHECK-NOT: arith.shrsi
// CHECK-COUNT-2: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @sigmoid_and_slope(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %half = arith.constant dense<5.000000e-01> : vector<16xf32>
  %one = arith.constant dense<1.000000e+00> : vector<16xf32>
  %zero = arith.constant dense<0.000000e+00> : vector<16xf32>
  %0 = arith.mulf %x, %half : vector<16xf32>
  %1 = special.sech_squared %0 : vector<16xf32>
  %2 = arith.cmpf olt, %x, %zero : vector<16xf32>
  %3 = math.absf %x : vector<16xf32>
  %4 = arith.negf %3 : vector<16xf32>
  %5 = math.exp %4 : vector<16xf32>
  %6 = arith.select %2, %5, %one : vector<16xi1>, vector<16xf32>
  %7 = arith.addf %5, %one : vector<16xf32>
  %8 = arith.divf %6, %7 : vector<16xf32>
  return %1, %8 : vector<16xf32>, vector<16xf32>
}

// The exponential of another half is not: it is rounded to 16 bits.
// CHECK-LABEL: func @halves(
// CHECK-COUNT-2: arith.shrsi
// CHECK: return
func.func @halves(%x: vector<16xf16>) -> (vector<16xf16>, vector<16xf16>) {
  %half = arith.constant dense<5.000000e-01> : vector<16xf16>
  %0 = arith.mulf %x, %half : vector<16xf16>
  %1 = special.sech_squared %0 : vector<16xf16>
  %2 = math.absf %x : vector<16xf16>
  %3 = arith.negf %2 : vector<16xf16>
  %4 = math.exp %3 : vector<16xf16>
  return %1, %4 : vector<16xf16>, vector<16xf16>
}
