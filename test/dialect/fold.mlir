// Constants are evaluated where they are splats or at most 64 elements.
// RUN: cell-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @arithmetic(
// CHECK-NEXT: cell.constant dense<[4.000000e+00, 0x7F800000]> : tensor<2xf32>
// CHECK-NEXT: return
func.func @arithmetic() -> tensor<2xf32> {
  %a = cell.constant dense<[1.0, 3.0e38]> : tensor<2xf32>
  %b = cell.constant dense<[3.0, 3.0e38]> : tensor<2xf32>
  %0 = cell.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A splat beside values; the result rounds to its own type.
// CHECK-LABEL: func.func @mixed(
// CHECK-NEXT: cell.constant dense<[2.048000e+03, 2.052000e+03]> : tensor<2xf16>
// CHECK-NEXT: return
func.func @mixed() -> tensor<2xf16> {
  %a = cell.constant dense<[2047.0, 2050.0]> : tensor<2xf16>
  %b = cell.constant dense<1.0> : tensor<2xf16>
  %0 = cell.add %a, %b : tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: cell.constant dense<[-128, 5]> : tensor<2xi8>
// CHECK-NEXT: return
func.func @integers() -> tensor<2xi8> {
  %a = cell.constant dense<[127, 4]> : tensor<2xi8>
  %b = cell.constant dense<1> : tensor<2xi8>
  %0 = cell.add %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: func.func @predicates(
// CHECK-DAG: %[[A:.*]] = cell.constant dense<[true, false, false]> : tensor<3xi1>
// CHECK-DAG: %[[B:.*]] = cell.constant dense<[true, true, false]> : tensor<3xi1>
// CHECK-DAG: %[[C:.*]] = cell.constant dense<true> : tensor<2xi1>
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @predicates() -> (tensor<3xi1>, tensor<3xi1>, tensor<2xi1>) {
  %a = cell.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  %b = cell.constant dense<[1.5, 2.0, 1.0]> : tensor<3xf32>
  %0 = cell.less %a, %b : tensor<3xf32>
  %1 = cell.is_finite %a : tensor<3xf32>
  %f = cell.constant dense<false> : tensor<2xi1>
  %t = cell.constant dense<true> : tensor<2xi1>
  // false is less than true
  %2 = cell.less %f, %t : tensor<2xi1>
  return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<2xi1>
}

// A splat stays one, however large.
// CHECK-LABEL: func.func @splat(
// CHECK-NEXT: cell.constant dense<3.000000e+00> : tensor<1000x1000xf32>
// CHECK-NEXT: return
func.func @splat() -> tensor<1000x1000xf32> {
  %a = cell.constant dense<9.0> : tensor<1000x1000xf32>
  %0 = cell.sqrt %a : tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// Splats move through shapes; pad only where it pads a positive zero with zeros.
// CHECK-LABEL: func.func @moved_splats(
// CHECK-DAG: %[[A:.*]] = cell.constant dense<2.000000e+00> : tensor<6xf32>
// CHECK-DAG: %[[B:.*]] = cell.constant dense<2.000000e+00> : tensor<4x2x3xf32>
// CHECK-DAG: %[[C:.*]] = cell.constant dense<2.000000e+00> : tensor<3x2xf32>
// CHECK-DAG: %[[D:.*]] = cell.constant dense<2.000000e+00> : tensor<1x3xf32>
// CHECK-DAG: %[[E:.*]] = cell.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK-DAG: %[[F:.*]] = cell.pad {{.*}} tensor<2x3xf32> -> tensor<3x3xf32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
func.func @moved_splats() -> (tensor<6xf32>, tensor<4x2x3xf32>, tensor<3x2xf32>, tensor<1x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
  %s = cell.constant dense<2.0> : tensor<2x3xf32>
  %z = cell.constant dense<0.0> : tensor<2x3xf32>
  %m = cell.constant dense<-0.0> : tensor<2x3xf32>
  %0 = cell.reshape %s : tensor<2x3xf32> -> tensor<6xf32>
  %1 = cell.broadcast %s along [0] : tensor<2x3xf32> -> tensor<4x2x3xf32>
  %2 = cell.transpose %s perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %3 = cell.slice %s from [0, 0] to [1, 3] by [1, 1] : tensor<2x3xf32> -> tensor<1x3xf32>
  %4 = cell.pad %z low [1, 0] high [1, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<4x3xf32>
  %5 = cell.pad %m low [1, 0] high [0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<3x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6xf32>, tensor<4x2x3xf32>, tensor<3x2xf32>, tensor<1x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: func.func @reshaped_values(
// CHECK-NEXT: cell.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
func.func @reshaped_values() -> tensor<1x2xf32> {
  %a = cell.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = cell.reshape %a : tensor<2xf32> -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// Casts of splats into floating point; into integers they saturate when the program runs.
// CHECK-LABEL: func.func @casts(
// CHECK-DAG: cell.constant dense<0x7C00> : tensor<2xf16>
// CHECK-DAG: cell.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-DAG: cell.constant dense<-1.000000e+00> : tensor<2xf64>
// CHECK-DAG: cell.cast {{.*}} to tensor<2xi8>
func.func @casts() -> (tensor<2xf16>, tensor<2xf32>, tensor<2xf64>, tensor<2xi8>) {
  %a = cell.constant dense<1.0e5> : tensor<2xf32>
  %b = cell.constant dense<true> : tensor<2xi1>
  %c = cell.constant dense<-1> : tensor<2xi8>
  %0 = cell.cast %a : tensor<2xf32> to tensor<2xf16>
  %1 = cell.cast %b : tensor<2xi1> to tensor<2xf32>
  %2 = cell.cast %c : tensor<2xi8> to tensor<2xf64>
  %3 = cell.cast %a : tensor<2xf32> to tensor<2xi8>
  return %0, %1, %2, %3 : tensor<2xf16>, tensor<2xf32>, tensor<2xf64>, tensor<2xi8>
}

// Large values that differ stay code; empty tensors and resources are left alone or stay empty.
// CHECK-LABEL: func.func @left(
// CHECK: cell.exp {{.*}} : tensor<65xf32>
// CHECK: cell.neg {{.*}} : tensor<2xf32>
func.func @left() -> (tensor<65xf32>, tensor<2xf32>, tensor<0xf32>) {
  %a = cell.constant dense<"0x0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F00000040"> : tensor<65xf32>
  %0 = cell.exp %a : tensor<65xf32>
  %r = cell.constant dense_resource<weights> : tensor<2xf32>
  %1 = cell.neg %r : tensor<2xf32>
  %e = cell.constant dense<1.0> : tensor<0xf32>
  %2 = cell.add %e, %e : tensor<0xf32>
  return %0, %1, %2 : tensor<65xf32>, tensor<2xf32>, tensor<0xf32>
}

{-#
  dialect_resources: { builtin: { weights: "0x040000000000803F00000040" } }
#-}
