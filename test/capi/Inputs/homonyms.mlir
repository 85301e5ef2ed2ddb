func.func @memcpy(%a: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %0 = cell.matmul %a, %a : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
  %1 = cell.matmul %0, %a : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
  return %1 : tensor<300x300xf32>
}
func.func @malloc(%a: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %0 = cell.matmul %a, %a : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
  %1 = cell.matmul %0, %0 : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>
  return %1 : tensor<300x300xf32>
}
func.func @memset(%a: tensor<f32>) -> tensor<300x300xf32> {
  %0 = cell.constant dense<1.0> : tensor<300x300xf32>
  %1 = cell.broadcast %a along [0, 1] : tensor<f32> -> tensor<300x300xf32>
  %2 = cell.add %0, %1 : tensor<300x300xf32>
  return %2 : tensor<300x300xf32>
}
func.func @aligned_alloc(%a: tensor<f32>, %n: tensor<f32>) -> tensor<f32> {
  %one = cell.constant dense<1.0> : tensor<f32>
  %0:2 = cell.vjp @loop(%a, %n) cotangents(%one) of [0] wrt [0] : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
func.func @free(%a: tensor<f32>) -> tensor<f32> {
  %0 = cell.square %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func @llvm.sin(%a: tensor<f32>) -> tensor<f32> {
  %0 = cell.neg %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func @cell_signature(%a: tensor<f32>) -> tensor<f32> {
  %0 = cell.add %a, %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @loop(%a: tensor<f32>, %n: tensor<f32>) -> tensor<f32> {
  %zero = cell.constant dense<0.0> : tensor<f32>
  %one = cell.constant dense<1.0> : tensor<f32>
  %r:2 = scf.while (%x = %a, %i = %zero) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %p = cell.less %i, %n : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %x, %i : tensor<f32>, tensor<f32>
  } do {
  ^bb0(%x: tensor<f32>, %i: tensor<f32>):
    %y = cell.sin %x : tensor<f32>
    %j = cell.add %i, %one : tensor<f32>
    scf.yield %y, %j : tensor<f32>, tensor<f32>
  }
  return %r#0 : tensor<f32>
}
