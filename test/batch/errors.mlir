// RUN: cell-opt %s -split-input-file -verify-diagnostics --cell-tile-batch

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @sum(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{goes along the batch, so that results of a sample depend on the others; a program for any batch size computes each sample by itself: export for a fixed batch}}
    %0 = cell.reduce_sum %x over [0] : tensor<101x2xf32> -> tensor<2xf32>
    %1 = cell.broadcast %0 along [0] : tensor<2xf32> -> tensor<101x2xf32>
    return %1 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @called(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    %0 = call @inside(%x) : (tensor<101x2xf32>) -> tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
  }
  func.func private @inside(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{goes along the batch}}
    %0 = cell.cumsum %x along 0 : tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @flat(%x: tensor<101x7x16xf32>) -> tensor<101x7x16xf32> {
    // expected-error@+1 {{gives the shape [7 x batch, 16]: the batch must stay the first dimension}}
    %0 = cell.reshape %x : tensor<101x7x16xf32> -> tensor<707x16xf32>
    %1 = cell.reshape %0 : tensor<707x16xf32> -> tensor<101x7x16xf32>
    return %1 : tensor<101x7x16xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @moved(%x: tensor<101x101xf32>, %y: tensor<101xf32>) -> tensor<101xf32> { // expected-error {{gives the shape [batch, batch]}}
    return %y : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @gram(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{adds up over the batch, or pairs samples with each other}}
    %0 = cell.matmul %x, %x {transpose_a = true} : (tensor<101x2xf32>, tensor<101x2xf32>) -> tensor<2x2xf32>
    %1 = cell.matmul %x, %0 : (tensor<101x2xf32>, tensor<2x2xf32>) -> tensor<101x2xf32>
    return %1 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @part(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{takes some samples of the batch}}
    %0 = cell.slice %x from [1, 0] to [101, 2] by [1, 1] : tensor<101x2xf32> -> tensor<100x2xf32>
    return %x : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @longer(%x: tensor<100x2xf32>, %y: tensor<101xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{adds samples to the batch}}
    %0 = cell.pad %x low [1, 0] high [0, 0] interior [0, 0] : tensor<100x2xf32> -> tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 3 : i64}} {
  func.func @elements(%x: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error@+1 {{has elements for a batch of one size}}
    %0 = cell.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %1 = cell.add %x, %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @other_samples(%x: tensor<101x2xf32>, %i: tensor<101xi32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{takes elements of other samples}}
    %0 = cell.gather %x at %i dim 0 : tensor<101x2xf32>, tensor<101xi32> -> tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @one_place(%x: tensor<5x2xf32>, %i: tensor<101xi32>, %u: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{puts elements of all samples into one place}}
    %0 = cell.scatter "add" %u into %x at %i dim 0 : tensor<101x2xf32>, tensor<5x2xf32>, tensor<101xi32>
    return %u : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @stands_in_filter(%x: tensor<2x2x4xf32>, %w: tensor<101x2x3xf32>) -> tensor<101x2x3xf32> {
    // expected-error@+1 {{gives the shape [2, batch, 2]}}
    %0 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<2x2x4xf32>, tensor<101x2x3xf32>) -> tensor<2x101x2xf32>
    return %w : tensor<101x2x3xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @unknown(%x: tensor<101x101x2xf32>, %y: tensor<101x2x2xf32>) -> tensor<101x2x2xf32> { // expected-error {{gives the shape [batch, batch, 2]}}
    return %y : tensor<101x2x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @factors(%x: tensor<101x2x2xf32>) -> tensor<101x2x2xf32> {
    // expected-error@+1 {{is not known to treat samples one by one}}
    %0 = cell.cholesky %x : tensor<101x2x2xf32>
    return %0 : tensor<101x2x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func private @f(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    %0 = cell.exp %x : tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
  }
  func.func @gradient(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{is not known to treat samples one by one}}
    %0:2 = cell.vjp @f(%x) cotangents(%x) of [0] wrt [0] : (tensor<101x2xf32>, tensor<101x2xf32>) -> (tensor<101x2xf32>, tensor<101x2xf32>)
    return %0#1 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @prints(%x: tensor<101xf32>, %w: tensor<2xf32>) -> tensor<101xf32> {
    // expected-error@+1 {{prints: in a program for any batch size that would be once for each part of the batch}}
    cell.print "w {}" (%w : tensor<2xf32>)
    return %x : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{result #1 is 'tensor<f32>', which has no row for each sample}}
  func.func @number(%x: tensor<101xf32>, %w: tensor<f32>) -> (tensor<101xf32>, tensor<f32>) {
    return %x, %w : tensor<101xf32>, tensor<f32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{updates argument #0 in place}}
  func.func @update(%x: tensor<101xf32> {cell.donate = 0 : i64}) -> tensor<101xf32> {
    %0 = cell.exp %x : tensor<101xf32>
    return %0 : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{has other inputs, Parameters or results for a batch of 1 than for others}}
  func.func @same(%x: tensor<101x2xf32>) -> tensor<101x2xf32> attributes {cell.batch_of_one = @one} {
    return %x : tensor<101x2xf32>
  }
  func.func private @one(%x: tensor<1x2xf32>, %w: tensor<f32>) -> tensor<1x2xf32> {
    return %x : tensor<1x2xf32>
  }
}

// -----

// expected-error@+1 {{expected {max = N : i64, size = S : i64} with 1 <= N and 2 <= S}}
module attributes {cell.batch = {size = 101 : i64}} {
}
