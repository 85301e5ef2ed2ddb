func.func @product(%x: tensor<32x16xf32> {cell.name = "x"}, %w: tensor<16x64xf32> {cell.name = "w"})
    -> (tensor<32x64xf32> {cell.name = "y"}) {
  %0 = cell.matmul %x, %w : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

func.func @loop(%x: tensor<8xf32> {cell.name = "x"}) -> (tensor<8xf32> {cell.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<8xf32> {
    %1 = cell.exp %y : tensor<8xf32>
    %2 = cell.neg %1 : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
