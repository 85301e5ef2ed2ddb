// A training step with dropout over a batch of any size: which elements stay is a random bit of each.
module attributes {cell.batch = {max = 257 : i64, size = 65521 : i64}} {
  func.func private @loss(%x: tensor<65521x5xf32>, %w: tensor<5x3xf32>, %key: tensor<2xi32>)
      -> (tensor<f32>, tensor<65521x3xf32>) {
    %y = cell.matmul %x, %w : (tensor<65521x5xf32>, tensor<5x3xf32>) -> tensor<65521x3xf32>
    %bits = cell.random_bits %key : tensor<2xi32> -> tensor<65521x3xi32>
    %zero = cell.constant dense<0> : tensor<65521x3xi32>
    %keep = cell.less %bits, %zero : tensor<65521x3xi32>
    %t = cell.tanh %y : tensor<65521x3xf32>
    %none = cell.constant dense<0.0> : tensor<65521x3xf32>
    %h = cell.select %keep, %t, %none : tensor<65521x3xf32>
    %q = cell.mul %h, %h : tensor<65521x3xf32>
    %s = cell.reduce_sum %q over [0, 1] : tensor<65521x3xf32> -> tensor<f32>
    return %s, %h : tensor<f32>, tensor<65521x3xf32>
  }
  func.func @step(
      %x: tensor<65521x5xf32> {cell.name = "x"},
      %w: tensor<5x3xf32> {cell.name = "w", cell.role = "parameter", cell.donate = 0 : i64},
      %key: tensor<2xi32> {cell.name = "key"})
      -> (tensor<5x3xf32> {cell.name = "w"}, tensor<f32> {cell.name = "loss"},
          tensor<65521x3xf32> {cell.name = "h"}) {
    %one = cell.constant dense<1.0> : tensor<f32>
    %none = cell.constant dense<0.0> : tensor<65521x3xf32>
    %v:3 = cell.vjp @loss(%x, %w, %key) cotangents(%one, %none) of [0, 1] wrt [1]
        : (tensor<65521x5xf32>, tensor<5x3xf32>, tensor<2xi32>, tensor<f32>, tensor<65521x3xf32>)
        -> (tensor<f32>, tensor<65521x3xf32>, tensor<5x3xf32>)
    %rate = cell.constant dense<0.0009765625> : tensor<5x3xf32>
    %scaled = cell.mul %v#2, %rate : tensor<5x3xf32>
    %next = cell.sub %w, %scaled : tensor<5x3xf32>
    return %next, %v#0, %v#1 : tensor<5x3xf32>, tensor<f32>, tensor<65521x3xf32>
  }
}
