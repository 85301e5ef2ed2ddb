// The ops without a derivative that no file of test/rules has, each in an entry of its own (test_device_rules.py).

func.func @ceil(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = cell.ceil %x : tensor<37xf32>
  return %0 : tensor<37xf32>
}

func.func @floor(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = cell.floor %x : tensor<37xf32>
  return %0 : tensor<37xf32>
}

func.func @round(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = cell.round %x : tensor<37xf32>
  return %0 : tensor<37xf32>
}

func.func @floor_div(%x: tensor<37xf32>, %y: tensor<37xf32>) -> tensor<37xf32> {
  %0 = cell.floor_div %x, %y : tensor<37xf32>
  return %0 : tensor<37xf32>
}

func.func @is_inf(%x: tensor<37xf32>) -> tensor<37xi1> {
  %0 = cell.is_inf %x : tensor<37xf32>
  return %0 : tensor<37xi1>
}

func.func @is_nan(%x: tensor<37xf32>) -> tensor<37xi1> {
  %0 = cell.is_nan %x : tensor<37xf32>
  return %0 : tensor<37xi1>
}

func.func @not_equal(%x: tensor<37xf32>, %y: tensor<37xf32>) -> tensor<37xi1> {
  %0 = cell.not_equal %x, %y : tensor<37xf32>
  return %0 : tensor<37xi1>
}

func.func @less_equal(%x: tensor<37xf32>, %y: tensor<37xf32>) -> tensor<37xi1> {
  %0 = cell.less_equal %x, %y : tensor<37xf32>
  return %0 : tensor<37xi1>
}

func.func @bitwise(%x: tensor<37xi32>, %y: tensor<37xi32>) -> (tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>) {
  %0 = cell.bitwise_and %x, %y : tensor<37xi32>
  %1 = cell.bitwise_or %x, %y : tensor<37xi32>
  %2 = cell.bitwise_xor %x, %y : tensor<37xi32>
  %3 = cell.bitwise_not %x : tensor<37xi32>
  return %0, %1, %2, %3 : tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>
}

func.func @logical(%x: tensor<37xi1>, %y: tensor<37xi1>) -> (tensor<37xi1>, tensor<37xi1>) {
  %0 = cell.logical_or %x, %y : tensor<37xi1>
  %1 = cell.logical_xor %x, %y : tensor<37xi1>
  return %0, %1 : tensor<37xi1>, tensor<37xi1>
}
