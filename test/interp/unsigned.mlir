// Unsigned integers: what ops mean, and the same from the signed ones that stand for them. Numbers are numpy's.
// RUN: cell-run %s --entry=ui8 | FileCheck %s --check-prefix=UI8
// RUN: cell-run %s --entry=ui64 | FileCheck %s --check-prefix=UI64
// RUN: cell-run %s --entry=ui8 --passes=cell-lower-unsigned | FileCheck %s --check-prefix=I8
// RUN: cell-run %s --entry=ui64 --passes=cell-lower-unsigned | FileCheck %s --check-prefix=I64

// UI8: result 0: tensor<6xui8> [0, 0, 66, 127, 1, 0]
// UI8-NEXT: result 1: tensor<6xui8> [0, 0, 2, 1, 0, 128]
// UI8-NEXT: result 2: tensor<6xui8> [255, 1, 200, 255, 7, 200]
// UI8-NEXT: result 3: tensor<6xui8> [0, 0, 3, 2, 7, 128]
// UI8-NEXT: result 4: tensor<6xui8> [1, 1, 197, 253, 0, 184]
// UI8-NEXT: result 5: tensor<6xui8> [0, 0, 88, 254, 49, 0]
// UI8-NEXT: result 6: tensor<6xui8> [0, 1, 200, 255, 7, 128]
// UI8-NEXT: result 7: tensor<6xui8> [0, 1, 1, 1, 1, 1]
// UI8-NEXT: result 8: tensor<6xui8> [0, 255, 56, 1, 249, 128]
// UI8-NEXT: result 9: tensor<6xi1> [true, false, false, false, false, true]
// UI8-NEXT: result 10: tensor<ui8> 255
// UI8-NEXT: result 11: tensor<ui8> 0
// UI8-NEXT: result 12: tensor<6xi32> [0, 1, 4, 5, 2, 3]
// UI8-NEXT: result 13: tensor<i32> 3
// UI8-NEXT: result 14: tensor<6xui8> [255, 255, 255, 255, 255, 255]
// UI8-NEXT: result 15: tensor<6xf32> [0.0, 1.0, 200.0, 255.0, 7.0, 128.0]
// UI8-NEXT: result 16: tensor<6xi16> [0, 1, 200, 255, 7, 128]
// UI8-NEXT: result 17: tensor<6xui8> [0, 0, 255, 192, 0, 3]

// I8: result 0: tensor<6xi8> [0, 0, 66, 127, 1, 0]
// I8-NEXT: result 1: tensor<6xi8> [0, 0, 2, 1, 0, -128]
// I8-NEXT: result 2: tensor<6xi8> [-1, 1, -56, -1, 7, -56]
// I8-NEXT: result 3: tensor<6xi8> [0, 0, 3, 2, 7, -128]
// I8-NEXT: result 4: tensor<6xi8> [1, 1, -59, -3, 0, -72]
// I8-NEXT: result 5: tensor<6xi8> [0, 0, 88, -2, 49, 0]
// I8-NEXT: result 6: tensor<6xi8> [0, 1, -56, -1, 7, -128]
// I8-NEXT: result 7: tensor<6xi8> [0, 1, 1, 1, 1, 1]
// I8-NEXT: result 8: tensor<6xi8> [0, -1, 56, 1, -7, -128]
// I8-NEXT: result 9: tensor<6xi1> [true, false, false, false, false, true]
// I8-NEXT: result 10: tensor<i8> -1
// I8-NEXT: result 11: tensor<i8> 0
// I8-NEXT: result 12: tensor<6xi32> [0, 1, 4, 5, 2, 3]
// I8-NEXT: result 13: tensor<i32> 3
// I8-NEXT: result 14: tensor<6xi8> [-1, -1, -1, -1, -1, -1]
// I8-NEXT: result 15: tensor<6xf32> [0.0, 1.0, 200.0, 255.0, 7.0, 128.0]
// I8-NEXT: result 16: tensor<6xi16> [0, 1, 200, 255, 7, 128]
// I8-NEXT: result 17: tensor<6xi8> [0, 0, -1, -64, 0, 3]

