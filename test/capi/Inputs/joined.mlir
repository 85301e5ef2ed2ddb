func.func @b_c(%x: tensor<4xf32> {cell.name = "x"}) -> (tensor<4xf32> {cell.name = "y"}) {
  %0 = cell.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
