// RUN: cell-opt %s --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @nothing_mapped(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{maps no argument: one in dimension must not be -1}}
  %y = cell.vmap @f(%x) in [-1] out [0] : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @sizes(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{maps 4 elements in one argument but 5 in argument 1}}
  %z = cell.vmap @f(%x, %y) in [0, 0] out [0] : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return %z : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @dimension(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{maps dimension 1 of argument 0, which is 'tensor<4x3xf32>'; @f takes 'tensor<3xf32>'}}
  %y = cell.vmap @f(%x) in [1] out [0] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @result(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{gives 'tensor<4x3xf32>' as result 0 for a batch of 4 'tensor<3xf32>' in dimension 1}}
  %y = cell.vmap @f(%x) in [0] out [1] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @unknown(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{refers to @nobody, which is not a function of this module}}
  %y = cell.vmap @nobody(%x) in [0] out [0] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
