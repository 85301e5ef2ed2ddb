// What a loop over tiles inserts is computed in its place; in other loops it stays as it is.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-place-tiles))" | FileCheck %s

#map = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @tiles(
// CHECK:         scf.for %{{.*}} iter_args(%[[INTO:.*]] = %{{.*}})
// CHECK:           %[[AT:.*]] = arith.muli
// CHECK:           %[[PLACE:.*]] = tensor.extract_slice %[[INTO]][%[[AT]], 0] [4, 2] [1, 1]
// CHECK:           %[[Y:.*]] = linalg.generic {{.*}} outs(%[[PLACE]] : tensor<4x2xf32>)
// CHECK:           tensor.insert_slice %[[Y]] into %[[INTO]][%[[AT]], 0]
func.func @tiles(%n: index, %x: tensor<4x2xf32>, %out: memref<64x2xf32>) attributes {cell.batch_tiles} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %all = bufferization.to_tensor %out restrict writable : memref<64x2xf32> to tensor<64x2xf32>
  %0 = scf.for %t = %c0 to %n step %c1 iter_args(%into = %all) -> tensor<64x2xf32> {
    %at = arith.muli %t, %c4 : index
    %empty = tensor.empty() : tensor<4x2xf32>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x2xf32>) outs(%empty : tensor<4x2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %a : f32
      linalg.yield %m : f32
    } -> tensor<4x2xf32>
    %next = tensor.insert_slice %y into %into[%at, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<64x2xf32>
    scf.yield %next : tensor<64x2xf32>
  } {cell.tile_trips = 8.0 : f64}
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<64x2xf32>, memref<64x2xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @steps(
// CHECK:         scf.for
// CHECK-NOT:       tensor.extract_slice
// CHECK:           linalg.generic
func.func @steps(%n: index, %x: tensor<4x2xf32>, %out: memref<64x2xf32>) attributes {cell.batch_tiles} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = bufferization.to_tensor %out restrict writable : memref<64x2xf32> to tensor<64x2xf32>
  %0 = scf.for %t = %c0 to %n step %c1 iter_args(%into = %all) -> tensor<64x2xf32> {
    %empty = tensor.empty() : tensor<4x2xf32>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x2xf32>) outs(%empty : tensor<4x2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %a : f32
      linalg.yield %m : f32
    } -> tensor<4x2xf32>
    %next = tensor.insert_slice %y into %into[%t, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<64x2xf32>
    scf.yield %next : tensor<64x2xf32>
  }
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<64x2xf32>, memref<64x2xf32>) -> ()
  return
}
