// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:         linalg.reduce ins(%arg0 : tensor<2x3x4xf32>) outs(%[[INIT]] : tensor<3xf32>) dimensions = [0, 2]
// CHECK:           arith.addf
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %y = cell.reduce_sum %x over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Half precision accumulates in f32 and is rounded once.
// CHECK-LABEL: func.func @sum_of_halves
// CHECK:         linalg.reduce ins(%arg0 : tensor<8xbf16>) outs(%{{.*}} : tensor<f32>)
// CHECK:           arith.extf %{{.*}} : bf16 to f32
// CHECK:           arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @sum_of_halves(%x: tensor<8xbf16>) -> tensor<bf16> {
  %y = cell.reduce_sum %x over [0] : tensor<8xbf16> -> tensor<bf16>
  return %y : tensor<bf16>
}

// -----

// CHECK-LABEL: func.func @extrema
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         arith.maximumf
// CHECK:         arith.constant 0x7F800000 : f32
// CHECK:         arith.minimumf
// CHECK:         arith.constant -128 : i8
// CHECK:         arith.maxsi
func.func @extrema(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<f32>, tensor<f32>, tensor<i8>) {
  %a = cell.reduce_max %x over [0] : tensor<4xf32> -> tensor<f32>
  %b = cell.reduce_min %x over [0] : tensor<4xf32> -> tensor<f32>
  %c = cell.reduce_max %i over [0] : tensor<4xi8> -> tensor<i8>
  return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<i8>
}

// -----

// A transposed operand is an indexing map, not a copy.
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @matmul
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.matmul indexing_maps = [#[[A]], #[[B]], #[[C]]]
// CHECK-SAME:      ins(%arg0, %arg1 : tensor<3x2xf32>, tensor<4x3xf32>)
func.func @matmul(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %c = cell.matmul %a, %b {transpose_a = true, transpose_b = true}
      : (tensor<3x2xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

// All batch dimensions become one.
// CHECK-LABEL: func.func @batched
// CHECK:         tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3]]
// CHECK:         linalg.batch_matmul
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<10x3x4xf64>, tensor<10x4x6xf64>)
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] output_shape [2, 5, 3, 6]
func.func @batched(%a: tensor<2x5x3x4xf64>, %b: tensor<2x5x4x6xf64>) -> tensor<2x5x3x6xf64> {
  %c = cell.matmul %a, %b : (tensor<2x5x3x4xf64>, tensor<2x5x4x6xf64>) -> tensor<2x5x3x6xf64>
  return %c : tensor<2x5x3x6xf64>
}

// -----

// CHECK-LABEL: func.func @matmul_of_halves
// CHECK:         linalg.matmul ins(%arg0, %arg1 : tensor<2x3xf16>, tensor<3x4xf16>) outs(%{{.*}} : tensor<2x4xf32>)
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @matmul_of_halves(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>) -> tensor<2x4xf16> {
  %c = cell.matmul %a, %b : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  return %c : tensor<2x4xf16>
}
