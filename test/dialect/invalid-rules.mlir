// RUN: cell-opt %s --cell-differentiate --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<f32>) -> tensor<f32>
func.func @two_rules(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{takes one rule: vjp or jvp}}
  %0 = cell.custom @f(%x) vjp @f jvp @f : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32>
func.func @wrong_rule(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{needs @f to be of type '(tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>', but it is '(tensor<f32>) -> tensor<f32>'}}
  %0 = cell.custom @f(%x) vjp @f : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @unknown(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{refers to @g, which is not a function of this module}}
  %0 = cell.recompute @g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @barrier(%x: tensor<f32>) -> tensor<2xf32> {
  // expected-error @+1 {{gives 'tensor<2xf32>' for an operand of type 'tensor<f32>'}}
  %0 = cell.barrier %x after(%x) : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %0 = cell.mul %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @rule(%x: tensor<f32>, %y: tensor<f32>, %ct: tensor<f32>) -> tensor<f32> {
  return %ct : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{has a vjp rule only, from which forward mode cannot be derived; use reverse mode, or give a jvp rule}}
  %0 = cell.custom @square(%x) vjp @rule : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @forward(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = cell.jvp @f(%x) tangents(%x) wrt [0] of [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @scale(%x: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = cell.mul %x, %c : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @rule(%x: tensor<f32>, %y: tensor<f32>, %ct: tensor<f32>) -> tensor<f32> {
  return %ct : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{is differentiated with respect to a captured value (operand 1), for which its rule @rule gives no derivative; pass it as an argument}}
  %0 = cell.custom @scale(%x) captures(%x) vjp @rule : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @captured(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = cell.vjp @f(%x) cotangents(%x) of [0] wrt [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{cannot be differentiated in this form: its condition must pass the carried values on unchanged}}
  %r = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %b = cell.exp %a : tensor<f32>
    %p = cell.less %a, %b : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %b : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    scf.yield %a : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func @while_form(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = cell.vjp @f(%x) cotangents(%x) of [0] wrt [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
