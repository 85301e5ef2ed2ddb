// A network with two inputs and two results for each sample, of any number.
module attributes {cell.batch = {max = 257 : i64}} {
  func.func private @normalized(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
    %sum = cell.reduce_sum %x over [1] : tensor<?x16xf32> -> tensor<?xf32>
    %sixteen = cell.constant dense<16.0> : tensor<f32>
    %count = cell.broadcast %sixteen along [0] : tensor<f32> -> tensor<?xf32>
    %mean = cell.div %sum, %count : tensor<?xf32>
    %means = cell.broadcast %mean along [1] : tensor<?xf32> -> tensor<?x16xf32>
    %y = cell.sub %x, %means : tensor<?x16xf32>
    return %y : tensor<?x16xf32>
  }
  func.func @forward(
      %x: tensor<?x20xf32> {cell.name = "x"}, %scale: tensor<?xf32> {cell.name = "scale"},
      %w: tensor<20x16xf32> {cell.name = "w", cell.role = "parameter"},
      %b: tensor<16xf32> {cell.name = "b", cell.role = "parameter"},
      %v: tensor<5x16xf32> {cell.name = "v", cell.role = "parameter"})
      -> (tensor<?x5xf32> {cell.name = "p"}, tensor<?xi64> {cell.name = "class"}) {
    %0 = cell.matmul %x, %w : (tensor<?x20xf32>, tensor<20x16xf32>) -> tensor<?x16xf32>
    %1 = cell.broadcast %b along [0] : tensor<16xf32> -> tensor<?x16xf32>
    %2 = cell.add %0, %1 : tensor<?x16xf32>
    %3 = call @normalized(%2) : (tensor<?x16xf32>) -> tensor<?x16xf32>
    %4 = cell.tanh %3 : tensor<?x16xf32>
    %5 = cell.broadcast %scale along [1] : tensor<?xf32> -> tensor<?x16xf32>
    %6 = cell.mul %4, %5 : tensor<?x16xf32>
    %7 = cell.slice %6 from [0, 0] to [-1, 16] by [1, 1]
        : tensor<?x16xf32> -> tensor<?x16xf32>
    %8 = cell.matmul %7, %v {transpose_b = true}
        : (tensor<?x16xf32>, tensor<5x16xf32>) -> tensor<?x5xf32>
    %9 = cell.exp %8 : tensor<?x5xf32>
    %10 = cell.reduce_sum %9 over [1] : tensor<?x5xf32> -> tensor<?xf32>
    %11 = cell.broadcast %10 along [1] : tensor<?xf32> -> tensor<?x5xf32>
    %12 = cell.div %9, %11 : tensor<?x5xf32>
    %13 = cell.argmax %12 over [1] : tensor<?x5xf32> -> tensor<?xi64>
    return %12, %13 : tensor<?x5xf32>, tensor<?xi64>
  }
}
