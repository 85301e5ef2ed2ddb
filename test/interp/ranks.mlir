// Several ranks in the interpreter, and what they cannot do together.
// RUN: cell-run %s --entry=three --ranks=3 | FileCheck %s --check-prefix=THREE
// RUN: not cell-run %s --entry=three --ranks=2 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not cell-run %s --entry=from --ranks=2 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not cell-run %s --entry=apart --ranks=2 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not cell-run %s --entry=ended --ranks=2 2>&1 | FileCheck %s --check-prefix=ENDED
// RUN: not cell-run %s --entry=outside --ranks=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not cell-run %s --entry=unsent --ranks=2 2>&1 | FileCheck %s --check-prefix=UNSENT
// RUN: not cell-run %s --entry=unsent 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: cell-run %s --entry=from_first | FileCheck %s --check-prefix=ALONE

// THREE:      rank 0 result 0: tensor<3xi64> [0, 1, 2]
// THREE-NEXT: rank 0 result 1: tensor<i64> 3
// THREE:      rank 2 result 0: tensor<3xi64> [0, 1, 2]
// TWO: error: 'cell.all_gather' op is for 3 ranks; there are 2
func.func @three() -> (tensor<3xi64>, tensor<i64>) {
  %rank = cell.rank : tensor<i64>
  %x = cell.reshape %rank : tensor<i64> -> tensor<1xi64>
  %0 = cell.all_gather %x ranks 3 : tensor<1xi64> -> tensor<3xi64>
  cell.meet
  %1 = cell.group_size : tensor<i64>
  return %0, %1 : tensor<3xi64>, tensor<i64>
}

// FROM: error: 'cell.broadcast_from' op is from rank 5; there are 2
func.func @from() -> tensor<i64> {
  %rank = cell.rank : tensor<i64>
  %0 = cell.broadcast_from %rank root 5 : tensor<i64>
  return %0 : tensor<i64>
}

// ALONE: result 0: tensor<i64> 0
func.func @from_first() -> tensor<i64> {
  %rank = cell.rank : tensor<i64>
  %0 = cell.broadcast_from %rank root 0 : tensor<i64>
  return %0 : tensor<i64>
}

// APART: error: 'cell.meet' op is waited at by rank 0, but rank 1 waits at 'cell.all_reduce'
func.func @apart() {
  %rank = cell.rank : tensor<i64>
  %one = cell.constant dense<1> : tensor<i64>
  %is = cell.equal %rank, %one : tensor<i64>
  %c = tensor.extract %is[] : tensor<i1>
  scf.if %c {
    %0 = cell.all_reduce %rank "sum" : tensor<i64>
  } else {
    cell.meet
  }
  return
}

// ENDED: error: 'cell.meet' op is waited at by rank 1, but rank 0 has ended
func.func @ended() {
  %rank = cell.rank : tensor<i64>
  %one = cell.constant dense<1> : tensor<i64>
  %is = cell.equal %rank, %one : tensor<i64>
  %c = tensor.extract %is[] : tensor<i1>
  scf.if %c {
    cell.meet
  }
  return
}

// OUTSIDE: error: 'cell.meet' op is done by rank 1, which is not in its group
func.func @outside() {
  cell.meet group [0]
  return
}

// UNSENT: error: 'cell.receive' op is a message of rank 1 to itself
// NOBODY: error: 'cell.receive' op names rank 1; there are 1
func.func @unsent() -> tensor<i64> {
  %rank = cell.rank : tensor<i64>
  %0 = cell.receive %rank from 1 tag 3 : tensor<i64>
  return %0 : tensor<i64>
}
