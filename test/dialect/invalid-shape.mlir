// The first error of a failed inference is ours and says why, the second is MLIR's.
// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func @reshape_size(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.reshape' op cannot give 6 elements the shape of 'tensor<5xf32>', which has 5}}
  %0 = cell.reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reshape_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.reshape' op cannot change the element type from 'f32' to 'f64'; use cell.cast}}
  %0 = cell.reshape %x : tensor<2x3xf32> -> tensor<6xf64>
  return
}

// -----

func.func @broadcast_type(%x: tensor<3xf32>) {
  // expected-error @+1 {{'cell.broadcast' op cannot change the element type from 'f32' to 'f64'}}
  %0 = cell.broadcast %x along [0] : tensor<3xf32> -> tensor<2x3xf64>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<3xf32>) {
  // expected-error @+1 {{'cell.broadcast' op adds 1 dimensions to an operand of rank 1, but the result has rank 3}}
  %0 = cell.broadcast %x along [0] : tensor<3xf32> -> tensor<2x2x3xf32>
  return
}

// -----

func.func @broadcast_order(%x: tensor<3xf32>) {
  // expected-error @+1 {{'cell.broadcast' op new dimension 0 is out of order or not below the rank of the result, 3}}
  %0 = cell.broadcast %x along [1, 0] : tensor<3xf32> -> tensor<2x2x3xf32>
  return
}

// -----

func.func @broadcast_twice(%x: tensor<3xf32>) {
  // expected-error @+1 {{'cell.broadcast' op new dimension 1 is out of order or not below the rank of the result, 3}}
  %0 = cell.broadcast %x along [1, 1] : tensor<3xf32> -> tensor<3x2x2xf32>
  return
}

// -----

func.func @broadcast_range(%x: tensor<3xf32>) {
  // expected-error @+1 {{'cell.broadcast' op new dimension 2 is out of order or not below the rank of the result, 2}}
  %0 = cell.broadcast %x along [2] : tensor<3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_negative(%x: tensor<3xf32>) {
  // expected-error @+1 {{'cell.broadcast' op new dimension -1 is out of order}}
  %0 = cell.broadcast %x along [-1] : tensor<3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<1xf32>) {
  // expected-error @+1 {{'cell.broadcast' op dimension 0 of the operand has size 1, but dimension 1 of the result has size 3}}
  %0 = cell.broadcast %x along [0] : tensor<1xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_length(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.transpose' op perm has 1 entries for an operand of rank 2; give one a dimension}}
  %0 = cell.transpose %x perm [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.transpose' op perm [1, 1] is not a permutation of the 2 dimensions}}
  %0 = cell.transpose %x perm [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_range(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.transpose' op perm [0, 2] is not a permutation of the 2 dimensions}}
  %0 = cell.transpose %x perm [0, 2] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_result(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.transpose' op inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  %0 = cell.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_length(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.slice' op strides has 2 entries for an operand of rank 1; give one a dimension}}
  %0 = cell.slice %x from [0] to [2] by [1, 1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.slice' op stride 0 of dimension 0 must be at least 1}}
  %0 = cell.slice %x from [0] to [2] by [0] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @slice_limit(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.slice' op takes 0 to 5 of dimension 0, which has size 4}}
  %0 = cell.slice %x from [0] to [5] by [1] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @slice_backwards(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.slice' op takes 3 to 1 of dimension 0, which has size 4}}
  %0 = cell.slice %x from [3] to [1] by [1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.slice' op takes -1 to 1 of dimension 0, which has size 4}}
  %0 = cell.slice %x from [-1] to [1] by [1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @pad_length(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.pad' op low has 0 entries for an operand of rank 1; give one a dimension}}
  %0 = cell.pad %x low [] high [1] interior [0] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.pad' op padding of dimension 0 must not be negative}}
  %0 = cell.pad %x low [-1] high [1] interior [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_overflow(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.pad' op padding of dimension 0 overflows its size}}
  %0 = cell.pad %x low [9223372036854775807] high [1] interior [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_interior_overflow(%x: tensor<1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.pad' op padding of dimension 0 overflows its size}}
  %0 = cell.pad %x low [0] high [0] interior [9223372036854775807] : tensor<1xf32> -> tensor<1xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.concat' op needs at least one operand}}
  %0 = "cell.concat"() {dim = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.concat' op dimension 1 is out of range for rank 1}}
  %0 = cell.concat %x, %x dim 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_shape(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.concat' op operand 1 is 'tensor<2x4xf32>', which does not fit 'tensor<2x3xf32>' in all dimensions but 0}}
  %0 = cell.concat %x, %y dim 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_type(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'cell.concat' op operand 1 is 'tensor<2xf64>', which does not fit 'tensor<2xf32>' in all dimensions but 0}}
  %0 = cell.concat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @missing_attribute(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.transpose' op requires attribute 'perm'}}
  %0 = "cell.transpose"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
