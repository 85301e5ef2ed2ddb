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
