// RUN: cell-opt %s --cell-expand-math=scale512=true | FileCheck %s
// RUN: cell-opt %s --cell-expand-math | FileCheck %s --check-prefix=PARTS

// Vectors of 512 bits are scaled by 2^k in one instruction, which rounds once as the two factors do.

// CHECK-LABEL: func @vector_f32(
// CHECK: %[[SHIFTED:.*]] = math.fma
// CHECK: %[[K:.*]] = arith.subf %[[SHIFTED]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[P:.*]], %[[K]], %[[P]], %{{.*}}, %{{.*}})
// CHECK-NOT: arith.shrsi
// CHECK: return
// PARTS-LABEL: func @vector_f32(
// PARTS-NOT: call_intrinsic
// PARTS: arith.shrsi
func.func @vector_f32(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func @vector_f64(
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.pd.512"
func.func @vector_f64(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp2 %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// Others in two factors.
// CHECK-LABEL: func @others(
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @others(%x: vector<8xf32>, %y: f32) -> (vector<8xf32>, f32) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.exp %y : f32
  return %0, %1 : vector<8xf32>, f32
}
