// RUN: cell-opt %s -split-input-file -verify-diagnostics --cell-tile-batch

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @sum(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{goes along the batch, so that results of a sample depend on the others; a program for any batch size computes each sample by itself: export for a fixed batch}}
    %0 = cell.cumsum %x along 0 : tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
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
  func.func @inside(%x: tensor<101x7x16xf32>) -> tensor<101x7x16xf32> {
    // expected-error@+1 {{takes the batch apart}}
    %0 = cell.reshape %x : tensor<101x7x16xf32> -> tensor<7x1616xf32>
    %1 = cell.reshape %0 : tensor<7x1616xf32> -> tensor<101x7x16xf32>
    return %1 : tensor<101x7x16xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @squared(%x: tensor<101x2xf32>) -> tensor<f32> {
    // expected-error@+1 {{gives the shape [101 x batch], which pairs samples with each other}}
    %0 = cell.constant dense<1.0> : tensor<10201xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<10201xf32> -> tensor<f32>
    return %1 : tensor<f32>
  }
}

// -----

// Samples with 7 rows: what mixes rows is refused as where they have one.
module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @scan_of_rows(%x: tensor<101x7xf32>) -> tensor<101x7xf32> {
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<707xf32>
    // expected-error@+1 {{goes along the batch}}
    %1 = cell.cumsum %0 along 0 : tensor<707xf32>
    %2 = cell.reshape %1 : tensor<707xf32> -> tensor<101x7xf32>
    return %2 : tensor<101x7xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // Numbers of rows are those of samples one after the other.
  func.func @numbers_of_rows(%x: tensor<101x7xi32>) -> tensor<101x7xi32> {
    %0 = cell.iota dim 0 : tensor<707xi32>
    %1 = cell.transpose %x perm [1, 0] : tensor<101x7xi32> -> tensor<7x101xi32>
    %2 = cell.reshape %1 : tensor<7x101xi32> -> tensor<707xi32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %3 = cell.add %0, %2 : tensor<707xi32>
    %4 = cell.reshape %3 : tensor<707xi32> -> tensor<101x7xi32>
    return %4 : tensor<101x7xi32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @two_batches(%x: tensor<101x7xf32>) -> tensor<101x7x2xf32> {
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<707xf32>
    %1 = cell.concat %0, %0 dim 0 : (tensor<707xf32>, tensor<707xf32>) -> tensor<1414xf32>
    // expected-error@+1 {{takes the batch apart}}
    %2 = cell.reshape %1 : tensor<1414xf32> -> tensor<101x7x2xf32>
    return %2 : tensor<101x7x2xf32>
  }
}

// -----

// Groups of a row and of two rows for each sample are not alike.
module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @unequal_groups(%x: tensor<101x2xf32>, %y: tensor<101xf32>) -> tensor<f32> {
    %0 = cell.reshape %x : tensor<101x2xf32> -> tensor<202xf32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %1 = cell.concat %0, %y dim 0 : (tensor<202xf32>, tensor<101xf32>) -> tensor<303xf32>
    %2 = cell.reduce_sum %1 over [0] : tensor<303xf32> -> tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @half_of_a_group(%x: tensor<101x2xf32>) -> tensor<f32> {
    %0 = cell.reshape %x : tensor<101x2xf32> -> tensor<202xf32>
    // expected-error@+1 {{takes some samples of the batch}}
    %1 = cell.slice %0 from [0] to [101] by [1] : tensor<202xf32> -> tensor<101xf32>
    %2 = cell.reduce_sum %1 over [0] : tensor<101xf32> -> tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

// Half a group of zeros: two rows are of a sample.
module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @half_of_a_border(%x: tensor<101x2xf32>) -> tensor<f32> {
    %0 = cell.reshape %x : tensor<101x2xf32> -> tensor<202xf32>
    // expected-error@+1 {{adds samples to the batch}}
    %1 = cell.pad %0 low [101] high [0] interior [0] : tensor<202xf32> -> tensor<303xf32>
    %2 = cell.reduce_sum %1 over [0] : tensor<303xf32> -> tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @first_rows(%x: tensor<101x7xf32>) -> tensor<101xf32> {
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<707xf32>
    // expected-error@+1 {{takes some samples of the batch}}
    %1 = cell.slice %0 from [0] to [707] by [7] : tensor<707xf32> -> tensor<101xf32>
    return %1 : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @first_samples(%x: tensor<101x7xf32>) -> tensor<101xf32> {
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<707xf32>
    // expected-error@+1 {{takes some samples of the batch}}
    %1 = cell.slice %0 from [0] to [101] by [1] : tensor<707xf32> -> tensor<101xf32>
    return %1 : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // Rows of one operand are of the samples in turn, those of the other not.
  func.func @gram_of_rows(%x: tensor<101x7x2xf32>) -> tensor<2x2xf32> {
    %0 = cell.reshape %x : tensor<101x7x2xf32> -> tensor<707x2xf32>
    %1 = cell.transpose %x perm [1, 0, 2] : tensor<101x7x2xf32> -> tensor<7x101x2xf32>
    %2 = cell.reshape %1 : tensor<7x101x2xf32> -> tensor<707x2xf32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %3 = cell.matmul %0, %2 {transpose_a = true} : (tensor<707x2xf32>, tensor<707x2xf32>) -> tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @rows_of_others(%x: tensor<101x2xf32>, %i: tensor<101x7xi32>) -> tensor<101x7x2xf32> {
    %0 = cell.reshape %i : tensor<101x7xi32> -> tensor<707xi32>
    // expected-error@+1 {{takes elements of other samples}}
    %1 = cell.gather %x at %0 dim 0 : tensor<101x2xf32>, tensor<707xi32> -> tensor<707x2xf32>
    %2 = cell.reshape %1 : tensor<707x2xf32> -> tensor<101x7x2xf32>
    return %2 : tensor<101x7x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{result #0 is 'tensor<707x2xf32>', which has 7 rows for each sample: a program for any batch size takes and gives one}}
  func.func @gives_rows(%x: tensor<101x7x2xf32>) -> tensor<707x2xf32> {
    %0 = cell.reshape %x : tensor<101x7x2xf32> -> tensor<707x2xf32>
    return %0 : tensor<707x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{argument #1 is 'tensor<202xf32>', which has 2 rows for each sample}}
  func.func @takes_rows(%x: tensor<101xf32>, %y: tensor<202xf32>) -> tensor<101xf32> {
    return %x : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{argument #0 is [batch, batch]}}
  func.func @moved(%x: tensor<101x101xf32>, %y: tensor<101xf32>) -> tensor<101xf32> {
    return %y : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @gram(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{gives the shape [batch, batch], which pairs samples with each other}}
    %0 = cell.matmul %x, %x {transpose_b = true} : (tensor<101x2xf32>, tensor<101x2xf32>) -> tensor<101x101xf32>
    %1 = cell.matmul %0, %x : (tensor<101x101xf32>, tensor<101x2xf32>) -> tensor<101x2xf32>
    return %1 : tensor<101x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @part(%x: tensor<101x2xf32>) -> tensor<100x2xf32> {
    // expected-error@+1 {{takes some samples of the batch}}
    %0 = cell.slice %x from [1, 0] to [101, 2] by [1, 1] : tensor<101x2xf32> -> tensor<100x2xf32>
    return %0 : tensor<100x2xf32>
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
  func.func @one_place(%x: tensor<5x2xf32>, %i: tensor<101xi32>, %u: tensor<101x2xf32>) -> tensor<5x2xf32> {
    // expected-error@+1 {{puts elements of all samples into one place}}
    %0 = cell.scatter "set" %u into %x at %i dim 0 : tensor<101x2xf32>, tensor<5x2xf32>, tensor<101xi32>
    return %0 : tensor<5x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{argument #0 is [batch, batch, 2]}}
  func.func @unknown(%x: tensor<101x101x2xf32>, %y: tensor<101x2x2xf32>) -> tensor<101x2x2xf32> {
    return %y : tensor<101x2x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @factors(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{lets rows of different samples meet}}
    %0, %1 = cell.qr %x : tensor<101x2xf32> -> tensor<101x2xf32>, tensor<2x2xf32>
    return %0 : tensor<101x2xf32>
  }
}

// -----

// Samples are rows of the matrix: a row of the solution needs them all.
module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @rows(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    %1 = cell.constant dense<0> : tensor<101xi32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %2 = cell.swap_rows %x, %1 : tensor<101x2xf32>, tensor<101xi32>
    return %2 : tensor<101x2xf32>
  }
}

// -----

// Each group of channels has filters of some samples only.
module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @filters(%x: tensor<1x4x5xf32>, %w: tensor<101x2x2x3xf32>) -> tensor<101x2x3xf32> {
    %0 = cell.reshape %w : tensor<101x2x2x3xf32> -> tensor<202x2x3xf32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %1 = cell.conv %x, %0 strides [1] dilations [1] groups 2 : (tensor<1x4x5xf32>, tensor<202x2x3xf32>) -> tensor<1x202x3xf32>
    %2 = cell.reshape %1 : tensor<1x202x3xf32> -> tensor<101x2x3xf32>
    return %2 : tensor<101x2x3xf32>
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
  // expected-error@+1 {{updates argument #0 in place}}
  func.func @update(%x: tensor<101xf32> {cell.donate = 0 : i64}) -> tensor<101xf32> {
    %0 = cell.exp %x : tensor<101xf32>
    return %0 : tensor<101xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // expected-error@+1 {{has other inputs, Parameters or results for a batch of 1 than for others}}
  func.func @same(%x: tensor<101x2xf32>) -> tensor<101x2xf32> attributes {cell.batch_programs = [@one]} {
    return %x : tensor<101x2xf32>
  }
  func.func private @one(%x: tensor<1x2xf32>, %w: tensor<f32>) -> tensor<1x2xf32> {
    return %x : tensor<1x2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @sum_in_a_loop(%x: tensor<101x2xf32>) -> tensor<2xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = cell.constant dense<0.0> : tensor<2xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<2xf32>) {
      %0 = cell.reduce_sum %x over [0] : tensor<101x2xf32> -> tensor<2xf32>
      // expected-error@+1 {{uses a sum over the batch inside of a loop or branch before the sum is complete}}
      %1 = cell.square %0 : tensor<2xf32>
      %2 = cell.add %s, %1 : tensor<2xf32>
      scf.yield %2 : tensor<2xf32>
    }
    return %r : tensor<2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @begins_with_one(%x: tensor<101x2xf32>) -> tensor<2xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %one = cell.constant dense<1.0> : tensor<2xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %one) -> (tensor<2xf32>) {
      %0 = cell.reduce_sum %x over [0] : tensor<101x2xf32> -> tensor<2xf32>
      // expected-error@+1 {{uses a sum over the batch inside of a loop or branch before the sum is complete}}
      %2 = cell.add %s, %0 : tensor<2xf32>
      scf.yield %2 : tensor<2xf32>
    }
    return %r : tensor<2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @largest_in_a_loop(%x: tensor<101x2xf32>) -> tensor<2xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = cell.constant dense<0.0> : tensor<2xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<2xf32>) {
      // expected-error@+1 {{takes an extremum over the batch inside of a loop or branch}}
      %0 = cell.reduce_max %x over [0] : tensor<101x2xf32> -> tensor<2xf32>
      %2 = cell.maximum %s, %0 : tensor<2xf32>
      scf.yield %2 : tensor<2xf32>
    }
    return %r : tensor<2xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // Rows are of the samples in turn after the first trip, and were not before.
  func.func @turns(%x: tensor<101x7xf32>) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<707xf32>
    %t = cell.transpose %x perm [1, 0] : tensor<101x7xf32> -> tensor<7x101xf32>
    %1 = cell.reshape %t : tensor<7x101xf32> -> tensor<707xf32>
    // expected-error@+1 {{hands on a value in which samples are elsewhere than before, or a sum over the batch that does not begin with zero}}
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %0) -> (tensor<707xf32>) {
      %2 = cell.exp %1 : tensor<707xf32>
      scf.yield %2 : tensor<707xf32>
    }
    %3 = cell.reduce_sum %r over [0] : tensor<707xf32> -> tensor<f32>
    return %3 : tensor<f32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @drawn(%key: tensor<2xi32>, %x: tensor<101xi32>) -> tensor<1025xi32> {
    // expected-error@+1 {{draws random numbers for samples behind more than 1024 elements of other dimensions}}
    %0 = cell.random_bits %key : tensor<2xi32> -> tensor<1025x101xi32>
    %1 = cell.reduce_sum %0 over [1] : tensor<1025x101xi32> -> tensor<1025xi32>
    return %1 : tensor<1025xi32>
  }
}

// -----

// expected-error@+1 {{expected {max = N : i64, size = S : i64} with 1 <= N and 2 <= S}}
module attributes {cell.batch = {size = 101 : i64}} {
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // Equal types: but rows of one operand are of the samples in turn.
  func.func @meet(%x: tensor<101x7xf32>) -> tensor<f32> {
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<707xf32>
    %1 = cell.transpose %x perm [1, 0] : tensor<101x7xf32> -> tensor<7x101xf32>
    %2 = cell.reshape %1 : tensor<7x101xf32> -> tensor<707xf32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %3 = cell.mul %0, %2 : tensor<707xf32>
    %4 = cell.reduce_sum %3 over [0] : tensor<707xf32> -> tensor<f32>
    return %4 : tensor<f32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // The same in a product that adds up along them.
  func.func @meet_in_product(%x: tensor<101x7xf32>) -> tensor<1x1xf32> {
    %0 = cell.reshape %x : tensor<101x7xf32> -> tensor<1x707xf32>
    %1 = cell.transpose %x perm [1, 0] : tensor<101x7xf32> -> tensor<7x101xf32>
    %2 = cell.reshape %1 : tensor<7x101xf32> -> tensor<707x1xf32>
    // expected-error@+1 {{lets rows of different samples meet}}
    %3 = cell.matmul %0, %2 : (tensor<1x707xf32>, tensor<707x1xf32>) -> tensor<1x1xf32>
    return %3 : tensor<1x1xf32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  // Each part of the batch would add a one.
  func.func @sum_or_one(%c: tensor<i1>, %x: tensor<101xf32>) -> tensor<f32> {
    %0 = tensor.extract %c[] : tensor<i1>
    // expected-error@+1 {{hands on a value in which samples are elsewhere than before, or a sum over the batch that does not begin with zero}}
    %1 = scf.if %0 -> tensor<f32> {
      %2 = cell.reduce_sum %x over [0] : tensor<101xf32> -> tensor<f32>
      scf.yield %2 : tensor<f32>
    } else {
      %3 = cell.constant dense<1.0> : tensor<f32>
      scf.yield %3 : tensor<f32>
    }
    return %1 : tensor<f32>
  }
}

// -----

module attributes {cell.batch = {max = 9 : i64, size = 101 : i64}} {
  func.func @of_ranks(%x: tensor<101x2xf32>) -> tensor<101x2xf32> {
    // expected-error@+1 {{is not known to treat samples one by one; a program for any batch size computes each sample by itself: export for a fixed batch}}
    %0 = cell.all_reduce %x "sum" : tensor<101x2xf32>
    return %0 : tensor<101x2xf32>
  }
}

// -----

// expected-error@below {{a program of its own was asked for a batch of 10, but batches are 1 to 9}}
module attributes {cell.batch = {max = 9 : i64, often = array<i64: 3, 10>, size = 101 : i64}} {
}

// -----

// expected-error@below {{expected {max = N : i64, size = S : i64} with 1 <= N and 2 <= S, and often = array<i64: ...> where some sizes get programs of their own}}
module attributes {cell.batch = {max = 9 : i64, often = 3 : i64, size = 101 : i64}} {
}
