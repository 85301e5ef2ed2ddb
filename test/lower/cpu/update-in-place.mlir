// The update of a donated argument needs no memory, also where fusion reshapes it.
// RUN: cell-opt %s --cell-to-llvm-pipeline | FileCheck %s

// CHECK: llvm.func @step({{.*}}cell.arena_bytes = 0 : i64
func.func @step(
    %w: tensor<64x32xf32> {cell.donate = 0 : i64}, %b: tensor<1x32xf32> {cell.donate = 1 : i64},
    %g: tensor<64x32xf32>, %h: tensor<1x32xf32>) -> (tensor<64x32xf32>, tensor<1x32xf32>) {
  %0 = cell.sub %w, %g : tensor<64x32xf32>
  %1 = cell.sub %b, %h : tensor<1x32xf32>
  return %0, %1 : tensor<64x32xf32>, tensor<1x32xf32>
}
