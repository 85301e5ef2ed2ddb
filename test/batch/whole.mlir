// Where samples are added up, batches of the size of a large tile have a program
// of their own, without phases: as one that is compiled for the size.
// RUN: cell-opt %s -split-input-file --cell-tile-batch=tiles=64,32,8,1 | FileCheck %s --check-prefixes=CHECK,TWICE,OFTEN

module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  // CHECK: func @centred(%[[N:.*]]: tensor<i64> {{.*}}, %[[X:.*]]: tensor<65521xf32>)
  // CHECK: %[[SIZE:.*]] = arith.index_cast
  // There is no batch of 64, and no tile.
  // CHECK-NOT: constant 64
  // CHECK: %[[C32:.*]] = arith.constant 32 : index
  // CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %[[SIZE]], %[[C32]] : index
  // CHECK-NEXT: scf.if %[[IS]] -> (tensor<65521xf32>)
  // CHECK: tensor.extract_slice %[[X]][%{{.*}}] [32] [1]
  // CHECK: func.call @centred_of_32(
  // CHECK: } else {
  // CHECK: func.call @centred_phase_0_of_32(
  // CHECK: func.call @centred_phase_1_of_8(
  // CHECK: func private @centred_of_32(%{{.*}}: tensor<32xf32>) -> tensor<32xf32>
  // CHECK: cell.constant dense<3.125000e-02> : tensor<f32>
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

// A value that is given twice is put into the memory of each result: one tensor
// for both would be copied as a whole, all rows that its type says.
// TWICE-LABEL: func @twice(
// TWICE: %[[IF:.*]]:3 = scf.if
// TWICE: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// TWICE: %[[Y:.*]]:3 = func.call @twice_of_32(
// TWICE: tensor.insert_slice %[[Y]]#1 into %[[A]]
// TWICE: tensor.insert_slice %[[Y]]#2 into %[[B]]
// TWICE: scf.yield %[[LOOP]]#0, %[[LOOP]]#1, %[[LOOP]]#2
// TWICE: } else {
// TWICE: iter_args(%{{.*}} = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}})
// TWICE: %[[Z:.*]]:3 = func.call @twice_phase_0_of_32(
// TWICE: tensor.insert_slice %[[Z]]#1 into %[[C]]
// TWICE: tensor.insert_slice %[[Z]]#2 into %[[D]]
// TWICE: return %[[IF]]#0, %[[IF]]#1, %[[IF]]#2
module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  func.func @twice(%x: tensor<65521xf32>) -> (tensor<f32>, tensor<65521xf32>, tensor<65521xf32>) {
    %0 = cell.tanh %x : tensor<65521xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<65521xf32> -> tensor<f32>
    return %1, %0, %0 : tensor<f32>, tensor<65521xf32>, tensor<65521xf32>
  }
}

// -----

// Sizes that are named have one, too, however small; once, and none where
// samples are computed one by one.
// OFTEN-LABEL: func @often(
// OFTEN: %[[C20:.*]] = arith.constant 20 : index
// OFTEN-NEXT: %[[IS20:.*]] = arith.cmpi eq, %{{.*}}, %[[C20]] : index
// OFTEN: arith.constant 2 : index
// OFTEN-NEXT: %[[IS2:.*]] = arith.cmpi eq
// OFTEN: arith.constant 32 : index
// OFTEN-NEXT: %[[IS32:.*]] = arith.cmpi eq
// OFTEN: scf.if %[[IS20]]
// OFTEN: func.call @often_of_20(
// OFTEN: } else {
// OFTEN: scf.if %[[IS2]]
// OFTEN: func.call @often_of_2(
// OFTEN: } else {
// OFTEN: scf.if %[[IS32]]
// OFTEN: func.call @often_of_32(
// OFTEN: } else {
// OFTEN-NOT: func.call @often_of
// OFTEN: func.call @often_phase_0_of_32(
// OFTEN-LABEL: func @apart(
// OFTEN-NOT: of_20
// OFTEN: func private @often_of_20(%{{.*}}: tensor<20xf32>) -> tensor<f32>
module attributes {cell.batch = {max = 40 : i64, often = array<i64: 20, 2, 20, 32>, size = 65521 : i64}} {
  func.func @often(%x: tensor<65521xf32>) -> tensor<f32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @apart(%x: tensor<65521xf32>) -> tensor<65521xf32> {
    %0 = cell.tanh %x : tensor<65521xf32>
    return %0 : tensor<65521xf32>
  }
}
