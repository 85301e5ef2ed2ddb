//--- pairs.mlir
func.func @f(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %0 = cell.matmul %x, %x {transpose_b = true} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  %1 = cell.reduce_sum %0 over [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
//--- fixed.mlir
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- open.mlir
func.func @f(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = cell.tanh %x : tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
