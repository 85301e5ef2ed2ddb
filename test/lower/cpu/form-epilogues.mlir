// Elementwise ops that may run on parts of the result of a product, and what forbids that.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-epilogues{target=x86-64-v4 fewest-bytes=1024}))" | FileCheck %s

// A bias, in place.
// CHECK-LABEL: func.func @bias(
// CHECK:         cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @bias(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Along columns, a scalar, and what the output holds.
// CHECK-LABEL: func.func @broadcasts(
// CHECK:         cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> ()>
func.func @broadcasts(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %w: memref<f32>, %y: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #all, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v, %w : memref<32x32xf32>, memref<32xf32>, memref<f32>) outs(%y : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32):
    %q = arith.mulf %e0, %e1 : f32
    %r = arith.addf %q, %e2 : f32
    %u = arith.addf %r, %e3 : f32
    linalg.yield %u : f32
  }
  return
}

// -----

// The product goes down to its epilogue, past what has nothing to do with it.
// CHECK-LABEL: func.func @down(
// CHECK:         ins(%arg4, %arg4
// CHECK:         arith.mulf
// CHECK:         cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @down(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %u: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%u, %u : memref<32x32xf32>, memref<32x32xf32>) outs(%u : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Another op writes what the product reads, before the elementwise op.
// CHECK-LABEL: func.func @factor_written(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @factor_written(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %b : memref<16x32xf32>, memref<16x32xf32>) outs(%b : memref<16x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Another op writes the result.
// CHECK-LABEL: func.func @result_written(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @result_written(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %u: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%u, %u : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Another op reads the result first, and is no epilogue.
// CHECK-LABEL: func.func @read_before(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
func.func @read_before(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %u: memref<32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]}
      ins(%c : memref<32x32xf32>) outs(%u : memref<32xf32>) {
  ^bb0(%e0: f32, %e1: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The result is read across.
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @transposed(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %y: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %y : memref<32x32xf32>, memref<32x32xf32>) outs(%y : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// It is read in its place, and across.
// CHECK-LABEL: func.func @both(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @both(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %y: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %c : memref<32x32xf32>, memref<32x32xf32>) outs(%y : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// It is read in its place, and in another batch: along a row that is contiguous as well.
// CHECK-LABEL: func.func @batches(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#t = affine_map<(b, i, j) -> (i, b, j)>
func.func @batches(%a: memref<32x32x16xf32>, %b: memref<32x16x32xf32>, %c: memref<32x32x32xf32>, %y: memref<32x32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x32x16xf32>, memref<32x16x32xf32>) outs(%c : memref<32x32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %c : memref<32x32x32xf32>, memref<32x32x32xf32>) outs(%y : memref<32x32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The op writes what the product reads for what follows.
// CHECK-LABEL: func.func @overwrites_factor(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @overwrites_factor(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %a : memref<32x32xf32>, memref<32x32xf32>) outs(%a : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// It only reads it.
// CHECK-LABEL: func.func @reads_factor(
// CHECK:         cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @reads_factor(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %a : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// What the op reads is what it writes, a row further.
// CHECK-LABEL: func.func @shifted(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @shifted(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %w: memref<33x32xf32>) {
  %u = memref.subview %w[0, 0] [32, 32] [1, 1] : memref<33x32xf32> to memref<32x32xf32, strided<[32, 1]>>
  %y = memref.subview %w[1, 0] [32, 32] [1, 1] : memref<33x32xf32> to memref<32x32xf32, strided<[32, 1], offset: 32>>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %u : memref<32x32xf32>, memref<32x32xf32, strided<[32, 1]>>) outs(%y : memref<32x32xf32, strided<[32, 1], offset: 32>>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The op writes in the memory of the result, elsewhere.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @elsewhere(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %w: memref<64x32xf32>, %v: memref<32xf32>) {
  %c = memref.subview %w[0, 0] [32, 32] [1, 1] : memref<64x32xf32> to memref<32x32xf32, strided<[32, 1]>>
  %y = memref.subview %w[16, 0] [32, 32] [1, 1] : memref<64x32xf32> to memref<32x32xf32, strided<[32, 1], offset: 512>>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32, strided<[32, 1]>>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32, strided<[32, 1]>>, memref<32xf32>) outs(%y : memref<32x32xf32, strided<[32, 1], offset: 512>>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Memory that a loop carries may be any.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @carried(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %u: memref<32x32xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = scf.for %i = %zero to %n step %one iter_args(%y = %u) -> (memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%y : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
    scf.yield %c : memref<32x32xf32>
  }
  return
}

// -----

// The op asks for its position.
// CHECK-LABEL: func.func @index(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @index(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %y: memref<32x32xindex>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x32xf32>) outs(%y : memref<32x32xindex>) {
  ^bb0(%e0: f32, %e1: index):
    %i = linalg.index 0 : index
    %q = arith.cmpf ogt, %e0, %e0 : f32
    %r = arith.select %q, %i, %e1 : index
    linalg.yield %r : index
  }
  return
}

// -----

// The op reads at a computed position.
// CHECK-LABEL: func.func @load(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @load(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %w: memref<4xf32>, %at: memref<32xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %at : memref<32x32xf32>, memref<32xi32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: i32, %e2: f32):
    %i = arith.index_cast %e1 : i32 to index
    %l = memref.load %w[%i] : memref<4xf32>
    %r = arith.addf %e0, %l : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Another operand is not contiguous along the rows of the result.
// CHECK-LABEL: func.func @across(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @across(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %u: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %u : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Nor is what is written.
// CHECK-LABEL: func.func @writes_across(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @writes_across(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %u: memref<32x32xf32>, %y: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #t], iterator_types = ["parallel", "parallel"]}
      ins(%c, %u : memref<32x32xf32>, memref<32x32xf32>) outs(%y : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}
