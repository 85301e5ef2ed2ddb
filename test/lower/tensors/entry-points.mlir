// RUN: cell-opt %s --cell-convert-entry-points | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<4xf32>, %[[X:[a-z0-9]+]]: memref<2x4xui8>, %[[OUT:[a-z0-9]+]]: memref<2x4xui8> {llvm.noalias}
// CHECK-SAME:    cell.signature = {args = [
// CHECK-SAME:      {donate = 1 : i64, dtype = "float32", name = "fc.weight", role = "parameter", shape = array<i64: 4>}
// CHECK-SAME:      {dtype = "uint8", name = "arg1", role = "input", shape = array<i64: 2, 4>}
// CHECK-SAME:    results = [
// CHECK-SAME:      {dtype = "uint8", name = "image", shape = array<i64: 2, 4>}
// CHECK-SAME:      {donated_arg = 0 : i64, dtype = "float32", name = "out1", shape = array<i64: 4>}
// CHECK-DAG:     %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict writable
// CHECK-DAG:     %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict :
// CHECK:         bufferization.materialize_in_destination %[[XT]] in restrict writable %[[OUT]]
// CHECK:         bufferization.materialize_in_destination %[[WT]] in restrict writable %[[W]]
// CHECK:         return{{$}}
func.func @step(%w: tensor<4xf32> {cell.name = "fc.weight", cell.role = "parameter", cell.donate = 1 : i64},
                %x: tensor<2x4xui8>) -> (tensor<2x4xui8> {cell.name = "image"}, tensor<4xf32>) {
  return %x, %w : tensor<2x4xui8>, tensor<4xf32>
}

// Scalars and booleans are tensors of rank 0.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    memref<i1>, %{{.*}}: memref<i1> {llvm.noalias}
// CHECK-SAME:    dtype = "bool"
func.func @scalar(%x: tensor<i1>) -> tensor<i1> {
  return %x : tensor<i1>
}
