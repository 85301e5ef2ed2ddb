// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// The payload of the record, on identical maps.
// CHECK-LABEL: func.func @unary
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%arg0 : tensor<2x3xf32>)
// CHECK:           %[[Y:.*]] = math.tanh %{{.*}} : f32
// CHECK:           linalg.yield %[[Y]]
func.func @unary(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = cell.tanh %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Integers have a payload of their own.
// CHECK-LABEL: func.func @integers
// CHECK:         arith.muli
// CHECK-NOT:     arith.mulf
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = cell.square %x : tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// NaN is neither above nor below: sign keeps it, and the sign of zero.
// CHECK-LABEL: func.func @sign
// CHECK:         %[[NONZERO:.*]] = arith.cmpf one, %[[X:.*]], %{{.*}} : f32
// CHECK:         %[[ONE:.*]] = math.copysign %{{.*}}, %[[X]] : f32
// CHECK:         arith.select %[[NONZERO]], %[[ONE]], %[[X]] : f32
func.func @sign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = cell.sign %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @select
// CHECK-DAG:     arith.cmpf olt
// CHECK-DAG:     arith.xori %{{.*}}, %{{.*}} : i1
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @select(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = cell.less %x, %y : tensor<4xf32>
  %n = cell.logical_not %c : tensor<4xi1>
  %s = cell.select %n, %x, %y : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// A splat takes no data.
// CHECK-LABEL: func.func @splat
// CHECK:         %[[V:.*]] = arith.constant 3.000000e+00 : f32
// CHECK:         linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<1000xf32>)
func.func @splat() -> tensor<1000xf32> {
  %c = cell.constant dense<3.0> : tensor<1000xf32>
  return %c : tensor<1000xf32>
}

// -----

// CHECK-LABEL: func.func @constants_and_identity
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    return %[[C]], %arg0
func.func @constants_and_identity(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = cell.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = cell.stop_gradient %x : tensor<2xf32>
  return %c, %s : tensor<2xf32>, tensor<2xf32>
}

// -----

// Printing stays until there are buffers.
// CHECK-LABEL: func.func @print
// CHECK-NEXT:    cell.print "x {}"(%arg0 : tensor<2xf32>)
func.func @print(%x: tensor<2xf32>) {
  cell.print "x {}" (%x : tensor<2xf32>)
  return
}
