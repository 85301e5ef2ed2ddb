// The same, of integers: what stays an op on tensors, or runs over a dimension.

func.func @positions(%x: tensor<5x37xi32>) -> (tensor<5xi32>, tensor<5xi64>, tensor<5x37xi32>) {
  %0 = cell.argmax %x over [1] : tensor<5x37xi32> -> tensor<5xi32>
  %1 = cell.argmin %x over [1] : tensor<5x37xi32> -> tensor<5xi64>
  %2 = cell.argsort %x along 1 {descending = true} : tensor<5x37xi32> -> tensor<5x37xi32>
  return %0, %1, %2 : tensor<5xi32>, tensor<5xi64>, tensor<5x37xi32>
}

func.func @random_bits(%key: tensor<2xi32>) -> tensor<5x37xi32> {
  %0 = cell.random_bits %key : tensor<2xi32> -> tensor<5x37xi32>
  return %0 : tensor<5x37xi32>
}

func.func @check(%x: tensor<37xi32>) -> tensor<37xi32> {
  %0 = cell.less_equal %x, %x : tensor<37xi32>
  cell.check %0 "not in order" : tensor<37xi1>
  return %x : tensor<37xi32>
}

func.func @print(%x: tensor<3xi32>) -> tensor<3xi32> {
  cell.print "x={}" (%x : tensor<3xi32>)
  return %x : tensor<3xi32>
}