// UI64: result 0: tensor<6xui64> [0, 0, 3074457345618258604, 9223372036854775807, 1, 0]
// UI64-NEXT: result 1: tensor<6xui64> [0, 0, 1, 1, 0, 9223372036854775808]
// UI64-NEXT: result 2: tensor<6xui64> [18446744073709551615, 1, 9223372036854775813, 18446744073709551615, 7, 18446744073709551613]
// UI64-NEXT: result 3: tensor<6xui64> [0, 0, 3, 2, 7, 9223372036854775808]
// UI64-NEXT: result 4: tensor<6xui64> [1, 1, 9223372036854775810, 18446744073709551613, 0, 9223372036854775811]
// UI64-NEXT: result 5: tensor<6xui64> [0, 0, 9223372036854775823, 18446744073709551614, 49, 9223372036854775808]
// UI64-NEXT: result 6: tensor<6xui64> [0, 1, 9223372036854775813, 18446744073709551615, 7, 9223372036854775808]
// UI64-NEXT: result 7: tensor<6xui64> [0, 1, 1, 1, 1, 1]
// UI64-NEXT: result 8: tensor<6xui64> [0, 18446744073709551615, 9223372036854775803, 1, 18446744073709551609, 9223372036854775808]
// UI64-NEXT: result 9: tensor<6xi1> [true, false, false, false, false, true]
// UI64-NEXT: result 10: tensor<ui64> 18446744073709551615
// UI64-NEXT: result 11: tensor<ui64> 0
// UI64-NEXT: result 12: tensor<6xi32> [0, 1, 4, 5, 2, 3]
// UI64-NEXT: result 13: tensor<i32> 3
// UI64-NEXT: result 14: tensor<6xui64> [18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]
// UI64-NEXT: result 15: tensor<6xf32> [0.0, 1.0, 9.223372e+18, 1.8446744e+19, 7.0, 9.223372e+18]
// UI64-NEXT: result 16: tensor<6xi32> [0, 1, 5, -1, 7, 0]
// UI64-NEXT: result 17: tensor<6xui64> [0, 0, 18446744073709551615, 13835058055282163712, 0, 3]

// I64: result 0: tensor<6xi64> [0, 0, 3074457345618258604, 9223372036854775807, 1, 0]
// I64-NEXT: result 1: tensor<6xi64> [0, 0, 1, 1, 0, -9223372036854775808]
// I64-NEXT: result 2: tensor<6xi64> [-1, 1, -9223372036854775803, -1, 7, -3]
// I64-NEXT: result 3: tensor<6xi64> [0, 0, 3, 2, 7, -9223372036854775808]
// I64-NEXT: result 4: tensor<6xi64> [1, 1, -9223372036854775806, -3, 0, -9223372036854775805]
// I64-NEXT: result 5: tensor<6xi64> [0, 0, -9223372036854775793, -2, 49, -9223372036854775808]
// I64-NEXT: result 6: tensor<6xi64> [0, 1, -9223372036854775803, -1, 7, -9223372036854775808]
// I64-NEXT: result 7: tensor<6xi64> [0, 1, 1, 1, 1, 1]
// I64-NEXT: result 8: tensor<6xi64> [0, -1, 9223372036854775803, 1, -7, -9223372036854775808]
// I64-NEXT: result 9: tensor<6xi1> [true, false, false, false, false, true]
// I64-NEXT: result 10: tensor<i64> -1
// I64-NEXT: result 11: tensor<i64> 0
// I64-NEXT: result 12: tensor<6xi32> [0, 1, 4, 5, 2, 3]
// I64-NEXT: result 13: tensor<i32> 3
// I64-NEXT: result 14: tensor<6xi64> [-1, -1, -1, -1, -1, -1]
// I64-NEXT: result 15: tensor<6xf32> [0.0, 1.0, 9.223372e+18, 1.8446744e+19, 7.0, 9.223372e+18]
// I64-NEXT: result 16: tensor<6xi32> [0, 1, 5, -1, 7, 0]
// I64-NEXT: result 17: tensor<6xi64> [0, 0, -1, -4611686018427387904, 0, 3]

