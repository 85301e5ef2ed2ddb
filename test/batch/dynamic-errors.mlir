// What cannot be open is refused where it stands.
// RUN: cell-opt %s -split-input-file -verify-diagnostics --cell-tile-batch
// RUN: split-file %S/Inputs/dynamic.mlir %t
// RUN: not cellc %t/pairs.mlir -o %t/m.so 2>&1 | FileCheck %s --check-prefix=PAIRS
// PAIRS: pairs.mlir:2:8: error: 'tensor<?x?xf32>': each '?' is the batch, so this pairs samples
// RUN: not cellc %t/fixed.mlir --max-batch=9 -o %t/m.so 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: error: a largest batch of 9 was asked for, but the program has no open batch
// RUN: not cellc %t/open.mlir --max-batch=0 -o %t/m.so 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: a largest batch of 0 was asked for: at least 1
// RUN: cellc %t/open.mlir --max-batch=9 -o %t/m.so && FileCheck %s --check-prefix=MOST --input-file=%t/m.h
// MOST: #define CG_M_F_MAX_BATCH 9
// RUN: not cellc %t/fixed.mlir --batch-sizes=9 -o %t/m.so 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: programs for sizes of the batch were asked for, but the program has no open batch
// RUN: not cellc %t/open.mlir --max-batch=9 --batch-sizes=3,10 -o %t/m.so 2>&1 | FileCheck %s --check-prefix=ABOVE
// ABOVE: error: a program of its own was asked for a batch of 10, but batches are 1 to 9
// RUN: not cellc %t/open.mlir --device=cuda -o %t/m.so 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: open.mlir:{{.*}} error: is a program for any batch size, which only the CPU computes
// RUN: not cell-run %t/open.mlir --seed=1 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: is for any batch size: choose one, as with --passes='cell-specialize-batch{size=3}'

// expected-error@+1 {{'tensor<2x?xf32>': only the first dimension of inputs and results can be open}}
func.func @second(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = cell.tanh %x : tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// expected-error@+1 {{'tensor<2x?xf32>': only the first dimension of inputs and results can be open}}
func.func @second_result(%x: tensor<?x2xf32>) -> tensor<2x?xf32> {
  %0 = cell.transpose %x perm [1, 0] : tensor<?x2xf32> -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// The size is a number of the program here, and would be the stand-in's.
func.func @size(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, index) {
  %0 = cell.tanh %x : tensor<?x2xf32>
  %1 = arith.constant 0 : index
  // expected-error@+1 {{takes or gives a tensor whose dimension '?' is the batch: only ops of the dialects cell, func and scf may}}
  %2 = tensor.dim %x, %1 : tensor<?x2xf32>
  return %0, %2 : tensor<?x2xf32>, index
}

// -----

func.func @folded(%x: tensor<?x7x4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{each '?' is the batch, and a sample has 28 elements, not 4; several rows for each sample are written with a stand-in}}
  %0 = cell.reshape %x : tensor<?x7x4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @mismatch(%x: tensor<?x4xf32>, %w: tensor<4x3xf32>) -> tensor<7x3xf32> {
  // expected-error@+3 {{'tensor<65521x3xf32>' are incompatible with return type(s) of operation 'tensor<7x3xf32>'}}
  // expected-note@+2 {{'?' is 65521 here, which stands in for the batch}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = cell.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

func.func @sorted(%x: tensor<?x2xf32>) -> tensor<f32> {
  %0 = cell.reduce_sum %x over [1] : tensor<?x2xf32> -> tensor<?xf32>
  // expected-error@+1 {{goes along the batch}}
  %1 = cell.cumsum %0 along 0 : tensor<?xf32>
  %2 = cell.reduce_sum %1 over [0] : tensor<?xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
