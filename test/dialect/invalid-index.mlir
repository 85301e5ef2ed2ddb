// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func @gather_dim(%x: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{'cell.gather' op dimension 2 is out of range for 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.gather %x at %i dim 2 : tensor<2x3xf32>, tensor<4xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_batch(%x: tensor<2x3xf32>, %i: tensor<2x4xi32>) {
  // expected-error @+2 {{'cell.gather' op has 1 batch dimensions; there can be none behind dimension 0 of 'tensor<2x3xf32>', and no more than 'tensor<2x4xi32>' has}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.gather %x at %i dim 0 batch 1 : tensor<2x3xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_sizes(%x: tensor<2x3xf32>, %i: tensor<5x4xi32>) {
  // expected-error @+2 {{'cell.gather' op takes equal batch dimensions, not the first 1 of 'tensor<2x3xf32>' and 'tensor<5x4xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.gather %x at %i dim 1 batch 1 : tensor<2x3xf32>, tensor<5x4xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_nothing(%x: tensor<2x0xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{'cell.gather' op indexes dimension 1 of 'tensor<2x0xf32>', which has no elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.gather %x at %i dim 1 : tensor<2x0xf32>, tensor<4xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_type(%x: tensor<2x3xf32>, %i: tensor<4xf32>) {
  // expected-error @+1 {{'cell.gather' op operand #1 must be statically shaped tensor of 32-bit signless integer or 64-bit signless integer values of at most 2^47 bytes, but got 'tensor<4xf32>'}}
  %0 = cell.gather %x at %i dim 1 : tensor<2x3xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @scatter_combine(%x: tensor<3xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{'cell.scatter' op combines by "add" or "set", not by "max"}}
  %0 = cell.scatter "max" %u into %x at %i dim 0 : tensor<4xf32>, tensor<3xf32>, tensor<4xi32>
  return
}

// -----

func.func @scatter_bool(%x: tensor<3xi1>, %i: tensor<4xi32>, %u: tensor<4xi1>) {
  // expected-error @+1 {{'cell.scatter' op cannot add truth values; cast them to a number first}}
  %0 = cell.scatter "add" %u into %x at %i dim 0 : tensor<4xi1>, tensor<3xi1>, tensor<4xi32>
  return
}

// -----

func.func @scatter_dim(%x: tensor<3xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{'cell.scatter' op dimension 1 is out of range for 'tensor<3xf32>'}}
  %0 = cell.scatter "set" %u into %x at %i dim 1 : tensor<4xf32>, tensor<3xf32>, tensor<4xi32>
  return
}

// -----

func.func @scatter_updates(%x: tensor<3x2xf32>, %i: tensor<4xi32>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{'cell.scatter' op takes updates of the type of the slices, 'tensor<4x2xf32>', not 'tensor<4x3xf32>'}}
  %0 = cell.scatter "set" %u into %x at %i dim 0 : tensor<4x3xf32>, tensor<3x2xf32>, tensor<4xi32>
  return
}

// -----

func.func @iota_dim() {
  // expected-error @+1 {{'cell.iota' op dimension 1 is out of range for 'tensor<3xf32>'}}
  %0 = cell.iota dim 1 : tensor<3xf32>
  return
}

// -----

func.func @iota_narrow() {
  // expected-error @+1 {{'cell.iota' op counts to 128, which 'i8' cannot hold}}
  %0 = cell.iota dim 1 : tensor<3x129xi8>
  return
}

// -----

func.func @argmax_dims(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.argmax' op dims [1, 0] must ascend and be below the rank of the operand, 2}}
  %0 = cell.argmax %x over [1, 0] : tensor<2x3xf32> -> tensor<i32>
  return
}

// -----

func.func @argmax_shape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.argmax' op over [1] of 'tensor<2x3xf32>' gives the shape of 'tensor<2xf32>', not of 'tensor<3xi32>'}}
  %0 = cell.argmax %x over [1] : tensor<2x3xf32> -> tensor<3xi32>
  return
}

// -----

func.func @argmin_nothing(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{'cell.argmin' op has no elements to choose from over [1] of 'tensor<2x0xf32>'}}
  %0 = cell.argmin %x over [1] : tensor<2x0xf32> -> tensor<2xi32>
  return
}

// -----

