// The launches of an entry in numbers: what has 1 block is computed by one multiprocessor.
// RUN: cellc %s --device=cuda --chip=sm_80 --emit=plan -o %t.plan && FileCheck %s --match-full-lines --strict-whitespace < %t.plan

//      CHECK:@mixed: 6 kernels run, 7.611 MB through memory (arguments and results are 4.981 MB), 34.932 million operations
// CHECK-NEXT:    runs   blocks       bytes  operations  kernel
// CHECK-NEXT:       1     1024     1572864    33554432  product 4x256x256x64  plan-device.mlir:[[#@LINE+14]]
// CHECK-NEXT:       1      256     1310720      262144  reduction 4x256x256  plan-device.mlir:[[#@LINE+13]]
// CHECK-NEXT:       1       64      524288       65536  map 256x256  plan-device.mlir:[[#@LINE+13]]
// CHECK-NEXT:       1        1         772         320  3 ops  plan-device.mlir:[[#@LINE+6]]
// CHECK-NEXT:       1     1024     4198400     1048576  reduction 1024x1024  plan-device.mlir:[[#@LINE+16]]
// CHECK-NEXT:       1        1        4100        1024  reduction 1024  plan-device.mlir:[[#@LINE+15]]
// CHECK-NEXT:@rows: 1 kernels run, 2.097 MB through memory (arguments and results are 2.097 MB), 0.786 million operations
// CHECK-NEXT:    runs   blocks       bytes  operations  kernel
// CHECK-NEXT:       1      256     2097152      786432  items of a loop  plan-device.mlir:[[#@LINE+16]]
func.func @mixed(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %z: tensor<8x8xf32> {cell.role = "input"}, %v: tensor<1048576xf32>)
    -> (tensor<256x256xf32>, tensor<8x8xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = cell.matmul %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = cell.exp %0 : tensor<256x256xf32>
  %2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %z) -> tensor<8x8xf32> {
    %3 = cell.neg %y : tensor<8x8xf32>
    scf.yield %3 : tensor<8x8xf32>
  }
  %4 = cell.reduce_sum %v over [0] : tensor<1048576xf32> -> tensor<f32>
  return %1, %2, %4 : tensor<256x256xf32>, tensor<8x8xf32>, tensor<f32>
}
func.func @rows(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %y = cell.cumsum %x along 1 : tensor<256x1024xf32>
  return %y : tensor<256x1024xf32>
}
