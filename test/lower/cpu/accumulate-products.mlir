// Products that are added to a buffer, and what forbids that they are where they come from.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-accumulate-products{target=x86-64-v4}))" | FileCheck %s

// To what is there.
// CHECK-LABEL: func.func @added(
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"{{.*}} outs(%arg2
// CHECK-NOT:     linalg.generic
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @added(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The other way round, with something else in between.
// CHECK-LABEL: func.func @swapped(
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}}"reduction"{{.*}} outs(%arg2
// CHECK:         linalg.fill {{.*}} outs(%arg3
// CHECK-NOT:     linalg.generic
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @swapped(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %d: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%zero : f32) outs(%d : memref<8xf32>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %c : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The factors may be written after the product.
// CHECK-LABEL: func.func @overwritten_factor(
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}}"reduction"{{.*}} outs(%arg2
// CHECK-NEXT:    ^bb0
// CHECK:         linalg.fill {{.*}} outs(%arg0
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @overwritten_factor(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%zero : f32) outs(%a : memref<32x16xf32>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What is added to is read before it is written.
// CHECK-LABEL: func.func @read_between(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @read_between(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %d: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  memref.copy %c, %d : memref<32x32xf32> to memref<32x32xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// It is a factor of the product.
// CHECK-LABEL: func.func @factor(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @factor(%b: memref<32x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%c, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The product itself is read again.
// CHECK-LABEL: func.func @read_again(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @read_again(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %d: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %d : memref<32x32xf32> to memref<32x32xf32>
  return
}

// -----

// The sum goes elsewhere.
// CHECK-LABEL: func.func @elsewhere(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @elsewhere(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %d: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%d : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// It is added in another order.
// CHECK-LABEL: func.func @transposed(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @transposed(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// It is subtracted.
// CHECK-LABEL: func.func @subtracted(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @subtracted(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.subf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// It is added twice.
// CHECK-LABEL: func.func @twice(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @twice(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e1, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Blocks of a long sum are added one by one: other bits.
// CHECK-LABEL: func.func @long_sum(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @long_sum(%a: memref<32x4096xf32>, %b: memref<4096x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x4096xf32>, memref<4096x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The product does not begin with zeros.
// CHECK-LABEL: func.func @offset(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @offset(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>) {
  %zero = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The call may end before the sum is written.
// CHECK-LABEL: func.func @ended_between(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @ended_between(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %ok: i1, %status: i32) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  cell.end %ok, %status
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Two sums need the product.
// CHECK-LABEL: func.func @needed_twice(
// CHECK:         memref.alloc
// CHECK:         linalg.fill
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @needed_twice(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %d: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%t : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %t : memref<32x32xf32>, memref<32x32xf32>) outs(%d : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %0 = arith.addf %e0, %e1 : f32
    linalg.yield %0 : f32
  }
  return
}
