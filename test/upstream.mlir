// RUN: cell-opt %s -canonicalize | FileCheck %s
// The tools know the upstream dialects that cell is lowered through.

// CHECK-LABEL: func.func @twice
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = arith.mulf %x, %x : tensor<4xf32>
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
