// Everything cell-run refuses, with exit code 1.
// RUN: not cell-run %s 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not cell-run %s --entry=nobody 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not cell-run %s --entry=f 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not cell-run %s --entry=f --arg='dense<1.0> : tensor<3xf32>' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not cell-run %s --entry=f --arg='7 : i32' 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not cell-run %s --entry=f --arg='dense<1.0> : tensor<2xf32>' --arg='dense<1.0> : tensor<2xf32>' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER
// RUN: not cell-run %s --entry=f --arg='dense<1.0' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not cell-run %s --entry=example 2>&1 | FileCheck %s --check-prefix=EXAMPLE
// RUN: not cell-run %s --entry=foreign 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not cell-run %s --entry=transform 2>&1 | FileCheck %s --check-prefix=TRANSFORM
// RUN: not cell-run %s --entry=forever 2>&1 | FileCheck %s --check-prefix=FOREVER
// RUN: not cell-run %s --entry=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not cell-run %s --entry=blocks 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not cell-run %s --entry=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not cell-run %s --entry=huge --seed=1 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not cell-run %s --entry=dynamic --seed=1 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not cell-run %s --entry=foreign_elements --seed=1 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not cell-run %s --entry=grows 2>&1 | FileCheck %s --check-prefix=GROWS
// RUN: not cell-run %s --entry=position 2>&1 | FileCheck %s --check-prefix=POSITION
// RUN: not cell-run %s --entry=f --passes=no-such-pass 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not cell-run %t.no-such-file 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: echo 'func.func @f() { cell.nothing }' | not cell-run 2>&1 | FileCheck %s --check-prefix=PARSE
// RUN: echo '' | not cell-run 2>&1 | FileCheck %s --check-prefix=EMPTY

// MANY: error: 14 public functions; name one with --entry; the module has 'f', 'example', 'foreign'
// UNKNOWN: error: no function 'nobody'; the module has 'f', 'example', 'foreign', 'transform'
// EMPTY: error: 0 public functions; name one with --entry; the module has none
// MISSING: errors.mlir:[[# @LINE + 7]]:{{[0-9]+}}: error: 'func.func' op gets no value for argument 0, a 'tensor<2xf32>'; give --arg, a cell.example attribute or --seed
// TYPE: error: 'func.func' op takes 'tensor<2xf32>' as argument 0, but dense<1.000000e+00> : tensor<3xf32> is given
// KIND: error: 'func.func' op takes 'tensor<2xf32>' as argument 0, but 7 : i32 is given
// NUMBER: error: 'func.func' op takes 1 arguments, but 2 are given
// SYNTAX: error: expected '>'
// PASS: no-such-pass
// FILE: cell-run: cannot read '
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// EXAMPLE: error: 'func.func' op takes 'tensor<2xf32>' as argument 0, but dense<1> : tensor<2xi32> is given
func.func @example(%x: tensor<2xf32> {cell.example = dense<1> : tensor<2xi32>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

func.func @foreign() -> tensor<2xf32> {
  // FOREIGN: errors.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'arith.constant' op is not known to the interpreter, which evaluates ops of the cell dialect, calls and returns
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @transform() -> tensor<2xf32> {
  %0 = cell.constant dense<1.0> : tensor<2xf32>
  // TRANSFORM: errors.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'cell.vjp' op is not expanded; run cell-differentiate first
  %1:2 = cell.vjp @f(%0) cotangents(%0) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %1#1 : tensor<2xf32>
}

func.func @forever() {
  // FOREVER: error: 'func.call' op makes @again call itself, which never ends
  call @again() : () -> ()
  return
}
func.func @again() {
  call @again() : () -> ()
  return
}

func.func private @external()
func.func @outside() {
  // OUTSIDE: error: 'func.func' op has no body to interpret
  call @external() : () -> ()
  return
}

// BLOCKS: error: 'func.func' op has several blocks; the interpreter takes structured control flow only
func.func @blocks() {
  cf.br ^next
^next:
  return
}

func.func @absent() -> tensor<2xf32> {
  // ABSENT: error: 'cell.constant' op has a value the interpreter cannot read; use dense<...> or a dense_resource that is present
  %0 = cell.constant dense_resource<nowhere> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// PARSE: error: {{.*}}'cell.nothing'

// HUGE: error: 'func.func' op takes 'tensor<1152921504606846976xf32>' as argument 0; the interpreter takes tensors of static shape, of numbers of at most 64 bits, and of at most 2^28 elements
func.func @huge(%x: tensor<1152921504606846976xf32>) -> tensor<1152921504606846976xf32> {
  return %x : tensor<1152921504606846976xf32>
}

// DYNAMIC: error: 'func.func' op takes 'tensor<?xf32>' as argument 0; the interpreter takes tensors of static shape
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// ELEMENTS: error: 'func.func' op takes 'tensor<2xcomplex<f32>>' as argument 0; the interpreter takes tensors of static shape, of numbers
func.func @foreign_elements(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  return %x : tensor<2xcomplex<f32>>
}

func.func @grows() -> tensor<1000000x1000000xf32> {
  %0 = cell.constant dense<1.0> : tensor<1000000xf32>
  // GROWS: errors.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'cell.broadcast' op gives 'tensor<1000000x1000000xf32>'; the interpreter holds tensors of static shape
  %1 = cell.broadcast %0 along [0] : tensor<1000000xf32> -> tensor<1000000x1000000xf32>
  return %1 : tensor<1000000x1000000xf32>
}

func.func @position() -> tensor<2xf32> {
  %0 = cell.stash_empty : !cell.stash<tensor<2xf32>>
  %at = arith.constant -1 : index
  // POSITION: errors.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'cell.stash_read' op uses position -1 of a stash; positions in the interpreter are 0 to 134217727
  %1 = cell.stash_read %0 at %at : !cell.stash<tensor<2xf32>>
  return %1 : tensor<2xf32>
}
