// A loop whose test compares a counter with a constant makes a known number of trips.
// RUN: cell-opt %s --cell-count-loops | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-count-loops | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=values | FileCheck %s --check-prefix=VALUES

func.func private @below(%i: tensor<i64>, %x: tensor<f64>, %stop: tensor<i64>) -> tensor<i1> {
  %0 = cell.less %i, %stop : tensor<i64>
  return %0 : tensor<i1>
}
func.func private @trip(%i: tensor<i64>, %x: tensor<f64>) -> (tensor<i64>, tensor<f64>) {
  %c3 = cell.constant dense<3> : tensor<i64>
  %0 = cell.add %i, %c3 : tensor<i64>
  %1 = cell.cast %i : tensor<i64> to tensor<f64>
  %2 = cell.add %x, %1 : tensor<f64>
  return %0, %2 : tensor<i64>, tensor<f64>
}

// Test and body are calls, as they are captured; -2, 1, 4 and 7 are below 10.
// CHECK-LABEL: func.func private @counted
// CHECK-DAG:     %[[FROM:.*]] = arith.constant -2 : index
// CHECK-DAG:     %[[TO:.*]] = arith.constant 10 : index
// CHECK-DAG:     %[[BY:.*]] = arith.constant 3 : index
// CHECK:         %[[R:.*]] = scf.for %[[IV:.*]] = %[[FROM]] to %[[TO]] step %[[BY]] iter_args(%[[X:.*]] = %{{.*}}) -> (tensor<f64>) {
// CHECK:           %[[N:.*]] = arith.index_cast %[[IV]] : index to i64
// CHECK:           %[[T:.*]] = tensor.from_elements %[[N]] : tensor<i64>
// CHECK:           cell.cast %[[T]]
// CHECK:         %[[END:.*]] = cell.constant dense<10> : tensor<i64>
// CHECK:         return %[[END]], %[[R]]
func.func private @counted(%x: tensor<f64>) -> (tensor<i64>, tensor<f64>) {
  %start = cell.constant dense<-2> : tensor<i64>
  %stop = cell.constant dense<10> : tensor<i64>
  %r:2 = scf.while (%i = %start, %a = %x) : (tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<f64>) {
    %p = func.call @below(%i, %a, %stop) : (tensor<i64>, tensor<f64>, tensor<i64>) -> tensor<i1>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %i, %a : tensor<i64>, tensor<f64>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<f64>):
    %n:2 = func.call @trip(%i, %a) : (tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<f64>)
    scf.yield %n#0, %n#1 : tensor<i64>, tensor<f64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<f64>
}

// A function that calls itself is not inlined, as that would not end.
// CHECK-LABEL: func.func @recursion
// CHECK:         scf.while
// CHECK:           func.call @again
func.func private @again(%x: tensor<f64>) -> tensor<f64> {
  %0 = func.call @again(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @recursion(%x: tensor<f64>) -> tensor<f64> {
  %true = arith.constant true
  %r = scf.while (%i = %x) : (tensor<f64>) -> tensor<f64> {
    scf.condition(%true) %i : tensor<f64>
  } do {
  ^bb0(%i: tensor<f64>):
    %n = func.call @again(%i) : (tensor<f64>) -> tensor<f64>
    scf.yield %n : tensor<f64>
  }
  return %r : tensor<f64>
}

// A bound that is an argument, and one at which the counter would wrap around, stay as they are.
// CHECK-LABEL: func.func private @unknown
// CHECK:         scf.while
func.func private @unknown(%stop: tensor<i8>) -> tensor<i8> {
  %start = cell.constant dense<0> : tensor<i8>
  %one = cell.constant dense<1> : tensor<i8>
  %r = scf.while (%i = %start) : (tensor<i8>) -> tensor<i8> {
    %p = cell.less %i, %stop : tensor<i8>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %i : tensor<i8>
  } do {
  ^bb0(%i: tensor<i8>):
    %n = cell.add %i, %one : tensor<i8>
    scf.yield %n : tensor<i8>
  }
  return %r : tensor<i8>
}
// CHECK-LABEL: func.func private @wraps
// CHECK:         scf.while
func.func private @wraps() -> tensor<i8> {
  %start = cell.constant dense<0> : tensor<i8>
  %stop = cell.constant dense<126> : tensor<i8>
  %step = cell.constant dense<5> : tensor<i8>
  %r = scf.while (%i = %start) : (tensor<i8>) -> tensor<i8> {
    %p = cell.less %i, %stop : tensor<i8>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %i : tensor<i8>
  } do {
  ^bb0(%i: tensor<i8>):
    %n = cell.add %i, %step : tensor<i8>
    scf.yield %n : tensor<i8>
  }
  return %r : tensor<i8>
}

// Nothing but the counter is carried, and no trip is made.
// CHECK-LABEL: func.func private @empty
// CHECK-NOT:     scf.while
// CHECK:         dense<7>
func.func private @empty() -> tensor<i32> {
  %start = cell.constant dense<7> : tensor<i32>
  %stop = cell.constant dense<7> : tensor<i32>
  %one = cell.constant dense<1> : tensor<i32>
  %r = scf.while (%i = %start) : (tensor<i32>) -> tensor<i32> {
    %p = cell.less %i, %stop : tensor<i32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %i : tensor<i32>
  } do {
  ^bb0(%i: tensor<i32>):
    %n = cell.add %i, %one : tensor<i32>
    scf.yield %n : tensor<i32>
  }
  return %r : tensor<i32>
}

func.func @values() -> (tensor<i64>, tensor<f64>, tensor<i32>) {
  %x = cell.constant dense<0.5> : tensor<f64>
  // VALUES: result 0: tensor<i64> 10
  // VALUES: result 1: tensor<f64> 10.5
  %0:2 = func.call @counted(%x) : (tensor<f64>) -> (tensor<i64>, tensor<f64>)
  // VALUES: result 2: tensor<i32> 7
  %1 = func.call @empty() : () -> tensor<i32>
  return %0#0, %0#1, %1 : tensor<i64>, tensor<f64>, tensor<i32>
}
