// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-straighten-products))" | FileCheck %s

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#product = {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}

// CHECK-DAG: #[[$TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$STORED:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$STRAIGHT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>

// One copy before the loop, for both products; its rows are a cache line apart from a multiple of 1,024 bytes.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<256x20xf32>
// CHECK:         %[[MEMORY:.*]] = memref.alloc() : memref<20x272xf32>
// CHECK:         %[[COPY:.*]] = memref.subview %[[MEMORY]][0, 0] [20, 256]
// CHECK:         linalg.generic {indexing_maps = [#[[$TURNED]], #{{.*}}], {{.*}} ins(%[[W]] : {{.*}} outs(%[[COPY]]
// CHECK:         scf.for
// CHECK-COUNT-2:   linalg.generic {indexing_maps = [#{{.*}}, #[[$STRAIGHT]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[COPY]] :
func.func @both(%w: memref<256x20xf32>, %x: memref<16x20xf32>, %y: memref<16x256xf32>, %z: memref<16x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%z : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  return
}

// The loop writes the weights.
// CHECK-LABEL: func.func @written(
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[$STORED]], #{{.*}}]
func.func @written(%w: memref<256x20xf32>, %x: memref<16x20xf32>, %y: memref<16x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
    %view = memref.subview %w[0, 0] [1, 20] [1, 1] : memref<256x20xf32> to memref<1x20xf32, strided<[20, 1]>>
    %one = arith.constant 1.0 : f32
    linalg.fill ins(%one : f32) outs(%view : memref<1x20xf32, strided<[20, 1]>>)
  }
  return
}

// Weights that are stored by input are read as they are.
// CHECK-LABEL: func.func @by_input(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
func.func @by_input(%w: memref<20x256xf32>, %x: memref<16x20xf32>, %y: memref<16x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.generic {indexing_maps = [#a, affine_map<(i, j, k) -> (k, j)>, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<16x20xf32>, memref<20x256xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  return
}

// Each loop has its own copy: the weights change between the two.
// CHECK-LABEL: func.func @between(
// CHECK:         memref.alloc
// CHECK:         scf.for
// CHECK:         linalg.fill
// CHECK:         memref.alloc
// CHECK:         scf.for
func.func @between(%w: memref<256x20xf32>, %x: memref<16x20xf32>, %y: memref<16x256xf32>) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  linalg.fill ins(%one : f32) outs(%w : memref<256x20xf32>)
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  return
}

// Three trips; many rows; no loop.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     memref.alloc
// CHECK-COUNT-3: linalg.generic {indexing_maps = [#{{.*}}, #[[$STORED]], #{{.*}}]
func.func @few(%w: memref<256x20xf32>, %x: memref<16x20xf32>, %y: memref<16x256xf32>, %xs: memref<65x20xf32>, %ys: memref<65x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  scf.for %t = %c0 to %c3 step %c1 {
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  scf.for %t = %c0 to %c9 step %c1 {
    linalg.generic #product ins(%xs, %w : memref<65x20xf32>, memref<256x20xf32>) outs(%ys : memref<65x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  }
  return
}

// A loop over tiles of a batch that runs about once, if at all.
// CHECK-LABEL: func.func @tiles(
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[$STORED]], #{{.*}}]
func.func @tiles(%n: index, %w: memref<256x20xf32>, %x: memref<16x20xf32>, %y: memref<16x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    linalg.generic #product ins(%x, %w : memref<16x20xf32>, memref<256x20xf32>) outs(%y : memref<16x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  } {cell.tile_trips = 1.0 : f64}
  return
}
