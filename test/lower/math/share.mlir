// RUN: cell-opt %s --cell-expand-math --cse --cell-share-math --split-input-file | FileCheck %s
// RUN: cell-opt %s --cell-expand-math=fma=false --cse --cell-share-math=fma=false --split-input-file \
// RUN:   | FileCheck %s --check-prefixes=CHECK,NOFMA

// All of one type call one function, in any function of the module, in the branch that is taken
// where an argument is large; another type has its own.
// NOFMA-NOT:   math.fma
// CHECK-NOT:   special.
// CHECK-LABEL: func.func @chain(
// CHECK:         %[[ANY:.*]] = vector.reduction <or>
// CHECK:         %[[RED:.*]]:3 = scf.if %[[ANY]] -> (vector<16xi32>, vector<16xf32>, vector<16xf32>) {
// CHECK-NEXT:      %[[NEW:.*]]:3 = func.call @cell_reduce_large_16xf32(%{{.*}}) : (vector<16xf32>, vector<16xi32>, vector<16xf32>, vector<16xf32>) -> (vector<16xi32>, vector<16xf32>, vector<16xf32>)
// CHECK-NEXT:      scf.yield %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield
// CHECK:         func.call @cell_reduce_large_16xf32(
// CHECK-NOT:     call
// CHECK:         return
func.func @chain(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  %1 = math.tan %0 : vector<16xf32>
  return %1 : vector<16xf32>
}
// Halves are computed in f32, vectors of any rank flat.
// CHECK-LABEL: func.func @half(
// CHECK:         func.call @cell_reduce_large_16xf32(
func.func @half(%x: vector<2x8xf16>) -> vector<2x8xf16> {
  %0 = math.sin %x : vector<2x8xf16>
  return %0 : vector<2x8xf16>
}
// CHECK-LABEL: func.func @scalar(
// CHECK:         func.call @cell_reduce_large_f64({{.*}}) : (f64, i64, f64, f64) -> (i64, f64, f64)
func.func @scalar(%x: f64) -> f64 {
  %0 = math.cos %x : f64
  return %0 : f64
}

// Only lanes with a large argument take what is computed.
// CHECK-LABEL: func.func private @cell_reduce_large_16xf32(
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>, %[[N:.*]]: vector<16xi32>, %[[R:.*]]: vector<16xf32>, %[[LOW:.*]]: vector<16xf32>)
// CHECK-SAME:    attributes {passthrough = ["cold"]}
// CHECK:         %[[LARGE:.*]] = arith.cmpf ogt, %[[X]], %{{.*}} : vector<16xf32>
// CHECK-DAG:     %[[N1:.*]] = arith.select %[[LARGE]], %{{.*}}, %[[N]]
// CHECK-DAG:     %[[R1:.*]] = arith.select %[[LARGE]], %{{.*}}, %[[R]]
// CHECK-DAG:     %[[LOW1:.*]] = arith.select %[[LARGE]], %{{.*}}, %[[LOW]]
// CHECK:         return %[[N1]], %[[R1]], %[[LOW1]]
// CHECK-LABEL: func.func private @cell_reduce_large_f64(
// CHECK-NOT:   func.func private

// -----

// The sine and the cosine of one value share the call.
// CHECK-LABEL: func.func @both(
// CHECK:         func.call @cell_reduce_large_f32(
// CHECK-NOT:     call
// CHECK:         return
func.func @both(%x: f32) -> (f32, f32) {
  %0 = math.sin %x : f32
  %1 = math.cos %x : f32
  return %0, %1 : f32, f32
}

// -----

// A function of the user's that has the name keeps it.
// CHECK-LABEL: func.func @cell_reduce_large_f32(%{{.*}}: f32) -> f32 {
// CHECK:         func.call @cell_reduce_large_f32_0(
// CHECK-LABEL: func.func private @cell_reduce_large_f32_0(
func.func @cell_reduce_large_f32(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// -----

// Nothing is made that nobody calls.
// CHECK-LABEL: func.func @other(
// CHECK-NOT:   func.func
func.func @other(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
