// RUN: cell-opt %s --cell-differentiate -verify-diagnostics -split-input-file

// What cannot be differentiated or mapped, in branches and loops: the error names it, and nothing is left half done.

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %flag -> tensor<f64> {
    scf.yield %x : tensor<f64>
  } else {
    // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
    %1 = math.erf %x : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @reverse(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%c, %x) cotangents(%x) of [0] wrt [1] : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %0 = scf.for %i = %zero to %five step %one iter_args(%v = %x) -> tensor<f64> {
    // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
    %1 = math.erf %v : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @reverse(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%c, %x) cotangents(%x) of [0] wrt [1] : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %less = cell.less %a, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
    %b = math.erf %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @reverse(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%c, %x) cotangents(%x) of [0] wrt [1] : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %flag -> tensor<f64> {
    scf.yield %x : tensor<f64>
  } else {
    // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
    %1 = math.erf %x : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @forward(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @f(%c, %x) tangents(%x) wrt [1] of [0] : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %0 = scf.for %i = %zero to %five step %one iter_args(%v = %x) -> tensor<f64> {
    // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
    %1 = math.erf %v : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @forward(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @f(%c, %x) tangents(%x) wrt [1] of [0] : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %less = cell.less %a, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
    %b = math.erf %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @forward(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @f(%c, %x) tangents(%x) wrt [1] of [0] : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %flag -> tensor<f64> {
    scf.yield %x : tensor<f64>
  } else {
    // expected-error @+1 {{'math.erf' op cannot be mapped over a batch: it has no batching rule}}
    %1 = math.erf %x : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @batch(%c: tensor<i1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @f(%c, %x) in [-1, 0] out [0] : (tensor<i1>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %flag -> tensor<f64> {
    scf.yield %x : tensor<f64>
  } else {
    // expected-error @+1 {{'math.erf' op cannot be mapped over a batch: it has no batching rule}}
    %1 = math.erf %x : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @batch(%c: tensor<4xi1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @f(%c, %x) in [0, 0] out [0] : (tensor<4xi1>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %0 = scf.for %i = %zero to %five step %one iter_args(%v = %x) -> tensor<f64> {
    // expected-error @+1 {{'math.erf' op cannot be mapped over a batch: it has no batching rule}}
    %1 = math.erf %v : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @batch(%c: tensor<i1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @f(%c, %x) in [-1, 0] out [0] : (tensor<i1>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %less = cell.less %a, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    // expected-error @+1 {{'math.erf' op cannot be mapped over a batch: it has no batching rule}}
    %b = math.erf %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @batch(%c: tensor<i1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @f(%c, %x) in [-1, 0] out [0] : (tensor<i1>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @f(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    // expected-error @+1 {{'math.erf' op cannot be mapped over a batch: it has no batching rule}}
    %b = math.erf %a : tensor<f64>
    %less = cell.less %b, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %b = cell.add %a, %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @batch(%c: tensor<i1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @f(%c, %x) in [-1, 0] out [0] : (tensor<i1>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
