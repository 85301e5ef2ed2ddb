// RUN: cell-opt %s --cell-cpu-pipeline | FileCheck %s
// RUN: cell-opt %s --cell-cpu-pipeline=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: cell-opt %s --cell-cpu-pipeline=target=x86-64 | FileCheck %s --check-prefix=SSE
// RUN: cell-opt %s --cell-cpu-pipeline --mlir-print-ir-after=cell-emit-gemm 2>&1 >/dev/null | FileCheck %s --check-prefix=GEMM

// A layer with its activation, and the update of its donated weight: bare pointers, a
// status, no call and no allocation.
// CHECK-LABEL: llvm.func @layer
// CHECK-SAME:    %[[W:[a-z0-9]+]]: !llvm.ptr, %[[X:[a-z0-9]+]]: !llvm.ptr, %[[Y:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}, %[[ARENA:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}) -> i32
// CHECK-SAME:    cell.arena_bytes = {{[0-9]+}}
// CHECK-SAME:    cell.signature
// AVX2:          vector<8xf32>
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return %{{.*}} : i32
// SSE-LABEL:   llvm.func @layer
// SSE:           vector<4xf32>

// No product is left to the general emitter, and none is filled first.
// GEMM-NOT:      linalg.fill
// GEMM:          vector.fma
// GEMM-NOT:      linalg.fill
func.func @layer(%w: tensor<32x16xf32> {cell.donate = 0 : i64}, %x: tensor<8x16xf32>) -> (tensor<32x16xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %wt = tensor.empty() : tensor<16x32xf32>
  %t = linalg.transpose ins(%w : tensor<32x16xf32>) outs(%wt : tensor<16x32xf32>) permutation = [1, 0]
  %m = linalg.matmul ins(%x, %t : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.tanh ins(%m : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %we = tensor.empty() : tensor<32x16xf32>
  %n = linalg.negf ins(%w : tensor<32x16xf32>) outs(%we : tensor<32x16xf32>) -> tensor<32x16xf32>
  return %n, %y : tensor<32x16xf32>, tensor<8x32xf32>
}

// Functions that compute nothing, on nothing.
// CHECK-LABEL: llvm.func @empty
// CHECK-SAME:    !llvm.ptr {{.*}}-> i32
func.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  return %x : tensor<0x4xf32>
}
