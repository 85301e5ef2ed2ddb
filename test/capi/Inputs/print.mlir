func.func @f(%x: tensor<2x3xf32> {cell.name = "x"}) -> (tensor<2x3xf32> {cell.name = "y"}) {
  cell.print "x is {} today" (%x : tensor<2x3xf32>)
  %y = cell.add %x, %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
