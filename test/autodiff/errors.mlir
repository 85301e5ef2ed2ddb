// RUN: cell-opt %s --cell-differentiate -verify-diagnostics -split-input-file

func.func @self(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'func.call' op makes @self depend on its own derivative or call: recursion cannot be differentiated; write the recursion as a loop}}
  %0 = call @self(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

func.func @derivative(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'cell.vjp' op makes @derivative depend on its own derivative or call}}
  %0:2 = cell.vjp @derivative(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func @ping(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @pong(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @pong(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'cell.jvp' op makes @ping depend on its own derivative or call}}
  %0:2 = cell.jvp @ping(%x) tangents(%x) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @elsewhere(tensor<f64>) -> tensor<f64>
func.func @external(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'cell.vjp' op refers to @elsewhere, which has no body to differentiate}}
  %0:2 = cell.vjp @elsewhere(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

// expected-error @+1 {{'func.func' op has several blocks; differentiation takes structured control flow only}}
func.func private @blocks(%x: tensor<f64>) -> tensor<f64> {
  cf.br ^next
^next:
  return %x : tensor<f64>
}
func.func @jumps(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @blocks(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @foreign(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
  %0 = math.erf %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @foreign(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @foreign(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'math.erf' op cannot be differentiated: it has no derivative rule}}
  %0 = math.erf %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func @forward(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @foreign(%x) tangents(%x) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

// An op without a rule is no obstacle where nothing passes through it.
func.func private @beside(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = math.erf %y : tensor<f64>
  %1 = cell.mul %x, %0 : tensor<f64>
  return %1 : tensor<f64>
}
func.func @allowed(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @beside(%x, %x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

// A jvp rule that is not linear in its tangents.

func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.mul %x, %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func private @square_jvp(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = cell.mul %x, %x : tensor<f64>
  %1 = cell.mul %t, %t : tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}
func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{the jvp rule @square_jvp cannot be transposed for reverse mode: it is not linear in the tangents of its arguments; multiply them by values that do not depend on them, or give a vjp rule}}
  %0 = cell.custom @square(%x) jvp @square_jvp : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @square_jvp(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = cell.mul %x, %x : tensor<f64>
  %1 = cell.add %x, %x : tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{the jvp rule @square_jvp cannot be transposed for reverse mode: tangent 0 of its results does not depend on the tangents of its arguments; multiply the derivative by them, or give zeros}}
  %0:3 = cell.vjp @square_jvp(%x, %x) cotangents(%x) of [1] wrt [1] transpose : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#2 : tensor<f64>
}

// -----

func.func private @square_jvp(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = cell.mul %x, %x : tensor<f64>
  %1 = cell.sign %t : tensor<f64>
  %2 = cell.mul %x, %1 : tensor<f64>
  return %0, %2 : tensor<f64>, tensor<f64>
}
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{the jvp rule @square_jvp cannot be transposed for reverse mode: 'cell.sign' of a tangent is not linear; choose by the arguments, or give a vjp rule}}
  %0:3 = cell.vjp @square_jvp(%x, %x) cotangents(%x) of [1] wrt [1] transpose : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#2 : tensor<f64>
}

// -----

// What the regions of an op read is what the op reads: its derivative is not zero.
func.func private @switch(%x: tensor<f64>) -> tensor<f64> {
  %i = arith.constant 0 : index
  // expected-error @+1 {{'scf.index_switch' op cannot be differentiated: it has no derivative rule; branches that have one are scf.if, loops scf.for and scf.while}}
  %y = scf.index_switch %i -> tensor<f64>
  case 0 {
    %s = cell.sin %x : tensor<f64>
    scf.yield %s : tensor<f64>
  }
  default {
    scf.yield %x : tensor<f64>
  }
  return %y : tensor<f64>
}
func.func @of_switch(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @switch(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @region(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'scf.execute_region' op cannot be differentiated: it has no derivative rule; branches}}
  %y = scf.execute_region -> tensor<f64> {
    %s = cell.sin %x : tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %y : tensor<f64>
}
func.func @of_region(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @region(%x) tangents(%x) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

func.func private @flags(%x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %no = arith.constant false
  %yes = arith.constant true
  // expected-error @+1 {{carries a value of type 'i1' that its derivative reads, but only tensors can be kept from trip to trip; carry a tensor instead}}
  %0:2 = scf.for %i = %zero to %five step %one iter_args(%v = %x, %flag = %no) -> (tensor<f64>, i1) {
    %1 = scf.if %flag -> tensor<f64> {
      %2 = cell.sin %v : tensor<f64>
      scf.yield %2 : tensor<f64>
    } else {
      scf.yield %v : tensor<f64>
    }
    %other = arith.xori %flag, %yes : i1
    scf.yield %1, %other : tensor<f64>, i1
  }
  return %0#0 : tensor<f64>
}
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @flags(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

// expected-error @+1 {{'func.func' op must end in func.return}}
func.func private @endless(%x: tensor<f64>) -> tensor<f64> {
  llvm.unreachable
}
func.func @reverse(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @endless(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

// expected-error @+1 {{'func.func' op must end in func.return}}
func.func private @endless(%x: tensor<f64>) -> tensor<f64> {
  llvm.unreachable
}
func.func @called(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @endless(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// A map goes inward over functions of one block that returns only.
func.func private @until(%x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %less = cell.less %a, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %b = cell.add %a, %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
// expected-error @+1 {{'func.func' op has several blocks; differentiation takes structured control flow only}}
func.func private @derivative(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @until(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  cf.br ^next
^next:
  return %0#1 : tensor<f64>
}
func.func @batch(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @derivative(%x) in [0] out [0] : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @until(%x: tensor<f64>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %0 = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %less = cell.less %a, %ten : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %b = cell.add %a, %a : tensor<f64>
    scf.yield %b : tensor<f64>
  }
  return %0 : tensor<f64>
}
// expected-error @+1 {{'func.func' op must end in func.return}}
func.func private @derivative(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @until(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  llvm.unreachable
}
func.func @batch(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @derivative(%x) in [0] out [0] : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @product(%x: tensor<2xf64>) -> tensor<2xf64> {
  // expected-error @+1 {{'cell.all_reduce' op by 'prod' has a derivative for a number of ranks that is known; expected 'ranks' or 'group'}}
  %0 = cell.all_reduce %x "prod" : tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @gradient_of_product(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0:2 = cell.vjp @product(%x) cotangents(%x) of [0] wrt [0] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
