func.func @f(%x: tensor<2x3xf32> {cell.name = "x"}) -> (tensor<2x3xf32> {cell.name = "y"}) {
  cell.print "x is {} today" (%x : tensor<2x3xf32>)
  %y = cell.add %x, %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Every dtype; a slice, which is a view of other memory, is printed by its own elements.
func.func @g(%a: tensor<2xi1> {cell.name = "a"}, %b: tensor<i8> {cell.name = "b"}, %c: tensor<i16> {cell.name = "c"},
             %d: tensor<i32> {cell.name = "d"}, %e: tensor<i64> {cell.name = "e"}, %f: tensor<f16> {cell.name = "f"},
             %h: tensor<bf16> {cell.name = "h"}, %x: tensor<3x4xf64> {cell.name = "x"}) -> (tensor<f64> {cell.name = "y"}) {
  cell.print "{} {} {} {} {} {} {}" (%a, %b, %c, %d, %e, %f, %h : tensor<2xi1>, tensor<i8>, tensor<i16>, tensor<i32>, tensor<i64>, tensor<f16>, tensor<bf16>)
  %s = cell.slice %x from [1, 1] to [3, 4] by [1, 2] : tensor<3x4xf64> -> tensor<2x2xf64>
  cell.print "part {}" (%s : tensor<2x2xf64>)
  %y = cell.reduce_sum %s over [0, 1] : tensor<2x2xf64> -> tensor<f64>
  return %y : tensor<f64>
}
