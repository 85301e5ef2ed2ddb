// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func @float_only(%x: tensor<2xi32>) {
  // expected-error @+1 {{'cell.exp' op operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values of at most 2^47 bytes, but got 'tensor<2xi32>'}}
  %0 = cell.exp %x : tensor<2xi32>
  return
}

// -----

func.func @number_only(%x: tensor<2xi1>) {
  // expected-error @+1 {{'cell.add' op operand #0 must be statically shaped tensor of}}
  %0 = cell.add %x, %x : tensor<2xi1>
  return
}

// -----

func.func @bool_only(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.logical_and' op operand #0 must be statically shaped tensor of 1-bit signless integer values}}
  %0 = cell.logical_and %x, %x : tensor<2xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{custom op 'cell.neg' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = cell.neg %x : tensor<*xf32>
  return
}

// -----

func.func @scalar(%x: f32) {
  // expected-error @+1 {{custom op 'cell.neg' invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = cell.neg %x : f32
  return
}

// -----

func.func @explicitly_signed(%x: tensor<2xsi8>) {
  // expected-error @+1 {{'cell.neg' op operand #0 must be statically shaped tensor}}
  %0 = cell.neg %x : tensor<2xsi8>
  return
}

// -----

func.func @shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'cell.add' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "cell.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dtypes(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{'cell.mul' op requires the same type for all operands and results}}
  %0 = "cell.mul"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @result(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.neg' op requires the same type for all operands and results}}
  %0 = "cell.neg"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @compare_shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'cell.less' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "cell.less"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_result(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.less' op}}
  %0 = "cell.less"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @select_condition(%c: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.select' op failed to verify that condition has the shape of the result}}
  %0 = "cell.select"(%c, %x, %x) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_branches(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{'cell.select' op failed to verify that all of {on_true, on_false, result} have same type}}
  %0 = "cell.select"(%c, %x, %y) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @finite_ints(%x: tensor<2xi32>) {
  // expected-error @+1 {{'cell.is_finite' op operand #0 must be statically shaped tensor of 16-bit float}}
  %0 = cell.is_finite %x : tensor<2xi32>
  return
}

// -----

// The generic form reaches the verifier with any type.
func.func @generic_scalar(%x: f32) {
  // expected-error @+1 {{'cell.neg' op operand #0 must be statically shaped tensor of}}
  %0 = "cell.neg"(%x) : (f32) -> f32
  return
}

// -----

func.func @generic_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'cell.transpose' op operand #0 must be statically shaped tensor of}}
  %0 = "cell.transpose"(%x) {perm = array<i64: 0>} : (tensor<*xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @generic_memref(%x: memref<2xf32>) {
  // expected-error @+1 {{'cell.reduce_sum' op operand #0 must be statically shaped tensor of}}
  %0 = "cell.reduce_sum"(%x) {dims = array<i64: 0>} : (memref<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @generic_matmul(%x: f32) {
  // expected-error @+1 {{'cell.matmul' op operand #0 must be statically shaped tensor of}}
  %0 = "cell.matmul"(%x, %x) : (f32, f32) -> tensor<f32>
  return
}
