// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-plan-memory)" | FileCheck %s

// A buffer of booleans is read through its view as bytes, so it lives as long as that
// view: the floats between its definition and its use get memory of their own.
// CHECK-LABEL: func.func @view
// CHECK-SAME:    cell.arena_bytes = 320
func.func @view(%sink: memref<64xi8>, %i: index, %x: f32, %y: i8) {
  %bools = memref.alloc() : memref<64xi1>
  %bytes = builtin.unrealized_conversion_cast %bools : memref<64xi1> to memref<64xi8>
  memref.store %y, %bytes[%i] : memref<64xi8>
  %floats = memref.alloc() : memref<64xf32>
  memref.store %x, %floats[%i] : memref<64xf32>
  %z = memref.load %bytes[%i] : memref<64xi8>
  memref.store %z, %sink[%i] : memref<64xi8>
  return
}
