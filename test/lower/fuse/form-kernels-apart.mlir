// What does not run row by row with others: kernels that are not formed, or without these ops.
// RUN: cell-opt %s --split-input-file --verify-diagnostics --mlir-print-local-scope \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=128 fewest-nanoseconds=1000000 print-plan}))" \
// RUN:   | FileCheck %s

// An op that needs what is deferred does not join.
// CHECK-LABEL: func.func @behind_deferred(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @behind_deferred(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x8xf32>, memref<8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Rows of another place: a view of the same buffer, in which row i is row i + 1.
// CHECK-LABEL: func.func @shifted(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @shifted(%x: memref<64x8xf32>, %t: memref<64x8xf32>, %y: memref<63x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%t : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  %next = memref.subview %t[1, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1], offset: 8>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next : memref<63x8xf32, strided<[8, 1], offset: 8>>) outs(%y : memref<63x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Neighbours in one map: every row reads those behind it.
// CHECK-LABEL: func.func @windows(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, k) -> (i)>
#window = affine_map<(i, k) -> (i + k)>
func.func @windows(%x: memref<66xf32>, %y: memref<64xf32>, %w: memref<3xf32>) {
  %t = memref.alloc() : memref<66xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<66xf32>) outs(%t : memref<66xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#window, affine_map<(i, k) -> (k)>, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t, %w : memref<66xf32>, memref<3xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.maximumf %a, %b : f32
    %1 = arith.maximumf %0, %o : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// The transpose of what is written: rows of the one are columns of the other.
// CHECK-LABEL: func.func @turned(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @turned(%x: memref<64x64xf32>, %t: memref<64x64xf32>, %y: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Several views of a buffer that is written at last: which rows of it the others are is not looked at.
// CHECK-LABEL: func.func @views(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @views(%x: memref<64x8xf32>, %y: memref<63x8xf32>) {
  %next = memref.subview %x[1, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1], offset: 8>>
  %own = memref.subview %x[0, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1]>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next, %own : memref<63x8xf32, strided<[8, 1], offset: 8>>, memref<63x8xf32, strided<[8, 1]>>)
      outs(%y : memref<63x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<63x8xf32>) outs(%own : memref<63x8xf32, strided<[8, 1]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// One op that reads a view of what it writes elsewhere.
// CHECK-LABEL: func.func @own_view(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @own_view(%x: memref<64x8xf32>, %y: memref<63x8xf32>) {
  %next = memref.subview %x[1, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1], offset: 8>>
  %own = memref.subview %x[0, 0] [63, 8] [1, 1] : memref<64x8xf32> to memref<63x8xf32, strided<[8, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%next : memref<63x8xf32, strided<[8, 1], offset: 8>>) outs(%own : memref<63x8xf32, strided<[8, 1]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%own : memref<63x8xf32, strided<[8, 1]>>) outs(%y : memref<63x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// A buffer that a body reads anywhere, after rows of it are written, and before.
// CHECK-LABEL: func.func @gathered(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @gathered_before(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @gathered(%x: memref<64x8xf32>, %at: memref<64xi64>, %y: memref<64x8xf32>) {
  %t = memref.alloc() : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%t : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %at : memref<64x8xf32>, memref<64xi64>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %t[%i, %j] : memref<64x8xf32>
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @gathered_before(%x: memref<64x8xf32>, %at: memref<64xi64>, %y: memref<64x8xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<64xi64>) outs(%y : memref<64x8xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %x[%i, %j] : memref<64x8xf32>
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x8xf32>) outs(%x : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The position along the rows: a tile has rows of its own. Positions within a row are what they were.
// CHECK-LABEL: func.func @row_number(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @place_in_row(
// CHECK:         scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @row_number(%x: memref<64x8xi64>, %y: memref<64x8xi64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xi64>) outs(%y : memref<64x8xi64>) {
  ^bb0(%a: i64, %o: i64):
    %0 = arith.muli %a, %a : i64
    linalg.yield %0 : i64
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<64x8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %0 = arith.addi %n, %o : i64
    linalg.yield %0 : i64
  }
  return
}
func.func @place_in_row(%x: memref<64x8xi64>, %y: memref<64x8xi64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xi64>) outs(%y : memref<64x8xi64>) {
  ^bb0(%a: i64, %o: i64):
    %0 = arith.muli %a, %a : i64
    linalg.yield %0 : i64
  }
  // expected-remark @below {{2 ops, 0 reduce}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<64x8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %0 = arith.addi %n, %o : i64
    linalg.yield %0 : i64
  }
  return
}

