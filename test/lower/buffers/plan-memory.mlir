// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory)" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory{alignment=256})" --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=WIDE

// Buffers that are not live together share memory: the third takes the first's place.
// Sizes are rounded up to 64 bytes.
// CHECK-LABEL: func.func @share
// CHECK-SAME:    %[[ARENA:[a-z0-9]+]]: memref<320xi8> {llvm.noalias}) attributes {cell.arena_bytes = 320 : i64}
// CHECK:         %[[A:.*]] = arith.constant 0 : index
// CHECK-NEXT:    memref.view %[[ARENA]][%[[A]]][] : memref<320xi8> to memref<40xf32>
// CHECK:         %[[B:.*]] = arith.constant 192 : index
// CHECK-NEXT:    memref.view %[[ARENA]][%[[B]]][] : memref<320xi8> to memref<32xf32>
// CHECK:         %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT:    memref.view %[[ARENA]][%[[C]]][] : memref<320xi8> to memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.dealloc
// WIDE-LABEL: func.func @share
// WIDE-SAME:    cell.arena_bytes = 512 : i64
// WIDE:         arith.constant 256 : index
func.func @share(%in: memref<40xf32>, %out: memref<40xf32>) {
  %a = memref.alloc() : memref<40xf32>
  memref.copy %in, %a : memref<40xf32> to memref<40xf32>
  %b = memref.alloc() : memref<32xf32>
  %v = memref.subview %a[0] [32] [1] : memref<40xf32> to memref<32xf32, strided<[1]>>
  memref.copy %v, %b : memref<32xf32, strided<[1]>> to memref<32xf32>
  memref.dealloc %a : memref<40xf32>
  %c = memref.alloc() : memref<40xf32>
  %w = memref.subview %c[0] [32] [1] : memref<40xf32> to memref<32xf32, strided<[1]>>
  memref.copy %b, %w : memref<32xf32> to memref<32xf32, strided<[1]>>
  memref.copy %c, %out : memref<40xf32> to memref<40xf32>
  return
}

// -----

// A buffer that a loop uses lives as long as the loop.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    cell.arena_bytes = 128
func.func @loop(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.copy %a, %x : memref<16xf32> to memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.copy %x, %b : memref<16xf32> to memref<16xf32>
    memref.copy %b, %x : memref<16xf32> to memref<16xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @nothing
// CHECK-SAME:    memref<0xi8>
// CHECK-SAME:    cell.arena_bytes = 0
func.func @nothing() {
  return
}

// -----

func.func @dynamic(%n: index) {
  // expected-error @+1 {{of type 'memref<?xf32>' cannot be placed in the arena; temporaries must have a static shape and the identity layout}}
  %a = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}

// -----

// A buffer that a select names is in use as long as what the select gives.
// CHECK-LABEL: func.func @select
// CHECK-SAME: cell.arena_bytes = 128
func.func @select(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %named = arith.select %c, %a, %x : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  memref.copy %b, %y : memref<4xf32> to memref<4xf32>
  memref.copy %named, %x : memref<4xf32> to memref<4xf32>
  return
}
