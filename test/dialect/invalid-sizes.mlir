// Sizes beyond what a process can address: arithmetic on them would overflow.
// RUN: cell-opt %s -verify-diagnostics -split-input-file

// The number of elements is 0 modulo 2^64.
func.func @elements(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{'cell.exp' op operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values of at most 2^47 bytes, but got 'tensor<4294967296x4294967296xf32>'}}
  %0 = cell.exp %x : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @reshape(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{'cell.reshape' op operand #0 must be}}
  %0 = cell.reshape %x : tensor<4294967296x4294967296xf32> -> tensor<0xf32>
  return
}

// -----

func.func @largest(%x: tensor<35184372088832xf32>) {
  %0 = cell.neg %x : tensor<35184372088832xf32>
  return
}

// -----

func.func @too_large(%x: tensor<35184372088833xf32>) {
  // expected-error @+1 {{of at most 2^47 bytes}}
  %0 = cell.neg %x : tensor<35184372088833xf32>
  return
}

// -----

// No elements, but strides.
func.func @strides(%x: tensor<0x4294967296x4294967296xf32>) {
  // expected-error @+1 {{of at most 2^47 bytes}}
  %0 = cell.neg %x : tensor<0x4294967296x4294967296xf32>
  return
}

// -----

func.func @inferred(%x: tensor<17592186044416xf64>) {
  // expected-error @+1 {{'cell.concat' op result #0 must be}}
  %0 = cell.concat %x, %x dim 0 : (tensor<17592186044416xf64>, tensor<17592186044416xf64>) -> tensor<35184372088832xf64>
  return
}

// -----

func.func @broadcast(%x: tensor<f32>) {
  // expected-error @+1 {{'cell.broadcast' op result #0 must be}}
  %0 = cell.broadcast %x along [0] : tensor<f32> -> tensor<9223372036854775807xf32>
  return
}

// -----

func.func @counted() {
  // expected-error @+1 {{'cell.iota' op result #0 must be}}
  %0 = cell.iota dim 0 : tensor<9223372036854775807xi64>
  return
}

// -----

func.func @groups(%x: tensor<1x4x8xf32>, %w: tensor<4x4x3xf32>) {
  // 4 times that is 0 modulo 2^64.
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.conv' op in 4611686018427387904 groups cannot apply 4 filters of 4 channels to 4 channels}}
  %0 = "cell.conv"(%x, %w) {strides = array<i64: 1>, dilations = array<i64: 1>, groups = 4611686018427387904 : i64} : (tensor<1x4x8xf32>, tensor<4x4x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @trips() {
  // expected-error @+1 {{'cell.stash_empty' op result #0 must be stash of tensors of static shape, of at most 2^47 bytes}}
  %0 = cell.stash_empty : !cell.stash<tensor<1048576xf32>, 1099511627776>
  return
}

// -----

func.func @negative() {
  // expected-error @+1 {{'cell.stash_empty' op result #0 must be stash of tensors}}
  %0 = cell.stash_empty : !cell.stash<tensor<2xf32>, -1>
  return
}

// -----

func.func @dynamic() {
  // expected-error @+1 {{'cell.stash_empty' op result #0 must be stash of tensors of static shape}}
  %0 = cell.stash_empty : !cell.stash<tensor<?xf32>, 2>
  return
}
