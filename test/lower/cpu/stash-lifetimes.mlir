// A stash is freed after the last op that may read it: also where a branch has chosen it, or a loop hands it on at another
// place than it took it.
// RUN: cell-opt %s --cell-to-llvm-pipeline | FileCheck %s

// CHECK-LABEL: llvm.func @chosen
// CHECK-NOT:     cell_rt_stash_free
// CHECK:         llvm.select
// CHECK-NOT:     cell_rt_stash_free
// CHECK:         llvm.call @cell_rt_stash_load
// CHECK-COUNT-2: llvm.call @cell_rt_stash_free
func.func @chosen(%x: tensor<4xf32>, %which: tensor<i1>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.extract %which[] : tensor<i1>
  %empty = cell.stash_empty : !cell.stash<tensor<4xf32>>
  %one = cell.stash_write %x into %empty at %c0 : !cell.stash<tensor<4xf32>>
  %other = cell.stash_empty : !cell.stash<tensor<4xf32>>
  %chosen = scf.if %t -> !cell.stash<tensor<4xf32>> {
    scf.yield %one : !cell.stash<tensor<4xf32>>
  } else {
    scf.yield %other : !cell.stash<tensor<4xf32>>
  }
  %y = cell.stash_read %chosen at %c0 : !cell.stash<tensor<4xf32>>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: llvm.func @exchanged
// CHECK-NOT:     cell_rt_stash_free
// CHECK-COUNT-2: llvm.call @cell_rt_stash_load
// CHECK-COUNT-2: llvm.call @cell_rt_stash_free
func.func @exchanged(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = cell.constant dense<0> : tensor<i32>
  %one = cell.constant dense<1> : tensor<i32>
  %e = cell.stash_empty : !cell.stash<tensor<4xf32>>
  %a = cell.stash_write %x into %e at %c0 : !cell.stash<tensor<4xf32>>
  %b = cell.stash_empty : !cell.stash<tensor<4xf32>>
  %r:3 = scf.while (%p = %a, %q = %b, %k = %zero) : (!cell.stash<tensor<4xf32>>, !cell.stash<tensor<4xf32>>, tensor<i32>) -> (tensor<i32>, !cell.stash<tensor<4xf32>>, !cell.stash<tensor<4xf32>>) {
    %below = cell.less %k, %n : tensor<i32>
    %go = tensor.extract %below[] : tensor<i1>
    scf.condition(%go) %k, %p, %q : tensor<i32>, !cell.stash<tensor<4xf32>>, !cell.stash<tensor<4xf32>>
  } do {
  ^bb0(%k: tensor<i32>, %p: !cell.stash<tensor<4xf32>>, %q: !cell.stash<tensor<4xf32>>):
    %next = cell.add %k, %one : tensor<i32>
    scf.yield %q, %p, %next : !cell.stash<tensor<4xf32>>, !cell.stash<tensor<4xf32>>, tensor<i32>
  }
  %y = cell.stash_read %r#1 at %c0 : !cell.stash<tensor<4xf32>>
  %z = cell.stash_read %r#2 at %c0 : !cell.stash<tensor<4xf32>>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
