// Products of all rows that a loop adds up: each item has a part of the sum, from before the loop until behind it.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-nanoseconds=1 product-nanoseconds=5000 item-nanoseconds=0 products-anywhere=true}))" \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @steps(
// CHECK:         %[[TURNED:.*]] = memref.alloc() : memref<6x6xf32>
// CHECK:         linalg.generic {{.*}}ins(%arg1 : memref<6x6xf32>) outs(%[[TURNED]]
// CHECK:         %[[PARTS:.*]] = memref.alloc() : memref<4x6x6xf32>
// CHECK:         linalg.fill {{.*}} outs(%[[PARTS]]
// CHECK:         scf.for
// CHECK-NOT:       linalg
// CHECK:           scf.forall (%[[I:.*]]) in (4)
// CHECK:             %[[PART:.*]] = memref.subview %[[PARTS]][%[[I]], 0, 0] [1, 6, 6]
// CHECK-NOT:         linalg.fill {{.*}} outs(%[[PART]]
// CHECK:             linalg.generic {{.*}} outs(%[[PART]]
// CHECK-NOT:         linalg.fill
// CHECK:             linalg.generic {{.*}} outs(%[[PART]]
// CHECK:           } {cell.nanoseconds
// CHECK-NEXT:    {{^    }$}}
// CHECK-NEXT:    linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[PARTS]] : {{.*}}) outs(%arg2
// CHECK-NEXT:    ^bb0(%[[NEW:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[OLD]], %[[NEW]]
// CHECK-NOT:     linalg.generic
#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @steps(%x: memref<64x6xf32>, %w: memref<6x6xf32>, %sum: memref<6x6xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<64x6xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<64x6xf32>)
    linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x6xf32>, memref<6x6xf32>) outs(%t : memref<64x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %t : memref<64x6xf32>, memref<64x6xf32>) outs(%sum : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%t, %x : memref<64x6xf32>, memref<64x6xf32>) outs(%sum : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
  }
  return
}

// -----

// A sum that a step reads is complete after each: it stays. Weights that a step changes are transposed in it.
// CHECK-LABEL: func.func @read(
// CHECK-NOT:     memref<4x6x6xf32>
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} ins(%arg1 : memref<6x6xf32>) outs(%{{.*}} : memref<6x6xf32>)
// CHECK:           scf.forall
// CHECK:           linalg.generic {{.*}}"reduction"]} {{.*}} outs(%arg2
// CHECK:           memref.subview %arg2
#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @read(%x: memref<64x6xf32>, %w: memref<6x6xf32>, %sum: memref<6x6xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<64x6xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<64x6xf32>)
    linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x6xf32>, memref<6x6xf32>) outs(%t : memref<64x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %t : memref<64x6xf32>, memref<64x6xf32>) outs(%sum : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%sum : memref<6x6xf32>) outs(%w : memref<6x6xf32>) {
    ^bb0(%e0: f32, %e1: f32):
      %0 = math.sin %e0 : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// -----

// A part of the sum that a step reads, by a view; and a sum that is made anew in each step.
// CHECK-LABEL: func.func @viewed(
// CHECK-NOT:     memref<4x6x6xf32>
// CHECK:         scf.for
#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i) -> (i)>
func.func @viewed(%x: memref<64x6xf32>, %w: memref<6x6xf32>, %sum: memref<6x6xf32>, %y: memref<6xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = memref.subview %sum[2, 0] [1, 6] [1, 1] : memref<6x6xf32> to memref<6xf32, strided<[1], offset: 12>>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<64x6xf32>
    %own = memref.alloc() : memref<6x6xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<64x6xf32>)
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x6xf32>, memref<6x6xf32>) outs(%t : memref<64x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %t : memref<64x6xf32>, memref<64x6xf32>) outs(%sum : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %t : memref<64x6xf32>, memref<64x6xf32>) outs(%own : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%row : memref<6xf32, strided<[1], offset: 12>>) outs(%y : memref<6xf32>) {
    ^bb0(%e0: f32, %e1: f32):
      %0 = math.sin %e0 : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// -----

// A sum that is a factor of another product of the loop is complete after each step, too.
// CHECK-LABEL: func.func @factor(
// CHECK-NOT:     memref<4x6x6xf32>
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} ins(%arg2, %arg1 : {{.*}}) outs(%arg3
#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @factor(%x: memref<64x6xf32>, %w: memref<6x6xf32>, %sum: memref<6x6xf32>, %q: memref<6x6xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<64x6xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<64x6xf32>)
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<64x6xf32>, memref<6x6xf32>) outs(%t : memref<64x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %t : memref<64x6xf32>, memref<64x6xf32>) outs(%sum : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%sum, %w : memref<6x6xf32>, memref<6x6xf32>) outs(%q : memref<6x6xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32):
      %p = arith.mulf %p0, %p1 : f32
      %s = arith.addf %p2, %p : f32
      linalg.yield %s : f32
    }
  }
  return
}
