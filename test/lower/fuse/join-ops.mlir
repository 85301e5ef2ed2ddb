// Short ops that do not need each other are items of one kernel; what needs each other is in one item.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-join-ops{fewest-nanoseconds=0}))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-join-ops))" | FileCheck %s --check-prefix=SHORT

#i = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @chains(
// CHECK-NEXT:    memref.alloc()
// CHECK-NEXT:    scf.forall (%[[ITEM:.*]]) in (2) {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0
// CHECK-NEXT:      %[[FIRST:.*]] = arith.cmpi eq, %[[ITEM]], %[[ZERO]]
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK:             math.exp
// CHECK:             math.cos
// CHECK:           } {cell.tiles = 5.000000e-01 : f64}
// CHECK:           scf.if
// CHECK:             math.sin
// CHECK:           } {cell.tiles = 5.000000e-01 : f64}
// CHECK-NEXT:    } {cell.nanoseconds = 4915 : i64}
// CHECK-NEXT:    return

// Altogether too little for two cores.
// SHORT-LABEL: func.func @chains(
// SHORT-NOT:     scf.forall
// SHORT-LABEL: func.func @stays(
func.func @chains(%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) {
  %t = memref.alloc() : memref<4096xf32>
  linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%a : memref<4096xf32>) outs(%t : memref<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = math.exp %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%b : memref<4096xf32>) {
  ^bb0(%x: f32):
    %0 = math.sin %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%t : memref<4096xf32>) outs(%c : memref<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = math.cos %x : f32
    linalg.yield %0 : f32
  }
  return
}

// A product that is long enough for items of its own keeps its epilogue, and the zeros that it starts with.
// SHORT:         linalg.fill
// SHORT-NEXT:    linalg.generic
// SHORT:         linalg.generic
// SHORT:         scf.forall
// SHORT:           math.exp
// SHORT:           math.sin
func.func @stays(%a: memref<512x512xf32>, %c: memref<512x512xf32>, %d: memref<32768xf32>, %e: memref<32768xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<512x512xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                   affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<512x512xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32):
    %0 = arith.negf %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%d : memref<32768xf32>) {
  ^bb0(%x: f32):
    %0 = math.exp %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e : memref<32768xf32>) {
  ^bb0(%x: f32):
    %0 = math.sin %x : f32
    linalg.yield %0 : f32
  }
  return
}
