// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory)" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory{poison=true})" --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=POISON

// What is made and used in one trip shares memory as it would outside of the loop: of four
// buffers, no more than two are needed at a time.
// CHECK-LABEL: func.func @trip
// CHECK-SAME:    cell.arena_bytes = 128
// Poison: before the first op that needs a buffer, and after the last one.
// POISON-LABEL: func.func @trip
// POISON-SAME:    %[[X:.*]]: memref<16xf32>, %[[ARENA:.*]]: memref<128xi8>
// POISON:         scf.for
// POISON:           %[[WORDS:.*]] = memref.view %[[ARENA]]{{.*}} to memref<8xi64>
// POISON:           %[[ONES:.*]] = arith.constant -1 : i64
// POISON:           scf.for %[[I:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// POISON-NEXT:        memref.store %[[ONES]], %[[WORDS]][%[[I]]]
// POISON:           memref.copy %[[X]]
func.func @trip(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %x, %a : memref<16xf32> to memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.copy %a, %b : memref<16xf32> to memref<16xf32>
    %c = memref.alloc() : memref<16xf32>
    memref.copy %b, %c : memref<16xf32> to memref<16xf32>
    %d = memref.alloc() : memref<16xf32>
    memref.copy %c, %d : memref<16xf32> to memref<16xf32>
    memref.copy %d, %x : memref<16xf32> to memref<16xf32>
  }
  return
}

// -----

// A later trip of the inner loop reads %a again, so %b cannot be there; a later trip of the outer
// one does not.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    cell.arena_bytes = 128
func.func @nested(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %x, %a : memref<16xf32> to memref<16xf32>
    scf.for %k = %c0 to %c4 step %c1 {
      memref.copy %a, %x : memref<16xf32> to memref<16xf32>
      %b = memref.alloc() : memref<16xf32>
      memref.copy %x, %b : memref<16xf32> to memref<16xf32>
      memref.copy %b, %x : memref<16xf32> to memref<16xf32>
    }
    %c = memref.alloc() : memref<16xf32>
    memref.copy %x, %c : memref<16xf32> to memref<16xf32>
    memref.copy %c, %x : memref<16xf32> to memref<16xf32>
  }
  return
}

// -----

// The condition hands a buffer of its own to the body, where it is read.
// CHECK-LABEL: func.func @condition
// CHECK-SAME:    cell.arena_bytes = 128
func.func @condition(%x: memref<16xf32>, %more: i1) {
  scf.while : () -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %x, %a : memref<16xf32> to memref<16xf32>
    scf.condition(%more) %a : memref<16xf32>
  } do {
  ^bb0(%given: memref<16xf32>):
    %b = memref.alloc() : memref<16xf32>
    memref.copy %x, %b : memref<16xf32> to memref<16xf32>
    memref.copy %b, %x : memref<16xf32> to memref<16xf32>
    memref.copy %given, %x : memref<16xf32> to memref<16xf32>
    scf.yield
  }
  return
}

// -----

// The two branches share memory; what is read after them does not.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    cell.arena_bytes = 128
func.func @branches(%x: memref<16xf32>, %c: i1) {
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  scf.if %c {
    %b = memref.alloc() : memref<16xf32>
    memref.copy %x, %b : memref<16xf32> to memref<16xf32>
    memref.copy %b, %x : memref<16xf32> to memref<16xf32>
  } else {
    %b = memref.alloc() : memref<16xf32>
    memref.copy %x, %b : memref<16xf32> to memref<16xf32>
    memref.copy %b, %x : memref<16xf32> to memref<16xf32>
  }
  memref.copy %a, %x : memref<16xf32> to memref<16xf32>
  return
}

// -----

// What one branch gives is needed until the result of both is read.
// CHECK-LABEL: func.func @given
// CHECK-SAME:    cell.arena_bytes = 128
func.func @given(%x: memref<16xf32>, %c: i1) {
  %given = scf.if %c -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %x, %a : memref<16xf32> to memref<16xf32>
    scf.yield %a : memref<16xf32>
  } else {
    scf.yield %x : memref<16xf32>
  }
  %b = memref.alloc() : memref<16xf32>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32>
  memref.copy %b, %x : memref<16xf32> to memref<16xf32>
  memref.copy %given, %x : memref<16xf32> to memref<16xf32>
  return
}

// -----

func.func @carried(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %x) -> memref<16xf32> {
    // expected-error @+1 {{is handed to the next trip of a loop, which fills the same memory anew; copy it to a buffer that is made before the loop}}
    %new = memref.alloc() : memref<16xf32>
    memref.copy %x, %new : memref<16xf32> to memref<16xf32>
    memref.copy %old, %x : memref<16xf32> to memref<16xf32>
    scf.yield %new : memref<16xf32>
  }
  memref.copy %last, %x : memref<16xf32> to memref<16xf32>
  return
}
