// Loops in loops with branches, reduced from random programs that one-shot bufferisation refused: they compile, and
// no buffer is left outside of the arena.
// RUN: cell-opt %s --cell-to-llvm-pipeline --split-input-file | FileCheck %s
// CHECK-COUNT-2: llvm.func @f({{.*}}cell.arena_bytes = {{[0-9]+}}

func.func @f(%arg0: tensor<1x1xf64>) -> tensor<1x1xf64> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %arg1 = %c0 to %c4 step %c1 iter_args(%arg2 = %arg0) -> (tensor<1x1xf64>) {
    %4 = cell.constant dense<0> : tensor<i64>
    %5:4 = scf.while (%arg3 = %arg2, %arg4 = %arg0, %arg5 = %arg2, %arg6 = %4) : (tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<i64>) -> (tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<i64>) {
      %6 = cell.constant dense<false> : tensor<i1>
      %extracted = tensor.extract %6[] : tensor<i1>
      scf.condition(%extracted) %arg3, %arg4, %arg5, %arg6 : tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<i64>
    } do {
    ^bb0(%arg3: tensor<1x1xf64>, %arg4: tensor<1x1xf64>, %arg5: tensor<1x1xf64>, %arg6: tensor<i64>):
      %6 = cell.constant dense<0.000000e+00> : tensor<1xf64>
      %7 = cell.reduce_sum %6 over [0] : tensor<1xf64> -> tensor<f64>
      %8 = cell.constant dense<0.000000e+00> : tensor<f64>
      %9 = cell.less %7, %8 : tensor<f64>
      %extracted = tensor.extract %9[] : tensor<i1>
      %10:2 = scf.if %extracted -> (tensor<1x1xf64>, tensor<1x1xf64>) {
        %12 = cell.tanh %arg4 : tensor<1x1xf64>
        scf.yield %12, %12 : tensor<1x1xf64>, tensor<1x1xf64>
      } else {
        scf.yield %arg0, %arg4 : tensor<1x1xf64>, tensor<1x1xf64>
      }
      %11 = cell.add %10#0, %10#1 : tensor<1x1xf64>
      scf.yield %arg5, %11, %11, %arg6 : tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<i64>
    }
    scf.yield %5#0 : tensor<1x1xf64>
  }
  %c0_0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1_1 = arith.constant 1 : index
  %1:2 = scf.for %arg1 = %c0_0 to %c3 step %c1_1 iter_args(%arg2 = %0, %arg3 = %arg0) -> (tensor<1x1xf64>, tensor<1x1xf64>) {
    %4 = cell.constant dense<0.000000e+00> : tensor<1x1xf64>
    scf.yield %arg2, %4 : tensor<1x1xf64>, tensor<1x1xf64>
  }
  %2 = cell.constant dense<0.000000e+00> : tensor<1x1xf64>
  %3 = cell.add %2, %1#0 : tensor<1x1xf64>
  return %3 : tensor<1x1xf64>
}

// -----

func.func @f(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<2xf64> {
  %0 = cell.constant dense<0> : tensor<i64>
  %1:2 = scf.while (%arg2 = %arg1, %arg3 = %0) : (tensor<2xf64>, tensor<i64>) -> (tensor<2xf64>, tensor<i64>) {
    %4 = cell.constant dense<false> : tensor<i1>
    %extracted = tensor.extract %4[] : tensor<i1>
    scf.condition(%extracted) %arg2, %arg3 : tensor<2xf64>, tensor<i64>
  } do {
  ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<i64>):
    %4 = cell.constant dense<0.000000e+00> : tensor<2xf64>
    %5 = cell.constant dense<0> : tensor<i64>
    %6:4 = scf.while (%arg4 = %4, %arg5 = %arg2, %arg6 = %4, %arg7 = %5) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i64>) {
      %7 = cell.constant dense<false> : tensor<i1>
      %extracted = tensor.extract %7[] : tensor<i1>
      scf.condition(%extracted) %arg4, %arg5, %arg6, %arg7 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i64>
    } do {
    ^bb0(%arg4: tensor<2xf64>, %arg5: tensor<2xf64>, %arg6: tensor<2xf64>, %arg7: tensor<i64>):
      %7 = cell.reduce_sum %arg6 over [0] : tensor<2xf64> -> tensor<f64>
      %8 = cell.constant dense<0.000000e+00> : tensor<f64>
      %9 = cell.less %7, %8 : tensor<f64>
      %extracted = tensor.extract %9[] : tensor<i1>
      %10:2 = scf.if %extracted -> (tensor<2xf64>, tensor<2xf64>) {
        scf.yield %arg5, %arg4 : tensor<2xf64>, tensor<2xf64>
      } else {
        %15 = cell.constant dense<0> : tensor<i64>
        %16 = cell.constant dense<0.000000e+00> : tensor<f64>
        %17 = cell.scatter "set" %16 into %arg5 at %15 dim 0 : tensor<f64>, tensor<2xf64>, tensor<i64>
        %18 = cell.constant dense<0.000000e+00> : tensor<2xf64>
        scf.yield %18, %17 : tensor<2xf64>, tensor<2xf64>
      }
      %11 = cell.constant dense<0.000000e+00> : tensor<2xf64>
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %12:3 = scf.for %arg8 = %c0 to %c2 step %c1 iter_args(%arg9 = %11, %arg10 = %11, %arg11 = %10#1) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
        %15 = cell.constant dense<0.000000e+00> : tensor<1xf64>
        %16 = cell.constant dense<0.000000e+00> : tensor<1xf64>
        %17 = cell.concat %15, %16 dim 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
        scf.yield %arg11, %arg10, %17 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
      }
      %13 = cell.constant dense<false> : tensor<i1>
      %extracted_0 = tensor.extract %13[] : tensor<i1>
      %14:2 = scf.if %extracted_0 -> (tensor<2xf64>, tensor<2xf64>) {
        scf.yield %12#0, %arg1 : tensor<2xf64>, tensor<2xf64>
      } else {
        scf.yield %12#2, %12#2 : tensor<2xf64>, tensor<2xf64>
      }
      scf.yield %14#1, %14#1, %14#1, %arg7 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i64>
    }
    scf.yield %6#2, %arg3 : tensor<2xf64>, tensor<i64>
  }
  %2 = cell.constant dense<0> : tensor<i64>
  %3:3 = scf.while (%arg2 = %arg0, %arg3 = %1#0, %arg4 = %2) : (tensor<2xf64>, tensor<2xf64>, tensor<i64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<i64>) {
    %4 = cell.constant dense<false> : tensor<i1>
    %extracted = tensor.extract %4[] : tensor<i1>
    scf.condition(%extracted) %arg2, %arg3, %arg4 : tensor<2xf64>, tensor<2xf64>, tensor<i64>
  } do {
  ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>, %arg4: tensor<i64>):
    %4 = cell.constant dense<0.000000e+00> : tensor<2xf64>
    scf.yield %arg3, %4, %arg4 : tensor<2xf64>, tensor<2xf64>, tensor<i64>
  }
  return %3#1 : tensor<2xf64>
}
