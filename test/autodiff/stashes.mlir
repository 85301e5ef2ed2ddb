// Derivatives of the ops on stashes, straight: what is put at a position comes from there, and what was there before
// a stash_write has no influence. All is linear: numbers by hand, of the functions in the comments.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES

// (x + y, y, y + 2 x)
func.func private @f(%x: tensor<2xf64>, %y: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = cell.stash_empty : <tensor<2xf64>, 2>
  %1 = cell.stash_write %x into %0 at %c0 : <tensor<2xf64>, 2>
  %2 = cell.stash_write %y into %1 at %c1 : <tensor<2xf64>, 2>
  %3 = cell.stash_add %y into %2 at %c0 : <tensor<2xf64>, 2>
  %a = cell.stash_read %3 at %c0 : <tensor<2xf64>, 2>
  %4 = cell.stash_write %y into %3 at %c0 : <tensor<2xf64>, 2>
  %b = cell.stash_read %4 at %c0 : <tensor<2xf64>, 2>
  %5 = cell.stash_add %x into %4 at %c1 : <tensor<2xf64>, 2>
  %6 = cell.stash_add %x into %5 at %c1 : <tensor<2xf64>, 2>
  %c = cell.stash_read %6 at %c1 : <tensor<2xf64>, 2>
  return %a, %b, %c : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// (a + 2 c, a + b + c). The cotangents of reads are added to one stash; a write clears its position.
// CHECK-LABEL: func.func private @vjp(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2xf64>, %[[B:[a-z0-9]+]]: tensor<2xf64>, %[[C:[a-z0-9]+]]: tensor<2xf64>)
// CHECK-DAG:     %[[ZERO:.*]] = cell.constant dense<0.0{{.*}}> : tensor<2xf64>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK:         %[[EMPTY:.*]] = cell.stash_empty : <tensor<2xf64>, 2>
// CHECK-NEXT:    %[[S1:.*]] = cell.stash_add %[[C]] into %[[EMPTY]] at %[[C1]]
// CHECK-NEXT:    cell.stash_read %[[S1]] at %[[C1]]
// CHECK:         %[[S2:.*]] = cell.stash_add %[[B]] into %[[S1]] at %[[C0]]
// CHECK-NEXT:    cell.stash_read %[[S2]] at %[[C0]]
// CHECK-NEXT:    %[[S3:.*]] = cell.stash_write %[[ZERO]] into %[[S2]] at %[[C0]]
// CHECK-NEXT:    cell.stash_add %[[A]] into %[[S3]] at %[[C0]]
// CHECK-NOT:     cell.stash_empty
// CHECK:         return
func.func private @vjp(%x: tensor<2xf64>, %y: tensor<2xf64>, %a: tensor<2xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %0:5 = cell.vjp @f(%x, %y) cotangents(%a, %b, %c) of [0, 1, 2] wrt [0, 1] : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %0#3, %0#4 : tensor<2xf64>, tensor<2xf64>
}

func.func private @jvp(%x: tensor<2xf64>, %y: tensor<2xf64>, %s: tensor<2xf64>, %t: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %0:6 = cell.jvp @f(%x, %y) tangents(%s, %t) wrt [0, 1] of [0, 1, 2] : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %0#3, %0#4, %0#5 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

func.func @values() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %x = cell.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %y = cell.constant dense<[10.0, -20.0]> : tensor<2xf64>
  %p = cell.constant dense<[3.0, 5.0]> : tensor<2xf64>
  %q = cell.constant dense<[-7.0, 11.0]> : tensor<2xf64>
  %r = cell.constant dense<[13.0, -17.0]> : tensor<2xf64>
  %0:3 = func.call @f(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  %1:2 = func.call @vjp(%x, %y, %p, %q, %r) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  %2:3 = func.call @jvp(%x, %y, %p, %q) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  // VALUES:      result 0: tensor<2xf64> [11.0, -18.0]
  // VALUES-NEXT: result 1: tensor<2xf64> [10.0, -20.0]
  // VALUES-NEXT: result 2: tensor<2xf64> [12.0, -16.0]
  // VALUES-NEXT: result 3: tensor<2xf64> [29.0, -29.0]
  // VALUES-NEXT: result 4: tensor<2xf64> [9.0, -1.0]
  // VALUES-NEXT: result 5: tensor<2xf64> [-4.0, 16.0]
  // VALUES-NEXT: result 6: tensor<2xf64> [-7.0, 11.0]
  // VALUES-NEXT: result 7: tensor<2xf64> [-1.0, 21.0]
  return %0#0, %0#1, %0#2, %1#0, %1#1, %2#0, %2#1, %2#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
