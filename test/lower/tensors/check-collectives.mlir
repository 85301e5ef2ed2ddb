// RUN: cell-opt %s --pass-pipeline='builtin.module(func.func(cell-check-collectives))' -split-input-file -verify-diagnostics

// What all ranks have agreed on decides.
func.func @agreed(%x: tensor<4xf32> {cell.role = "input"}, %w: tensor<f32> {cell.role = "parameter"}) -> tensor<4xf32> {
  %s = cell.reduce_sum %x over [0] : tensor<4xf32> -> tensor<f32>
  %all = cell.all_reduce %s "sum" : tensor<f32>
  %more = cell.greater %all, %w : tensor<f32>
  %c = tensor.extract %more[] : tensor<i1>
  %r = scf.if %c -> tensor<4xf32> {
    %0 = cell.all_reduce %x "sum" : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A loop whose trips are the same for all, of values that differ.
func.func @trips(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %0 = cell.all_reduce %a "max" : tensor<4xf32>
    %1 = cell.mul %0, %a : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @input(%x: tensor<f32> {cell.role = "input"}) -> tensor<f32> {
  %zero = cell.constant dense<0.0> : tensor<f32>
  %more = cell.greater %x, %zero : tensor<f32>
  %c = tensor.extract %more[] : tensor<i1>
  // expected-note @+1 {{it is here}}
  %r = scf.if %c -> tensor<f32> {
    // expected-error @+1 {{is in a branch whose condition may differ between ranks: a rank that comes to it would wait for others that do not}}
    %0 = cell.all_reduce %x "sum" : tensor<f32>
    scf.yield %0 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @rank() {
  %rank = cell.rank : tensor<i64>
  %zero = cell.constant dense<0> : tensor<i64>
  %first = cell.equal %rank, %zero : tensor<i64>
  %c = tensor.extract %first[] : tensor<i1>
  // expected-note @+1 {{it is here}}
  scf.if %c {
    // expected-error @+1 {{is in a branch whose condition may differ}}
    cell.meet
  }
  return
}

// -----

// What differs comes in by the second trip.
func.func @carried(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = cell.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero, %b = %zero) -> (tensor<f32>, tensor<f32>) {
    %more = cell.greater %a, %zero : tensor<f32>
    %c = tensor.extract %more[] : tensor<i1>
    // expected-note @+1 {{it is here}}
    %n = scf.if %c -> tensor<f32> {
      // expected-error @+1 {{is in a branch whose condition may differ}}
      %0 = cell.all_reduce %a "sum" : tensor<f32>
      scf.yield %0 : tensor<f32>
    } else {
      scf.yield %a : tensor<f32>
    }
    scf.yield %b, %x : tensor<f32>, tensor<f32>
  }
  return %r#0 : tensor<f32>
}

// -----

func.func @while(%x: tensor<f32>) -> tensor<f32> {
  %zero = cell.constant dense<0.0> : tensor<f32>
  // expected-note @+1 {{it is here}}
  %r = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %more = cell.greater %a, %zero : tensor<f32>
    %c = tensor.extract %more[] : tensor<i1>
    scf.condition(%c) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    // expected-error @+1 {{is in a loop whose trips may differ between ranks}}
    %0 = cell.all_reduce %a "sum" : tensor<f32>
    scf.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A message is of two ranks, so one of them may come to it alone; what ranks of a group have agreed on is the same on them.
func.func @some(%x: tensor<f32>) {
  %zero = cell.constant dense<0.0> : tensor<f32>
  %more = cell.greater %x, %zero : tensor<f32>
  %c = tensor.extract %more[] : tensor<i1>
  scf.if %c {
    %0 = cell.send %x to 1 tag 0 : tensor<f32>
  }
  %all = cell.all_reduce %x "sum" group [0, 1, 2] : tensor<f32>
  %more2 = cell.greater %all, %zero : tensor<f32>
  %c2 = tensor.extract %more2[] : tensor<i1>
  scf.if %c2 {
    %0 = cell.all_reduce %x "sum" group [2, 0] : tensor<f32>
  }
  return
}

// -----

// What a group has agreed on may differ on the others.
func.func @fewer(%x: tensor<f32>) {
  %zero = cell.constant dense<0.0> : tensor<f32>
  %all = cell.all_reduce %x "sum" group [0, 2] : tensor<f32>
  %more = cell.greater %all, %zero : tensor<f32>
  %c = tensor.extract %more[] : tensor<i1>
  // expected-note @+1 {{it is here}}
  scf.if %c {
    // expected-error @+1 {{is in a branch whose condition may differ between ranks}}
    %0 = cell.all_reduce %x "sum" group [0, 1] : tensor<f32>
  }
  return
}

// -----

// How often a loop runs decides what it gives.
func.func @counted(%x: tensor<f32>) -> tensor<f32> {
  %zero = cell.constant dense<0.0> : tensor<f32>
  %one = cell.constant dense<1.0> : tensor<f32>
  %r:2 = scf.while (%a = %x, %n = %zero) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %more = cell.greater %a, %zero : tensor<f32>
    %c = tensor.extract %more[] : tensor<i1>
    scf.condition(%c) %a, %n : tensor<f32>, tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>, %n: tensor<f32>):
    %less = cell.sub %a, %one : tensor<f32>
    %next = cell.add %n, %one : tensor<f32>
    scf.yield %less, %next : tensor<f32>, tensor<f32>
  }
  %many = cell.greater %r#1, %one : tensor<f32>
  %c = tensor.extract %many[] : tensor<i1>
  // expected-note @+1 {{it is here}}
  %s = scf.if %c -> tensor<f32> {
    // expected-error @+1 {{is in a branch whose condition may differ}}
    %0 = cell.all_reduce %x "sum" : tensor<f32>
    scf.yield %0 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %s : tensor<f32>
}

// -----

func.func @bound(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %number : i64 to index
  // expected-note @+1 {{it is here}}
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> tensor<f32> {
    // expected-error @+1 {{is in a loop whose trips may differ between ranks}}
    %0 = cell.all_reduce %a "sum" : tensor<f32>
    scf.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Nothing is known of what other ops with regions give.
func.func @region(%x: tensor<4xf32>, %w: tensor<4xf32> {cell.role = "parameter"}) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%w : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract %r[%c0] : tensor<4xf32>
  %c = arith.cmpf ogt, %first, %zero : f32
  // expected-note @+1 {{it is here}}
  %s = scf.if %c -> tensor<4xf32> {
    // expected-error @+1 {{is in a branch whose condition may differ}}
    %0 = cell.all_reduce %x "sum" : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}

// -----

// Batches of ranks differ, too.
func.func @batch(%n: tensor<i64> {cell.role = "batch"}, %w: tensor<4xf32> {cell.role = "parameter"}) -> tensor<4xf32> {
  %one = arith.constant 1 : i64
  %size = tensor.extract %n[] : tensor<i64>
  %c = arith.cmpi eq, %size, %one : i64
  // expected-note @+1 {{it is here}}
  %r = scf.if %c -> tensor<4xf32> {
    // expected-error @+1 {{'cell.all_reduce' op is in a branch whose condition may differ between ranks}}
    %0 = cell.all_reduce %w "sum" : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
