// Positions and elements at positions, by hand-checked numbers.
// RUN: cell-run %s --entry=positions | FileCheck %s --check-prefix=POSITIONS
// RUN: cell-run %s --entry=extrema | FileCheck %s --check-prefix=EXTREMA
// RUN: cell-run %s --entry=order | FileCheck %s --check-prefix=ORDER
// RUN: not cell-run %s --entry=check 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: cell-run %s --entry=elements | FileCheck %s --check-prefix=ELEMENTS

// The first of equal extrema; NaN is one; zeros are equal.
// POSITIONS:      result 0: tensor<2xi32> [1, 0]
// POSITIONS-NEXT: result 1: tensor<2xi64> [0, 2]
// POSITIONS-NEXT: result 2: tensor<i32> 2
// POSITIONS-NEXT: result 3: tensor<i64> 2
// POSITIONS-NEXT: result 4: tensor<3xi32> [1, 1, 0]
// POSITIONS-NEXT: result 5: tensor<i32> 0
// POSITIONS-NEXT: result 6: tensor<2x3xf32> {{\[\[0.0, 1.0, 2.0\], \[0.0, 1.0, 2.0\]\]}}
// POSITIONS-NEXT: result 7: tensor<2x3xi64> {{\[\[0, 0, 0\], \[1, 1, 1\]\]}}
func.func @positions() -> (tensor<2xi32>, tensor<2xi64>, tensor<i32>, tensor<i64>, tensor<3xi32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xi64>) {
  %x = cell.constant dense<[[1.0, 3.0, 3.0], [4.0, 4.0, 2.0]]> : tensor<2x3xf32>
  %n = cell.constant dense<[[1.0, 9.0, 0x7FC00000], [0x7FC00000, 4.0, 2.0]]> : tensor<2x3xf32>
  %z = cell.constant dense<[-0.0, 0.0, -1.0]> : tensor<3xf32>
  %i = cell.constant dense<[[1, -2, 5], [7, 7, 5]]> : tensor<2x3xi8>
  %0 = cell.argmax %x over [1] : tensor<2x3xf32> -> tensor<2xi32>
  %1 = cell.argmin %x over [1] : tensor<2x3xf32> -> tensor<2xi64>
  %2 = cell.argmax %n over [0, 1] : tensor<2x3xf32> -> tensor<i32>
  %3 = cell.argmin %n over [0, 1] : tensor<2x3xf32> -> tensor<i64>
  %4 = cell.argmax %i over [0] : tensor<2x3xi8> -> tensor<3xi32>
  %5 = cell.argmax %z over [0] : tensor<3xf32> -> tensor<i32>
  %6 = cell.iota dim 1 : tensor<2x3xf32>
  %7 = cell.iota dim 0 : tensor<2x3xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xi32>, tensor<2xi64>, tensor<i32>, tensor<i64>, tensor<3xi32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xi64>
}

// A scalar index; one between dimensions; integers that wrap; truth values.
// ELEMENTS:      result 0: tensor<3xf32> [4.0, 5.0, 6.0]
// ELEMENTS-NEXT: result 1: tensor<2x1x2xf32> {{\[\[\[3.0, 1.0\]\], \[\[6.0, 4.0\]\]\]}}
// ELEMENTS-NEXT: result 2: tensor<3xi8> [-128, 0, 3]
// ELEMENTS-NEXT: result 3: tensor<3xi1> [false, true, true]
func.func @elements() -> (tensor<3xf32>, tensor<2x1x2xf32>, tensor<3xi8>, tensor<3xi1>) {
  %x = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %one = cell.constant dense<1> : tensor<i64>
  %i = cell.constant dense<[[2, 0]]> : tensor<1x2xi32>
  %n = cell.constant dense<[126, 0, 0]> : tensor<3xi8>
  %b = cell.constant dense<[true, true, false]> : tensor<3xi1>
  %j = cell.constant dense<[0, 2, 0, 9]> : tensor<4xi32>
  %u = cell.constant dense<[1, 1, 1, 2]> : tensor<4xi8>
  %v = cell.constant dense<[true, false, false, true]> : tensor<4xi1>
  %0 = cell.gather %x at %one dim 0 : tensor<2x3xf32>, tensor<i64> -> tensor<3xf32>
  %1 = cell.gather %x at %i dim 1 : tensor<2x3xf32>, tensor<1x2xi32> -> tensor<2x1x2xf32>
  %2 = cell.scatter "add" %u into %n at %j dim 0 : tensor<4xi8>, tensor<3xi8>, tensor<4xi32>
  %3 = cell.scatter "set" %v into %b at %j dim 0 : tensor<4xi1>, tensor<3xi1>, tensor<4xi32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<2x1x2xf32>, tensor<3xi8>, tensor<3xi1>
}

