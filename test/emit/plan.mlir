// The kernels of an entry in numbers: bytes are those of buffers from outside of a kernel, once for each
// side; what runs in a loop counts as often as it runs.
// RUN: cellc %s --target=x86-64-v3 --emit=plan -o %t.plan && FileCheck %s --match-full-lines --strict-whitespace < %t.plan
// RUN: cellc %s --target=x86-64-v3 --emit=plan -o - | FileCheck %s --match-full-lines --strict-whitespace
// The same from standard input: a model without a name.
// RUN: cellc - --target=x86-64-v3 --emit=h -o - < %s | FileCheck %s --check-prefix=HEADER
// HEADER: int32_t cg_model_mixed(

//      CHECK:@mixed: 9 kernels run, 0.005 MB through memory (arguments and results are 0.002 MB), 0.002 million operations, about 0.000 ms on one core
// CHECK-NEXT:    runs  items       bytes  operations       us  kernel
// CHECK-NEXT:       1      -        1280        2048      0.1  product 8x8x16  plan.mlir:[[#@LINE+10]]
// CHECK-NEXT:       1      -          32           0      0.0  fill 8  plan.mlir:[[#@LINE+10]]
// CHECK-NEXT:       1      -         288          64      0.0  reduction 8x8  plan.mlir:[[#@LINE+9]]
// CHECK-NEXT:       1      -         512           0      0.0  copy  plan.mlir:[[#@LINE+2]]
// CHECK-NEXT:       5      -         512          64      0.0  map 8x8  plan.mlir:[[#@LINE+9]]
func.func @mixed(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %z: tensor<8x8xf32> {cell.role = "input"})
    -> (tensor<8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = cell.matmul %x, %w : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = cell.reduce_sum %0 over [1] : tensor<8x8xf32> -> tensor<8xf32>
  %2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %z) -> tensor<8x8xf32> {
    %3 = cell.neg %y : tensor<8x8xf32>
    scf.yield %3 : tensor<8x8xf32>
  }
  return %1, %2 : tensor<8xf32>, tensor<8x8xf32>
}

// The zero that a product starts with is no kernel; its epilogue is a part of it, and what is between them in no memory.
//      CHECK:@dense: 1 kernels run, 2.360 MB through memory (arguments and results are 2.360 MB), 134.742 million operations, about {{.*}} ms on one core
// CHECK-NEXT:    runs  items       bytes  operations       us  kernel
// CHECK-NEXT:       1      -     2360320   134742016 {{.*}}  product 1024x256x256, map 1024x256  plan.mlir:[[#@LINE+2]]
func.func @dense(%x: tensor<1024x256xf32>, %w: tensor<256x256xf32>, %b: tensor<256xf32>) -> tensor<1024x256xf32> {
  %0 = cell.matmul %x, %w : (tensor<1024x256xf32>, tensor<256x256xf32>) -> tensor<1024x256xf32>
  %1 = cell.broadcast %b along [0] : tensor<256xf32> -> tensor<1024x256xf32>
  %2 = cell.add %0, %1 : tensor<1024x256xf32>
  %3 = cell.relu %2 : tensor<1024x256xf32>
  return %3 : tensor<1024x256xf32>
}

//      CHECK:@rows: 1 kernels run, 2.097 MB through memory (arguments and results are 2.097 MB), 0.786 million operations, about {{.*}} ms on one core
// CHECK-NEXT:    runs  items       bytes  operations       us  kernel
// CHECK-NEXT:       1    256     2097152      786432 {{.*}}  items of a loop  plan.mlir:[[#@LINE+2]]
func.func @rows(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %y = cell.cumsum %x along 1 : tensor<256x1024xf32>
  return %y : tensor<256x1024xf32>
}
