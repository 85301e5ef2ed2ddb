// Kernels of several ops: rows and, beside them, sums and a maximum over all rows; updates in place.
func.func @softmax(%x: tensor<500x256xf32>) -> (tensor<500x256xf32>, tensor<256xf32>) {
  %m = cell.reduce_max %x over [1] : tensor<500x256xf32> -> tensor<500xf32>
  %mb = cell.broadcast %m along [1] : tensor<500xf32> -> tensor<500x256xf32>
  %d = cell.sub %x, %mb : tensor<500x256xf32>
  %e = cell.exp %d : tensor<500x256xf32>
  %s = cell.reduce_sum %e over [1] : tensor<500x256xf32> -> tensor<500xf32>
  %sb = cell.broadcast %s along [1] : tensor<500xf32> -> tensor<500x256xf32>
  %y = cell.div %e, %sb : tensor<500x256xf32>
  %g = cell.reduce_sum %y over [0] : tensor<500x256xf32> -> tensor<256xf32>
  return %y, %g : tensor<500x256xf32>, tensor<256xf32>
}
func.func @update(%x: tensor<500x256xf32> {cell.donate = 0 : i64}) -> (tensor<500x256xf32>, tensor<256xf32>, tensor<f32>) {
  %part = cell.constant dense<3.906250e-03> : tensor<500xf32>
  %s = cell.reduce_sum %x over [1] : tensor<500x256xf32> -> tensor<500xf32>
  %mean = cell.mul %s, %part : tensor<500xf32>
  %meanb = cell.broadcast %mean along [1] : tensor<500xf32> -> tensor<500x256xf32>
  %d = cell.sub %x, %meanb : tensor<500x256xf32>
  %d2 = cell.square %d : tensor<500x256xf32>
  %v = cell.reduce_sum %d2 over [1] : tensor<500x256xf32> -> tensor<500xf32>
  %r = cell.rsqrt %v : tensor<500xf32>
  %rb = cell.broadcast %r along [1] : tensor<500xf32> -> tensor<500x256xf32>
  %n = cell.mul %d, %rb : tensor<500x256xf32>
  %t = cell.tanh %n : tensor<500x256xf32>
  %high = cell.reduce_max %t over [0] : tensor<500x256xf32> -> tensor<256xf32>
  %loss = cell.reduce_sum %d2 over [0, 1] : tensor<500x256xf32> -> tensor<f32>
  %y = cell.sub %x, %t : tensor<500x256xf32>
  return %y, %high, %loss : tensor<500x256xf32>, tensor<256xf32>, tensor<f32>
}
