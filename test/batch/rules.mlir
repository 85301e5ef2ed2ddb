// Copies for tiles need no rules for derivatives: these go, with what they
// name.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-opt %s --cell-specialize-batch=size=2 | FileCheck %s

// CHECK-NOT: @rule
// CHECK-NOT: cell.jvp
module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  func.func private @double(%x: tensor<65521xf32>) -> tensor<65521xf32> {
    %0 = cell.add %x, %x : tensor<65521xf32>
    return %0 : tensor<65521xf32>
  }
  func.func private @rule(%x: tensor<65521xf32>, %d: tensor<65521xf32>) -> (tensor<65521xf32>, tensor<65521xf32>) {
    %0:2 = cell.jvp @double(%x) tangents(%d) wrt [0] of [0] : (tensor<65521xf32>, tensor<65521xf32>) -> (tensor<65521xf32>, tensor<65521xf32>)
    return %0#0, %0#1 : tensor<65521xf32>, tensor<65521xf32>
  }
  // CHECK: func @forward(
  func.func @forward(%x: tensor<65521xf32>) -> tensor<65521xf32> {
    %0 = cell.custom @double(%x) jvp @rule : (tensor<65521xf32>) -> tensor<65521xf32>
    return %0 : tensor<65521xf32>
  }
}
