// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{print-plan}))" -o /dev/null --verify-diagnostics

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#ct = affine_map<(m, n, k) -> (n, m)>

// Rows a power of two apart collide in the caches: both operands are packed.
func.func @large(%a: memref<1024x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  // expected-remark @+1 {{1024x1024x1024: tile 8x32, rows 128, columns 1024, depth 256, pack A, pack B, ask for C, 8 items of rows}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1024x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A layer's forward product, with the weight stored by output.
func.func @dense(%x: memref<128x784xf32>, %w: memref<512x784xf32>, %y: memref<128x512xf32>) {
  // expected-remark @+1 {{128x512x784: tile 8x32, rows 312, columns 64, depth 208, pack and transpose B, 8 items of columns}}
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<128x784xf32>, memref<512x784xf32>) outs(%y : memref<128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Few columns: one masked vector of columns, many rows.
func.func @head(%x: memref<128x512xf32>, %w: memref<512x10xf32>, %y: memref<128x10xf32>) {
  // expected-remark @+1 {{128x10x512: tile 16x16, rows 256, columns 16, depth 256}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<128x512xf32>, memref<512x10xf32>) outs(%y : memref<128x10xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A transposed result is the product of the transposed operands: m and n trade places.
func.func @result_transposed(%a: memref<100x50xf64>, %b: memref<50x60xf64>, %c: memref<60x100xf64>) {
  // expected-remark @+1 {{60x100x50: tile 10x16, rows 650, columns 112, depth 50, pack and transpose B}}
  linalg.generic {indexing_maps = [#a, #b, #ct], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<100x50xf64>, memref<50x60xf64>) outs(%c : memref<60x100xf64>) {
  ^bb0(%p: f64, %q: f64, %z: f64):
    %0 = arith.mulf %p, %q : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// A slice whose columns lie apart as well is packed whatever its rows' distance.
func.func @scattered(%a: memref<64x63xf32, strided<[1028, 3], offset: 1>>, %b: memref<63x512xf32>, %c: memref<64x512xf32>) {
  // expected-remark @+1 {{64x512x63: tile 4x64, rows 1040, columns 64, depth 63, pack A, pack B, 8 items of columns}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x63xf32, strided<[1028, 3], offset: 1>>, memref<63x512xf32>) outs(%c : memref<64x512xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Few rows, that any cache holds: threads share the columns.
func.func @few_rows(%a: memref<16x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<16x1024xf32>) {
  // expected-remark @+1 {{16x1024x1024: tile 16x16, rows 256, columns 128, depth 256, pack A, ask for B, 8 items of columns}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<16x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Few columns as well: still more than there are tiles of rows.
func.func @few_of_both(%a: memref<16x512xf32>, %b: memref<512x128xf32>, %c: memref<16x128xf32>) {
  // expected-remark @+1 {{16x128x512: tile 8x32, rows 256, columns 32, depth 256, ask for B, 4 items of columns}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x512xf32>, memref<512x128xf32>) outs(%c : memref<16x128xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A small result of a long sum: threads share its blocks.
func.func @long_sum(%a: memref<32x16384xf32>, %b: memref<16384x48xf32>, %c: memref<32x48xf32>) {
  // expected-remark @+1 {{32x48x16384: tile 16x16, rows 256, columns 48, depth 256, pack A, ask for B, 8 items of the sum}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x16384xf32>, memref<16384x48xf32>) outs(%c : memref<32x48xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows of A a page apart are packed even for few columns.
func.func @few_columns(%a: memref<1024x1024xf32>, %b: memref<1024x16xf32>, %c: memref<1024x16xf32>) {
  // expected-remark @+1 {{1024x16x1024: tile 16x16, rows 128, columns 16, depth 256, pack A, ask for B, 8 items of rows, each for all of the sum}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1024x1024xf32>, memref<1024x16xf32>) outs(%c : memref<1024x16xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// An A that no cache holds, and few columns: threads share the rows.
func.func @ragged_rows(%a: memref<1023x1000xf32>, %b: memref<1000x100xf32>, %c: memref<1023x100xf32>) {
  // expected-remark @+1 {{1023x100x1000: tile 11x32, rows 132, columns 128, depth 256, ask for B, 8 items of rows, each for all of the sum}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1023x1000xf32>, memref<1000x100xf32>) outs(%c : memref<1023x100xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The gradient of a weight: a small result, and B stays in a cache. Rows go through all of the sum: threads would
// else wait for each other after each of its eight blocks, which take 20 microseconds.
func.func @gradient(%a: memref<2048x64xf32>, %b: memref<2048x64xf32>, %c: memref<64x64xf32>) {
  // expected-remark @+1 {{64x64x2048: tile 8x32, rows 8, columns 64, depth 256, ask for B, 8 items of rows, each for all of the sum}}
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2048x64xf32>, memref<2048x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

#ab = affine_map<(i, m, n, k) -> (i, m, k)>
#bb = affine_map<(i, m, n, k) -> (i, k, n)>
#cb = affine_map<(i, m, n, k) -> (i, m, n)>

// Two large products: threads share each.
func.func @two(%a: memref<2x128x256xf32>, %b: memref<2x256x512xf32>, %c: memref<2x128x512xf32>) {
  // expected-remark @+1 {{128x512x256: tile 8x32, rows 256, columns 64, depth 256, pack A, pack B, 8 items of columns}}
  linalg.generic {indexing_maps = [#ab, #bb, #cb], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x128x256xf32>, memref<2x256x512xf32>) outs(%c : memref<2x128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Four are shared whole.
func.func @four(%a: memref<4x128x256xf32>, %b: memref<4x256x512xf32>, %c: memref<4x128x512xf32>) {
  // expected-remark @+1 {{128x512x256: tile 8x32, rows 256, columns 512, depth 256, pack A, pack B}}
  linalg.generic {indexing_maps = [#ab, #bb, #cb], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x128x256xf32>, memref<4x256x512xf32>) outs(%c : memref<4x128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
