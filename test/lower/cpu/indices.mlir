// What is read where an index says, in loops and in place.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops,canonicalize,cse))" --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// The index of a row is one scalar, and the row is read as vectors.
// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %[[R:.*]] = %c0
// CHECK:           scf.for
// CHECK:             %[[I:.*]] = memref.load %{{.*}}[%[[R]]] : memref<5xi32>
// CHECK:             arith.index_cast %[[I]] : i32 to index
// CHECK-COUNT-4:     vector.load %{{.*}} : memref<2304xf32>, vector<16xf32>
// CHECK-NOT:     vector<{{.*}}xindex>
func.func @rows(%x: memref<9x256xf32>, %i: memref<5xi32>, %y: memref<5x256xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<5xi32>) outs(%y : memref<5x256xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = memref.load %x[%0, %1] : memref<9x256xf32>
    linalg.yield %2 : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Elements anywhere are gathered; those of other types keep their width.
// CHECK-LABEL: func.func @elements
// CHECK:         %[[I:.*]] = vector.load %{{.*}} : memref<32xi64>, vector<8xi64>
// CHECK:         %[[AT:.*]] = arith.index_cast %[[I]] : vector<8xi64> to vector<8xindex>
// CHECK:         %[[NARROW:.*]] = arith.index_cast %[[AT]] : vector<8xindex> to vector<8xi32>
// CHECK:         vector.gather %{{.*}}[%c0] [%[[NARROW]]], %{{.*}} : memref<100xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
func.func @elements(%x: memref<100xf32>, %i: memref<32xi64>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : memref<32xi64>) outs(%y : memref<32xf32>) {
  ^bb0(%a: i64, %o: f32):
    %0 = arith.index_cast %a : i64 to index
    %1 = memref.load %x[%0] : memref<100xf32>
    linalg.yield %1 : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#back = affine_map<(d0) -> (-d0 + 36)>

// Backwards is a vector turned around; the end is masked.
// CHECK-LABEL: func.func @backwards
// CHECK-COUNT-2: vector.shuffle %{{.*}}, %{{.*}} [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
// CHECK:         vector.maskedload
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [4, 3, 2, 1, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
// CHECK-NOT:     vector.gather
func.func @backwards(%x: memref<37xf32>, %y: memref<37xf32>) {
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]} ins(%x : memref<37xf32>) outs(%y : memref<37xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A loop variable as a number of 32 bits fills the lanes.
// CHECK-LABEL: func.func @numbers
// CHECK:         arith.index_cast %{{.*}} : index to i32
// CHECK:         arith.addi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK-NOT:     xindex>
func.func @numbers(%y: memref<640xi32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<640xi32>) {
  ^bb0(%o: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  }
  return
}

// -----

#turned = affine_map<(d0, d1) -> (d1, d0)>

// Loops in the order of memory: the index of a dimension follows its loop, which is the outer one.
// CHECK-LABEL: func.func @turned
// CHECK:         scf.for %[[I:.*]] = %c0 to %c5
// CHECK-DAG:       %[[AT:.*]] = arith.muli %[[I]], %c40
// CHECK-DAG:       %[[N:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-DAG:       %[[S:.*]] = vector.broadcast %[[N]] : i32 to vector<16xi32>
// CHECK:           vector.store %{{.*}}, %{{.*}}[%[[AT]]]
func.func @turned(%y: memref<5x40xf32>) {
  linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel"]} outs(%y : memref<5x40xf32>) {
  ^bb0(%o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#turned = affine_map<(d0, d1) -> (d1, d0)>

// ... or the inner one, in lanes.
// CHECK-LABEL: func.func @turned_lanes
// CHECK:         %[[LANES:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, {{.*}} : vector<16xf32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c5
// CHECK:           %[[AT:.*]] = arith.muli %[[I]], %c40
// CHECK:           vector.store %[[LANES]], %{{.*}}[%[[AT]]]
func.func @turned_lanes(%y: memref<5x40xf32>) {
  linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel"]} outs(%y : memref<5x40xf32>) {
  ^bb0(%o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The index of an outer loop keeps that loop, although the elements follow each other.
// CHECK-LABEL: func.func @outer
// CHECK:         scf.for %[[I:.*]] = %c0 to %c5
// CHECK:           arith.index_cast %[[I]] : index to i32
func.func @outer(%y: memref<5x40xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<5x40xf32>) {
  ^bb0(%o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  }
  return
}
