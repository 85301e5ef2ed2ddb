// Products that add in another order on vectors of another size.
func.func @loss(%x: tensor<32x40xf32> {cell.name = "x"}, %w: tensor<40x24xf32> {cell.name = "w"})
    -> (tensor<32xf32> {cell.name = "y"}) {
  %0 = cell.matmul %x, %w : (tensor<32x40xf32>, tensor<40x24xf32>) -> tensor<32x24xf32>
  %1 = cell.tanh %0 : tensor<32x24xf32>
  %2 = cell.matmul %1, %1 {transpose_b = true} : (tensor<32x24xf32>, tensor<32x24xf32>) -> tensor<32x32xf32>
  %3 = cell.reduce_sum %2 over [1] : tensor<32x32xf32> -> tensor<32xf32>
  return %3 : tensor<32xf32>
}
