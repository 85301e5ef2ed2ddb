// Transforms of functions that hold transforms expand innermost first, to any order.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES

// CHECK-NOT: cell.vjp
// CHECK-NOT: cell.jvp

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.sin %x : tensor<f64>
  %1 = cell.exp %x : tensor<f64>
  %2 = cell.mul %0, %1 : tensor<f64>
  return %2 : tensor<f64>
}

// First derivatives.
func.func private @reverse(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @f(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @forward(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.jvp @f(%x) tangents(%one) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// Higher ones, each a transform of the one before.
func.func private @d2(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @reverse(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @d3(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.jvp @d2(%x) tangents(%one) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @d4(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @d3(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @d5(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.jvp @d4(%x) tangents(%one) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @d6(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @d5(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// The n-th derivative of sin(x) exp(x) is 2^(n/2) sin(x + n pi/4) exp(x); at x = 0.7:
// VALUES:      result 0: tensor<f64> 1.29729511188
// VALUES-NEXT: result 1: tensor<f64> 2.83749813731
// VALUES-NEXT: result 2: tensor<f64> 2.83749813731
// VALUES-NEXT: result 3: tensor<f64> 3.08040605086
// VALUES-NEXT: result 4: tensor<f64> 3.08040605086
// VALUES-NEXT: result 5: tensor<f64> 3.08040605086
// VALUES-NEXT: result 6: tensor<f64> 3.08040605086
// VALUES-NEXT: result 7: tensor<f64> 0.485815827113
// VALUES-NEXT: result 8: tensor<f64> -5.1891804475
// VALUES-NEXT: result 9: tensor<f64> -11.3499925492
// VALUES-NEXT: result 10: tensor<f64> -12.3216242035
func.func @values() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = cell.constant dense<0.7> : tensor<f64>
  %one = cell.constant dense<1.0> : tensor<f64>
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  %1 = call @reverse(%x) : (tensor<f64>) -> tensor<f64>
  %2 = call @forward(%x) : (tensor<f64>) -> tensor<f64>
  %3 = call @d2(%x) : (tensor<f64>) -> tensor<f64>
  %jr:2 = cell.jvp @reverse(%x) tangents(%one) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %rj:2 = cell.vjp @forward(%x) cotangents(%one) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %jj:2 = cell.jvp @forward(%x) tangents(%one) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %4 = call @d3(%x) : (tensor<f64>) -> tensor<f64>
  %5 = call @d4(%x) : (tensor<f64>) -> tensor<f64>
  %6 = call @d5(%x) : (tensor<f64>) -> tensor<f64>
  %7 = call @d6(%x) : (tensor<f64>) -> tensor<f64>
  return %0, %1, %2, %3, %jr#1, %rj#1, %jj#1, %4, %5, %6, %7 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}
