// A forward pass, and a step that updates a parameter in place.
func.func @forward(
    %x: tensor<5x3xf32> {cell.name = "x"},
    %w: tensor<3x2xf32> {cell.name = "fc.weight", cell.role = "parameter"})
    -> (tensor<5x2xf32> {cell.name = "y"}) {
  %0 = cell.matmul %x, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %1 = cell.tanh %0 : tensor<5x2xf32>
  return %1 : tensor<5x2xf32>
}

func.func @step(
    %w: tensor<6xf64> {cell.name = "fc.weight", cell.role = "parameter", cell.donate = 0 : i64},
    %g: tensor<6xf64> {cell.name = "gradient"})
    -> (tensor<6xf64> {cell.name = "fc.weight"}, tensor<6xf64> {cell.name = "old"}) {
  %0 = cell.sub %w, %g : tensor<6xf64>
  %1 = cell.add %w, %w : tensor<6xf64>
  return %0, %1 : tensor<6xf64>, tensor<6xf64>
}
