// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// Out of range lanes saturate and NaN gives zero: fptosi alone is poison there.
// CHECK-LABEL: func.func @float_to_int
// CHECK:       ^bb0(%[[X:.*]]: f32, %{{.*}}: i32):
// CHECK:         %[[RAW:.*]] = arith.fptosi %[[X]] : f32 to i32
// CHECK:         %[[HIGH:.*]] = arith.cmpf oge, %[[X]], %{{.*}} : f32
// CHECK:         %[[A:.*]] = arith.select %[[HIGH]], %{{.*}}, %[[RAW]] : i32
// CHECK:         %[[LOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : f32
// CHECK:         %[[B:.*]] = arith.select %[[LOW]], %{{.*}}, %[[A]] : i32
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK:         arith.select %[[NAN]], %{{.*}}, %[[B]] : i32
func.func @float_to_int(%x: tensor<4xf32>) -> tensor<4xi32> {
  %y = cell.cast %x : tensor<4xf32> to tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @between_halves
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @between_halves(%x: tensor<4xf16>) -> tensor<4xbf16> {
  %y = cell.cast %x : tensor<4xf16> to tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// A bool is 0 or 1, never -1; to bool is a test against zero.
// CHECK-LABEL: func.func @bools
// CHECK:         arith.uitofp %{{.*}} : i1 to f32
// CHECK:         arith.extui %{{.*}} : i1 to i64
// CHECK:         arith.cmpf une, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.cmpi ne, %{{.*}}, %{{.*}} : i64
func.func @bools(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %f = cell.cast %x : tensor<4xi1> to tensor<4xf32>
  %i = cell.cast %x : tensor<4xi1> to tensor<4xi64>
  %a = cell.cast %f : tensor<4xf32> to tensor<4xi1>
  %b = cell.cast %i : tensor<4xi64> to tensor<4xi1>
  return %a, %b : tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK:         arith.sitofp %{{.*}} : i32 to f64
// CHECK:         arith.trunci %{{.*}} : i32 to i8
// CHECK:         arith.extsi %{{.*}} : i8 to i64
func.func @integers(%x: tensor<4xi32>) -> (tensor<4xf64>, tensor<4xi64>) {
  %f = cell.cast %x : tensor<4xi32> to tensor<4xf64>
  %s = cell.cast %x : tensor<4xi32> to tensor<4xi8>
  %l = cell.cast %s : tensor<4xi8> to tensor<4xi64>
  return %f, %l : tensor<4xf64>, tensor<4xi64>
}
