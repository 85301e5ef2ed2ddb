// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops{print-plan}))" -o /dev/null --verify-diagnostics
// What the emitter of loops chooses for nests of each kind.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @elements(%x: memref<1000xf32>, %y: memref<1000xf32>) {
  // expected-remark @below {{nest of blocks, 4 vectors of 16}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : memref<1000xf32>) outs(%y : memref<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @sum_of_rows(%x: memref<7x100xf32>, %y: memref<7xf32>) {
  // expected-remark @below {{nest of lanes, 4 vectors of 16}}
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<7x100xf32>) outs(%y : memref<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @sum_of_few_columns(%x: memref<100x20xf32>, %y: memref<20xf32>) {
  // expected-remark @below {{nest of blocks, sum inside, 2 vectors of 16}}
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<100x20xf32>) outs(%y : memref<20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @sum_of_many_columns(%x: memref<100x2000xf32>, %y: memref<2000xf32>) {
  // expected-remark @below {{nest of rows, 4 vectors of 16}}
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<100x2000xf32>) outs(%y : memref<2000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @transposed(%x: memref<100x200xf32>, %y: memref<200x100xf32>) {
  // expected-remark @below {{nest of tiles, 4 vectors of 16}}
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<100x200xf32>) outs(%y : memref<200x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @unknown_combination(%x: memref<100xf32>, %y: memref<f32>) {
  // expected-remark @below {{nest of scalars}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%x : memref<100xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.subf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @unknown_combination_of_many_columns(%x: memref<100x2000xf32>, %y: memref<2000xf32>) {
  // expected-remark @below {{nest of blocks, sum inside, 4 vectors of 16}}
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<100x2000xf32>) outs(%y : memref<2000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.subf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// In a part of a batch, the sum of one sample is ordered as those of two are: short rows in a lane each.
func.func @short_rows(%x: memref<2x5xf32>, %y: memref<2xf32>) attributes {cell.batch_tiles} {
  // expected-remark @below {{nest of blocks, sum inside, 1 vectors of 2}}
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<2x5xf32>) outs(%y : memref<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @short_row(%x: memref<1x5xf32>, %y: memref<1xf32>) attributes {cell.batch_tiles} {
  // expected-remark @below {{nest of scalars}}
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x5xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @long_row(%x: memref<1x100xf32>, %y: memref<1xf32>) attributes {cell.batch_tiles} {
  // expected-remark @below {{nest of lanes, 4 vectors of 16}}
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x100xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @row_of_a_program(%x: memref<1x5xf32>, %y: memref<1xf32>) {
  // expected-remark @below {{nest of lanes, 1 vectors of 8}}
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x5xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}
