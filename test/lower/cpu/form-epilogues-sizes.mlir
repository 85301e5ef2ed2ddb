// Epilogues by size: what saves memory traffic, sums of several blocks, batches, views in other dimensions.
// RUN: cell-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-epilogues{target=x86-64-v4 fewest-bytes=1024}))" | FileCheck %s

// A long sum is added up in other memory.
// CHECK-LABEL: func.func @long_sum(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @long_sum(%a: memref<32x5000xf32>, %b: memref<5000x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x5000xf32>, memref<5000x32xf32>) outs(%c : memref<32x32xf32>) {
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

// Several blocks of the reduction are not.
// CHECK-LABEL: func.func @blocks(
// CHECK:         cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @blocks(%a: memref<32x4000xf32>, %b: memref<4000x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x4000xf32>, memref<4000x32xf32>) outs(%c : memref<32x32xf32>) {
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

// A view of the result in other dimensions that are taken together.
// CHECK-LABEL: func.func @reshaped(
// CHECK:         cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
func.func @reshaped(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %u: memref<4x8x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  %e = memref.expand_shape %c [[0, 1], [2]] output_shape [4, 8, 32] : memref<32x32xf32> into memref<4x8x32xf32>
  linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %u : memref<4x8x32xf32>, memref<4x8x32xf32>) outs(%e : memref<4x8x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// They cannot be taken together in the other operand.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#middle = affine_map<(i, j, k) -> (j)>
func.func @apart(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %u: memref<8xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  %e = memref.expand_shape %c [[0, 1], [2]] output_shape [4, 8, 32] : memref<32x32xf32> into memref<4x8x32xf32>
  linalg.generic {indexing_maps = [#id3, #middle, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %u : memref<4x8x32xf32>, memref<8xf32>) outs(%e : memref<4x8x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A small result.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @small(%a: memref<8x16xf32>, %b: memref<16x16xf32>, %c: memref<8x16xf32>, %v: memref<16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x16xf32>) outs(%c : memref<8x16xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<8x16xf32>, memref<16xf32>) outs(%c : memref<8x16xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Rows of what comes after could keep the two temporaries in the cache.
// CHECK-LABEL: func.func @local(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
func.func @local(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %o: memref<32xf32>) {
  %y = memref.alloc() : memref<32x32xf32>
  %u = memref.alloc() : memref<32x32xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<32x32xf32>, memref<32xf32>) outs(%y, %u : memref<32x32xf32>, memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r, %r : f32, f32
  }
  linalg.generic {indexing_maps = [#id, #id, #column], iterator_types = ["parallel", "reduction"]}
      ins(%y, %u : memref<32x32xf32>, memref<32x32xf32>) outs(%o : memref<32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %q = arith.subf %e0, %e1 : f32
    %s = arith.addf %q, %e2 : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The op moves much more than the result.
// CHECK-LABEL: func.func @streams(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @streams(%a: memref<32x16xf32>, %b: memref<16x32xf32>, %c: memref<32x32xf32>, %u0: memref<32x32xf32>, %u1: memref<32x32xf32>, %u2: memref<32x32xf32>, %u3: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16xf32>, memref<16x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %u0, %u1, %u2, %u3 : memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32, %e5: f32):
    %q = arith.addf %e0, %e1 : f32
    %r = arith.addf %q, %e2 : f32
    %s = arith.addf %r, %e3 : f32
    %w = arith.addf %s, %e4 : f32
    linalg.yield %w : f32
  }
  return
}

// -----

// What the product reads would be kept for longer, and is larger than its result.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @kept(%b: memref<64x32xf32>, %c: memref<32x32xf32>, %v: memref<32xf32>, %u: memref<32x64xf32>, %w: memref<32x32xf32>) {
  %a = memref.alloc() : memref<32x64xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%u, %u : memref<32x64xf32>, memref<32x64xf32>) outs(%a : memref<32x64xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.addf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %w : memref<32x32xf32>, memref<32x32xf32>) outs(%w : memref<32x32xf32>) {
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

// Of a batch, with a mask for each product of it.
// CHECK-LABEL: func.func @batch(
// CHECK:         cell.epilogue
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(i, j, k) -> (i, j, k)>
#mask = affine_map<(i, j, k) -> (i, k)>
func.func @batch(%a: memref<4x32x16xf32>, %b: memref<4x16x32xf32>, %c: memref<4x32x32xf32>, %v: memref<4x32xi1>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x32x16xf32>, memref<4x16x32xf32>) outs(%c : memref<4x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %v : memref<4x32x32xf32>, memref<4x32xi1>) outs(%c : memref<4x32x32xf32>) {
  ^bb0(%e0: f32, %e1: i1, %e2: f32):
    %r = arith.select %e1, %e0, %zero : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The result is read in its place, and with two dimensions of rows exchanged.
// CHECK-LABEL: func.func @rows_exchanged(
// CHECK-NOT:     cell.epilogue
// CHECK:         return
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(i, j, k) -> (i, j, k)>
#swap = affine_map<(i, j, k) -> (j, i, k)>
func.func @rows_exchanged(%a: memref<8x8x16xf32>, %b: memref<8x16x32xf32>, %c: memref<8x8x32xf32>, %y: memref<8x8x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8x16xf32>, memref<8x16x32xf32>) outs(%c : memref<8x8x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %p = arith.mulf %p0, %p1 : f32
    %s = arith.addf %p2, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %c : memref<8x8x32xf32>, memref<8x8x32xf32>) outs(%y : memref<8x8x32xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32):
    %r = arith.subf %e0, %e1 : f32
    linalg.yield %r : f32
  }
  return
}
