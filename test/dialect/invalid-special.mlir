// RUN: cell-opt %s --split-input-file --verify-diagnostics

func.func @order_zero(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has order 0; from 1 to 100 is expected (order 0 is cell.digamma)}}
  %0 = cell.polygamma %x order 0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @order_too_high(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has order 101; from 1 to 100 is expected}}
  %0 = cell.polygamma %x order 101 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @key_of_three_words(%k: tensor<3xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{takes keys of two words in the last dimension, or of four with the position of the first element, but 'tensor<3xi32>' is given}}
  %0 = cell.random_bits %k : tensor<3xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @key_without_dimensions(%k: tensor<i32>) -> tensor<2xi32> {
  // expected-error@+1 {{takes keys of two words in the last dimension, or of four with the position of the first element, but 'tensor<i32>' is given}}
  %0 = cell.random_bits %k : tensor<i32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @other_batch(%k: tensor<3x2xi32>) -> tensor<4x5xi32> {
  // expected-error@+1 {{has keys of shape 'tensor<3x2xi32>', whose leading dimensions must be those of the result, but that is 'tensor<4x5xi32>'}}
  %0 = cell.random_bits %k : tensor<3x2xi32> -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}
