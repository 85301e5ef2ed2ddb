// A training step with a loop of unknown length, what it keeps for the gradient, prints and a check.
func.func private @iterate(%w: tensor<64xf32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = cell.constant dense<0> : tensor<i32>
  %one = cell.constant dense<1> : tensor<i32>
  %r:2 = scf.while (%i = %zero, %y = %w) : (tensor<i32>, tensor<64xf32>) -> (tensor<i32>, tensor<64xf32>) {
    %p = cell.less %i, %n : tensor<i32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %i, %y : tensor<i32>, tensor<64xf32>
  } do {
  ^bb0(%i: tensor<i32>, %y: tensor<64xf32>):
    cell.print "trip {}" (%i : tensor<i32>)
    %next = cell.add %i, %one : tensor<i32>
    %t = cell.tanh %y : tensor<64xf32>
    scf.yield %next, %t : tensor<i32>, tensor<64xf32>
  }
  %s = cell.reduce_sum %r#1 over [0] : tensor<64xf32> -> tensor<f32>
  return %s : tensor<f32>
}

func.func @step(
    %w: tensor<64xf32> {cell.name = "w", cell.donate = 0 : i64},
    %m: tensor<64xf32> {cell.name = "m", cell.donate = 1 : i64},
    %count: tensor<i32> {cell.name = "count", cell.donate = 2 : i64},
    %n: tensor<i32> {cell.name = "n"},
    %label: tensor<i32> {cell.name = "label"})
    -> (tensor<64xf32>, tensor<64xf32>, tensor<i32>, tensor<f32> {cell.name = "loss"}) {
  %one = cell.constant dense<1> : tensor<i32>
  %upward = cell.constant dense<1.0> : tensor<f32>
  %next = cell.add %count, %one : tensor<i32>
  %v:2 = cell.vjp @iterate(%w, %n) cotangents(%upward) of [0] wrt [0]
      : (tensor<64xf32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<64xf32>)
  %zero = cell.constant dense<0> : tensor<i32>
  %ok = cell.less_equal %zero, %label : tensor<i32>
  cell.check %ok "the label is negative" : tensor<i1>
  %m1 = cell.add %m, %v#1 : tensor<64xf32>
  %w1 = cell.sub %w, %m1 : tensor<64xf32>
  return %w1, %m1, %next, %v#0 : tensor<64xf32>, tensor<64xf32>, tensor<i32>, tensor<f32>
}

func.func @forward(%w: tensor<64xf32> {cell.name = "w"}, %n: tensor<i32> {cell.name = "n"})
    -> (tensor<f32> {cell.name = "loss"}) {
  %0 = call @iterate(%w, %n) : (tensor<64xf32>, tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
