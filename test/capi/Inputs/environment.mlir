// Functions whose vector code computes on numbers that belong to no element, of
// ordinary numbers; see environment.c.
func.func @rsqrt_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.rsqrt %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @acosh_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.acosh %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @reciprocal_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.reciprocal %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @lgamma_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.lgamma %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @digamma_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.digamma %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @div_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.div %x, %y : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @trunc_mod_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.trunc_mod %x, %y : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @floor_mod_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.floor_mod %x, %y : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @floor_div_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.floor_div %x, %y : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @pow_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.pow %x, %y : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @rsqrt_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.rsqrt %x : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @acosh_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.acosh %x : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @reciprocal_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.reciprocal %x : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @lgamma_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.lgamma %x : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @digamma_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.digamma %x : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @div_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.div %x, %y : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @trunc_mod_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.trunc_mod %x, %y : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @floor_mod_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.floor_mod %x, %y : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @floor_div_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.floor_div %x, %y : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @pow_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.pow %x, %y : tensor<5xf64>
  return %0 : tensor<5xf64>
}
// Rounds in every step.
func.func @rounding_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %0 = cell.exp %x : tensor<5xf32>
  %1 = cell.sin %y : tensor<5xf32>
  %2 = cell.mul %0, %1 : tensor<5xf32>
  %3 = cell.div %2, %y : tensor<5xf32>
  return %3 : tensor<5xf32>
}
// The result is a subnormal number.
func.func @tiny_f32(%x: tensor<5xf32> {cell.name = "x"}, %y: tensor<5xf32> {cell.name = "y"}) -> (tensor<5xf32> {cell.name = "r"}) {
  %c = cell.constant dense<1.0e-40> : tensor<5xf32>
  %0 = cell.mul %x, %c : tensor<5xf32>
  return %0 : tensor<5xf32>
}
// Overflows, and divides by zero.
func.func @infinite_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %c = cell.constant dense<1.0e300> : tensor<5xf64>
  %0 = cell.mul %x, %c : tensor<5xf64>
  %1 = cell.exp %0 : tensor<5xf64>
  %2 = cell.sub %y, %y : tensor<5xf64>
  %3 = cell.div %1, %2 : tensor<5xf64>
  return %3 : tensor<5xf64>
}
func.func @loud_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  cell.print "{}" (%x : tensor<5xf64>)
  %0 = cell.div %x, %y : tensor<5xf64>
  return %0 : tensor<5xf64>
}
func.func @checked_f64(%x: tensor<5xf64> {cell.name = "x"}, %y: tensor<5xf64> {cell.name = "y"}) -> (tensor<5xf64> {cell.name = "r"}) {
  %0 = cell.div %x, %y : tensor<5xf64>
  %1 = cell.is_nan %0 : tensor<5xf64>
  cell.check %1 "never holds" : tensor<5xi1>
  return %0 : tensor<5xf64>
}
