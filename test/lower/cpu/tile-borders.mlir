// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan}))" -o /dev/null --verify-diagnostics
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm))" | FileCheck %s

// The gradient of a convolution's input slides over the zeros around a cotangent. Loops are [n, o, h, w, c, p, q].
#x = affine_map<(n, o, h, w, c, p, q) -> (n, c, h + p, w + q)>
#w = affine_map<(n, o, h, w, c, p, q) -> (o, c, p, q)>
#y = affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>

// A tile is a row of 9 results: the loop over rows of the filters ends where the image does. Of its columns, the first
// meets 7 of the results, as do the others: 21 products with each of 2 vectors, not 27.
// CHECK-LABEL: func.func @gradient
// CHECK:         %[[BELOW:.*]] = arith.subi %c2{{.*}}, %[[ROW:.*]] : index
// CHECK:         %[[FROM:.*]] = arith.maxsi %[[BELOW]], %c0{{.*}} : index
// CHECK:         %[[ABOVE:.*]] = arith.subi %c9{{.*}}, %[[ROW]] : index
// CHECK:         %[[TO:.*]] = arith.maxsi %[[ABOVE]], %c0{{.*}} : index
// CHECK:         scf.for
// CHECK-COUNT-42:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK:         return
func.func @gradient(%dy: memref<8x16x7x7xf32>, %w: memref<32x16x3x3xf32>, %y: memref<8x32x9x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<8x16x11x11xf32>
  linalg.fill ins(%zero : f32) outs(%x : memref<8x16x11x11xf32>)
  %inside = memref.subview %x[0, 0, 2, 2] [8, 16, 7, 7] [1, 1, 1, 1] : memref<8x16x11x11xf32> to memref<8x16x7x7xf32, strided<[1936, 121, 11, 1], offset: 24>>
  memref.copy %dy, %inside : memref<8x16x7x7xf32> to memref<8x16x7x7xf32, strided<[1936, 121, 11, 1], offset: 24>>
  linalg.fill ins(%zero : f32) outs(%y : memref<8x32x9x9xf32>)
  // expected-remark @+1 {{tile 9x2 vectors, pack B, buffer C, 1 blocks of 144, 2 borders}}
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x16x11x11xf32>, memref<32x16x3x3xf32>) outs(%y : memref<8x32x9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// What another function may write to, or what was not filled with zeros, has no border.
func.func private @changes(memref<8x16x11x11xf32>)
func.func @changed(%dy: memref<8x16x7x7xf32>, %w: memref<32x16x3x3xf32>, %y: memref<8x32x9x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<8x16x11x11xf32>
  linalg.fill ins(%zero : f32) outs(%x : memref<8x16x11x11xf32>)
  %inside = memref.subview %x[0, 0, 2, 2] [8, 16, 7, 7] [1, 1, 1, 1] : memref<8x16x11x11xf32> to memref<8x16x7x7xf32, strided<[1936, 121, 11, 1], offset: 24>>
  memref.copy %dy, %inside : memref<8x16x7x7xf32> to memref<8x16x7x7xf32, strided<[1936, 121, 11, 1], offset: 24>>
  func.call @changes(%x) : (memref<8x16x11x11xf32>) -> ()
  // expected-remark @+1 {{tile 27x1 vectors, pack B, buffer C, 1 blocks of 144}}
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x16x11x11xf32>, memref<32x16x3x3xf32>) outs(%y : memref<8x32x9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
