// The stand-in for the batch gets a size: in types, constants and whole slices.
// RUN: cell-opt %s --cell-specialize-batch=size=3 | FileCheck %s
// RUN: cell-run %s --passes='cell-specialize-batch{size=2}' --arg='dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=TWO
// RUN: not cell-opt %s --cell-specialize-batch=size=5 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not cell-opt %s --cell-specialize-batch=size=0 2>&1 | FileCheck %s --check-prefix=LEAST
// MOST: a batch of 5 was asked for: 1 to 4
// LEAST: a batch of 0 was asked for: 1 to 4
// TWO: result 0: tensor<2x1xf32> {{\[}}[5.5], [11.5]]

// CHECK-NOT: cell.batch
// CHECK-NOT: @rule
module attributes {cell.batch = {max = 4 : i64, size = 65521 : i64}} {
  // CHECK: func private @total(%{{.*}}: tensor<3x2xf32>) -> tensor<3xf32>
  func.func private @total(%x: tensor<65521x2xf32>) -> tensor<65521xf32> {
    %0 = cell.reduce_sum %x over [1] : tensor<65521x2xf32> -> tensor<65521xf32>
    return %0 : tensor<65521xf32>
  }
  // Rules for derivatives may mix samples: nothing runs them.
  func.func private @rule(%x: tensor<65521x2xf32>, %y: tensor<65521xf32>, %c: tensor<65521xf32>)
      -> tensor<65521x2xf32> {
    %0 = cell.reduce_sum %c over [0] : tensor<65521xf32> -> tensor<f32>
    %1 = cell.broadcast %0 along [0, 1] : tensor<f32> -> tensor<65521x2xf32>
    return %1 : tensor<65521x2xf32>
  }
  // CHECK: func @forward(%[[X:.*]]: tensor<3x2xf32>) -> tensor<3x1xf32>
  func.func @forward(%x: tensor<65521x2xf32>) -> tensor<65521x1xf32> {
    // CHECK: %[[T:.*]] = call @total(%[[X]])
    %0 = cell.custom @total(%x) vjp @rule : (tensor<65521x2xf32>) -> tensor<65521xf32>
    // CHECK: cell.constant dense<5.000000e-01> : tensor<3xf32>
    %1 = cell.constant dense<0.5> : tensor<65521xf32>
    %2 = cell.add %0, %1 : tensor<65521xf32>
    %3 = cell.slice %x from [0, 1] to [65521, 2] by [1, 1]
        : tensor<65521x2xf32> -> tensor<65521x1xf32>
    // CHECK: cell.slice %[[X]] from [0, 1] to [3, 2] by [1, 1]
    %4 = cell.reshape %2 : tensor<65521xf32> -> tensor<65521x1xf32>
    %5 = cell.add %3, %4 : tensor<65521x1xf32>
    return %5 : tensor<65521x1xf32>
  }
}
