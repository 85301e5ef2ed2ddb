// Structural ops, with results worked out by hand.
// RUN: cell-run %s --entry=moves | FileCheck %s --check-prefix=MOVES
// RUN: cell-run %s --entry=pads | FileCheck %s --check-prefix=PADS
// RUN: cell-run %s --entry=reductions | FileCheck %s --check-prefix=REDUCE
// RUN: cell-run %s --entry=extrema | FileCheck %s --check-prefix=EXTREMA
// RUN: cell-run %s --entry=products | FileCheck %s --check-prefix=PRODUCTS
// RUN: cell-run %s --entry=bools | FileCheck %s --check-prefix=BOOLS

// MOVES:      result 0: tensor<3x2xi32> {{\[\[1, 2\], \[3, 4\], \[5, 6\]\]}}
// MOVES-NEXT: result 1: tensor<3x2xi32> {{\[\[1, 4\], \[2, 5\], \[3, 6\]\]}}
// MOVES-NEXT: result 2: tensor<2x2x3xi32> {{\[\[\[1, 2, 3\], \[1, 2, 3\]\], \[\[4, 5, 6\], \[4, 5, 6\]\]\]}}
// MOVES-NEXT: result 3: tensor<1x2xi32> {{\[\[4, 6\]\]}}
// MOVES-NEXT: result 4: tensor<2x4xi32> {{\[\[1, 2, 3, 7\], \[4, 5, 6, 8\]\]}}
// MOVES-NEXT: result 5: tensor<2x3x1xi32> {{\[\[\[1\], \[2\], \[3\]\], \[\[4\], \[5\], \[6\]\]\]}}
func.func @moves() -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<1x2xi32>, tensor<2x4xi32>, tensor<2x3x1xi32>) {
  %x = cell.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = cell.reshape %x : tensor<2x3xi32> -> tensor<3x2xi32>
  %1 = cell.transpose %x perm [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %2 = cell.broadcast %x along [1] : tensor<2x3xi32> -> tensor<2x2x3xi32>
  %3 = cell.slice %x from [1, 0] to [2, 3] by [1, 2] : tensor<2x3xi32> -> tensor<1x2xi32>
  %c = cell.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %4 = cell.concat %x, %c dim 1 : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x4xi32>
  %t = cell.reshape %x : tensor<2x3xi32> -> tensor<1x2x3xi32>
  %5 = cell.transpose %t perm [1, 2, 0] : tensor<1x2x3xi32> -> tensor<2x3x1xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<1x2xi32>, tensor<2x4xi32>, tensor<2x3x1xi32>
}

// PADS:      result 0: tensor<8xi32> [0, 1, 0, 2, 0, 3, 0, 0]
// PADS-NEXT: result 1: tensor<3xf32> [0.0, 0.0, 0.0]
// PADS-NEXT: result 2: tensor<1x3xi32> {{\[\[0, 9, 0\]\]}}
func.func @pads() -> (tensor<8xi32>, tensor<3xf32>, tensor<1x3xi32>) {
  %x = cell.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = cell.pad %x low [1] high [2] interior [1] : tensor<3xi32> -> tensor<8xi32>
  %e = cell.constant dense<> : tensor<0xf32>
  %1 = cell.pad %e low [1] high [2] interior [5] : tensor<0xf32> -> tensor<3xf32>
  %y = cell.constant dense<9> : tensor<1x1xi32>
  %2 = cell.pad %y low [0, 1] high [0, 1] interior [3, 3] : tensor<1x1xi32> -> tensor<1x3xi32>
  return %0, %1, %2 : tensor<8xi32>, tensor<3xf32>, tensor<1x3xi32>
}

// REDUCE:      result 0: tensor<3xi32> [5, 7, 9]
// REDUCE-NEXT: result 1: tensor<2xi32> [6, 15]
// REDUCE-NEXT: result 2: tensor<i32> 6
// REDUCE-NEXT: result 3: tensor<i32> 1
// REDUCE-NEXT: result 4: tensor<2xf32> [0.0, 0.0]
// REDUCE-NEXT: result 5: tensor<2xf32> [-inf, -inf]
// REDUCE-NEXT: result 6: tensor<2xi8> [127, 127]
func.func @reductions() -> (tensor<3xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>) {
  %x = cell.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = cell.reduce_sum %x over [0] : tensor<2x3xi32> -> tensor<3xi32>
  %1 = cell.reduce_sum %x over [1] : tensor<2x3xi32> -> tensor<2xi32>
  %2 = cell.reduce_max %x over [0, 1] : tensor<2x3xi32> -> tensor<i32>
  %3 = cell.reduce_min %x over [0, 1] : tensor<2x3xi32> -> tensor<i32>
  %e = cell.constant dense<0.0> : tensor<2x0xf32>
  %4 = cell.reduce_sum %e over [1] : tensor<2x0xf32> -> tensor<2xf32>
  %5 = cell.reduce_max %e over [1] : tensor<2x0xf32> -> tensor<2xf32>
  %n = cell.constant dense<0> : tensor<2x0xi8>
  %6 = cell.reduce_min %n over [1] : tensor<2x0xi8> -> tensor<2xi8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>
}

// NaN wins over everything; -0 is below +0, whatever the order.
// EXTREMA:      result 0: tensor<4xf32> [nan, nan, 0.0, 0.0]
// EXTREMA-NEXT: result 1: tensor<4xf32> [nan, nan, -0.0, -0.0]
// EXTREMA-NEXT: result 2: tensor<4xf32> [nan, nan, 0.0, 0.0]
// EXTREMA-NEXT: result 3: tensor<4xf32> [nan, nan, -0.0, -0.0]
func.func @extrema() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = cell.constant dense<[0x7FC00000, 1.0, 0.0, -0.0]> : tensor<4xf32>
  %b = cell.constant dense<[0x7F800000, 0x7FC00000, -0.0, 0.0]> : tensor<4xf32>
  %0 = cell.maximum %a, %b : tensor<4xf32>
  %1 = cell.minimum %a, %b : tensor<4xf32>
  %c = cell.constant dense<[[0x7FC00000, 1.0, 0.0, -0.0], [0x7F800000, 0x7FC00000, -0.0, 0.0]]> : tensor<2x4xf32>
  %2 = cell.reduce_max %c over [0] : tensor<2x4xf32> -> tensor<4xf32>
  %3 = cell.reduce_min %c over [0] : tensor<2x4xf32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// [[1, 2], [3, 4]] times [[5, 6], [7, 8]], each as it stands and transposed; then batched, and over nothing.
// PRODUCTS:      result 0: tensor<2x2xi32> {{\[\[19, 22\], \[43, 50\]\]}}
// PRODUCTS-NEXT: result 1: tensor<2x2xi32> {{\[\[26, 30\], \[38, 44\]\]}}
// PRODUCTS-NEXT: result 2: tensor<2x2xi32> {{\[\[17, 23\], \[39, 53\]\]}}
// PRODUCTS-NEXT: result 3: tensor<2x2xi32> {{\[\[23, 31\], \[34, 46\]\]}}
// PRODUCTS-NEXT: result 4: tensor<2x1x1xf32> {{\[\[\[11.0\]\], \[\[25.0\]\]\]}}
// PRODUCTS-NEXT: result 5: tensor<1x2xf32> {{\[\[0.0, 0.0\]\]}}
func.func @products() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x1x1xf32>, tensor<1x2xf32>) {
  %a = cell.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = cell.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %0 = cell.matmul %a, %b : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %1 = cell.matmul %a, %b {transpose_a = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %2 = cell.matmul %a, %b {transpose_b = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %3 = cell.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %c = cell.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %d = cell.constant dense<[[[3.0], [4.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %4 = cell.matmul %c, %d : (tensor<2x1x2xf32>, tensor<2x2x1xf32>) -> tensor<2x1x1xf32>
  %e = cell.constant dense<1.0> : tensor<1x0xf32>
  %f = cell.constant dense<1.0> : tensor<0x2xf32>
  %5 = cell.matmul %e, %f : (tensor<1x0xf32>, tensor<0x2xf32>) -> tensor<1x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x1x1xf32>, tensor<1x2xf32>
}

// BOOLS:      result 0: tensor<4xi1> [true, false, false, false]
// BOOLS-NEXT: result 1: tensor<4xi1> [true, true, true, false]
// BOOLS-NEXT: result 2: tensor<4xi1> [false, false, true, true]
// BOOLS-NEXT: result 3: tensor<4xi32> [1, 2, 30, 40]
// BOOLS-NEXT: result 4: tensor<4xi1> [false, false, true, false]
func.func @bools() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>) {
  %a = cell.constant dense<[true, true, false, false]> : tensor<4xi1>
  %b = cell.constant dense<[true, false, true, false]> : tensor<4xi1>
  %0 = cell.logical_and %a, %b : tensor<4xi1>
  %1 = cell.logical_or %a, %b : tensor<4xi1>
  %2 = cell.logical_not %a : tensor<4xi1>
  %x = cell.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %y = cell.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %3 = cell.select %a, %x, %y : tensor<4xi32>
  // false is less than true
  %4 = cell.less %a, %b : tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>
}