// -----

// Sums over rows that are not put together from parts: in half precision parts would be rounded, what is subtracted has
// no neutral element, and what is there is read twice, or by another op than the last.
// CHECK-LABEL: func.func @half(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @difference(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @twice(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @inside(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @half(%x: memref<64x32xf16>, %y: memref<64x32xf16>, %b: memref<32xf16>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf16>) outs(%y : memref<64x32xf16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = arith.mulf %a, %a : f16
    linalg.yield %0 : f16
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf16>) outs(%b : memref<32xf16>) {
  ^bb0(%a: f16, %s: f16):
    %0 = arith.addf %a, %s : f16
    linalg.yield %0 : f16
  }
  return
}
func.func @difference(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %b: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf32>) outs(%b : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.subf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @twice(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %b: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf32>) outs(%b : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @inside(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %b: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : memref<64x32xf32>) outs(%b : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// What a loop carries may be any buffer, so nothing of it joins; and what reads it keeps its place before a later op
// that writes one of the buffers it may be.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @chosen(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @carried(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<64x8xf32>, memref<64x8xf32>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : memref<64x8xf32>) outs(%b : memref<64x8xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = math.tanh %e : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%b : memref<64x8xf32>) outs(%a : memref<64x8xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = math.cos %e : f32
      linalg.yield %0 : f32
    }
    scf.yield %b, %a : memref<64x8xf32>, memref<64x8xf32>
  }
  return
}
func.func @chosen(%c: i1, %x: memref<64x8xf32>, %y: memref<64x8xf32>, %z: memref<64x8xf32>, %w: memref<64x8xf32>) {
  %v = arith.select %c, %x, %y : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<64x8xf32>) outs(%w : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x8xf32>) outs(%x : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Something else than computing ends a group.
// CHECK-LABEL: func.func @printed(
// CHECK-NOT:     scf.forall
// CHECK:         cell.print
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @printed(%x: memref<64x8xf32>, %y: memref<64x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  }
  cell.print "y {}" (%y : memref<64x8xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.cos %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What writes one of several buffers comes before what reads one of them.
// CHECK-LABEL: func.func @written_choice(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
func.func @written_choice(%c: i1, %x: memref<64x8xf32>, %y: memref<64x8xf32>, %z: memref<64x8xf32>, %w: memref<64x8xf32>) {
  %v = arith.select %c, %x, %y : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x8xf32>) outs(%w : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<64x8xf32>) outs(%v : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%z : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A sum over all rows is not there before the last of them, though it has a number for each row.
// CHECK-LABEL: func.func @square(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @square(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %b: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x64xf32>, memref<64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Two sums in one place, and a sum in the place of what every row reads.
// CHECK-LABEL: func.func @sum_twice(
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @sum_of_read(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @sum_twice(%x: memref<64x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = math.absf %a : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @sum_of_read(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<64x8xf32>, memref<8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What is read anywhere of one of several buffers, and one of them is written.
// CHECK-LABEL: func.func @read_choice(
// CHECK-NOT:     scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @read_choice(%c: i1, %at: memref<64xi64>, %x: memref<64x8xf32>, %y: memref<64x8xf32>, %w: memref<64x8xf32>) {
  %v = arith.select %c, %x, %y : memref<64x8xf32>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<64xi64>) outs(%w : memref<64x8xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %v[%i, %j] : memref<64x8xf32>
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<64x8xf32>) outs(%x : memref<64x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}