// Stable in both directions, NaN last or first, equal zeros; sums that wrap.
// ORDER:      result 0: tensor<6xi32> [3, 1, 2, 5, 0, 4]
// ORDER-NEXT: result 1: tensor<6xi64> [4, 0, 1, 2, 5, 3]
// ORDER-NEXT: result 2: tensor<2x2xi32> {{\[\[0, 1\], \[1, 0\]\]}}
// ORDER-NEXT: result 3: tensor<3xi8> [100, -56, 44]
// ORDER-NEXT: result 4: tensor<2x1xi32> {{\[\[1\], \[0\]\]}}
// ORDER-NEXT: result 5: tensor<3xi8> [100, 16, 64]
func.func @order() -> (tensor<6xi32>, tensor<6xi64>, tensor<2x2xi32>, tensor<3xi8>, tensor<2x1xi32>, tensor<3xi8>) {
  %x = cell.constant dense<[1.0, 0.0, -0.0, -3.0, 0x7FC00000, 0.0]> : tensor<6xf32>
  %i = cell.constant dense<[[1, 5], [1, 2]]> : tensor<2x2xi64>
  %m = cell.constant dense<[[1, 5, 5], [2, 1, 2]]> : tensor<2x3xi64>
  %n = cell.constant dense<100> : tensor<3xi8>
  %0 = cell.argsort %x along 0 : tensor<6xf32> -> tensor<6xi32>
  %1 = cell.argsort %x along 0 {descending = true} : tensor<6xf32> -> tensor<6xi64>
  %2 = cell.argsort %i along 0 : tensor<2x2xi64> -> tensor<2x2xi32>
  %3 = cell.cumsum %n along 0 : tensor<3xi8>
  %4 = cell.argsort %m along 1 {descending = true} : tensor<2x3xi64> -> tensor<2x1xi32>
  %5 = cell.cumprod %n along 0 : tensor<3xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<6xi32>, tensor<6xi64>, tensor<2x2xi32>, tensor<3xi8>, tensor<2x1xi32>, tensor<3xi8>
}

// The first NaN stays; equal zeros are followed by the later one, with its sign.
// EXTREMA:      result 0: tensor<5xf32> [0.0, -0.0, nan, nan, nan]
// EXTREMA-NEXT: result 1: tensor<5xi32> [0, 1, 2, 2, 2]
// EXTREMA-NEXT: result 2: tensor<3x2xi8> {{\[\[5, 7\], \[5, 7\], \[5, -1\]\]}}
// EXTREMA-NEXT: result 3: tensor<3x2xi32> {{\[\[0, 0\], \[1, 0\], \[1, 2\]\]}}
func.func @extrema() -> (tensor<5xf32>, tensor<5xi32>, tensor<3x2xi8>, tensor<3x2xi32>) {
  %x = cell.constant dense<[0.0, -0.0, 0x7FC00000, 3.0, 0x7FC00000]> : tensor<5xf32>
  %n = cell.constant dense<[[5, 7], [5, 8], [6, -1]]> : tensor<3x2xi8>
  %0:2 = cell.cummax %x along 0 : tensor<5xf32>
  %1:2 = cell.cummin %n along 0 : tensor<3x2xi8>
  return %0#0, %0#1, %1#0, %1#1 : tensor<5xf32>, tensor<5xi32>, tensor<3x2xi8>, tensor<3x2xi32>
}

func.func @check() {
  %ok = cell.constant dense<true> : tensor<2xi1>
  %no = cell.constant dense<[true, false]> : tensor<2xi1>
  cell.check %ok "this holds" : tensor<2xi1>
  // CHECKS: index.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'cell.check' op failed: an index is out of range
  cell.check %no "an index is out of range" : tensor<2xi1>
  return
}
