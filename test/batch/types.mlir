// In which type parts are put together: sums of short floats in float32, as 256 tiles of bfloat16 would stand still; all
// others in their own.
// RUN: cell-opt %s --cell-tile-batch=tiles=4,1 | FileCheck %s

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL:   func @short(
  // CHECK:         %[[ZERO:.*]] = cell.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK:         %[[FOURS:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]])
  // CHECK:           %[[PART:.*]] = func.call @short_phase_0_of_4
  // CHECK:           %[[WIDE:.*]] = cell.cast %[[PART]] : tensor<2xbf16> to tensor<2xf32>
  // CHECK:           cell.add %[[SUM]], %[[WIDE]] : tensor<2xf32>
  // CHECK:         %[[ALL:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FOURS]])
  // CHECK:         %[[RESULT:.*]] = cell.cast %[[ALL]] : tensor<2xf32> to tensor<2xbf16>
  // CHECK:         return %[[RESULT]]
  func.func @short(%x: tensor<65521x2xbf16>) -> tensor<2xbf16> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521x2xbf16> -> tensor<2xbf16>
    return %0 : tensor<2xbf16>
  }
  // CHECK-LABEL:   func @long(
  // CHECK:         cell.constant dense<0.000000e+00> : tensor<2xf64>
  // CHECK:         %[[PART:.*]] = func.call @long_phase_0_of_4
  // CHECK:         cell.add %{{.*}}, %[[PART]] : tensor<2xf64>
  // CHECK-NOT:     cell.cast
  func.func @long(%x: tensor<65521x2xf64>) -> tensor<2xf64> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521x2xf64> -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  // CHECK-LABEL:   func @count(
  // CHECK:         cell.constant dense<0> : tensor<2xi32>
  // CHECK:         %[[PART:.*]] = func.call @count_phase_0_of_4
  // CHECK:         cell.add %{{.*}}, %[[PART]] : tensor<2xi32>
  // CHECK-NOT:     cell.cast
  func.func @count(%x: tensor<65521x2xi32>) -> tensor<2xi32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521x2xi32> -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  // CHECK-LABEL:   func @largest(
  // CHECK:         cell.constant dense<0xFF80> : tensor<2xbf16>
  // CHECK:         %[[PART:.*]] = func.call @largest_phase_0_of_4
  // CHECK:         cell.maximum %{{.*}}, %[[PART]] : tensor<2xbf16>
  // CHECK-NOT:     cell.cast
  // CHECK:         func private
  func.func @largest(%x: tensor<65521x2xbf16>) -> tensor<2xbf16> {
    %0 = cell.reduce_max %x over [0] : tensor<65521x2xbf16> -> tensor<2xbf16>
    return %0 : tensor<2xbf16>
  }
}
