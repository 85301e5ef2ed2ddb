// How results are printed: shortest digits that read back, special values spelled exactly.
// RUN: cell-run %s --entry=floats | FileCheck %s --check-prefix=FLOATS
// RUN: cell-run %s --entry=floats --digits=3 | FileCheck %s --check-prefix=DIGITS
// RUN: cell-run %s --entry=others | FileCheck %s --check-prefix=OTHERS
// RUN: cell-run %s --entry=shapes | FileCheck %s --check-prefix=SHAPES

// FLOATS:      result 0: tensor<7xf32> [0.1, 1.0, -0.0, 1e+20, inf, -inf, nan]
// FLOATS-NEXT: result 1: tensor<2xf64> [0.1, 0.30000000000000004]
// FLOATS-NEXT: result 2: tensor<3xf16> [0.1, 65504.0, 6e-08]
// FLOATS-NEXT: result 3: tensor<2xbf16> [0.1, 3.39e+38]
// DIGITS:      result 0: tensor<7xf32> [0.1, 1.0, -0.0, 1e+20, inf, -inf, nan]
// DIGITS-NEXT: result 1: tensor<2xf64> [0.1, 0.3]
func.func @floats() -> (tensor<7xf32>, tensor<2xf64>, tensor<3xf16>, tensor<2xbf16>) {
  %0 = cell.constant dense<[0.1, 1.0, -0.0, 1.0e20, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %1 = cell.constant dense<[0.1, 0.30000000000000004]> : tensor<2xf64>
  %2 = cell.constant dense<[0.1, 65504.0, 5.96e-8]> : tensor<3xf16>
  %3 = cell.constant dense<[0.1, 3.3895e38]> : tensor<2xbf16>
  return %0, %1, %2, %3 : tensor<7xf32>, tensor<2xf64>, tensor<3xf16>, tensor<2xbf16>
}

// OTHERS:      result 0: tensor<2xi1> [true, false]
// OTHERS-NEXT: result 1: tensor<2xi8> [-128, 127]
// OTHERS-NEXT: result 2: tensor<i64> -9223372036854775808
func.func @others() -> (tensor<2xi1>, tensor<2xi8>, tensor<i64>) {
  %0 = cell.constant dense<[true, false]> : tensor<2xi1>
  %1 = cell.constant dense<[-128, 127]> : tensor<2xi8>
  %2 = cell.constant dense<-9223372036854775808> : tensor<i64>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi8>, tensor<i64>
}

// SHAPES:      result 0: tensor<2x2x1xi32> {{\[\[\[1\], \[2\]\], \[\[3\], \[4\]\]\]}}
// SHAPES-NEXT: result 1: tensor<0xf32> []
// SHAPES-NEXT: result 2: tensor<2x0xf32> {{\[\[\], \[\]\]}}
// SHAPES-NEXT: result 3: tensor<3xf32> [1.0, 2.0, 3.0]
func.func @shapes() -> (tensor<2x2x1xi32>, tensor<0xf32>, tensor<2x0xf32>, tensor<3xf32>) {
  %0 = cell.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi32>
  %1 = cell.constant dense<> : tensor<0xf32>
  %2 = cell.constant dense<1.0> : tensor<2x0xf32>
  %3 = cell.constant dense_resource<weights> : tensor<3xf32>
  return %0, %1, %2, %3 : tensor<2x2x1xi32>, tensor<0xf32>, tensor<2x0xf32>, tensor<3xf32>
}

{-#
  dialect_resources: { builtin: { weights: "0x040000000000803F0000004000004040" } }
#-}
