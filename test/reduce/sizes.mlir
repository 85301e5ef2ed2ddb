// Sizes shrink everywhere at once: types, examples, constants and the bounds of slices.

// RUN: cell-reduce %s --test='grep -q cell.slice' 2>/dev/null | FileCheck %s --check-prefix=SMALL
// SMALL:      func.func @main(%[[X:.*]]: tensor<2x1xf32> {cell.example = dense<{{\[\[1.000000e\+00\], \[2.000000e\+00\]\]}}> : tensor<2x1xf32>})
// SMALL-NEXT: cell.slice %[[X]] from [1, 0] to [2, 1] by [2, 1] : tensor<2x1xf32> -> tensor<1x1xf32>

// A bug that needs four rows keeps four rows.
// RUN: cell-reduce %s --test='sh %S/Inputs/four-rows.sh' 2>/dev/null | FileCheck %s --check-prefix=FOUR
// FOUR: func.func @main(%[[A:.*]]: tensor<4x1xf32> {cell.example = dense<{{\[\[1.000000e\+00\], \[2.000000e\+00\], \[3.000000e\+00\], \[4.000000e\+00\]\]}}> : tensor<4x1xf32>})
// FOUR: cell.matmul %[[A]], %{{.*}} : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>

func.func @main(%a: tensor<9x3xf32> {cell.example = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<9x3xf32>})
    -> (tensor<4x3xf32>, tensor<9x2xf32>) {
  %0 = cell.slice %a from [1, 0] to [9, 3] by [2, 1] : tensor<9x3xf32> -> tensor<4x3xf32>
  %1 = cell.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %2 = cell.matmul %a, %1 : (tensor<9x3xf32>, tensor<3x2xf32>) -> tensor<9x2xf32>
  return %0, %2 : tensor<4x3xf32>, tensor<9x2xf32>
}
