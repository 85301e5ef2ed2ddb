// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops,canonicalize))" | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops{target=x86-64-v3},canonicalize))" | FileCheck %s --check-prefix=AVX2

#id = affine_map<(d0, d1) -> (d0, d1)>
#tr = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// Contiguous dimensions are one loop of whole vectors; the end is masked vector code.
// Nothing is scalar.
// CHECK-LABEL: func.func @collapse
// CHECK-DAG:     %[[MASK:.*]] = arith.constant dense<[true, true, true, false, {{.*}}]> : vector<16xi1>
// CHECK-DAG:     %[[END:.*]] = arith.constant 144 : index
// CHECK-NOT:     memref.load
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK-NEXT:      vector.load
// CHECK-NEXT:      math.exp {{.*}} : vector<16xf32>
// CHECK-NEXT:      vector.store
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[X:.*]] = vector.maskedload %{{.*}}[%[[END]]], %[[MASK]]
// CHECK-NEXT:    %[[Y:.*]] = math.exp %[[X]] : vector<16xf32>
// CHECK-NEXT:    vector.maskedstore %{{.*}}[%[[END]]], %[[MASK]], %[[Y]]
// CHECK-NEXT:    return
// AVX2-LABEL:  func.func @collapse
// AVX2:          math.exp {{.*}} : vector<8xf32>
func.func @collapse(%x: memref<3x49xf32>, %y: memref<3x49xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x49xf32>) outs(%y : memref<3x49xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A broadcast operand is one load for all lanes.
// CHECK-LABEL: func.func @broadcast
// CHECK:         scf.for
// CHECK:           vector.load %{{.*}} : memref<512xf32>, vector<16xf32>
// CHECK:           memref.load %{{.*}} : memref<8xf32>
// CHECK:           vector.broadcast
func.func @broadcast(%x: memref<8x64xf32>, %s: memref<8xf32>, %y: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x64xf32>, memref<8xf32>) outs(%y : memref<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// A row sum carries several vectors and combines them, then their lanes, in a tree.
// CHECK-LABEL: func.func @row_sum
// CHECK:         scf.for {{.*}} {
// CHECK:           %[[ACC:.*]]:4 = scf.for {{.*}} iter_args
// CHECK-COUNT-4:     arith.addf {{.*}} : vector<16xf32>
// CHECK:             scf.yield
// CHECK-COUNT-3:   arith.addf {{.*}} : vector<16xf32>
// CHECK:           arith.addf {{.*}} : vector<8xf32>
// CHECK:           arith.addf {{.*}} : vector<4xf32>
// CHECK:           arith.addf {{.*}} : vector<2xf32>
// CHECK:           arith.addf {{.*}} : vector<1xf32>
// CHECK:           arith.addf {{.*}} : f32
// CHECK:           memref.store
func.func @row_sum(%x: memref<8x256xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x256xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// Lanes that a ragged end switches off keep what they had.
// CHECK-LABEL: func.func @ragged_max
// CHECK-DAG:     %[[OLD:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG:     %[[MASK:.*]] = arith.constant dense<[true, {{.*}}]> : vector<16xi1>
// CHECK:         %[[X:.*]] = vector.maskedload %{{.*}}[%{{.*}}], %[[MASK]]
// CHECK:         arith.select %[[MASK]], %[[X]], %[[OLD]]
// CHECK:         arith.maximumf {{.*}} : vector<8xf32>
func.func @ragged_max(%x: memref<10xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<10xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// A column sum reads eight rows at a time, in order, and adds their sum to the results.
// CHECK-LABEL: func.func @column_sum
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-8:     vector.load %{{.*}} : memref<16384xf32>
// CHECK:             vector.load %{{.*}} : memref<1024xf32>
// CHECK-COUNT-8:     arith.addf
// CHECK-NEXT:        vector.store
func.func @column_sum(%x: memref<16x1024xf32>, %y: memref<1024xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<16x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// A long sum adds up blocks.
// CHECK-LABEL: func.func @long_sum
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.addf
// CHECK:           }
// CHECK-COUNT-4:   arith.addf {{.*}} : vector<16xf32>
func.func @long_sum(%x: memref<100000xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<100000xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// A transposed operand goes through a tile that is transposed in registers.
// CHECK-LABEL: func.func @transposed
// CHECK:         memref.alloc() : memref<256xf32>
// CHECK-NOT:     vector.gather
// CHECK:         vector.shuffle
func.func @transposed(%x: memref<64x32xf32>, %y: memref<32x64xf32>) {
  linalg.generic {indexing_maps = [#tr, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// Elements two to four apart are picked from whole vectors, the last of which ends with the last element.
// CHECK-LABEL: func.func @strided
// CHECK-NOT:     vector.gather
// CHECK:         %[[A:.*]] = vector.load %{{.*}}[%c0]
// CHECK:         %[[B:.*]] = vector.load %{{.*}}[%c16]
// CHECK:         %[[AB:.*]] = vector.shuffle %[[A]], %[[B]] [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, {{.*}}]
// CHECK:         %[[C:.*]] = vector.load %{{.*}}[%c30]
// CHECK:         vector.shuffle %[[AB]], %[[C]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31]
func.func @strided(%x: memref<46xf32>, %y: memref<16xf32>) {
  %s = memref.subview %x[0] [16] [3] : memref<46xf32> to memref<16xf32, strided<[3]>>
  memref.copy %s, %y : memref<16xf32, strided<[3]>> to memref<16xf32>
  return
}

// Lanes that are switched off are zero.
// CHECK-LABEL: func.func @few_strided
// CHECK:         %[[A:.*]] = vector.load %{{.*}}[%c0]
// CHECK:         %[[B:.*]] = vector.load %{{.*}}[%c1]
// CHECK:         %[[X:.*]] = vector.shuffle %[[A]], %[[B]] [0, 2, 7, 7]
// CHECK:         vector.shuffle %[[X]], %{{.*}} [0, 1, 2, 4]
func.func @few_strided(%x: memref<5xf64>, %y: memref<3xf64>, %z: memref<3xf64>) {
  %s = memref.subview %x[0] [3] [2] : memref<5xf64> to memref<3xf64, strided<[2]>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s, %y : memref<3xf64, strided<[2]>>, memref<3xf64>) outs(%z : memref<3xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  }
  return
}

// Elements that are further apart are gathered.
// CHECK-LABEL: func.func @far_apart
// CHECK-DAG:     arith.constant dense<[0, 5, 10, 15, {{.*}}]> : vector<16xi32>
// CHECK:         vector.gather
func.func @far_apart(%x: memref<80xf32>, %y: memref<16xf32>) {
  %s = memref.subview %x[0] [16] [5] : memref<80xf32> to memref<16xf32, strided<[5]>>
  memref.copy %s, %y : memref<16xf32, strided<[5]>> to memref<16xf32>
  return
}

// Booleans are bytes in memory and masks in registers.
// CHECK-LABEL: func.func @booleans
// CHECK:         arith.cmpf olt, {{.*}} : vector<16xf32>
// CHECK:         arith.extui {{.*}} : vector<16xi1> to vector<16xi8>
// CHECK:         vector.store {{.*}} : memref<16xi8>
func.func @booleans(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xi1>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : memref<16xf32>, memref<16xf32>) outs(%z : memref<16xi1>) {
  ^bb0(%a: f32, %b: f32, %o: i1):
    %0 = arith.cmpf olt, %a, %b : f32
    linalg.yield %0 : i1
  }
  return
}

// Lanes that are switched off do not divide by zero.
// CHECK-LABEL: func.func @divide
// CHECK:         %[[D:.*]] = vector.maskedload
// CHECK:         %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi32>
// CHECK:         arith.divsi %{{.*}}, %[[SAFE]]
func.func @divide(%x: memref<3xi32>, %y: memref<3xi32>, %z: memref<3xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : memref<3xi32>, memref<3xi32>) outs(%z : memref<3xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %0 = arith.divsi %a, %b : i32
    linalg.yield %0 : i32
  }
  return
}

// Nothing is emitted for an empty iteration space; a result keeps its initial value.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT:    return
func.func @empty(%x: memref<8x0xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x0xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// A copy of a buffer into itself is nothing.
// CHECK-LABEL: func.func @copy_into_itself
// CHECK-NEXT:    return
func.func @copy_into_itself(%x: memref<16xf32>) {
  memref.copy %x, %x : memref<16xf32> to memref<16xf32>
  return
}

// A view that runs backwards in one dimension: what is flat reaches up to its first element there.
// CHECK-LABEL: func.func @backwards
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1710], strides: [1]
func.func @backwards(%x: memref<4x64xf32, strided<[-380, 3], offset: 1520>>, %y: memref<4x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x64xf32, strided<[-380, 3], offset: 1520>>) outs(%y : memref<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
