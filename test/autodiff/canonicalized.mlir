// What upstream's canonicalisation makes of branches and loops is differentiated and mapped like the
// branch or loop that it was. Numbers: mpmath, of the functions in the comments, at x = 1.5, 0.5 and 2.5;
// cotangents and tangents are 2, those of second derivatives 3.
// RUN: cell-opt %s --inline --canonicalize --cse | FileCheck %s
// RUN: cell-opt %s --inline --canonicalize --cse --cell-differentiate --canonicalize | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=inline,canonicalize,cse,cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values --passes=inline,canonicalize,cse,cell-differentiate,inline,canonicalize,cse --digits=12 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=single --passes=inline,canonicalize,cse,cell-differentiate,inline,canonicalize,cse --digits=12 | FileCheck %s --check-prefix=SINGLE
// RUN: cell-run %s --entry=plain --passes=inline,canonicalize --digits=12 | FileCheck %s --check-prefix=PLAIN

// x sin(x) if x > 1 else sin(x)
// CHECK-LABEL: func.func private @chosen
// CHECK:         arith.select
// CHECK-NOT:     scf.if
func.func private @chosen(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %p = cell.less %one, %x : tensor<f64>
  %c = tensor.extract %p[] : tensor<i1>
  %sin = cell.sin %x : tensor<f64>
  %product = cell.mul %x, %sin : tensor<f64>
  %y = scf.if %c -> tensor<f64> {
    scf.yield %product : tensor<f64>
  } else {
    scf.yield %sin : tensor<f64>
  }
  return %y : tensor<f64>
}

// The cotangent goes to the value that was chosen, zeros to the other.
// ADJOINT-LABEL: func.func @gradient
// ADJOINT:         %[[C:.*]] = tensor.extract
// ADJOINT:         arith.select %[[C]], %[[CT:.*]], %[[ZERO:.*]] : tensor<f64>
// ADJOINT:         arith.select %[[C]], %[[ZERO]], %[[CT]] : tensor<f64>
func.func @gradient(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @chosen(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

func.func private @curvature(%x: tensor<f64>) -> tensor<f64> {
  %three = cell.constant dense<3.0> : tensor<f64>
  %0:2 = cell.vjp @gradient(%x) cotangents(%three) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

func.func private @forward_over_reverse(%x: tensor<f64>) -> tensor<f64> {
  %three = cell.constant dense<3.0> : tensor<f64>
  %0:2 = cell.jvp @gradient(%x) tangents(%three) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// The branch inside of the other is one on both conditions:
// x sin(x) if x > 1 and x < 2 else sin(x)
// CHECK-LABEL: func.func private @both
// CHECK:         arith.andi
func.func private @both(%x: tensor<f64>) -> tensor<f64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %two = cell.constant dense<2.0> : tensor<f64>
  %p = cell.less %one, %x : tensor<f64>
  %c = tensor.extract %p[] : tensor<i1>
  %q = cell.less %x, %two : tensor<f64>
  %d = tensor.extract %q[] : tensor<i1>
  %sin = cell.sin %x : tensor<f64>
  %y = scf.if %c -> tensor<f64> {
    %inner = scf.if %d -> tensor<f64> {
      %product = cell.mul %x, %sin : tensor<f64>
      scf.yield %product : tensor<f64>
    } else {
      scf.yield %sin : tensor<f64>
    }
    scf.yield %inner : tensor<f64>
  } else {
    scf.yield %sin : tensor<f64>
  }
  return %y : tensor<f64>
}

func.func private @gradient_of_both(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @both(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// The condition hands on one of two carried values, as the body reads no more:
// x -> 3 x until x^2 > 9; the sine of that
// CHECK-LABEL: func.func private @until
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<f64>, tensor<f64>) -> tensor<f64>
func.func private @until(%x: tensor<f64>) -> tensor<f64> {
  %three = cell.constant dense<3.0> : tensor<f64>
  %nine = cell.constant dense<9.0> : tensor<f64>
  %first = cell.square %x : tensor<f64>
  %r:2 = scf.while (%s = %first, %y = %x) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %p = cell.less_equal %s, %nine : tensor<f64>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %s, %y : tensor<f64>, tensor<f64>
  } do {
  ^bb0(%s: tensor<f64>, %y: tensor<f64>):
    %next = cell.mul %y, %three : tensor<f64>
    %square = cell.square %next : tensor<f64>
    scf.yield %square, %next : tensor<f64>, tensor<f64>
  }
  %y = cell.sin %r#1 : tensor<f64>
  return %y : tensor<f64>
}

func.func private @gradient_of_until(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @until(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// Conditions that differ within a batch.
// VALUES:      result 0: tensor<3xf64> [2.20720157821, 1.75516512378, -2.80877378953]
// VALUES-NEXT: {{.*}} [-8.12860845942, -2.87655323163, -18.5908055481]
// VALUES-NEXT: {{.*}} [-8.12860845942, -2.87655323163, -18.5908055481]
// VALUES-NEXT: {{.*}} [2.20720157821, 1.75516512378, -1.60228723109]
// VALUES-NEXT: {{.*}} [-1.26477479658, -3.79432438975, 2.07981190701]
func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %x = cell.constant dense<[1.5, 0.5, 2.5]> : tensor<3xf64>
  %0 = cell.vmap @gradient(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  %1 = cell.vmap @curvature(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  %2 = cell.vmap @forward_over_reverse(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  %3 = cell.vmap @gradient_of_both(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  %4 = cell.vmap @gradient_of_until(%x) in [0] out [0] : (tensor<3xf64>) -> tensor<3xf64>
  return %0, %1, %2, %3, %4 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// SINGLE:      2.20720157821
// SINGLE-NEXT: 2.20720157821
func.func @single(%x: tensor<f64> {cell.example = dense<1.5> : tensor<f64>}) -> (tensor<f64>, tensor<f64>) {
  %0 = call @gradient(%x) : (tensor<f64>) -> tensor<f64>
  %1 = call @gradient_of_both(%x) : (tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}

// PLAIN:      1.49624247991
// PLAIN-NEXT: 1.49624247991
func.func @plain(%x: tensor<f64> {cell.example = dense<1.5> : tensor<f64>}) -> (tensor<f64>, tensor<f64>) {
  %0 = call @chosen(%x) : (tensor<f64>) -> tensor<f64>
  %1 = call @both(%x) : (tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}

// Conditions that come from elsewhere than a tensor of their own: from an element of several, and from a
// comparison of numbers.
// ADJOINT-LABEL: func.func @elsewhere_gradient
// ADJOINT:         arith.select
func.func private @elsewhere(%x: tensor<f64>, %q: tensor<3xi1>, %n: tensor<i64>) -> tensor<f64> {
  %c1 = arith.constant 1 : index
  %a = tensor.extract %q[%c1] : tensor<3xi1>
  %one = arith.constant 1 : i64
  %m = tensor.extract %n[] : tensor<i64>
  %b = arith.cmpi eq, %m, %one : i64
  %c = arith.andi %a, %b : i1
  %sin = cell.sin %x : tensor<f64>
  %y = arith.select %c, %sin, %x : tensor<f64>
  return %y : tensor<f64>
}
func.func @elsewhere_gradient(%x: tensor<f64>, %q: tensor<3xi1>, %n: tensor<i64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @elsewhere(%x, %q, %n) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<3xi1>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
