func.func @quotient(%x: tensor<4xf32> {cell.name = "x"}, %y: tensor<4xf32> {cell.name = "y"})
    -> (tensor<4xf32> {cell.name = "z"}) {
  %0 = cell.div %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
