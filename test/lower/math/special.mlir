// RUN: cell-opt %s --cell-expand-math | FileCheck %s
// RUN: cell-opt %s --cell-expand-math=fma=false | FileCheck %s --check-prefixes=CHECK,NOFMA

// Nothing is left of the special functions, in any type, and no vector is taken apart.

// CHECK-NOT: special.
// CHECK-NOT: vector.extract
// CHECK-NOT: call
// NOFMA-NOT: math.fma

// CHECK-LABEL: func.func @scalar_f32
// Below 0 under a branch.
// CHECK: scf.if
func.func @scalar_f32(%x: f32) -> f32 {
  %0 = special.lgamma %x : f32
  %1 = special.digamma %0 : f32
  %2 = special.polygamma %1 {order = 2 : i64} : f32
  %3 = special.erfinv %2 : f32
  return %3 : f32
}

// CHECK-LABEL: func.func @vector_f64
func.func @vector_f64(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = special.lgamma %x : vector<8xf64>
  %1 = special.digamma %0 : vector<8xf64>
  %2 = special.polygamma %1 {order = 1 : i64} : vector<8xf64>
  %3 = special.erfinv %2 : vector<8xf64>
  return %3 : vector<8xf64>
}

// CHECK-LABEL: func.func @half
func.func @half(%x: vector<16xf16>, %y: bf16) -> (vector<16xf16>, bf16) {
  %0 = special.lgamma %x : vector<16xf16>
  %1 = special.erfinv %y : bf16
  return %0, %1 : vector<16xf16>, bf16
}
