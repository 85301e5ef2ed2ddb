// Where samples are large, those of two of the largest tiles are kept all the same, and those of a program for a known size.
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=9' | FileCheck %s
// RUN: sed 's/max = 100/often = array<i64: 11>, max = 100/' %s | cell-opt --cell-tile-batch='tiles=4,1 kept=9' | FileCheck %s --check-prefix=OFTEN
// OFTEN: tensor.empty() : tensor<11x2000000xf32>
// RUN: cell-opt %s --cell-tile-batch='tiles=4,1 kept=20' | FileCheck %s --check-prefix=FIT

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // 9 samples would need more than 32 MiB, but those of two of the largest tiles are kept.
  // CHECK-LABEL: func @large
  // CHECK: %[[MOST:.*]] = arith.constant 8 : index
  // CHECK: arith.cmpi sle, %{{.*}}, %[[MOST]] : index
  // CHECK: scf.if
  // CHECK: tensor.empty() : tensor<8x2000000xf32>
  // CHECK: } else {
  // CHECK-NOT: tensor.empty
  func.func @large(%x: tensor<65521x2xf32>, %w: tensor<2x2000000xf32>) -> tensor<f32> {
    %h = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x2000000xf32>) -> tensor<65521x2000000xf32>
    %sum = cell.reduce_sum %h over [0] : tensor<65521x2000000xf32> -> tensor<2000000xf32>
    %sums = cell.broadcast %sum along [0] : tensor<2000000xf32> -> tensor<65521x2000000xf32>
    %less = cell.sub %h, %sums : tensor<65521x2000000xf32>
    %loss = cell.reduce_sum %less over [0, 1] : tensor<65521x2000000xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }

  // Where the ends of chains would not fit as well, 3 MiB a sample each, products alone are kept: of 10 samples at most.
  // CHECK-LABEL: func @chain
  // CHECK: %[[MOST:.*]] = arith.constant 9 : index
  // CHECK: arith.cmpi sle, %{{.*}}, %[[MOST]] : index
  // CHECK: tensor.empty() : tensor<9x786432xf32>
  // CHECK-NOT: tensor.empty
  // CHECK: } else {
  // FIT-LABEL: func @chain
  // FIT: %[[MOST:.*]] = arith.constant 10 : index
  // FIT: arith.cmpi sle, %{{.*}}, %[[MOST]] : index
  // FIT: tensor.empty() : tensor<10x786432xf32>
  func.func @chain(%x: tensor<65521x2xf32>, %w: tensor<2x786432xf32>) -> tensor<f32> {
    %h = cell.matmul %x, %w : (tensor<65521x2xf32>, tensor<2x786432xf32>) -> tensor<65521x786432xf32>
    %0 = cell.tanh %h : tensor<65521x786432xf32>
    %1 = cell.mul %0, %0 : tensor<65521x786432xf32>
    %2 = cell.add %1, %0 : tensor<65521x786432xf32>
    %3 = cell.relu %2 : tensor<65521x786432xf32>
    %sum = cell.reduce_sum %3 over [0] : tensor<65521x786432xf32> -> tensor<786432xf32>
    %sums = cell.broadcast %sum along [0] : tensor<786432xf32> -> tensor<65521x786432xf32>
    %less = cell.sub %3, %sums : tensor<65521x786432xf32>
    %both = cell.add %less, %h : tensor<65521x786432xf32>
    %loss = cell.reduce_sum %both over [0, 1] : tensor<65521x786432xf32> -> tensor<f32>
    return %loss : tensor<f32>
  }
}
