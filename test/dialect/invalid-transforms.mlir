// What cell.vjp and cell.jvp refuse.
// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op refers to @g, which is not a function of this module}}
  %0:3 = cell.vjp @g(%x, %n) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op passes 1 arguments to @f, which takes 2}}
  %0:3 = cell.vjp @f(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op passes 'tensor<f64>' as argument 1 of @f, which takes 'tensor<2xi32>'}}
  %0:3 = cell.vjp @f(%x, %x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op of lists result 2, but the function has 2 of them}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x) of [2] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op wrt lists argument -1, but the function has 2 of them}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x) of [0] wrt [-1] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op wrt lists argument 0 twice}}
  %0:4 = cell.vjp @f(%x, %n) cotangents(%x) of [0] wrt [0, 0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op of lists result 0 twice}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x, %x) of [0, 0] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi1>) -> (tensor<f64>, tensor<2xi1>) {
  return %x, %n : tensor<f64>, tensor<2xi1>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi1>) {
  // expected-error @+1 {{'cell.vjp' op wrt lists argument 1 of type 'tensor<2xi1>', which has no derivative}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x) of [0] wrt [1] : (tensor<f64>, tensor<2xi1>, tensor<f64>) -> (tensor<f64>, tensor<2xi1>, tensor<2xi1>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi1>) -> (tensor<f64>, tensor<2xi1>) {
  return %x, %n : tensor<f64>, tensor<2xi1>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi1>) {
  // expected-error @+1 {{'cell.vjp' op of lists result 1 of type 'tensor<2xi1>', which has no derivative}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x) of [1] wrt [0] : (tensor<f64>, tensor<2xi1>, tensor<f64>) -> (tensor<f64>, tensor<2xi1>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op has 0 cotangents for 1 indices}}
  %0:3 = cell.vjp @f(%x, %n) cotangents() of [0] wrt [0] : (tensor<f64>, tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op cotangent 0 is 'tensor<2xf32>', but 'tensor<f64>' is expected}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%y) of [0] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<2xf32>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op has 2 results, but the callee's 2 and 1 cotangents are expected}}
  %0:2 = cell.vjp @f(%x, %n) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op does not give the callee's results first}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<2xi32>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.vjp' op cotangent 0 is 'tensor<2xf32>', but 'tensor<f64>' is expected}}
  %0:3 = cell.vjp @f(%x, %n) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<2xf32>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.jvp' op refers to @g, which is not a function of this module}}
  %0:3 = cell.jvp @g(%x, %n) tangents(%x) wrt [0] of [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.jvp' op passes 1 arguments to @f, which takes 2}}
  %0:3 = cell.jvp @f(%x) tangents(%x) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.jvp' op wrt lists argument 2, but the function has 2 of them}}
  %0:3 = cell.jvp @f(%x, %n) tangents(%x) wrt [2] of [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi1>) -> (tensor<f64>, tensor<2xi1>) {
  return %x, %n : tensor<f64>, tensor<2xi1>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi1>) {
  // expected-error @+1 {{'cell.jvp' op of lists result 1 of type 'tensor<2xi1>', which has no derivative}}
  %0:3 = cell.jvp @f(%x, %n) tangents(%x) wrt [0] of [1] : (tensor<f64>, tensor<2xi1>, tensor<f64>) -> (tensor<f64>, tensor<2xi1>, tensor<2xi1>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.jvp' op tangent 0 is 'tensor<2xf32>', but 'tensor<f64>' is expected}}
  %0:3 = cell.jvp @f(%x, %n) tangents(%y) wrt [0] of [0] : (tensor<f64>, tensor<2xi32>, tensor<2xf32>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.jvp' op has 3 results, but the callee's 2 and 0 tangents are expected}}
  %0:3 = cell.jvp @f(%x, %n) tangents(%x) wrt [0] of [] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>, %n: tensor<2xi32>) -> (tensor<f64>, tensor<2xi32>) {
  return %x, %n : tensor<f64>, tensor<2xi32>
}
func.func @caller(%x: tensor<f64>, %y: tensor<2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'cell.jvp' op tangent 0 is 'tensor<2xf32>', but 'tensor<f64>' is expected}}
  %0:3 = cell.jvp @f(%x, %n) tangents(%x) wrt [0] of [0] : (tensor<f64>, tensor<2xi32>, tensor<f64>) -> (tensor<f64>, tensor<2xi32>, tensor<2xf32>)
  return
}

// -----

// A function that is no func.func is not a callee.
module @inner {
}
func.func @caller(%x: tensor<f64>) {
  // expected-error @+1 {{'cell.vjp' op refers to @inner, which is not a function of this module}}
  %0:2 = cell.vjp @inner(%x) cotangents(%x) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return
}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64>
func.func @caller(%x: tensor<f64>, %n: tensor<i1>) {
  // expected-error @+1 {{'cell.vjp' op operand #1 must be variadic of statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer or 8-bit unsigned integer or 16-bit unsigned integer or 32-bit unsigned integer or 64-bit unsigned integer values of at most 2^47 bytes, but got 'tensor<i1>'}}
  %0:2 = cell.vjp @f(%x) cotangents(%n) of [0] wrt [0] : (tensor<f64>, tensor<i1>) -> (tensor<f64>, tensor<f64>)
  return
}
