// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm,cell-emit-loops,canonicalize,cse))" | FileCheck %s

// The loops of long sums are trees: blocks of 32 additions, 8 blocks in the next larger one.

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#col = affine_map<(d0, d1) -> (d1)>

// Partial sums beside those that are carried, in registers.
// CHECK-LABEL: func.func @blocks
// CHECK:         %[[OLD:.*]] = vector.load %arg1
// CHECK:         %[[ALL:.*]] = scf.for %[[I:.*]] = %c0 to %[[END:.*]] step %c256 iter_args(%[[SUM:.*]] = %[[OLD]])
// CHECK:           %[[IEND:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK:           %[[MANY:.*]] = scf.for %[[J:.*]] = %[[I]] to %[[IEND]] step %c32 iter_args(%[[SUM1:.*]] = %[[ZERO:.*]])
// CHECK:             %[[JEND:.*]] = arith.minsi %{{.*}}, %[[IEND]]
// CHECK:             %[[FEW:.*]] = scf.for %{{.*}} = %[[J]] to %[[JEND]] step %c1 iter_args(%[[SUM2:.*]] = %[[ZERO]])
// CHECK:               arith.addf %{{.*}}, %[[SUM2]] : vector<8xf32>
// CHECK:             arith.addf %[[SUM1]], %[[FEW]]
// CHECK:           arith.addf %[[SUM]], %[[MANY]]
// CHECK-NOT:     arith.addf
// CHECK:         vector.store %[[ALL]]
func.func @blocks(%x: memref<2000x8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2000x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @short
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func @short(%x: memref<32x8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<32x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// An extremum has no rounding errors.
// CHECK-LABEL: func.func @maximum
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func @maximum(%x: memref<2000x8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2000x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// Beside a sum, an extremum passes through.
// CHECK-LABEL: func.func @both
// CHECK:         scf.for {{.*}} step %c256 iter_args(%[[SUM:.*]] = %{{.*}}, %[[MAX:.*]] = %
// CHECK:           scf.for {{.*}} step %c32 iter_args(%[[SUM1:.*]] = %[[ZERO:.*]], %[[MAX1:.*]] = %[[MAX]])
// CHECK:             %[[FEW:.*]]:2 = scf.for {{.*}} step %c1 iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[MAX1]])
// CHECK:             %[[NEXT:.*]] = arith.addf %[[SUM1]], %[[FEW]]#0
// CHECK-NEXT:        scf.yield %[[NEXT]], %[[FEW]]#1
// CHECK-COUNT-1:   arith.addf
func.func @both(%x: memref<2000x8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #col, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2000x8xf32>) outs(%y, %z : memref<8xf32>, memref<8xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %0 = arith.addf %a, %o : f32
    %1 = arith.maximumf %a, %p : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
}

// The inner dimension makes 16 additions a trip, so that two trips of the outer one make a block.
// CHECK-LABEL: func.func @two_dimensions
// CHECK:         scf.for {{.*}} step %c128 iter_args
// CHECK:           scf.for {{.*}} step %c16 iter_args
// CHECK:             scf.for {{.*}} step %c2 iter_args
// CHECK:               scf.for {{.*}} step %c1 iter_args(%[[PART:[a-z0-9]+]] = %cst{{[_0-9]*}},
// CHECK:                 scf.for {{.*}} to %c960 step %c64 iter_args(%{{[a-z0-9]+}} = %[[PART]],
// CHECK:               }
// CHECK-COUNT-4:       arith.addf {{.*}} : vector<16xf32>
// CHECK:             }
// CHECK-COUNT-4:     arith.addf {{.*}} : vector<16xf32>
// CHECK:           }
// CHECK-COUNT-4:   arith.addf {{.*}} : vector<16xf32>
func.func @two_dimensions(%x: memref<1000xf32>, %y: memref<1000xf32>, %z: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #col, #none], iterator_types = ["reduction", "reduction"]} ins(%x, %y : memref<1000xf32>, memref<1000xf32>) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows of partial sums in memory: 32 times 8 rows make one, which is added to the result. Four rows remain.
// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %[[I:.*]] = %c0 to %c2048 step %c256 {
// CHECK:           %[[END:.*]] = arith.addi %[[I]], %c256
// CHECK:           %[[ROW:.*]] = memref.alloc() : memref<200xf32>
// CHECK:           scf.for
// CHECK-NEXT:        vector.store %cst{{[_0-9]*}}, %[[ROW]]
// CHECK:           vector.maskedstore %[[ROW]]
// CHECK:           scf.for %{{.*}} = %[[I]] to %[[END]] step %c8
// CHECK:             vector.load %[[ROW]]
// CHECK-COUNT-8:     arith.addf
// CHECK:             vector.store %{{.*}}, %[[ROW]]
// CHECK-NOT:       %arg1
// CHECK:           scf.for
// CHECK-DAG:         %[[OLD:.*]] = vector.load %arg1
// CHECK-DAG:         %[[PART:.*]] = vector.load %[[ROW]]
// CHECK:             %[[NEW:.*]] = arith.addf %[[OLD]], %[[PART]]
// CHECK:             vector.store %[[NEW]], %arg1
// CHECK:         scf.for
// CHECK-COUNT-4:   arith.addf
// CHECK:           vector.store %{{.*}}, %arg1
func.func @rows(%x: memref<2052x200xf32>, %y: memref<200xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2052x200xf32>) outs(%y : memref<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// In a register tile 43 steps of k make a block, six of which are a block of 256; eight of these make one of C.
// CHECK-LABEL: func.func @product
// CHECK:         scf.for %[[I:.*]] = %c0 to %{{.*}} step %c2048 {
// CHECK:           %[[C:.*]] = memref.alloc() : memref<32xf32>
// CHECK:           scf.for
// CHECK:             vector.store %cst{{[_0-9]*}}, %[[C]]
// CHECK:           scf.for %{{.*}} = %[[I]] to %{{.*}} step %c256 {
// CHECK:             %[[TILE:.*]]:2 = scf.for %[[J:.*]] = %c0 to %[[STEPS:.*]] step %c43 iter_args(%[[SUM:[a-z0-9]+]] = %cst{{[_0-9]*}},
// CHECK:               %[[END:.*]] = arith.minsi %{{.*}}, %[[STEPS]]
// CHECK:               %[[FEW:.*]]:2 = scf.for %{{.*}} = %[[J]] to %[[END]] step %c1 iter_args(%{{[a-z0-9]+}} = %cst{{[_0-9]*}},
// CHECK-COUNT-2:         vector.fma
// CHECK:               arith.addf %[[SUM]], %[[FEW]]#0
// CHECK:             vector.load %[[C]]
// CHECK:             arith.addf %{{.*}}, %[[TILE]]#0
// CHECK:             vector.store %{{.*}}, %[[C]]
// CHECK:           scf.for
// CHECK:             vector.load %[[C]]
// CHECK:             arith.addf
// CHECK:             vector.store
func.func @product(%a: memref<2x6000xf32>, %b: memref<6000x16xf32>, %c: memref<2x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x6000xf32>, memref<6000x16xf32>) outs(%c : memref<2x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

#xt = affine_map<(n, o, h, w, c, p, q) -> (c, n, h + p, w + q)>
#wt = affine_map<(n, o, h, w, c, p, q) -> (c, o, p, q)>
#y = affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>
// The gradient of filters: four channels are an item. Images are added to its buffer of C, 8 at a time; three rows of
// ten steps make a block in registers.
// CHECK-LABEL: func.func @filters
// CHECK:         memref.alloc() : memref<256000xf32>
// CHECK:         scf.forall (%{{.*}}) in (4) {
// CHECK:         %[[C:.*]] = memref.alloc() : memref<3200xf32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c80 step %c8 {
// CHECK:           %[[END:.*]] = arith.addi %[[I]], %c8
// CHECK:           %[[PART:.*]] = memref.alloc() : memref<3200xf32>
// CHECK:           vector.store %cst{{[_0-9]*}}, %[[PART]]
// CHECK:           scf.for %{{.*}} = %[[I]] to %[[END]] step %c1 {
// CHECK:             scf.for {{.*}} to %c10 step %c3 iter_args
// CHECK:               scf.for {{.*}} step %c1 iter_args
// CHECK:                 scf.for {{.*}} to %c10 step %c1 iter_args
// CHECK-COUNT-25:          vector.fma
// CHECK-COUNT-25:      arith.addf
// CHECK:             vector.load %[[PART]]
// CHECK:             vector.store %{{.*}}, %[[PART]]
// CHECK:           scf.for
// CHECK-DAG:         %[[OLD:.*]] = vector.load %[[C]]
// CHECK-DAG:         %[[NEW:.*]] = vector.load %[[PART]]
// CHECK:             arith.addf %[[OLD]], %[[NEW]]
// CHECK:             vector.store %{{.*}}, %[[C]]
func.func @filters(%x: memref<80x16x14x14xf32>, %ct: memref<80x32x10x10xf32>, %y: memref<16x32x5x5xf32>) {
  linalg.generic {indexing_maps = [#xt, #wt, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %ct : memref<80x16x14x14xf32>, memref<80x32x10x10xf32>) outs(%y : memref<16x32x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
