// A sample may have several rows, which reshapes make of its dimensions: all
// ops that keep rows apart keep samples apart.
// RUN: cell-opt %s --cell-specialize-batch=size=3 | FileCheck %s
// RUN: cell-opt %s --cell-tile-batch=tiles=3,1 | FileCheck %s
// RUN: cell-run %s --passes='cell-specialize-batch{size=2}' --arg='dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>' --arg='dense<[[0.0, 1.0], [2.0, 0.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=TWO
// The rows of a sample, [a, b] and [c, d], become 2b + a + 1/2 and 2d + c + 1/2.
// TWO: result 0: tensor<2x2xf32> {{\[}}[5.5, 11.5], [17.5, 23.5]]

module attributes {cell.batch = {max = 4 : i64, size = 65521 : i64}} {
  // CHECK: func {{.*}}: tensor<3x2x2xf32>
  func.func @forward(%x: tensor<65521x2x2xf32>, %w: tensor<2x2xf32>) -> tensor<65521x2xf32> {
    // CHECK: cell.reshape %{{.*}} : tensor<3x2x2xf32> -> tensor<6x2xf32>
    %0 = cell.reshape %x : tensor<65521x2x2xf32> -> tensor<131042x2xf32>
    // CHECK: cell.matmul {{.*}} : (tensor<6x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
    %1 = cell.matmul %0, %w : (tensor<131042x2xf32>, tensor<2x2xf32>) -> tensor<131042x2xf32>
    // CHECK: cell.slice {{.*}} from [0, 0] to [6, 1] by [1, 1] : tensor<6x2xf32> -> tensor<6x1xf32>
    %2 = cell.slice %1 from [0, 0] to [131042, 1] by [1, 1]
        : tensor<131042x2xf32> -> tensor<131042x1xf32>
    // CHECK: cell.slice {{.*}} from [0, 1] to [6, 2] by [1, 1]
    %3 = cell.slice %1 from [0, 1] to [131042, 2] by [1, 1]
        : tensor<131042x2xf32> -> tensor<131042x1xf32>
    %4 = cell.add %2, %3 : tensor<131042x1xf32>
    // CHECK: cell.constant dense<5.000000e-01> : tensor<6x1xf32>
    %5 = cell.constant dense<0.5> : tensor<131042x1xf32>
    %6 = cell.add %4, %5 : tensor<131042x1xf32>
    // Four rows a sample, and one again.
    // CHECK: cell.broadcast {{.*}} : tensor<6x1xf32> -> tensor<6x2x1xf32>
    %7 = cell.broadcast %6 along [1] : tensor<131042x1xf32> -> tensor<131042x2x1xf32>
    // CHECK: cell.reshape {{.*}} : tensor<6x2x1xf32> -> tensor<12xf32>
    %8 = cell.reshape %7 : tensor<131042x2x1xf32> -> tensor<262084xf32>
    // CHECK: cell.reshape {{.*}} : tensor<12xf32> -> tensor<3x2x2xf32>
    %9 = cell.reshape %8 : tensor<262084xf32> -> tensor<65521x2x2xf32>
    // CHECK: cell.reduce_max {{.*}} over [2] : tensor<3x2x2xf32> -> tensor<3x2xf32>
    %10 = cell.reduce_max %9 over [2] : tensor<65521x2x2xf32> -> tensor<65521x2xf32>
    return %10 : tensor<65521x2xf32>
  }
}
