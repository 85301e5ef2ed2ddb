// Factorizations and solves where they break down, interpreted; test/rules/compiled.test holds them
// against compiled code, with infinities and NaN among the elements (but for QR, whose norms of
// infinite columns are unspecified).
// RUN: cell-run %s --entry=values | FileCheck %s

// Not positive definite, definite, NaN above the diagonal, where it is not read.
// CHECK:      result 0: tensor<3x2x2xf64> {{\[\[\[nan, 0.0\], \[nan, nan\]\], \[\[2.0, 0.0\], \[1.0, 3.0\]\], \[\[1.0, 0.0\], \[0.0, 1.0\]\]\]}}
// A pivot of zero divides nothing; at a tie the first row is the pivot.
// CHECK-NEXT: result 1: tensor<2x2x2xf64> {{\[\[\[0.0, 1.0\], \[0.0, 1.0\]\], \[\[1.0, 2.0\], \[-1.0, 5.0\]\]\]}}
// CHECK-NEXT: result 2: tensor<2x2xi32> {{\[\[0, 1\], \[0, 1\]\]}}
// A singular matrix divides by zero.
// CHECK-NEXT: result 3: tensor<2x1xf64> {{\[\[-inf\], \[inf\]\]}}
// A column of zeros is left as it is.
// CHECK-NEXT: result 4: tensor<2x2xf64> {{\[\[1.0, 0.0\], \[0.0, 1.0\]\]}}
// CHECK-NEXT: result 5: tensor<2x2xf64> {{\[\[0.0, -3.0\], \[0.0, 4.0\]\]}}
func.func @values() -> (tensor<3x2x2xf64>, tensor<2x2x2xf64>, tensor<2x2xi32>, tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %s = cell.constant dense<[[[1.0, 0.0], [2.0, 1.0]], [[4.0, 9.0], [2.0, 10.0]], [[1.0, 0x7FF8000000000000], [0.0, 1.0]]]> : tensor<3x2x2xf64>
  %l = cell.cholesky %s : tensor<3x2x2xf64>
  %a = cell.constant dense<[[[0.0, 1.0], [0.0, 1.0]], [[1.0, 2.0], [-1.0, 3.0]]]> : tensor<2x2x2xf64>
  %lu:2 = cell.lu %a : tensor<2x2x2xf64> -> tensor<2x2x2xf64>, tensor<2x2xi32>
  %ones = cell.constant dense<1.0> : tensor<2x2xf64>
  %b = cell.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %y = cell.solve %ones, %b : tensor<2x2xf64>, tensor<2x1xf64>
  %z = cell.constant dense<[[0.0, -3.0], [0.0, 4.0]]> : tensor<2x2xf64>
  %qr:2 = cell.qr %z : tensor<2x2xf64> -> tensor<2x2xf64>, tensor<2x2xf64>
  return %l, %lu#0, %lu#1, %y, %qr#0, %qr#1 : tensor<3x2x2xf64>, tensor<2x2x2xf64>, tensor<2x2xi32>, tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}

func.func @cholesky(%x: tensor<4x3x3xf64>) -> tensor<4x3x3xf64> {
  %0 = cell.cholesky %x : tensor<4x3x3xf64>
  return %0 : tensor<4x3x3xf64>
}
func.func @upper(%a: tensor<4x3x3xf64>, %b: tensor<4x3x2xf64>) -> tensor<4x3x2xf64> {
  %0 = cell.triangular_solve %a, %b {lower = false} : tensor<4x3x3xf64>, tensor<4x3x2xf64>
  return %0 : tensor<4x3x2xf64>
}
func.func @unit_lower(%a: tensor<4x3x3xf64>, %b: tensor<4x3x2xf64>) -> tensor<4x3x2xf64> {
  %0 = cell.triangular_solve %a, %b {lower = true, unit_diagonal = true, transpose = true} : tensor<4x3x3xf64>, tensor<4x3x2xf64>
  return %0 : tensor<4x3x2xf64>
}
func.func @lu(%x: tensor<4x3x3xf64>) -> (tensor<4x3x3xf64>, tensor<4x3xi32>) {
  %0:2 = cell.lu %x : tensor<4x3x3xf64> -> tensor<4x3x3xf64>, tensor<4x3xi32>
  return %0#0, %0#1 : tensor<4x3x3xf64>, tensor<4x3xi32>
}
func.func @solve(%a: tensor<4x3x3xf64>, %b: tensor<4x3x2xf64>) -> tensor<4x3x2xf64> {
  %0 = cell.solve %a, %b {transpose = true} : tensor<4x3x3xf64>, tensor<4x3x2xf64>
  return %0 : tensor<4x3x2xf64>
}
func.func @swap_rows(%x: tensor<4x3x2xf32>, %p: tensor<4x2xi32>) -> tensor<4x3x2xf32> {
  %0 = cell.swap_rows %x, %p {inverse = true} : tensor<4x3x2xf32>, tensor<4x2xi32>
  return %0 : tensor<4x3x2xf32>
}
func.func @triangle(%x: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %0 = cell.triangle %x {lower = true, diagonal = 1} : tensor<4x3x5xf32>
  return %0 : tensor<4x3x5xf32>
}