func.func @ui8() -> (tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>,
    tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xi1>,
    tensor<ui8>, tensor<ui8>, tensor<6xi32>, tensor<i32>, tensor<6xui8>,
    tensor<6xf32>, tensor<6xi16>, tensor<6xui8>) {
  %a = cell.constant dense<[0, 1, 200, 255, 7, 128]> : tensor<6xui8>
  %b = cell.constant dense<[255, 0, 3, 2, 7, 200]> : tensor<6xui8>
  %floor_div = cell.floor_div %a, %b : tensor<6xui8>
  %floor_mod = cell.floor_mod %a, %b : tensor<6xui8>
  %maximum = cell.maximum %a, %b : tensor<6xui8>
  %minimum = cell.minimum %a, %b : tensor<6xui8>
  %sub = cell.sub %a, %b : tensor<6xui8>
  %mul = cell.mul %a, %b : tensor<6xui8>
  %abs = cell.abs %a : tensor<6xui8>
  %sign = cell.sign %a : tensor<6xui8>
  %neg = cell.neg %a : tensor<6xui8>
  %less = cell.less %a, %b : tensor<6xui8>
  %most = cell.reduce_max %a over [0] : tensor<6xui8> -> tensor<ui8>
  %least = cell.reduce_min %b over [0] : tensor<6xui8> -> tensor<ui8>
  %order = cell.argsort %a along 0 : tensor<6xui8> -> tensor<6xi32>
  %first = cell.argmax %a over [0] : tensor<6xui8> -> tensor<i32>
  %run, %at = cell.cummax %b along 0 : tensor<6xui8>
  %f32 = cell.cast %a : tensor<6xui8> to tensor<6xf32>
  %width = cell.cast %a : tensor<6xui8> to tensor<6xi16>
  %f = cell.constant dense<[-1.0, 0.5, 256.0, 192.0, 0x7FF8000000000000, 3.9]> : tensor<6xf64>
  %whole = cell.cast %f : tensor<6xf64> to tensor<6xui8>
  return %floor_div, %floor_mod, %maximum, %minimum, %sub, %mul, %abs, %sign, %neg, %less, %most, %least, %order, %first, %run, %f32, %width, %whole : tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>,
    tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xi1>,
    tensor<ui8>, tensor<ui8>, tensor<6xi32>, tensor<i32>, tensor<6xui8>,
    tensor<6xf32>, tensor<6xi16>, tensor<6xui8>
}
func.func @ui64() -> (tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xui64>,
    tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xi1>,
    tensor<ui64>, tensor<ui64>, tensor<6xi32>, tensor<i32>, tensor<6xui64>,
    tensor<6xf32>, tensor<6xi32>, tensor<6xui64>) {
  %a = cell.constant dense<[0, 1, 9223372036854775813, 18446744073709551615, 7, 9223372036854775808]> : tensor<6xui64>
  %b = cell.constant dense<[18446744073709551615, 0, 3, 2, 7, 18446744073709551613]> : tensor<6xui64>
  %floor_div = cell.floor_div %a, %b : tensor<6xui64>
  %floor_mod = cell.floor_mod %a, %b : tensor<6xui64>
  %maximum = cell.maximum %a, %b : tensor<6xui64>
  %minimum = cell.minimum %a, %b : tensor<6xui64>
  %sub = cell.sub %a, %b : tensor<6xui64>
  %mul = cell.mul %a, %b : tensor<6xui64>
  %abs = cell.abs %a : tensor<6xui64>
  %sign = cell.sign %a : tensor<6xui64>
  %neg = cell.neg %a : tensor<6xui64>
  %less = cell.less %a, %b : tensor<6xui64>
  %most = cell.reduce_max %a over [0] : tensor<6xui64> -> tensor<ui64>
  %least = cell.reduce_min %b over [0] : tensor<6xui64> -> tensor<ui64>
  %order = cell.argsort %a along 0 : tensor<6xui64> -> tensor<6xi32>
  %first = cell.argmax %a over [0] : tensor<6xui64> -> tensor<i32>
  %run, %at = cell.cummax %b along 0 : tensor<6xui64>
  %f32 = cell.cast %a : tensor<6xui64> to tensor<6xf32>
  %width = cell.cast %a : tensor<6xui64> to tensor<6xi32>
  %f = cell.constant dense<[-1.0, 0.5, 1.8446744073709552e+19, 1.3835058055282164e+19, 0x7FF8000000000000, 3.9]> : tensor<6xf64>
  %whole = cell.cast %f : tensor<6xf64> to tensor<6xui64>
  return %floor_div, %floor_mod, %maximum, %minimum, %sub, %mul, %abs, %sign, %neg, %less, %most, %least, %order, %first, %run, %f32, %width, %whole : tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xui64>,
    tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xui64>, tensor<6xi1>,
    tensor<ui64>, tensor<ui64>, tensor<6xi32>, tensor<i32>, tensor<6xui64>,
    tensor<6xf32>, tensor<6xi32>, tensor<6xui64>
}
