// Random numbers for samples: each tile is told the number of its first sample, and draws its part of the stream.
// Shared ones are drawn once.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-run %s --entry=drawn --passes='cell-specialize-batch{size=3}' --arg='dense<[1, -7]> : tensor<2xi32>' --arg='dense<0> : tensor<3x2xi32>' | FileCheck %s --check-prefix=THREE
// THREE: result 0: tensor<3x2xi32> {{\[\[}}-1113379620, -1228657762], [-382294241, 1985247174], [155480040, 1581786415]]
// THREE: result 1: tensor<i32> -1113379620

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @drawn(
  // CHECK:         scf.for
  // CHECK:           %[[AT:.*]] = arith.minsi
  // CHECK:           %[[NUMBER:.*]] = arith.index_cast %[[AT]] : index to i64
  // CHECK:           %[[FIRST:.*]] = tensor.from_elements %[[NUMBER]] : tensor<i64>
  // CHECK:           call @drawn_phase_0_of_2(%{{.*}}, %[[FIRST]])
  // CHECK:         cell.random_bits %{{.*}} : tensor<2xi32> -> tensor<i32>
  // CHECK-NEXT:    return
  func.func @drawn(%key: tensor<2xi32>, %x: tensor<65521x2xi32>) -> (tensor<65521x2xi32>, tensor<i32>) {
    %0 = cell.random_bits %key : tensor<2xi32> -> tensor<65521x2xi32>
    %1 = cell.add %0, %x : tensor<65521x2xi32>
    %2 = cell.random_bits %key : tensor<2xi32> -> tensor<i32>
    return %1, %2 : tensor<65521x2xi32>, tensor<i32>
  }
  // A phase that reads nothing: its tiles are told their first sample alone, once for all that draw.
  // CHECK-LABEL: func @alone(
  // CHECK:         call @alone_phase_0_of_2(%{{[a-z0-9_]+}}) : (tensor<i64>) -> tensor<2xi32>
  func.func @alone(%x: tensor<65521x2xi32>) -> (tensor<2xi32>, tensor<65521x2xi32>) {
    %key = cell.constant dense<[3, 4]> : tensor<2xi32>
    %other = cell.constant dense<[5, 6]> : tensor<2xi32>
    %0 = cell.random_bits %key : tensor<2xi32> -> tensor<65521x2xi32>
    %1 = cell.random_bits %other : tensor<2xi32> -> tensor<65521x2xi32>
    %2 = cell.add %0, %1 : tensor<65521x2xi32>
    %3 = cell.reduce_sum %2 over [0] : tensor<65521x2xi32> -> tensor<2xi32>
    %4 = cell.broadcast %3 along [0] : tensor<2xi32> -> tensor<65521x2xi32>
    %5 = cell.add %4, %x : tensor<65521x2xi32>
    return %3, %5 : tensor<2xi32>, tensor<65521x2xi32>
  }
  // CHECK-LABEL: func private @drawn_phase_0_of_2(
  // CHECK-SAME:    %[[SAMPLE:[a-z0-9]+]]: tensor<i64> {cell.first_sample})
  // CHECK:         %[[ROW:.*]] = tensor.extract %[[SAMPLE]][]
  // CHECK:         %[[COUNTER:.*]] = arith.muli %[[ROW]], %c2
  // CHECK-DAG:     %[[LOW:.*]] = arith.trunci %[[COUNTER]] : i64 to i32
  // CHECK-DAG:     %[[UPPER:.*]] = arith.shrui %[[COUNTER]], %c32
  // CHECK:         %[[HIGH:.*]] = arith.trunci %[[UPPER]] : i64 to i32
  // CHECK:         %[[WORDS:.*]] = tensor.from_elements %[[LOW]], %[[HIGH]] : tensor<2xi32>
  // CHECK:         %[[KEY:.*]] = cell.concat %{{.*}}, %[[WORDS]]
  // CHECK:         cell.random_bits %[[KEY]] : tensor<4xi32> -> tensor<2x2xi32>
  // CHECK-LABEL: func private @alone_phase_0_of_2(
  // CHECK-SAME:    %[[SAMPLE:[a-z0-9]+]]: tensor<i64> {cell.first_sample}) -> tensor<2xi32>
  // CHECK:         tensor.extract %[[SAMPLE]][]
  // CHECK:         cell.random_bits
  // CHECK:         tensor.extract %[[SAMPLE]][]
  // CHECK:         cell.random_bits
}
