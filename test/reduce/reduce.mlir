// What is left of a program is what the command asks for, and what that needs.

// RUN: cell-reduce %s --test='grep -q cell.tanh' 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: cell-reduce %s --test='grep -q "return.*tensor<.*xf64>"' -o %t.mlir && FileCheck %s --check-prefix=TYPE < %t.mlir

// The planted bug: a compiler that makes a wrong program of a slice of a tanh.
// RUN: cell-reduce %s --test="sh %S/Inputs/slice-of-tanh.sh" 2>/dev/null | FileCheck %s --check-prefix=PLANTED

// RUN: not cell-reduce %s --test='grep -q cell.cosh' 2>&1 | FileCheck %s --check-prefix=BORING
// BORING: cell-reduce: 'grep -q cell.cosh {{.*}}reduce.mlir' does not exit with status 0

// A command that does not end is not interesting.
// RUN: not cell-reduce %s --test='sleep 30;' --timeout=1 2>&1 | FileCheck %s --check-prefix=SLOW
// SLOW: does not exit with status 0

// What such a command has started ends with it: it holds no lock any more.
// RUN: not cell-reduce %s --test='flock %t.lock sleep 600;' --timeout=1 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: flock --timeout=60 %t.lock true

// ONE-DAG:   ops reduced to 5 in {{[0-9]+}} tests
// ONE-DAG:   func.func @main() -> tensor<1xf32> {
// ONE:         %[[X:.*]] = cell.constant dense<0.000000e+00> : tensor<1x1xf32>
// ONE-NEXT:    cell.tanh %[[X]] : tensor<1x1xf32>
// ONE-NEXT:    %[[Y:.*]] = cell.constant dense<0.000000e+00> : tensor<1xf32>
// ONE-NEXT:    return %[[Y]] : tensor<1xf32>
// ONE-NEXT:  }

// TYPE:      func.func private @helper
// TYPE-NEXT:   %[[C:.*]] = cell.constant dense<0.000000e+00> : tensor<1x1xf64>
// TYPE-NEXT:   return %[[C]]
// TYPE-NOT:  func.func

// PLANTED:      func.func @main() -> tensor<1x1xf32> {
// PLANTED-NEXT:   %[[X:.*]] = cell.constant dense<0.000000e+00> : tensor<2x1xf32>
// PLANTED-NEXT:   %[[T:.*]] = cell.tanh %[[X]]
// PLANTED-NEXT:   %[[S:.*]] = cell.slice %[[T]]

func.func private @helper(%x: tensor<17x5xf64>) -> tensor<17x5xf64> {
  %0 = cell.exp %x : tensor<17x5xf64>
  return %0 : tensor<17x5xf64>
}

func.func @main(%a: tensor<17x5xf32> {cell.example = dense<0.5> : tensor<17x5xf32>},
                %b: tensor<17x5xf32>, %c: tensor<33xf32>)
    -> (tensor<33xf32>, tensor<5xf32>, tensor<8x5xf32>) {
  %0 = cell.sin %a : tensor<17x5xf32>
  %1 = cell.mul %0, %b : tensor<17x5xf32>
  %2 = cell.constant dense<2.5> : tensor<17x5xf32>
  %3 = cell.add %1, %2 : tensor<17x5xf32>
  %4 = cell.tanh %3 : tensor<17x5xf32>
  %5 = cell.slice %4 from [1, 0] to [17, 5] by [2, 1] : tensor<17x5xf32> -> tensor<8x5xf32>
  %6 = cell.reduce_sum %5 over [0] : tensor<8x5xf32> -> tensor<5xf32>
  %7 = cell.cos %c : tensor<33xf32>
  %8 = cell.exp %7 : tensor<33xf32>
  return %8, %6, %5 : tensor<33xf32>, tensor<5xf32>, tensor<8x5xf32>
}
