// Integers wrap in two's complement; expected as Python computes modulo 256.
// RUN: cell-run %s --entry=arithmetic | FileCheck %s

// CHECK:      result 0: tensor<5xi8> [-128, 127, 2, 93, 9]
// CHECK-NEXT: result 1: tensor<5xi8> [126, -127, 8, -107, -9]
// CHECK-NEXT: result 2: tensor<5xi8> [127, -128, -15, 68, 0]
// CHECK-NEXT: result 3: tensor<5xi8> [127, -1, 5, 100, 9]
// CHECK-NEXT: result 4: tensor<5xi8> [1, -128, -3, -7, 0]
// CHECK-NEXT: result 5: tensor<5xi8> [-127, -128, -5, 7, 0]
// CHECK-NEXT: result 6: tensor<5xi8> [127, -128, 5, 7, 0]
// CHECK-NEXT: result 7: tensor<5xi8> [1, 0, 25, 49, 0]
// CHECK-NEXT: result 8: tensor<5xi8> [127, 0, 5, 0, 0]
// CHECK-NEXT: result 9: tensor<2x2xi8> {{\[\[-5, -62\], \[-26, -81\]\]}}
// CHECK-NEXT: result 10: tensor<i8> -3
// CHECK-NEXT: result 11: tensor<i8> 127
// CHECK-NEXT: result 12: tensor<i8> -128
func.func @arithmetic(%a: tensor<5xi8> {cell.example = dense<[127, -128, 5, -7, 0]> : tensor<5xi8>},
                      %b: tensor<5xi8> {cell.example = dense<[1, -1, -3, 100, 9]> : tensor<5xi8>},
                      %m: tensor<2x2xi8> {cell.example = dense<[[100, 3], [-7, 50]]> : tensor<2x2xi8>})
    -> (tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<2x2xi8>, tensor<i8>, tensor<i8>, tensor<i8>) {
  %0 = cell.add %a, %b : tensor<5xi8>
  %1 = cell.sub %a, %b : tensor<5xi8>
  %2 = cell.mul %a, %b : tensor<5xi8>
  %3 = cell.maximum %a, %b : tensor<5xi8>
  %4 = cell.minimum %a, %b : tensor<5xi8>
  %5 = cell.neg %a : tensor<5xi8>
  %6 = cell.abs %a : tensor<5xi8>
  %7 = cell.square %a : tensor<5xi8>
  %8 = cell.relu %a : tensor<5xi8>
  %9 = cell.matmul %m, %m : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>
  %10 = cell.reduce_sum %a over [0] : tensor<5xi8> -> tensor<i8>
  %11 = cell.reduce_max %a over [0] : tensor<5xi8> -> tensor<i8>
  %12 = cell.reduce_min %a over [0] : tensor<5xi8> -> tensor<i8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<2x2xi8>, tensor<i8>, tensor<i8>, tensor<i8>
}
