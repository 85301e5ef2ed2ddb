// Batches of 2 to 8 samples, and as many that larger tiles leave over, have a tile of just their size. One sample behind a
// tile of 8 would take longer than two: tiles of 7 and 2 compute the nine.
// RUN: cell-opt %s --cell-tile-batch | FileCheck %s
// Without a tile of 7, those of 8 take all they can.
// RUN: cell-opt %s --cell-tile-batch=tiles=8,2,1 | FileCheck %s --check-prefix=USUAL
// USUAL-NOT: arith.remsi
// Larger tiles than the largest batch are left out, whichever they are.
// RUN: sed 's/max = 100/max = 6/' %s | cell-opt --cell-tile-batch | FileCheck %s --check-prefix=SIX
// SIX-LABEL: func @forward(
// SIX-NOT: _of_7
// SIX: func.call @forward_of_6(
// SIX: func.call @forward_of_5(

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @forward(
  // CHECK: %[[B:.*]] = arith.index_cast
  // CHECK: func.call @forward_of_16(
  // CHECK: %[[BEGIN:.*]] = arith.addi
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
  // CHECK: %[[LEFT:.*]] = arith.subi %[[B]], %[[BEGIN]]
  // CHECK: %[[REST:.*]] = arith.remsi %[[LEFT]], %[[EIGHT]]
  // CHECK: %[[ALONE:.*]] = arith.cmpi eq, %[[REST]], %[[ONE]]
  // CHECK: %[[FEWER:.*]] = arith.subi %[[LEFT]], %[[EIGHT]]
  // CHECK: %[[TAKEN:.*]] = arith.select %[[ALONE]], %[[FEWER]], %[[LEFT]]
  // CHECK: arith.divsi %[[TAKEN]], %[[EIGHT]]
  // CHECK: func.call @forward_of_8(
  // CHECK-NOT: arith.remsi
  // CHECK: func.call @forward_of_7(
  // CHECK: func.call @forward_of_6(
  // CHECK: func.call @forward_of_5(
  // CHECK: func.call @forward_of_4(
  // CHECK: func.call @forward_of_3(
  // CHECK: func.call @forward_of_2(
  // CHECK-NOT: @forward_of_1(
  // CHECK: return
  func.func @forward(%x: tensor<65521x2xf32>) -> tensor<65521x2xf32> {
    %0 = cell.exp %x : tensor<65521x2xf32>
    return %0 : tensor<65521x2xf32>
  }
  // So it is where samples are added up, each of them once. There, 64 samples have a program, and no tile.
  // CHECK-LABEL: func @total(
  // CHECK-NOT: _of_64(
  // CHECK: func.call @[[TOTAL:.*]]_of_32(
  // CHECK: arith.remsi
  // CHECK: func.call @[[TOTAL]]_of_8(
  // CHECK: func.call @[[TOTAL]]_of_7(
  // CHECK: func.call @[[TOTAL]]_of_6(
  // CHECK: func.call @[[TOTAL]]_of_5(
  // CHECK: func.call @[[TOTAL]]_of_4(
  // CHECK: func.call @[[TOTAL]]_of_3(
  // CHECK: func.call @[[TOTAL]]_of_2(
  // CHECK: func.call @[[TOTAL]]_of_1(
  func.func @total(%x: tensor<65521x2xf32>) -> tensor<2xf32> {
    %0 = cell.exp %x : tensor<65521x2xf32>
    %1 = cell.reduce_sum %0 over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
