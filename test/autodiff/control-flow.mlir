// Derivatives of branches and loops: the op again, over the derivative of its regions. Loops stay loops, and
// keep in a stash what the adjoint of the body reads. Numbers: mpmath, of the functions in the comments; tangents and
// cotangents are 2, those of second derivatives 3, so that no factor can be left out.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=until_values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=UNTIL
// RUN: cell-run %s --entry=until_values_below --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=BELOW

// for _ in range(5): x = sin(x * w)
func.func private @counted(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<f64>) {
    %0 = cell.mul %a, %w : tensor<f64>
    %1 = cell.sin %0 : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  return %r : tensor<f64>
}

// A known number of trips is the capacity of the stash; the trips are walked backwards.
// CHECK-LABEL: func.func @counted_gradient
// CHECK:         %[[EMPTY:.*]] = cell.stash_empty : <tensor<f64>, 5>
// CHECK:         %[[FORWARD:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[S:.*]] = %[[EMPTY]])
// CHECK:           cell.sin
// CHECK:           cell.stash_write %[[A]] into %[[S]] at %[[I]]
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK:           %[[TRIP:.*]] = arith.subi %{{.*}}, %[[K]] : index
// CHECK:           %[[KEPT:.*]] = cell.stash_read %[[FORWARD]]#1 at %[[TRIP]]
// CHECK:           %[[XW:.*]] = cell.mul %[[KEPT]], %{{.*}}
// CHECK:           cell.cos %[[XW]]
// CHECK-NOT:     cell.vjp
func.func @counted_gradient(%x: tensor<f64>, %w: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:3 = cell.vjp @counted(%x, %w) cotangents(%two) of [0] wrt [0, 1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#1, %0#2 : tensor<f64>, tensor<f64>
}

// while x < 100: x = x * w if x > 0 else x + w
func.func private @until(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %limit = cell.constant dense<100.0> : tensor<f64>
  %r = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
    %p = cell.less %a, %limit : tensor<f64>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %zero = cell.constant dense<0.0> : tensor<f64>
    %p = cell.greater %a, %zero : tensor<f64>
    %c = tensor.extract %p[] : tensor<i1>
    %b = scf.if %c -> tensor<f64> {
      %0 = cell.mul %a, %w : tensor<f64>
      scf.yield %0 : tensor<f64>
    } else {
      %0 = cell.add %a, %w : tensor<f64>
      scf.yield %0 : tensor<f64>
    }
    scf.yield %b : tensor<f64>
  }
  return %r : tensor<f64>
}

// Here the stash grows; the loop counts its trips, and the adjoint makes as many.
// CHECK-LABEL: func.func @until_gradient
// CHECK:         cell.stash_empty : <tensor<f64>>
// CHECK:         %[[FORWARD:.*]]:3 = scf.while
// CHECK:           cell.stash_write
// CHECK:           arith.addi
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[FORWARD]]#2 step
// CHECK:           cell.stash_read %[[FORWARD]]#1
// CHECK:           scf.if
func.func @until_gradient(%x: tensor<f64>, %w: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:3 = cell.vjp @until(%x, %w) cotangents(%two) of [0] wrt [0, 1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#1, %0#2 : tensor<f64>, tensor<f64>
}

// Forward mode carries tangents, and needs no stash.
// CHECK-LABEL: func.func @until_tangent
// CHECK-NOT:     stash
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<f64>, tensor<f64>)
// CHECK:           scf.if %{{.*}} -> (tensor<f64>, tensor<f64>)
// CHECK:         return
func.func @until_tangent(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.jvp @until(%x, %w) tangents(%two) wrt [1] of [0] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// The adjoint of a sum of carried values reads none of them: there is nothing to keep.
func.func private @sum(%x: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (tensor<f64>) {
    %0 = cell.add %a, %x : tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  return %r : tensor<f64>
}
// CHECK-LABEL: func.func @sum_gradient
// CHECK-NOT:     stash
// CHECK:         return
func.func @sum_gradient(%x: tensor<f64>) -> tensor<f64> {
  %two = cell.constant dense<2.0> : tensor<f64>
  %0:2 = cell.vjp @sum(%x) cotangents(%two) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// Second derivatives: d2/dx2 and d2/dxdw of the first, d2/dw2 of the second by three sequences of modes.
func.func private @counted_second(%x: tensor<f64>, %w: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %three = cell.constant dense<3.0> : tensor<f64>
  %0:4 = cell.vjp @counted_gradient(%x, %w) cotangents(%three) of [0] wrt [0, 1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#2, %0#3 : tensor<f64>, tensor<f64>
}
func.func private @until_second(%x: tensor<f64>, %w: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %three = cell.constant dense<3.0> : tensor<f64>
  %0:4 = cell.vjp @until_gradient(%x, %w) cotangents(%three) of [1] wrt [0, 1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  %1:2 = cell.vjp @until_tangent(%x, %w) cotangents(%three) of [0] wrt [1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %2:3 = cell.jvp @until_gradient(%x, %w) tangents(%three) wrt [1] of [1] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#3, %1#1, %2#2, %2#1 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// VALUES:      result 0: tensor<f64> 0.15134487419
// VALUES-NEXT: result 1: tensor<f64> 1.39463079692
// VALUES-NEXT: result 2: tensor<f64> -2.84156404239
// VALUES-NEXT: result 3: tensor<f64> -5.50067800251
// VALUES-NEXT: result 4: tensor<f64> 20.0
func.func @values() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %a = cell.constant dense<0.7> : tensor<f64>
  %b = cell.constant dense<1.3> : tensor<f64>
  %0:2 = func.call @counted_gradient(%a, %b) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:2 = func.call @counted_second(%a, %b) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %2 = func.call @sum_gradient(%a) : (tensor<f64>) -> tensor<f64>
  return %0#0, %0#1, %1#0, %1#1, %2 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// From 0.7 the second function takes one branch only, from -2 the other one first. The last number is the first
// derivative again, beside its tangent.
// UNTIL:      result 0: tensor<f64> 312.494450366
// UNTIL-NEXT: result 1: tensor<f64> 10539.5855532
// UNTIL-NEXT: result 2: tensor<f64> 1494704.86028
// UNTIL-NEXT: result 3: tensor<f64> 1494704.86028
// UNTIL-NEXT: result 4: tensor<f64> 1494704.86028
// UNTIL-NEXT: result 5: tensor<f64> 10539.5855532
func.func @until_values() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = cell.constant dense<0.7> : tensor<f64>
  %w = cell.constant dense<1.1> : tensor<f64>
  %0:2 = func.call @until_gradient(%x, %w) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:4 = func.call @until_second(%x, %w) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0, %0#1, %1#0, %1#1, %1#2, %1#3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// BELOW:      result 0: tensor<f64> 1078.81559566
// BELOW-NEXT: result 1: tensor<f64> 15103.4183392
// BELOW-NEXT: result 2: tensor<f64> 3071682.22327
// BELOW-NEXT: result 3: tensor<f64> 3071682.22327
// BELOW-NEXT: result 4: tensor<f64> 3071682.22327
// BELOW-NEXT: result 5: tensor<f64> 15103.4183392
func.func @until_values_below() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = cell.constant dense<-2.0> : tensor<f64>
  %w = cell.constant dense<1.1> : tensor<f64>
  %0:2 = func.call @until_gradient(%x, %w) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:4 = func.call @until_second(%x, %w) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0, %0#1, %1#0, %1#1, %1#2, %1#3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}
