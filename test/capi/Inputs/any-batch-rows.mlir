// Positions of a sequence are rows of a product, and meet in two batched products.
module attributes {cell.batch = {max = 150 : i64, size = 65521 : i64}} {
  func.func @forward(
      %x: tensor<65521x3x5xf32> {cell.name = "x"},
      %w: tensor<7x5xf32> {cell.name = "w", cell.role = "parameter"})
      -> (tensor<65521x3x7xf32> {cell.name = "y"}) {
    %0 = cell.reshape %x : tensor<65521x3x5xf32> -> tensor<196563x5xf32>
    %1 = cell.matmul %0, %w {transpose_b = true}
        : (tensor<196563x5xf32>, tensor<7x5xf32>) -> tensor<196563x7xf32>
    %2 = cell.tanh %1 : tensor<196563x7xf32>
    %3 = cell.reshape %2 : tensor<196563x7xf32> -> tensor<65521x3x7xf32>
    %4 = cell.matmul %3, %3 {transpose_b = true}
        : (tensor<65521x3x7xf32>, tensor<65521x3x7xf32>) -> tensor<65521x3x3xf32>
    %5 = cell.matmul %4, %3
        : (tensor<65521x3x3xf32>, tensor<65521x3x7xf32>) -> tensor<65521x3x7xf32>
    return %5 : tensor<65521x3x7xf32>
  }
}
