// The outermost loop of a long nest is over items; of a short one, of one in an item already, and of one whose steps
// write to the same place it is not.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops,canonicalize))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops{fewest-nanoseconds=10000000}))" \
// RUN:   | FileCheck %s --check-prefix=SHORT

// SHORT-COUNT-1: scf.forall
// SHORT-NOT:     scf.forall

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Blocks of vectors, and what is left behind them.
// CHECK-LABEL: func.func @copied
// CHECK:         scf.forall (%{{.*}}) in (16384) {
// CHECK-COUNT-4:   vector.store
// CHECK:         } {cell.nanoseconds = 335545 : i64}
// CHECK:         vector.maskedstore
func.func @copied(%x: memref<1048579xf32>, %y: memref<1048579xf32>) {
  memref.copy %x, %y : memref<1048579xf32> to memref<1048579xf32>
  return
}

// Rows of a part of a larger buffer.
// CHECK-LABEL: func.func @padded
// CHECK:         scf.forall (%{{.*}}) in (512) {
// CHECK-NOT:       scf.forall
// CHECK:           scf.for
// CHECK:             vector.store
// CHECK:         } {cell.nanoseconds
func.func @padded(%x: memref<512x500xf32>, %y: memref<514x502xf32>) {
  %inside = memref.subview %y[1, 1] [512, 500] [1, 1]
      : memref<514x502xf32> to memref<512x500xf32, strided<[502, 1], offset: 503>>
  memref.copy %x, %inside : memref<512x500xf32> to memref<512x500xf32, strided<[502, 1], offset: 503>>
  return
}

// Tiles that are turned: each item has its own buffer.
// CHECK-LABEL: func.func @turned
// CHECK:         scf.forall (%{{.*}}) in (32) {
// CHECK:           memref.alloc() : memref<256xf32>
// CHECK-NOT:     scf.forall
func.func @turned(%x: memref<512x512xf32>, %y: memref<512x512xf32>) {
  linalg.generic {indexing_maps = [#turned, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<512x512xf32>) outs(%y : memref<512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Sums of rows; a sum of everything has one result.
// CHECK-LABEL: func.func @sums
// CHECK:         scf.forall (%{{.*}}) in (512) {
// CHECK:         scf.for
// CHECK-LABEL: func.func @sum
// CHECK-NOT:     scf.forall
func.func @sums(%x: memref<512x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<512x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @sum(%x: memref<262144xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<262144xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @in_an_item
// CHECK:         scf.forall
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @one_place
// CHECK-NOT:     scf.forall
func.func @in_an_item(%x: memref<1048576xf32>, %y: memref<4x1048576xf32>) {
  scf.forall (%i) in (4) {
    %part = memref.subview %y[%i, 0] [1, 1048576] [1, 1]
        : memref<4x1048576xf32> to memref<1048576xf32, strided<[1], offset: ?>>
    memref.copy %x, %part : memref<1048576xf32> to memref<1048576xf32, strided<[1], offset: ?>>
  }
  return
}
func.func @one_place(%x: memref<512x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#id2, #column], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<512x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Down the columns: parts of the row, of 2 KiB or more and of whole vectors. Each has its own partial sums.
// CHECK-LABEL: func.func @columns
// CHECK:         scf.forall (%{{.*}}) in (4) {
// CHECK:           memref.alloc() : memref<512xf32>
// CHECK:         } {cell.nanoseconds
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @odd
// CHECK-NOT:     scf.forall
func.func @columns(%x: memref<1024x2048xf32>, %y: memref<2048xf32>) {
  linalg.generic {indexing_maps = [#id2, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<1024x2048xf32>) outs(%y : memref<2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @narrow(%x: memref<4096x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#id2, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4096x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @odd(%x: memref<1024x2056xf32>, %y: memref<2056xf32>) {
  linalg.generic {indexing_maps = [#id2, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<1024x2056xf32>) outs(%y : memref<2056xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}
