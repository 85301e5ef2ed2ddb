// RUN: cell-opt %s --cell-expand-math --cse | FileCheck %s

// The slope of tanh beside tanh has its exponential and its division in common with it.
// CHECK-LABEL: func @tanh_and_slope(
// CHECK:         arith.minsi
// CHECK-NOT:     arith.minsi
// CHECK:         arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         return
func.func @tanh_and_slope(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %0 = special.sech_squared %x : vector<16xf32>
  %1 = math.tanh %x : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// That of sigmoid has them in common with it, too.
// CHECK-LABEL: func @sigmoid_and_slope(
// CHECK:         math.absf
// CHECK-NOT:     math.absf
// CHECK:         arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         return
func.func @sigmoid_and_slope(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = special.sigmoid_slope %x : vector<16xf32>
  %1 = math.absf %x : vector<16xf32>
  %2 = arith.negf %1 : vector<16xf32>
  %3 = math.exp %2 : vector<16xf32>
  %4 = arith.cmpf olt, %x, %zero : vector<16xf32>
  %5 = arith.select %4, %3, %one : vector<16xi1>, vector<16xf32>
  %6 = arith.addf %one, %3 : vector<16xf32>
  %7 = arith.divf %5, %6 : vector<16xf32>
  return %0, %7 : vector<16xf32>, vector<16xf32>
}

// Of halves as well, which compute in f32.
// CHECK-LABEL: func @halves(
// CHECK:         arith.divf
// CHECK-NOT:     arith.divf
// CHECK-COUNT-2: arith.truncf
// CHECK:         return
func.func @halves(%x: vector<16xf16>) -> (vector<16xf16>, vector<16xf16>) {
  %0 = special.sech_squared %x : vector<16xf16>
  %1 = math.tanh %x : vector<16xf16>
  return %0, %1 : vector<16xf16>, vector<16xf16>
}