func.func @argmin_narrow(%x: tensor<65536x65536xf32>) {
  // expected-error @+1 {{'cell.argmin' op counts to 4294967295, which 'i32' cannot hold}}
  %0 = cell.argmin %x over [0, 1] : tensor<65536x65536xf32> -> tensor<i32>
  return
}

// -----

func.func @argmax_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.argmax' op result #0 must be statically shaped tensor of 32-bit signless integer or 64-bit signless integer values of at most 2^47 bytes, but got 'tensor<2xi8>'}}
  %0 = cell.argmax %x over [1] : tensor<2x3xf32> -> tensor<2xi8>
  return
}

// -----

func.func @reverse_dims(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.reverse' op dims [0, 0] must ascend and be below the rank of the operand, 2}}
  %0 = cell.reverse %x over [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @cumsum_dim(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.cumsum' op dimension 2 is out of range for 'tensor<2x3xf32>'}}
  %0 = cell.cumsum %x along 2 : tensor<2x3xf32>
  return
}

// -----

func.func @cumprod_dim(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.cumprod' op dimension -1 is out of range for 'tensor<2x3xf32>'}}
  %0 = cell.cumprod %x along -1 : tensor<2x3xf32>
  return
}

// -----

func.func @cummax_dim(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.cummax' op dimension 2 is out of range for 'tensor<2x3xf32>'}}
  %0:2 = cell.cummax %x along 2 : tensor<2x3xf32>
  return
}

// -----

func.func @cummin_long(%x: tensor<3000000000xf32>) {
  // expected-error @+1 {{'cell.cummin' op counts to 2999999999, which 'i32' cannot hold}}
  %0:2 = cell.cummin %x along 0 : tensor<3000000000xf32>
  return
}

// -----

func.func @recurrence_dim(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.recurrence' op dimension 2 is out of range for 'tensor<2x3xf32>'}}
  %0 = cell.recurrence %x, %x along 2 : tensor<2x3xf32>
  return
}

// -----

func.func @segment_cumsum_dim(%x: tensor<2x3xf32>, %s: tensor<2x3xi1>) {
  // expected-error @+1 {{'cell.segment_cumsum' op dimension 2 is out of range for 'tensor<2x3xf32>'}}
  %0 = cell.segment_cumsum %x from %s along 2 : tensor<2x3xf32>, tensor<2x3xi1>
  return
}

// -----

func.func @segment_cumsum_shape(%x: tensor<2x3xf32>, %s: tensor<3xi1>) {
  // expected-error @+1 {{'cell.segment_cumsum' op requires the same shape for all operands and results}}
  %0 = cell.segment_cumsum %x from %s along 1 : tensor<2x3xf32>, tensor<3xi1>
  return
}

// -----

func.func @argsort_dim(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.argsort' op dimension -1 is out of range for 'tensor<2x3xf32>'}}
  %0 = cell.argsort %x along -1 : tensor<2x3xf32> -> tensor<2x3xi32>
  return
}

// -----

func.func @argsort_shape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.argsort' op gives positions of the shape of 'tensor<2x3xf32>', or fewer along dimension 1, not of 'tensor<3x2xi32>'}}
  %0 = cell.argsort %x along 1 : tensor<2x3xf32> -> tensor<3x2xi32>
  return
}

// -----

func.func @argsort_more(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.argsort' op gives positions of the shape of 'tensor<2x3xf32>', or fewer along dimension 1, not of 'tensor<2x4xi32>'}}
  %0 = cell.argsort %x along 1 : tensor<2x3xf32> -> tensor<2x4xi32>
  return
}

// -----

func.func @argsort_narrow(%x: tensor<3000000000xf32>) {
  // expected-error @+1 {{'cell.argsort' op counts to 2999999999, which 'i32' cannot hold}}
  %0 = cell.argsort %x along 0 : tensor<3000000000xf32> -> tensor<3000000000xi32>
  return
}

// -----

func.func @check_silent(%ok: tensor<2xi1>) {
  // expected-error @+1 {{'cell.check' op needs a message that says what does not hold}}
  cell.check %ok "" : tensor<2xi1>
  return
}

// -----

func.func @check_type(%ok: tensor<2xf32>) {
  // expected-error @+1 {{'cell.check' op operand #0 must be statically shaped tensor of 1-bit signless integer values of at most 2^47 bytes or 1-bit signless integer, but got 'tensor<2xf32>'}}
  cell.check %ok "a number" : tensor<2xf32>
  return
}
