// Where samples are added up, batches of the size of a large tile have a function
// of their own beside the entry, without phases: as one that is compiled for the size.
// RUN: cell-opt %s -split-input-file --cell-tile-batch=tiles=64,32,8,1 | FileCheck %s --check-prefixes=CHECK,OFTEN,DERIVES,GIVEN

module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  // CHECK: func @centred(%[[N:.*]]: tensor<i64> {{.*}}, %[[X:.*]]: tensor<65521xf32>)
  // There is no batch of 64, and no tile.
  // CHECK-NOT: constant 64
  // CHECK-NOT: call @centred_of
  // CHECK: func.call @centred_phase_0_of_32(
  // CHECK: func.call @centred_phase_1_of_8(
  // CHECK: func @centred_of_32(%{{.*}}: tensor<32xf32>) -> tensor<32xf32>
  // CHECK-SAME: cell.batch_program = {of = "centred", size = 32 : i64}
  // CHECK: cell.constant dense<3.125000e-02> : tensor<f32>
  // CHECK-NOT: @centred_of
  func.func @centred(%x: tensor<65521xf32>) -> tensor<65521xf32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    %1 = cell.constant dense<0.5> : tensor<f32> {cell.batch_form = array<f64: 0.0, 1.0, 1.0, 0.0>}
    %2 = cell.mul %0, %1 : tensor<f32>
    %3 = cell.broadcast %2 along [0] : tensor<f32> -> tensor<65521xf32>
    %4 = cell.sub %x, %3 : tensor<65521xf32>
    return %4 : tensor<65521xf32>
  }
}

// -----

// Sizes that are named have one, too, however small; once, and also where
// samples are computed one by one. They take what the entry takes.
// OFTEN-LABEL: func @often(
// OFTEN-NOT: func.call @often_of
// OFTEN: func.call @often_phase_0_of_32(
// OFTEN: func @often_of_20(%{{.*}}: tensor<20xf32> {cell.name = "samples"}, %{{.*}}: tensor<f32> {cell.donate = 0 : i64, cell.role = "state"}) -> (tensor<f32> {cell.name = "sum"})
// OFTEN-SAME: cell.batch_program = {of = "often", size = 20 : i64}
// OFTEN: func @often_of_2(
// OFTEN: func @often_of_32(
// OFTEN-LABEL: func @apart(
// OFTEN: func @apart_of_20(
// OFTEN: func @apart_of_2(
// OFTEN: func @apart_of_32(
// OFTEN: func @apart_of_1(
// OFTEN-NOT: func @
module attributes {cell.batch = {max = 40 : i64, often = array<i64: 20, 2, 20, 32>, size = 65521 : i64}} {
  func.func @often(%x: tensor<65521xf32> {cell.name = "samples"}, %s: tensor<f32> {cell.donate = 0 : i64, cell.role = "state"})
      -> (tensor<f32> {cell.name = "sum"}) {
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    %1 = cell.add %0, %s : tensor<f32>
    return %1 : tensor<f32>
  }
  func.func @apart(%x: tensor<65521xf32>) -> tensor<65521xf32> {
    %0 = cell.tanh %x : tensor<65521xf32>
    return %0 : tensor<65521xf32>
  }
}

// -----

// Before derivatives were written out, the program is the one for each size.
// DERIVES-LABEL: func @slope(
// DERIVES-NOT: cell.vjp
// DERIVES: func @slope_whole_of_32(%{{.*}}: tensor<32xf32>, %{{.*}}: tensor<f32>)
// DERIVES: cell.vjp @loss_of_32(
// DERIVES: func private @loss_of_32(%{{.*}}: tensor<32xf32>, %{{.*}}: tensor<f32>) -> tensor<f32>
module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  func.func @slope(%x: tensor<65521xf32>, %w: tensor<f32>) -> tensor<f32> attributes {cell.batch_programs = [@slope_whole]} {
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @slope_whole(%x: tensor<65521xf32>, %w: tensor<f32>) -> tensor<f32> {
    %one = cell.constant dense<1.0> : tensor<f32>
    %0:2 = cell.vjp @loss(%x, %w) cotangents(%one) of [0] wrt [1] : (tensor<65521xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    return %0#1 : tensor<f32>
  }
  func.func private @loss(%x: tensor<65521xf32>, %w: tensor<f32>) -> tensor<f32> {
    %0 = cell.broadcast %w along [0] : tensor<f32> -> tensor<65521xf32>
    %1 = cell.mul %x, %0 : tensor<65521xf32>
    %2 = cell.reduce_sum %1 over [0] : tensor<65521xf32> -> tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

// A program that is given for a size is taken as it is; one for a size that has none is left out.
// GIVEN-LABEL: func @given(
// GIVEN: func @given_20(%{{.*}}: tensor<20xf32>)
// GIVEN-NEXT: cell.neg
// GIVEN: func @given_of_1(
// GIVEN-NOT: @given_7(
module attributes {cell.batch = {max = 40 : i64, often = array<i64: 20>, size = 65521 : i64}} {
  func.func @given(%x: tensor<65521xf32>) -> tensor<65521xf32> attributes {cell.batch_programs = [@given_7, @given_20]} {
    %0 = cell.tanh %x : tensor<65521xf32>
    return %0 : tensor<65521xf32>
  }
  func.func private @given_7(%x: tensor<7xf32>) -> tensor<7xf32> {
    return %x : tensor<7xf32>
  }
  func.func private @given_20(%x: tensor<20xf32>) -> tensor<20xf32> {
    %0 = cell.neg %x : tensor<20xf32>
    return %0 : tensor<20xf32>
  }
}
