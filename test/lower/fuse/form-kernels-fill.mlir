// A fill that runs with the ops before it is no longer that of the op which accumulates into what it fills.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-form-kernels{fewest-bytes=1 fewest-nanoseconds=0}))" | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @refilled(
// CHECK:         scf.forall
// CHECK:           linalg.generic
// CHECK:           linalg.fill
// CHECK:         scf.forall
// CHECK-NOT:       linalg.fill
// CHECK:           linalg.generic
// CHECK:         return
func.func @refilled(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%x : memref<64x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : memref<64x16xf32>) outs(%x : memref<64x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  }
  return
}

// An op that is deferred passes another reader of what is filled: the fill does not come along.
// CHECK-LABEL: func.func @passed(
// CHECK:         linalg.fill
// CHECK:         memref.copy
// CHECK:         scf.forall
// CHECK:         scf.forall
// CHECK-NOT:       linalg.fill
// CHECK:         return
func.func @passed(%x: memref<64x16xf32>, %y: memref<64x16xf32>, %f: memref<64x64xf32>, %u: memref<64x64xf32>,
                  %z: memref<64x64xf32>, %w: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%f : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>,
                                   affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %f : memref<64x16xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.maximumf %0, %o : f32
    linalg.yield %1 : f32
  }
  memref.copy %f, %u : memref<64x64xf32> to memref<64x64xf32>
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x16xf32>) outs(%w : memref<64x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// What is read between may be what was filled: the fill does not come along.
// CHECK-LABEL: func.func @one_of_two(
// CHECK:         linalg.fill
// CHECK:         arith.select
// CHECK:         math.sin
// CHECK:         scf.forall
// CHECK:           math.exp
// CHECK-NOT:       linalg.fill
// CHECK:           math.cos
// CHECK:         return
func.func @one_of_two(%p: i1, %x: memref<64x16xf32>, %y: memref<64x16xf32>, %o: memref<64x16xf32>,
                      %u: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<64x16xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<64x16xf32>)
  %m = arith.select %p, %t, %o : memref<64x16xf32>
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<64x16xf32>) outs(%u : memref<64x16xf32>) {
  ^bb0(%a: f32, %r: f32):
    %0 = math.sin %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%a: f32, %r: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x16xf32>) outs(%t : memref<64x16xf32>) {
  ^bb0(%a: f32, %r: f32):
    %0 = math.cos %a : f32
    %1 = arith.addf %0, %r : f32
    linalg.yield %1 : f32
  }
  return
}
