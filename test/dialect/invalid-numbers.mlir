// The first error of a failed inference is ours and says why, the second is MLIR's.
// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func @reduce_order(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.reduce_sum' op dims [1, 0] must ascend and be below the rank of the operand, 2}}
  %0 = cell.reduce_sum %x over [1, 0] : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @reduce_range(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.reduce_max' op dims [2] must ascend and be below the rank of the operand, 2}}
  %0 = cell.reduce_max %x over [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_negative(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.reduce_min' op dims [-1] must ascend and be below the rank of the operand, 2}}
  %0 = cell.reduce_min %x over [-1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_result(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.reduce_sum' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = cell.reduce_sum %x over [1] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_bool(%x: tensor<2xi1>) {
  // expected-error @+1 {{'cell.reduce_sum' op operand #0 must be statically shaped tensor}}
  %0 = cell.reduce_sum %x over [0] : tensor<2xi1> -> tensor<i1>
  return
}

// -----

func.func @matmul_vector(%x: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op takes two operands of equal rank, at least 2, not 'tensor<3xf32>' and 'tensor<3xf32>'}}
  %0 = cell.matmul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_rank(%x: tensor<2x3xf32>, %y: tensor<1x3x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op takes two operands of equal rank, at least 2, not 'tensor<2x3xf32>' and 'tensor<1x3x2xf32>'}}
  %0 = cell.matmul %x, %y : (tensor<2x3xf32>, tensor<1x3x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @matmul_type(%x: tensor<2x3xf32>, %y: tensor<3x2xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op takes operands of one element type, not 'f32' and 'f64'}}
  %0 = cell.matmul %x, %y : (tensor<2x3xf32>, tensor<3x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @matmul_batch(%x: tensor<4x2x3xf32>, %y: tensor<1x3x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op takes equal batch dimensions, not those of 'tensor<4x2x3xf32>' and 'tensor<1x3x2xf32>'; broadcast first}}
  %0 = cell.matmul %x, %y : (tensor<4x2x3xf32>, tensor<1x3x2xf32>) -> tensor<4x2x2xf32>
  return
}

// -----

func.func @matmul_inner(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op sums over 3 columns of the left operand 'tensor<2x3xf32>' and 2 rows of the right operand 'tensor<2x3xf32>'; they must be equal}}
  %0 = cell.matmul %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_transposed(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op sums over 2 columns of the left operand 'tensor<2x3xf32>' (transposed) and 3 rows of the right operand 'tensor<2x3xf32>' (transposed); they must be equal}}
  %0 = cell.matmul %x, %x {transpose_a = true, transpose_b = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_result(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.matmul' op inferred type(s) 'tensor<2x2xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  %0 = cell.matmul %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return
}
