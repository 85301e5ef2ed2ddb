// RUN: cell-run %s --entry=to_int | FileCheck %s --check-prefix=INT
// RUN: cell-run %s --entry=to_float | FileCheck %s --check-prefix=FLOAT
// RUN: cell-run %s --entry=to_bool | FileCheck %s --check-prefix=BOOL

// Truncates toward zero, saturates, NaN gives 0.
// INT:      result 0: tensor<8xi8> [1, -1, 127, -128, 127, -128, 0, 0]
// INT-NEXT: result 1: tensor<8xi32> [1, -1, 300, -300, 2147483647, -2147483648, 0, 0]
// INT-NEXT: result 2: tensor<3xi64> [9223372036854775807, -9223372036854775808, 9007199254740993]
// INT-NEXT: result 3: tensor<3xi8> [44, -1, 0]
// INT-NEXT: result 4: tensor<2xi32> [1, 0]
func.func @to_int() -> (tensor<8xi8>, tensor<8xi32>, tensor<3xi64>, tensor<3xi8>, tensor<2xi32>) {
  %x = cell.constant dense<[1.9, -1.9, 300.0, -300.0, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<8xf32>
  %0 = cell.cast %x : tensor<8xf32> to tensor<8xi8>
  %1 = cell.cast %x : tensor<8xf32> to tensor<8xi32>
  %y = cell.constant dense<[9.3e18, -9.3e18, 9.0e15]> : tensor<3xf64>
  %z = cell.cast %y : tensor<3xf64> to tensor<3xi64>
  %c = cell.constant dense<[0, 0, 7199254740993]> : tensor<3xi64>
  %2 = cell.add %z, %c : tensor<3xi64>
  %i = cell.constant dense<[300, -1, 256]> : tensor<3xi32>
  %3 = cell.cast %i : tensor<3xi32> to tensor<3xi8>
  %b = cell.constant dense<[true, false]> : tensor<2xi1>
  %4 = cell.cast %b : tensor<2xi1> to tensor<2xi32>
  return %0, %1, %2, %3, %4 : tensor<8xi8>, tensor<8xi32>, tensor<3xi64>, tensor<3xi8>, tensor<2xi32>
}

// 2^60 + 2^36 + 1 is above the tie of f32 between 2^60 and 2^60 + 2^37; rounding to f64 first would make it one.
// FLOAT:      result 0: tensor<f32> 1.1529216e+18
// FLOAT-NEXT: result 1: tensor<2xf64> [1.0, 0.0]
// FLOAT-NEXT: result 2: tensor<2xf16> [inf, 0.3333]
// FLOAT-NEXT: result 3: tensor<2xf32> [100000.0, 0.33333334]
func.func @to_float() -> (tensor<f32>, tensor<2xf64>, tensor<2xf16>, tensor<2xf32>) {
  %a = cell.constant dense<1152921573326323713> : tensor<i64>
  %0 = cell.cast %a : tensor<i64> to tensor<f32>
  %b = cell.constant dense<[true, false]> : tensor<2xi1>
  %1 = cell.cast %b : tensor<2xi1> to tensor<2xf64>
  %c = cell.constant dense<[1.0e5, 0.3333333333333333]> : tensor<2xf64>
  %2 = cell.cast %c : tensor<2xf64> to tensor<2xf16>
  %3 = cell.cast %c : tensor<2xf64> to tensor<2xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<2xf64>, tensor<2xf16>, tensor<2xf32>
}

// BOOL:      result 0: tensor<4xi1> [true, false, false, true]
// BOOL-NEXT: result 1: tensor<2xi1> [true, false]
func.func @to_bool() -> (tensor<4xi1>, tensor<2xi1>) {
  %x = cell.constant dense<[0.5, 0.0, -0.0, 0x7FC00000]> : tensor<4xf32>
  %0 = cell.cast %x : tensor<4xf32> to tensor<4xi1>
  %n = cell.constant dense<[2, 0]> : tensor<2xi8>
  %1 = cell.cast %n : tensor<2xi8> to tensor<2xi1>
  return %0, %1 : tensor<4xi1>, tensor<2xi1>
}

// The same and more as code, for compiled.test: constants would be folded.
// RUN: cell-run %s --entry=all --seed=1
func.func @all(%d: tensor<16xf64>, %f: tensor<16xf32>, %h: tensor<16xf16>, %l: tensor<16xi64>, %c: tensor<16xi8>, %b: tensor<16xi1>)
    -> (tensor<16xi8>, tensor<16xi16>, tensor<16xi32>, tensor<16xi64>, tensor<16xi1>, tensor<16xf32>, tensor<16xf16>,
        tensor<16xi8>, tensor<16xi32>, tensor<16xi64>, tensor<16xf64>, tensor<16xf16>, tensor<16xi1>,
        tensor<16xi8>, tensor<16xi64>, tensor<16xf32>, tensor<16xf16>, tensor<16xf32>, tensor<16xi8>, tensor<16xi1>,
        tensor<16xf64>, tensor<16xi64>, tensor<16xf16>, tensor<16xi32>, tensor<16xf32>) {
  %0 = cell.cast %d : tensor<16xf64> to tensor<16xi8>
  %1 = cell.cast %d : tensor<16xf64> to tensor<16xi16>
  %2 = cell.cast %d : tensor<16xf64> to tensor<16xi32>
  %3 = cell.cast %d : tensor<16xf64> to tensor<16xi64>
  %4 = cell.cast %d : tensor<16xf64> to tensor<16xi1>
  %5 = cell.cast %d : tensor<16xf64> to tensor<16xf32>
  %6 = cell.cast %d : tensor<16xf64> to tensor<16xf16>
  %7 = cell.cast %f : tensor<16xf32> to tensor<16xi8>
  %8 = cell.cast %f : tensor<16xf32> to tensor<16xi32>
  %9 = cell.cast %f : tensor<16xf32> to tensor<16xi64>
  %10 = cell.cast %f : tensor<16xf32> to tensor<16xf64>
  %11 = cell.cast %f : tensor<16xf32> to tensor<16xf16>
  %12 = cell.cast %f : tensor<16xf32> to tensor<16xi1>
  %13 = cell.cast %h : tensor<16xf16> to tensor<16xi8>
  %14 = cell.cast %h : tensor<16xf16> to tensor<16xi64>
  %15 = cell.cast %h : tensor<16xf16> to tensor<16xf32>
  %16 = cell.cast %l : tensor<16xi64> to tensor<16xf16>
  %17 = cell.cast %l : tensor<16xi64> to tensor<16xf32>
  %18 = cell.cast %l : tensor<16xi64> to tensor<16xi8>
  %19 = cell.cast %l : tensor<16xi64> to tensor<16xi1>
  %20 = cell.cast %c : tensor<16xi8> to tensor<16xf64>
  %21 = cell.cast %c : tensor<16xi8> to tensor<16xi64>
  %22 = cell.cast %b : tensor<16xi1> to tensor<16xf16>
  %23 = cell.cast %b : tensor<16xi1> to tensor<16xi32>
  %24 = cell.cast %b : tensor<16xi1> to tensor<16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24
      : tensor<16xi8>, tensor<16xi16>, tensor<16xi32>, tensor<16xi64>, tensor<16xi1>, tensor<16xf32>, tensor<16xf16>,
        tensor<16xi8>, tensor<16xi32>, tensor<16xi64>, tensor<16xf64>, tensor<16xf16>, tensor<16xi1>,
        tensor<16xi8>, tensor<16xi64>, tensor<16xf32>, tensor<16xf16>, tensor<16xf32>, tensor<16xi8>, tensor<16xi1>,
        tensor<16xf64>, tensor<16xi64>, tensor<16xf16>, tensor<16xi32>, tensor<16xf32>
}
