// The pass brings its dialect along: the input has no op of it.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-insert-polls))" | FileCheck %s

// CHECK: scf.while
// CHECK: cell.poll trip
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %end = arith.constant 100.0 : f32
  %r = scf.while (%v = %x) : (tensor<f32>) -> tensor<f32> {
    %n = tensor.extract %v[] : tensor<f32>
    %go = arith.cmpf olt, %n, %end : f32
    scf.condition(%go) %v : tensor<f32>
  } do {
  ^bb0(%v: tensor<f32>):
    %w = linalg.add ins(%v, %v : tensor<f32>, tensor<f32>) outs(%v : tensor<f32>) -> tensor<f32>
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}
