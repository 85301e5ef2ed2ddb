// RUN: cell-opt %s --cell-differentiate --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @nothing_mapped(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{maps no argument: at least one of its in dimensions must not be -1}}
  %y = cell.vmap @f(%x) in [-1] out [0] : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @sizes(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{maps 4 elements in one argument but 5 in argument 1; all batches must have one size}}
  %z = cell.vmap @f(%x, %y) in [0, 0] out [0] : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return %z : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @dimension(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{maps dimension 1 of argument 0, which is 'tensor<4x3xf32>'; @f takes 'tensor<3xf32>'}}
  %y = cell.vmap @f(%x) in [1] out [0] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @result(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{gives 'tensor<4x3xf32>' as result 0 for a batch of 4 'tensor<3xf32>' in dimension 1}}
  %y = cell.vmap @f(%x) in [0] out [1] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @once(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{has no out dimension for result 0, which depends on an argument that is mapped}}
  %y = cell.vmap @f(%x) in [0] out [-1] : (tensor<4x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @once_as_a_batch(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{gives 'tensor<4x3xf32>' as result 0 for a batch of 4 'tensor<3xf32>' in dimension -1}}
  %y = cell.vmap @f(%x) in [0] out [-1] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @unknown(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{refers to @nobody, which is not a function of this module}}
  %y = cell.vmap @nobody(%x) in [0] out [0] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func private @foreign(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'math.erf' op cannot be mapped over a batch: it has no batching rule}}
  %0 = math.erf %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func @batch(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @foreign(%x) in [0] out [0] : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @scalar(%c: tensor<i1>, %x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %one = arith.constant 1.0 : f64
  // expected-error @+1 {{'scf.if' op takes or gives a value of type 'f64', which cannot differ within a batch; make it a tensor}}
  %0 = scf.if %flag -> f64 {
    %1 = tensor.extract %x[] : tensor<f64>
    scf.yield %1 : f64
  } else {
    scf.yield %one : f64
  }
  %2 = tensor.from_elements %0 : tensor<f64>
  return %2 : tensor<f64>
}
func.func @batch(%c: tensor<i1>, %x: tensor<4xf64>, %y: tensor<f64>) -> tensor<4xf64> {
  %0 = cell.vmap @scalar(%c, %x, %y) in [-1, 0, -1] out [0] : (tensor<i1>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @trips(%x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{makes a different number of trips for each element of a batch, so it cannot carry a value of type 'index'; carry a tensor instead}}
  %0:2 = scf.while (%v = %x, %i = %zero) : (tensor<f64>, index) -> (tensor<f64>, index) {
    %limit = cell.constant dense<100.0> : tensor<f64>
    %less = cell.less %v, %limit : tensor<f64>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %v, %i : tensor<f64>, index
  } do {
  ^bb0(%v: tensor<f64>, %i: index):
    %next = cell.add %v, %v : tensor<f64>
    %j = arith.addi %i, %one : index
    scf.yield %next, %j : tensor<f64>, index
  }
  return %0#0 : tensor<f64>
}
func.func @batch(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @trips(%x) in [0] out [0] : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @chosen(%x: tensor<f64>) -> tensor<f64> {
  %one = arith.constant 1 : index
  // expected-error @+1 {{a value of type 'index' cannot differ within a batch}}
  %two = arith.constant 2 : index
  %zero = cell.constant dense<0.0> : tensor<f64>
  %less = cell.less %x, %zero : tensor<f64>
  %flag = tensor.extract %less[] : tensor<i1>
  %n = scf.if %flag -> index {
    scf.yield %two : index
  } else {
    scf.yield %one : index
  }
  %start = arith.constant 0 : index
  %0 = scf.for %i = %start to %n step %one iter_args(%v = %x) -> tensor<f64> {
    %1 = cell.sin %v : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @batch(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @chosen(%x) in [0] out [0] : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @kept(%x: tensor<2xf64>) -> tensor<2xf64> {
  %zero = arith.constant 0 : index
  %none = cell.stash_empty : <tensor<2xf64>, 1>
  // expected-error @+1 {{'cell.stash_write' op writes one element of a batch into a stash that the whole batch shares}}
  %one = cell.stash_write %x into %none at %zero : <tensor<2xf64>, 1>
  %0 = cell.stash_read %one at %zero : <tensor<2xf64>, 1>
  return %0 : tensor<2xf64>
}
func.func @batch(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %0 = cell.vmap @kept(%x) in [0] out [0] : (tensor<4x2xf64>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @count(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'cell.vmap' op passes 2 arguments with 2 in dimensions to @f, which takes 1}}
  %0 = cell.vmap @f(%x, %x) in [0, 0] out [0] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @outs(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'cell.vmap' op has 1 results with 2 out dimensions for the 1 of @f}}
  %0 = cell.vmap @f(%x) in [0] out [0, 0] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %y : tensor<3xf32>
}
func.func @none_and_some(%x: tensor<0x3xf32>, %y: tensor<5x3xf32>) -> tensor<5x3xf32> {
  // expected-error @+1 {{maps 0 elements in one argument but 5 in argument 1; all batches must have one size}}
  %z = cell.vmap @f(%x, %y) in [0, 0] out [0] : (tensor<0x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %z : tensor<5x3xf32>
}

// -----

// A map over the reverse derivative of a loop goes before what its function calls.
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
func.func private @scalar(%x: tensor<f64>) -> f64 {
  %0 = tensor.extract %x[] : tensor<f64>
  return %0 : f64
}
func.func private @derivative(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{'func.call' op takes or gives a value of type 'f64', which cannot differ within a batch; make it a tensor}}
  %s = call @scalar(%x) : (tensor<f64>) -> f64
  %0:2 = cell.vjp @until(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func @batch(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = cell.vmap @derivative(%x) in [0] out [0] : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @beyond(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'cell.vmap' op maps dimension 2 of argument 0, which is 'tensor<4x3xf32>'}}
  %0 = cell.vmap @f(%x) in [2] out [0] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @same_for_all(%x: tensor<4x3xf32>, %y: tensor<2xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'cell.vmap' op passes 'tensor<2xf32>' as argument 1 of @f, which takes 'tensor<3xf32>'}}
  %0 = cell.vmap @f(%x, %y) in [0, -1] out [0] : (tensor<4x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @result_beyond(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{gives 'tensor<4x3xf32>' as result 0 for a batch of 4 'tensor<3xf32>' in dimension 2}}
  %0 = cell.vmap @f(%x) in [0] out [2] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
