// Adds rows of u to those of a donated table, if all indices are in range.
func.func @update(
    %w: tensor<4x2xf32> {cell.donate = 0 : i64, cell.name = "w", cell.role = "parameter"},
    %i: tensor<3xi32> {cell.name = "i"}, %u: tensor<3x2xf32> {cell.name = "u"})
    -> (tensor<4x2xf32> {cell.name = "new"}, tensor<3x2xf32> {cell.name = "old"}) {
  %zero = cell.constant dense<0> : tensor<3xi32>
  %four = cell.constant dense<4> : tensor<3xi32>
  %old = cell.gather %w at %i dim 0 : tensor<4x2xf32>, tensor<3xi32> -> tensor<3x2xf32>
  %new = cell.scatter "add" %u into %w at %i dim 0 : tensor<3x2xf32>, tensor<4x2xf32>, tensor<3xi32>
  %low = cell.greater_equal %i, %zero : tensor<3xi32>
  cell.check %low "an index is negative" : tensor<3xi1> loc("rows"("table.py":12:5))
  %high = cell.less %i, %four : tensor<3xi32>
  cell.check %high "an index is not below 4" : tensor<3xi1> loc("rows"("table.py":13:5))
  return %new, %old : tensor<4x2xf32>, tensor<3x2xf32>
}
