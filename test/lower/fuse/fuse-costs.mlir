// RUN: cell-opt %s --cell-to-linalg --cse --cell-fuse-linalg --cse | FileCheck %s

// Functions and reads at computed positions are not repeated for each element of a broadcast,
// whichever dialect they are from; what is known to be cheap is.
// CHECK-LABEL: func.func @rows
// CHECK:           special.lgamma
// CHECK:         } -> tensor<16xf32>
// CHECK:           special.hypot
// CHECK:         } -> tensor<16xf32>
// CHECK:           tensor.extract
// CHECK:         } -> tensor<16xf32>
// CHECK:         linalg.generic
// CHECK:           math.absf
// CHECK:         } -> tensor<8x16xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @rows(%x: tensor<16xf32>, %i: tensor<16xi32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %g = cell.lgamma %x : tensor<16xf32>
  %h = cell.hypot %x, %x : tensor<16xf32>
  %t = cell.gather %x at %i dim 0 : tensor<16xf32>, tensor<16xi32> -> tensor<16xf32>
  %a = cell.abs %x : tensor<16xf32>
  %gs = cell.broadcast %g along [0] : tensor<16xf32> -> tensor<8x16xf32>
  %hs = cell.broadcast %h along [0] : tensor<16xf32> -> tensor<8x16xf32>
  %ts = cell.broadcast %t along [0] : tensor<16xf32> -> tensor<8x16xf32>
  %as = cell.broadcast %a along [0] : tensor<16xf32> -> tensor<8x16xf32>
  %0 = cell.mul %y, %gs : tensor<8x16xf32>
  %1 = cell.mul %0, %hs : tensor<8x16xf32>
  %2 = cell.mul %1, %ts : tensor<8x16xf32>
  %3 = cell.mul %2, %as : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
