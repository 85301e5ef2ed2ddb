// The first error of a failed inference is ours and says why, the second is MLIR's.
// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func @conv_rank(%x: tensor<3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{'cell.conv' op takes x [N, C, S...] and w [O, C / groups, K...] of equal rank, at least 3, not 'tensor<3x8xf32>' and 'tensor<4x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<3x8xf32>, tensor<4x3x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @conv_type(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf64>) {
  // expected-error @+2 {{'cell.conv' op takes operands of one element type, not 'f32' and 'f64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<1x3x8xf32>, tensor<4x3x3xf64>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_channels(%x: tensor<1x4x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{'cell.conv' op in 2 groups cannot apply 4 filters of 3 channels to 4 channels; groups must divide the filters, and times the channels of a filter be the channels of x}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 2 : (tensor<1x4x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_filters(%x: tensor<1x4x8xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @+2 {{'cell.conv' op in 2 groups cannot apply 3 filters of 2 channels to 4 channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 2 : (tensor<1x4x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @conv_fit(%x: tensor<1x1x8xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+2 {{'cell.conv' op window of 3 elements, 4 apart, does not fit into 8 elements of dimension 0 of those it slides over; pad first}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1] dilations [4] groups 1 : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  return
}

// -----

func.func @conv_strides(%x: tensor<1x1x8xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+2 {{'cell.conv' op strides has 2 entries for 1 dimensions that windows slide over; give one a dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1, 1] dilations [1] groups 1 : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
  return
}

// -----

func.func @conv_dilations(%x: tensor<1x1x8xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+2 {{'cell.conv' op dilations [0] must be at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.conv %x, %w strides [1] dilations [0] groups 1 : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
  return
}

// -----

func.func @windows_rank(%x: tensor<8xf32>) {
  // expected-error @+2 {{'cell.windows' op slides windows over 2 dimensions of a tensor of rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.windows %x sizes [2, 2] strides [1, 1] dilations [1, 1] : tensor<8xf32> -> tensor<7x2xf32>
  return
}

// -----

// 2^62 steps of 4 elements overflow.
func.func @windows_overflow(%x: tensor<8xf32>) {
  // expected-error @+2 {{'cell.windows' op window of 4611686018427387904 elements, 4 apart, does not fit into 8 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = cell.windows %x sizes [4611686018427387904] strides [1] dilations [4] : tensor<8xf32> -> tensor<7x2xf32>
  return
}

// -----

func.func @overlap_add_type(%y: tensor<2x2xf32>) {
  // expected-error @+1 {{'cell.overlap_add' op cannot change the element type from 'f32' to 'f64'}}
  %0 = cell.overlap_add %y strides [1] dilations [1] : tensor<2x2xf32> -> tensor<3xf64>
  return
}

// -----

func.func @overlap_add_rank(%y: tensor<2xf32>) {
  // expected-error @+1 {{'cell.overlap_add' op has strides for 2 dimensions of a tensor of rank 1}}
  %0 = cell.overlap_add %y strides [1, 1] dilations [1, 1] : tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

func.func @overlap_add_shape(%y: tensor<2x2xf32>) {
  // expected-error @+1 {{'cell.overlap_add' op to 'tensor<4xf32>' takes windows of shape [3, 2], not 'tensor<2x2xf32>'}}
  %0 = cell.overlap_add %y strides [1] dilations [1] : tensor<2x2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reverse_dims(%x: tensor<2x2xf32>) {
  // expected-error @+1 {{'cell.reverse' op dims [1, 0] must ascend and be below the rank of the operand, 2}}
  %0 = cell.reverse %x over [1, 0] : tensor<2x2xf32>
  return
}
