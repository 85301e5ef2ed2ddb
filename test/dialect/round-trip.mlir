// Every op, printed and read again: as text, in generic form, as bytecode.
// RUN: cell-opt %s | cell-opt | FileCheck %s
// RUN: cell-opt %s --mlir-print-op-generic | cell-opt | FileCheck %s
// RUN: cell-opt %s --emit-bytecode | cell-opt | FileCheck %s

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<2x3xf32>, %n: tensor<4xi8>) {
  // CHECK-NEXT: cell.neg %arg0 : tensor<2x3xf32>
  %0 = cell.neg %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.neg %arg1 : tensor<4xi8>
  %1 = cell.neg %n : tensor<4xi8>
  // CHECK-NEXT: cell.abs %arg1 : tensor<4xi8>
  %2 = cell.abs %n : tensor<4xi8>
  // CHECK-NEXT: cell.sign %arg0 : tensor<2x3xf32>
  %3 = cell.sign %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.square %arg1 : tensor<4xi8>
  %4 = cell.square %n : tensor<4xi8>
  // CHECK-NEXT: cell.sqrt %arg0 : tensor<2x3xf32>
  %5 = cell.sqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.rsqrt %arg0 : tensor<2x3xf32>
  %6 = cell.rsqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.reciprocal %arg0 : tensor<2x3xf32>
  %7 = cell.reciprocal %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.exp %arg0 : tensor<2x3xf32>
  %8 = cell.exp %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.log %arg0 : tensor<2x3xf32>
  %9 = cell.log %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.sigmoid %arg0 : tensor<2x3xf32>
  %10 = cell.sigmoid %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.sin %arg0 : tensor<2x3xf32>
  %11 = cell.sin %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.cos %arg0 : tensor<2x3xf32>
  %12 = cell.cos %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.tan %arg0 : tensor<2x3xf32>
  %13 = cell.tan %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.sinh %arg0 : tensor<2x3xf32>
  %14 = cell.sinh %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.cosh %arg0 : tensor<2x3xf32>
  %15 = cell.cosh %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.tanh %arg0 : tensor<2x3xf32>
  %16 = cell.tanh %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.atanh %arg0 : tensor<2x3xf32>
  %17 = cell.atanh %x : tensor<2x3xf32>
  // CHECK-NEXT: cell.relu %arg1 : tensor<4xi8>
  %18 = cell.relu %n : tensor<4xi8>
  // CHECK-NEXT: cell.is_finite %arg0 : tensor<2x3xf32>
  %19 = cell.is_finite %x : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @binary(
func.func @binary(%x: tensor<2xf64>, %n: tensor<i64>, %b: tensor<0xi1>) {
  // CHECK-NEXT: cell.add %arg1, %arg1 : tensor<i64>
  %0 = cell.add %n, %n : tensor<i64>
  // CHECK-NEXT: cell.sub %arg0, %arg0 : tensor<2xf64>
  %1 = cell.sub %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.mul %arg0, %arg0 : tensor<2xf64>
  %2 = cell.mul %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.div %arg0, %arg0 : tensor<2xf64>
  %3 = cell.div %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.pow %arg0, %arg0 : tensor<2xf64>
  %4 = cell.pow %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.maximum %arg1, %arg1 : tensor<i64>
  %5 = cell.maximum %n, %n : tensor<i64>
  // CHECK-NEXT: cell.minimum %arg0, %arg0 : tensor<2xf64>
  %6 = cell.minimum %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.equal %arg2, %arg2 : tensor<0xi1>
  %7 = cell.equal %b, %b : tensor<0xi1>
  // CHECK-NEXT: cell.not_equal %arg1, %arg1 : tensor<i64>
  %8 = cell.not_equal %n, %n : tensor<i64>
  // CHECK-NEXT: %[[L:.*]] = cell.less %arg0, %arg0 : tensor<2xf64>
  %9 = cell.less %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.less_equal %arg0, %arg0 : tensor<2xf64>
  %10 = cell.less_equal %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.greater %arg0, %arg0 : tensor<2xf64>
  %11 = cell.greater %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.greater_equal %arg0, %arg0 : tensor<2xf64>
  %12 = cell.greater_equal %x, %x : tensor<2xf64>
  // CHECK-NEXT: cell.logical_and %arg2, %arg2 : tensor<0xi1>
  %13 = cell.logical_and %b, %b : tensor<0xi1>
  // CHECK-NEXT: cell.logical_or %arg2, %arg2 : tensor<0xi1>
  %14 = cell.logical_or %b, %b : tensor<0xi1>
  // CHECK-NEXT: cell.logical_not %arg2 : tensor<0xi1>
  %15 = cell.logical_not %b : tensor<0xi1>
  // CHECK-NEXT: cell.select %[[L]], %arg0, %arg0 : tensor<2xf64>
  %16 = cell.select %9, %x, %x : tensor<2xf64>
  return
}

// CHECK-LABEL: func.func @shapes(
func.func @shapes(%x: tensor<2x3xbf16>, %s: tensor<f16>, %e: tensor<0x3xf32>) {
  // CHECK-NEXT: cell.reshape %arg0 : tensor<2x3xbf16> -> tensor<3x1x2xbf16>
  %0 = cell.reshape %x : tensor<2x3xbf16> -> tensor<3x1x2xbf16>
  // CHECK-NEXT: cell.reshape %arg2 : tensor<0x3xf32> -> tensor<7x0xf32>
  %1 = cell.reshape %e : tensor<0x3xf32> -> tensor<7x0xf32>
  // CHECK-NEXT: cell.broadcast %arg0 along [0, 3] : tensor<2x3xbf16> -> tensor<4x2x3x0xbf16>
  %2 = cell.broadcast %x along [0, 3] : tensor<2x3xbf16> -> tensor<4x2x3x0xbf16>
  // CHECK-NEXT: cell.broadcast %arg1 along [] : tensor<f16> -> tensor<f16>
  %3 = cell.broadcast %s along [] : tensor<f16> -> tensor<f16>
  // CHECK-NEXT: cell.transpose %arg0 perm [1, 0] : tensor<2x3xbf16> -> tensor<3x2xbf16>
  %4 = cell.transpose %x perm [1, 0] : tensor<2x3xbf16> -> tensor<3x2xbf16>
  // CHECK-NEXT: cell.slice %arg0 from [0, 1] to [2, 3] by [1, 2] : tensor<2x3xbf16> -> tensor<2x1xbf16>
  %5 = cell.slice %x from [0, 1] to [2, 3] by [1, 2] : tensor<2x3xbf16> -> tensor<2x1xbf16>
  // CHECK-NEXT: cell.slice %arg0 from [1, 0] to [1, 3] by [1, 9223372036854775807] : tensor<2x3xbf16> -> tensor<0x1xbf16>
  %6 = cell.slice %x from [1, 0] to [1, 3] by [1, 9223372036854775807] : tensor<2x3xbf16> -> tensor<0x1xbf16>
  // CHECK-NEXT: cell.pad %arg0 low [0, 1] high [2, 0] interior [1, 0] : tensor<2x3xbf16> -> tensor<5x4xbf16>
  %7 = cell.pad %x low [0, 1] high [2, 0] interior [1, 0] : tensor<2x3xbf16> -> tensor<5x4xbf16>
  // CHECK-NEXT: cell.concat %arg2, %arg2 dim 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %8 = cell.concat %e, %e dim 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  // CHECK-NEXT: cell.slice %arg1 from [] to [] by [] : tensor<f16> -> tensor<f16>
  %9 = cell.slice %s from [] to [] by [] : tensor<f16> -> tensor<f16>
  return
}

// CHECK-LABEL: func.func @numbers(
func.func @numbers(%x: tensor<5x2x3xf32>, %n: tensor<2x0xi16>) {
  // CHECK-NEXT: cell.reduce_sum %arg0 over [0, 2] : tensor<5x2x3xf32> -> tensor<2xf32>
  %0 = cell.reduce_sum %x over [0, 2] : tensor<5x2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: cell.reduce_max %arg1 over [1] : tensor<2x0xi16> -> tensor<2xi16>
  %1 = cell.reduce_max %n over [1] : tensor<2x0xi16> -> tensor<2xi16>
  // CHECK-NEXT: cell.reduce_min %arg0 over [] : tensor<5x2x3xf32> -> tensor<5x2x3xf32>
  %2 = cell.reduce_min %x over [] : tensor<5x2x3xf32> -> tensor<5x2x3xf32>
  // CHECK-NEXT: cell.matmul %arg0, %arg0 {transpose_b = true} : (tensor<5x2x3xf32>, tensor<5x2x3xf32>) -> tensor<5x2x2xf32>
  %3 = cell.matmul %x, %x {transpose_b = true} : (tensor<5x2x3xf32>, tensor<5x2x3xf32>) -> tensor<5x2x2xf32>
  // CHECK-NEXT: cell.matmul %arg0, %arg0 {transpose_a = true} : (tensor<5x2x3xf32>, tensor<5x2x3xf32>) -> tensor<5x3x3xf32>
  %4 = cell.matmul %x, %x {transpose_a = true} : (tensor<5x2x3xf32>, tensor<5x2x3xf32>) -> tensor<5x3x3xf32>
  // CHECK-NEXT: cell.matmul %arg1, %arg1 {transpose_b = true} : (tensor<2x0xi16>, tensor<2x0xi16>) -> tensor<2x2xi16>
  %5 = cell.matmul %n, %n {transpose_b = true} : (tensor<2x0xi16>, tensor<2x0xi16>) -> tensor<2x2xi16>
  return
}

// CHECK-LABEL: func.func @graph(
func.func @graph(%x: tensor<2xf32>) {
  // CHECK-NEXT: cell.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = cell.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-NEXT: cell.constant dense<> : tensor<0xi32>
  %1 = cell.constant dense<> : tensor<0xi32>
  // CHECK-NEXT: cell.constant dense_resource<weights> : tensor<2xf32>
  %2 = cell.constant dense_resource<weights> : tensor<2xf32>
  // CHECK-NEXT: cell.cast %arg0 : tensor<2xf32> to tensor<2xi1>
  %3 = cell.cast %x : tensor<2xf32> to tensor<2xi1>
  // CHECK-NEXT: cell.stop_gradient %arg0 : tensor<2xf32>
  %4 = cell.stop_gradient %x : tensor<2xf32>
  // CHECK-NEXT: cell.print "hello"
  cell.print "hello"
  // CHECK-NEXT: cell.print "{} and {}"(%arg0, %{{.*}} : tensor<2xf32>, tensor<2xi1>)
  cell.print "{} and {}" (%x, %3 : tensor<2xf32>, tensor<2xi1>)
  // CHECK-NEXT: cell.vjp @callee(%arg0) cotangents(%arg0) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<2xf32>)
  %5:3 = cell.vjp @callee(%x) cotangents(%x) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<2xf32>)
  // CHECK-NEXT: cell.jvp @callee(%arg0) tangents() wrt [] of [] : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
  %6:2 = cell.jvp @callee(%x) tangents() wrt [] of [] : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
  return
}

func.func private @callee(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = cell.constant dense<1> : tensor<i32>
  return %x, %0 : tensor<2xf32>, tensor<i32>
}

{-#
  dialect_resources: { builtin: { weights: "0x040000000000803F00000040" } }
#-}
