// y = a*x + y in place, and what y was.
func.func @axpy(%a: tensor<f32> {cell.name = "a"}, %x: tensor<1000xf32> {cell.name = "x"},
                %y: tensor<1000xf32> {cell.name = "y", cell.donate = 0 : i64})
    -> (tensor<1000xf32> {cell.name = "new"}, tensor<1000xf32> {cell.name = "old"}) {
  %s = cell.broadcast %a along [0] : tensor<f32> -> tensor<1000xf32>
  %0 = cell.mul %s, %x : tensor<1000xf32>
  %1 = cell.add %0, %y : tensor<1000xf32>
  return %1, %y : tensor<1000xf32>, tensor<1000xf32>
}

func.func @softmax(%x: tensor<64x96xf32> {cell.name = "x"}) -> (tensor<64x96xf32> {cell.name = "y"}) {
  %m = cell.reduce_max %x over [1] : tensor<64x96xf32> -> tensor<64xf32>
  %mb = cell.broadcast %m along [1] : tensor<64xf32> -> tensor<64x96xf32>
  %d = cell.sub %x, %mb : tensor<64x96xf32>
  %e = cell.exp %d : tensor<64x96xf32>
  %s = cell.reduce_sum %e over [1] : tensor<64x96xf32> -> tensor<64xf32>
  %sb = cell.broadcast %s along [1] : tensor<64xf32> -> tensor<64x96xf32>
  %y = cell.div %e, %sb : tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// Halves x until it is below 1; how often.
func.func @halve(%x: tensor<5xf64> {cell.name = "x", cell.donate = 0 : i64})
    -> (tensor<5xf64> {cell.name = "y"}, tensor<i32> {cell.name = "trips"}) {
  %one = cell.constant dense<1.0> : tensor<f64>
  %half = cell.constant dense<0.5> : tensor<5xf64>
  %zero = cell.constant dense<0> : tensor<i32>
  %next = cell.constant dense<1> : tensor<i32>
  %r:2 = scf.while (%a = %x, %n = %zero) : (tensor<5xf64>, tensor<i32>) -> (tensor<5xf64>, tensor<i32>) {
    %m = cell.reduce_max %a over [0] : tensor<5xf64> -> tensor<f64>
    %c = cell.less %one, %m : tensor<f64>
    %t = tensor.extract %c[] : tensor<i1>
    scf.condition(%t) %a, %n : tensor<5xf64>, tensor<i32>
  } do {
  ^bb0(%a: tensor<5xf64>, %n: tensor<i32>):
    %b = cell.mul %a, %half : tensor<5xf64>
    %k = cell.add %n, %next : tensor<i32>
    scf.yield %b, %k : tensor<5xf64>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<5xf64>, tensor<i32>
}

// Prints x, and subtracts it from w, unless an element of it is negative.
func.func @checked(%w: tensor<4xf32> {cell.name = "w", cell.donate = 0 : i64}, %x: tensor<4xf32> {cell.name = "x"})
    -> (tensor<4xf32> {cell.name = "new"}) {
  %z = cell.constant dense<0.0> : tensor<4xf32>
  %ok = cell.less_equal %z, %x : tensor<4xf32>
  cell.print "x is {}" (%x : tensor<4xf32>)
  cell.check %ok "x must not be negative" : tensor<4xi1>
  %0 = cell.sub %w, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
