// Of a batch, only elements that take a branch, or make a trip, must pass its checks.
// RUN: cell-opt %s --cell-differentiate --canonicalize | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES
// RUN: not cell-run %s --entry=fails --passes=cell-differentiate 2>&1 | FileCheck %s --check-prefix=FAILS

// x is positive where p, and below 9 elsewhere.
func.func private @choose(%x: tensor<f64>, %p: tensor<i1>) -> tensor<f64> {
  %zero = cell.constant dense<0.0> : tensor<f64>
  %nine = cell.constant dense<9.0> : tensor<f64>
  %c = tensor.extract %p[] : tensor<i1>
  %r = scf.if %c -> tensor<f64> {
    %ok = cell.greater %x, %zero : tensor<f64>
    cell.check %ok "positive" : tensor<i1>
    scf.yield %x : tensor<f64>
  } else {
    %ok = cell.less %x, %nine : tensor<f64>
    cell.check %ok "below nine" : tensor<i1>
    scf.yield %zero : tensor<f64>
  }
  return %r : tensor<f64>
}

// CHECK-LABEL: func.func @chosen
// CHECK-SAME:      %[[X:.*]]: tensor<3xf64>, %[[P:.*]]: tensor<3xi1>
// CHECK:         %[[POSITIVE:.*]] = cell.greater %[[X]]
// CHECK:         %[[REST:.*]] = cell.logical_not %[[P]]
// CHECK:         %[[FIRST:.*]] = cell.logical_or %[[POSITIVE]], %[[REST]]
// CHECK:         cell.check %[[FIRST]] "positive" : tensor<3xi1>
// CHECK:         %[[BELOW:.*]] = cell.less %[[X]]
// CHECK:         cell.logical_or %[[BELOW]]
// CHECK:         cell.check {{.*}} "below nine" : tensor<3xi1>
func.func @chosen(%x: tensor<3xf64>, %p: tensor<3xi1>) -> tensor<3xf64> {
  %0 = cell.vmap @choose(%x, %p) in [0, 0] out [0] : (tensor<3xf64>, tensor<3xi1>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// Within a branch: while x < 10: check x < 10; x = x + x, and a check of what is the same for all.
func.func private @double(%x: tensor<f64>, %p: tensor<i1>, %all: tensor<2xi1>) -> tensor<f64> {
  %ten = cell.constant dense<10.0> : tensor<f64>
  %c = tensor.extract %p[] : tensor<i1>
  %r = scf.if %c -> tensor<f64> {
    cell.check %all "for all" : tensor<2xi1>
    %s = scf.while (%a = %x) : (tensor<f64>) -> tensor<f64> {
      %go = cell.less %a, %ten : tensor<f64>
      %d = tensor.extract %go[] : tensor<i1>
      scf.condition(%d) %a : tensor<f64>
    } do {
    ^bb0(%a: tensor<f64>):
      %ok = cell.less %a, %ten : tensor<f64>
      cell.check %ok "below ten" : tensor<i1>
      %b = cell.add %a, %a : tensor<f64>
      scf.yield %b : tensor<f64>
    }
    scf.yield %s : tensor<f64>
  } else {
    scf.yield %x : tensor<f64>
  }
  return %r : tensor<f64>
}

func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %x = cell.constant dense<[3.0, 1.5, 20.0]> : tensor<3xf64>
  %y = cell.constant dense<[-3.0, 1.5, 20.0]> : tensor<3xf64>
  %p = cell.constant dense<[false, true, true]> : tensor<3xi1>
  %none = cell.constant dense<false> : tensor<3xi1>
  %yes = cell.constant dense<true> : tensor<2xi1>
  %no = cell.constant dense<[true, false]> : tensor<2xi1>
  // VALUES: tensor<3xf64> [0.0, 1.5, 20.0]
  %0 = cell.vmap @choose(%y, %p) in [0, 0] out [0] : (tensor<3xf64>, tensor<3xi1>) -> tensor<3xf64>
  // VALUES: tensor<3xf64> [3.0, 12.0, 20.0]
  %1 = cell.vmap @double(%x, %p, %yes) in [0, 0, -1] out [0] : (tensor<3xf64>, tensor<3xi1>, tensor<2xi1>) -> tensor<3xf64>
  // VALUES: tensor<3xf64> [3.0, 1.5, 20.0]
  %2 = cell.vmap @double(%x, %none, %no) in [0, 0, -1] out [0] : (tensor<3xf64>, tensor<3xi1>, tensor<2xi1>) -> tensor<3xf64>
  return %0, %1, %2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// FAILS: for all
func.func @fails() -> tensor<3xf64> {
  %x = cell.constant dense<[3.0, 1.5, 20.0]> : tensor<3xf64>
  %p = cell.constant dense<[false, true, false]> : tensor<3xi1>
  %no = cell.constant dense<[true, false]> : tensor<2xi1>
  %0 = cell.vmap @double(%x, %p, %no) in [0, 0, -1] out [0] : (tensor<3xf64>, tensor<3xi1>, tensor<2xi1>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// A branch without another side, of which all elements take the same.
func.func private @checked(%c: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %zero = cell.constant dense<0.0> : tensor<f64>
  scf.if %flag {
    %ok = cell.less %zero, %x : tensor<f64>
    cell.check %ok "x must be positive" : tensor<i1>
  }
  return %x : tensor<f64>
}
func.func @one_side(%c: tensor<i1>, %x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK-LABEL: func.func @one_side
  // CHECK:         scf.if %{{.*}} {
  // CHECK:           cell.check %{{.*}} "x must be positive" : tensor<4xi1>
  // CHECK-NEXT:    }
  // CHECK-NEXT:    return %arg1
  %0 = cell.vmap @checked(%c, %x) in [-1, 0] out [0] : (tensor<i1>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
