// RUN: cell-opt %s --cell-expand-math --split-input-file | FileCheck %s

// The type of the operand is kept; constants take its shape.
// CHECK-LABEL: func @exp_vector(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
// CHECK-NOT: vector.extract
// CHECK: %[[K:.*]] = math.fma %{{.*}} : vector<16xf32>
// CHECK: arith.bitcast %[[K]] : vector<16xf32> to vector<16xi32>
// CHECK: arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: return %{{.*}} : vector<16xf32>
func.func @exp_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// 16-bit formats compute in f32.
// CHECK-LABEL: func @tanh_f16(
// CHECK-SAME: %[[X:.*]]: vector<8xf16>
// CHECK: arith.extf %[[X]] : vector<8xf16> to vector<8xf32>
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: return %[[R]]
func.func @tanh_f16(%x: vector<8xf16>) -> vector<8xf16> {
  %0 = math.tanh %x : vector<8xf16>
  return %0 : vector<8xf16>
}

// -----

// Vectors of any rank are flattened and given their shape back.
// CHECK-LABEL: func @log_2d(
// CHECK: vector.shape_cast %{{.*}} : vector<4x8xf64> to vector<32xf64>
// CHECK: vector.shape_cast %{{.*}} : vector<32xf64> to vector<4x8xf64>
func.func @log_2d(%x: vector<4x8xf64>) -> vector<4x8xf64> {
  %0 = math.log %x : vector<4x8xf64>
  return %0 : vector<4x8xf64>
}

// -----

// One uniform branch reduces large arguments.
// CHECK-LABEL: func @sin_vector(
// CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]] : vector<16xi1> into i1
// CHECK: scf.if %[[ANY]] -> (vector<16xi32>, vector<16xf32>, vector<16xf32>)
// CHECK: special.reduce_large %{{.*}} : vector<16xf32>
// CHECK: } else {
func.func @sin_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// CHECK-LABEL: func @sin_scalar(
// CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %{{.*}} : f64
// CHECK: scf.if %[[LARGE]] -> (i64, f64, f64)
func.func @sin_scalar(%x: f64) -> f64 {
  %0 = math.sin %x : f64
  return %0 : f64
}

// -----

// No flag allows LLVM to reassociate what the error analysis relies on.
// CHECK-LABEL: func @no_fastmath(
// CHECK-NOT: fastmath
// CHECK: return
func.func @no_fastmath(%x: f32) -> f32 {
  %0 = math.log1p %x fastmath<fast> : f32
  return %0 : f32
}

// -----

// Ops with an instruction, tensors and scalable vectors stay.
// CHECK-LABEL: func @untouched(
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK: math.absf
// CHECK: math.exp %{{.*}} : tensor<4xf32>
// CHECK: math.exp %{{.*}} : vector<[4]xf32>
func.func @untouched(%x: f32, %t: tensor<4xf32>, %v: vector<[4]xf32>)
    -> (f32, tensor<4xf32>, vector<[4]xf32>) {
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.absf %1 : f32
  %3 = math.exp %t : tensor<4xf32>
  %4 = math.exp %v : vector<[4]xf32>
  return %2, %3, %4 : f32, tensor<4xf32>, vector<[4]xf32>
}
