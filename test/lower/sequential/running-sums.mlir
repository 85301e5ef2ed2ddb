// Long sums that take their terms in order have wider accumulators.
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --split-input-file | FileCheck %s
// RUN: cell-opt %s --cell-to-llvm-pipeline --split-input-file | FileCheck %s --check-prefix=ARENA

// CHECK-LABEL: func.func @single
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (f64, tensor<65xf32>)
// CHECK:           %[[X:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK:           %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] : f64
// CHECK:           arith.truncf %[[NEXT]] : f64 to f32
func.func @single(%x: tensor<65xf32>) -> tensor<65xf32> {
  %y = cell.cumsum %x along 0 : tensor<65xf32>
  return %y : tensor<65xf32>
}

// -----

// The errors of all additions beside the sum; not where the sum is infinite.
// CHECK-LABEL: func.func @double
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[ERRORS:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (f64, f64, tensor<65xf64>)
// CHECK:           %[[X:.*]] = tensor.extract
// CHECK:           %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] : f64
// CHECK:           %[[ADDED:.*]] = arith.subf %[[NEXT]], %[[SUM]]
// CHECK:           %[[ERROR:.*]] = arith.subf %[[X]], %[[ADDED]]
// CHECK:           %[[ALL:.*]] = arith.addf %[[ERRORS]], %[[ERROR]]
// CHECK:           %[[TOTAL:.*]] = arith.addf %[[NEXT]], %[[ALL]]
// CHECK:           %[[IS:.*]] = arith.cmpf ord, %[[TOTAL]], %[[TOTAL]]
// CHECK:           %[[Y:.*]] = arith.select %[[IS]], %[[TOTAL]], %[[NEXT]]
// CHECK:           tensor.insert %[[Y]]
func.func @double(%x: tensor<65xf64>) -> tensor<65xf64> {
  %y = cell.cumsum %x along 0 : tensor<65xf64>
  return %y : tensor<65xf64>
}

// -----

// Numbers of half precision come and go by f32, which no target lacks.
// CHECK-LABEL: func.func @half
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.extf %{{.*}} : f32 to f64
// CHECK:           arith.truncf %{{.*}} : f64 to f32
// CHECK:           arith.truncf %{{.*}} : f32 to f16
func.func @half(%x: tensor<65xf16>) -> tensor<65xf16> {
  %y = cell.cumsum %x along 0 : tensor<65xf16>
  return %y : tensor<65xf16>
}

// -----

// CHECK-LABEL: func.func @short
// CHECK-NOT:     f64
func.func @short(%x: tensor<64xf32>, %z: tensor<9x4xf32>, %i: tensor<64xi32>, %u: tensor<64x4xf32>) -> (tensor<64xf32>, tensor<9x4xf32>) {
  %0 = cell.cumsum %x along 0 : tensor<64xf32>
  %1 = cell.scatter "add" %u into %z at %i dim 0 : tensor<64x4xf32>, tensor<9x4xf32>, tensor<64xi32>
  return %0, %1 : tensor<64xf32>, tensor<9x4xf32>
}

// -----

// There are fewer elements than updates: all have wide sums, of one batch at a time.
// CHECK-LABEL: func.func @wide
// CHECK:         scf.for {{.*}} -> (tensor<3x9x4xf32>)
// CHECK:           %[[BEGIN:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<9x4xf64>)
// CHECK:           %[[SUMS:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[BEGIN]]) -> (tensor<9x4xf64>)
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf64>)
// CHECK:           linalg.generic {{.*}} ins(%[[SUMS]] : tensor<9x4xf64>) outs(%{{.*}} : tensor<9x4xf32>)
// 36 numbers.
// ARENA: llvm.func @wide({{.*}}cell.arena_bytes = 320 : i64
func.func @wide(%x: tensor<3x9x4xf32>, %i: tensor<3x65xi32>, %u: tensor<3x65x4xf32>) -> tensor<3x9x4xf32> {
  %y = cell.scatter "add" %u into %x at %i dim 1 batch 1 : tensor<3x65x4xf32>, tensor<3x9x4xf32>, tensor<3x65xi32>
  return %y : tensor<3x9x4xf32>
}

// -----

// There are more. Indices are counted, and where one comes too often, updates are sorted by them: one wide sum at a time,
// which begins anew with each index. Some indices share a counter.
// CHECK-LABEL: func.func @sorted
// CHECK-DAG:     %[[MANY:.*]] = arith.constant 65 : i8
// CHECK:         %[[COUNTS:.*]]:2 = scf.for {{.*}} -> (tensor<512xi8>, i8)
// CHECK:           arith.andi %{{.*}}, %c511
// CHECK:         %[[SELDOM:.*]] = arith.cmpi slt, %[[COUNTS]]#1, %[[MANY]]
// CHECK:         %[[TRIPS:.*]] = arith.index_castui %[[SELDOM]] : i1 to index
// CHECK:         %[[PLAIN:.*]] = scf.for {{.*}} to %[[TRIPS]] {{.*}} iter_args(%{{.*}} = %arg0) -> (tensor<9000x4xf32>)
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[PLAIN]]) -> (tensor<9000x4xf32>)
// CHECK:           scf.for {{.*}} -> (tensor<9000x4xf32>, index, tensor<4xf64>)
// CHECK:             %[[FIRST:.*]] = arith.cmpi ne
// CHECK:             linalg.generic {{.*}} ins(%[[FIRST]], %{{.*}} : i1, tensor<4xf32>) outs(%{{.*}}, %{{.*}} : tensor<4xf64>, tensor<4xf32>)
// The counters are gone before keys, ranks, an order and a sum come: no copy of the result.
// ARENA: llvm.func @sorted({{.*}}cell.arena_bytes = 640 : i64
func.func @sorted(%x: tensor<9000x4xf32>, %i: tensor<65xi32>, %u: tensor<65x4xf32>) -> tensor<9000x4xf32> {
  %y = cell.scatter "add" %u into %x at %i dim 0 : tensor<65x4xf32>, tensor<9000x4xf32>, tensor<65xi32>
  return %y : tensor<9000x4xf32>
}

// -----

// 65 windows share an element.
// CHECK-LABEL: func.func @overlap_add
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x129xf64>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x129xf64>) outs(%{{.*}} : tensor<4x129xf32>)
func.func @overlap_add(%y: tensor<4x65x65xf32>) -> tensor<4x129xf32> {
  %0 = cell.overlap_add %y strides [1] dilations [1] : tensor<4x65x65xf32> -> tensor<4x129xf32>
  return %0 : tensor<4x129xf32>
}
