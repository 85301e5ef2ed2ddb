// Programs for any batch size on ranks, whose batches may differ: a collective is done once for the batch, not once a
// tile, and all ranks take the program of a known size where it is the batch of all.
// RUN: cell-opt %s -split-input-file --pass-pipeline='builtin.module(cell-tile-batch{tiles=64,32,1 kept=0},func.func(cell-check-collectives))' | FileCheck %s

// CHECK-LABEL: func.func @apart(
// CHECK: %[[SIZE:.*]] = arith.index_cast
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[SIZE]], %[[C32]] : index
// CHECK: %[[OWN:.*]] = arith.extui %[[IS]] : i1 to i32
// CHECK: %[[FLAGS:.*]] = tensor.from_elements %[[OWN]] : tensor<1xi32>
// CHECK: %[[ALL:.*]] = cell.all_reduce %[[FLAGS]] "min" : tensor<1xi32>
// CHECK: %[[FLAG:.*]] = tensor.extract %[[ALL]]
// CHECK: %[[IF:.*]] = arith.cmpi ne, %[[FLAG]], %{{.*}} : i32
// CHECK: scf.if %[[IF]]
// CHECK: %[[NONE:.*]] = arith.constant 0 : index
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[%[[NONE]], 0] [32, 3] [1, 1]
// CHECK: func.call @apart_of_32(%[[PART]],
// CHECK: } else {
// CHECK: %[[SCALE:.*]] = cell.all_reduce %{{.*}} "sum" : tensor<3xf32>
// CHECK: scf.for
// CHECK: func.call @apart_phase_0_of_32(%{{.*}}, %[[SCALE]])
// CHECK-NOT: cell.all_reduce
// CHECK: func.func private @apart_of_32(
// CHECK: cell.all_reduce
// CHECK-NOT: cell.all_reduce
module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  func.func @apart(%x: tensor<65521x3xf32>, %w: tensor<3xf32>) -> tensor<65521x3xf32> {
    %0 = cell.all_reduce %w "sum" : tensor<3xf32>
    %1 = cell.broadcast %0 along [0] : tensor<3xf32> -> tensor<65521x3xf32>
    %2 = cell.mul %x, %1 : tensor<65521x3xf32>
    return %2 : tensor<65521x3xf32>
  }
}

// -----

// A group agrees by itself.
// CHECK-LABEL: func.func @group(
// CHECK: cell.all_reduce %{{.*}} "min" group [2, 0] : tensor<1xi32>
// CHECK: scf.if
// CHECK: } else {
// CHECK: cell.all_reduce %{{.*}} "sum" group [2, 0] : tensor<f32>
// CHECK: func.func private @group_of_32(
// CHECK: cell.all_reduce
module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  func.func @group(%x: tensor<65521xf32>) -> tensor<f32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    %1 = cell.all_reduce %0 "sum" group [2, 0] : tensor<f32>
    return %1 : tensor<f32>
  }
}

// -----

// Not all that are in one group are in the other: there is no program of a known size.
// CHECK-LABEL: func.func @groups(
// CHECK-NOT: scf.if
// CHECK: cell.all_reduce %{{.*}} "sum" group [2, 0] : tensor<f32>
// CHECK-NEXT: cell.all_reduce %{{.*}} "sum" : tensor<f32>
// CHECK-NEXT: return
module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  func.func @groups(%x: tensor<65521xf32>) -> tensor<f32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521xf32> -> tensor<f32>
    %1 = cell.all_reduce %0 "sum" group [2, 0] : tensor<f32>
    %2 = cell.all_reduce %1 "sum" : tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

// Samples are kept up to the same batch on all.
// RUN: cell-opt %s -split-input-file --cell-tile-batch='tiles=4,1 kept=8' | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: func.func @centred(
// KEPT: arith.cmpi sle
// KEPT: cell.all_reduce %{{.*}} "min" : tensor<1xi32>
// KEPT: scf.if
module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  func.func @centred(%x: tensor<65521x3xf32>, %w: tensor<3x3xf32>) -> tensor<f32> {
    %0 = cell.matmul %x, %w : (tensor<65521x3xf32>, tensor<3x3xf32>) -> tensor<65521x3xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<65521x3xf32> -> tensor<3xf32>
    %2 = cell.all_reduce %1 "sum" : tensor<3xf32>
    %3 = cell.broadcast %2 along [0] : tensor<3xf32> -> tensor<65521x3xf32>
    %4 = cell.mul %0, %3 : tensor<65521x3xf32>
    %5 = cell.reduce_sum %4 over [0, 1] : tensor<65521x3xf32> -> tensor<f32>
    %6 = cell.all_reduce %5 "sum" : tensor<f32>
    return %6 : tensor<f32>
  }
}

// -----

// Ranks of several groups do not agree how many samples are kept: none are.
// KEPT-LABEL: func.func @several(
// KEPT-NOT: scf.if
// KEPT-NOT: tensor.empty
// KEPT-NOT: "min"
// KEPT-LABEL: func.func private
module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  func.func @several(%x: tensor<65521x3xf32>, %w: tensor<3x3xf32>) -> tensor<f32> {
    %0 = cell.matmul %x, %w : (tensor<65521x3xf32>, tensor<3x3xf32>) -> tensor<65521x3xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<65521x3xf32> -> tensor<3xf32>
    %2 = cell.all_reduce %1 "sum" group [2, 0] : tensor<3xf32>
    %3 = cell.broadcast %2 along [0] : tensor<3xf32> -> tensor<65521x3xf32>
    %4 = cell.mul %0, %3 : tensor<65521x3xf32>
    %5 = cell.reduce_sum %4 over [0, 1] : tensor<65521x3xf32> -> tensor<f32>
    %6 = cell.all_reduce %5 "sum" : tensor<f32>
    return %6 : tensor<f32>
  }
}

// -----

// A value that is given twice is put into the memory of each result: one tensor
// for both would be copied as a whole, all rows that its type says.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[IF:.*]]:3 = scf.if
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[Y:.*]]:3 = func.call @twice_of_32(
// CHECK: tensor.insert_slice %[[Y]]#1 into %[[A]]
// CHECK: tensor.insert_slice %[[Y]]#2 into %[[B]]
// CHECK: scf.yield %[[LOOP]]#0, %[[LOOP]]#1, %[[LOOP]]#2
// CHECK: } else {
// CHECK: iter_args(%{{.*}} = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}})
// CHECK: %[[Z:.*]]:3 = func.call @twice_phase_0_of_32(
// CHECK: tensor.insert_slice %[[Z]]#1 into %[[C]]
// CHECK: tensor.insert_slice %[[Z]]#2 into %[[D]]
// CHECK: %[[ONES:.*]]:3 = scf.for
// CHECK: func.call @twice_phase_0_of_1(
// CHECK: %[[SUM:.*]] = cell.all_reduce %[[ONES]]#0 "sum"
// CHECK: scf.yield %[[SUM]], %[[ONES]]#1, %[[ONES]]#2
// CHECK: return %[[IF]]#0, %[[IF]]#1, %[[IF]]#2
module attributes {cell.batch = {max = 40 : i64, size = 65521 : i64}} {
  func.func @twice(%x: tensor<65521xf32>) -> (tensor<f32>, tensor<65521xf32>, tensor<65521xf32>) {
    %0 = cell.tanh %x : tensor<65521xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<65521xf32> -> tensor<f32>
    %2 = cell.all_reduce %1 "sum" : tensor<f32>
    return %2, %0, %0 : tensor<f32>, tensor<65521xf32>, tensor<65521xf32>
  }
}
