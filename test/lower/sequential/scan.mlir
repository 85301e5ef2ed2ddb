// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --split-input-file | FileCheck %s
// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: cell-opt %s --cell-to-llvm-pipeline --split-input-file | FileCheck %s --check-prefix=MEMORY

// A number is carried along the last dimension.
// KEPT-LABEL:  func.func @numbers
// KEPT-NEXT:     cell.cumsum %arg0 along 1
// CHECK-LABEL: func.func @numbers
// CHECK:         scf.for %[[ROW:.*]] = %c0
// CHECK:           scf.for %[[I:.*]] = %c0{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[OUT:.*]] = %{{.*}}) -> (f32, tensor<2x5xbf16>)
// CHECK:             %[[X:.*]] = tensor.extract %arg0[%[[ROW]], %[[I]]] : tensor<2x5xbf16>
// CHECK:             %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK:             %[[NEXT:.*]] = arith.addf %[[SUM]], %[[WIDE]] : f32
// CHECK:             %[[Y:.*]] = arith.truncf %[[NEXT]] : f32 to bf16
// CHECK:             tensor.insert %[[Y]] into %[[OUT]][%[[ROW]], %[[I]]]
// MEMORY-LABEL: llvm.func @numbers({{.*}}cell.arena_bytes = 0 : i64
func.func @numbers(%x: tensor<2x5xbf16>) -> tensor<2x5xbf16> {
  %y = cell.cumsum %x along 1 : tensor<2x5xbf16>
  return %y : tensor<2x5xbf16>
}

// -----

// Rows are carried along the others, from the end with `reverse`: one buffer for the sums.
// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}, %[[OUT:.*]] = %{{.*}}) -> (tensor<6xf32>, tensor<5x6xf32>)
// CHECK:           %[[AT:.*]] = arith.subi %c4, %[[I]]
// CHECK:           %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[AT]], 0] [1, 6] [1, 1]
// CHECK:           %[[Y:.*]] = tensor.extract_slice %[[OUT]][%[[AT]], 0]
// CHECK:           linalg.generic {{.*}} ins(%[[X]] : tensor<6xf32>) outs(%[[SUMS]], %[[Y]] : tensor<6xf32>, tensor<6xf32>)
// CHECK:             %[[NEXT:.*]] = arith.addf %[[OLD:.*]], %in
// CHECK:             linalg.yield %[[NEXT]], %[[OLD]]
// MEMORY-LABEL: llvm.func @rows({{.*}}cell.arena_bytes = 64 : i64
func.func @rows(%x: tensor<5x2x3xf32>) -> tensor<5x2x3xf32> {
  %y = cell.cumsum %x along 0 {exclusive = true, reverse = true} : tensor<5x2x3xf32>
  return %y : tensor<5x2x3xf32>
}

// -----

// Products take the other start and the other operation.
// CHECK-LABEL: func.func @products
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         scf.for {{.*}} iter_args(%[[PRODUCT:.*]] = %[[ONE]], %{{.*}} = %{{.*}}) -> (i32, tensor<5xi32>)
// CHECK:           %[[NEXT:.*]] = arith.muli %[[PRODUCT]], %{{.*}} : i32
// CHECK:           tensor.insert %[[NEXT]]
// MEMORY-LABEL: llvm.func @products({{.*}}cell.arena_bytes = 0 : i64
func.func @products(%x: tensor<5xi32>) -> tensor<5xi32> {
  %y = cell.cumprod %x along 0 : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

// What is carried comes before the element in the result.
// CHECK-LABEL: func.func @recurrence
// CHECK:         scf.for {{.*}} iter_args(%[[Y:.*]] = %{{.*}}, %[[OUT:.*]] = %{{.*}}) -> (f64, tensor<5xf64>)
// CHECK:           %[[A:.*]] = tensor.extract %arg0
// CHECK:           %[[B:.*]] = tensor.extract %arg1
// CHECK:           %[[AY:.*]] = arith.mulf %[[Y]], %[[A]] : f64
// CHECK:           %[[NEXT:.*]] = arith.addf %[[AY]], %[[B]] : f64
// CHECK:           tensor.insert %[[Y]] into %[[OUT]]
// MEMORY-LABEL: llvm.func @recurrence({{.*}}cell.arena_bytes = 0 : i64
func.func @recurrence(%a: tensor<5xf64>, %b: tensor<5xf64>) -> tensor<5xf64> {
  %y = cell.recurrence %a, %b along 0 : tensor<5xf64>
  return %y : tensor<5xf64>
}

// -----

// From the end, a segment ends after its first element.
// CHECK-LABEL: func.func @segments
// CHECK:         scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, tensor<5xf32>)
// CHECK:           %[[SUM:.*]] = arith.addf %[[CARRIED]], %{{.*}} : f32
// CHECK:           %[[NEXT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[SUM]] : f32
// CHECK:           %[[Y:.*]] = tensor.insert %[[SUM]]
// CHECK:           scf.yield %[[NEXT]], %[[Y]]
// MEMORY-LABEL: llvm.func @segments({{.*}}cell.arena_bytes = 0 : i64
func.func @segments(%x: tensor<5xf32>, %s: tensor<5xi1>) -> tensor<5xf32> {
  %y = cell.segment_cumsum %x from %s along 0 {reverse = true} : tensor<5xf32>, tensor<5xi1>
  return %y : tensor<5xf32>
}

// -----

// Rows carry the extremum, the NaN and, where it is read, the position.
// CHECK-LABEL: func.func @extrema
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} -> (tensor<6xf32>, tensor<6xf32>, tensor<6xi32>, tensor<5x6xf32>, tensor<5x6xi32>)
// CHECK:           %[[AT:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[AT]] : tensor<6xf32>, i32)
// CHECK:             %[[STAYS:.*]] = arith.cmpf ogt, %[[BEST:.*]], %[[X:.*]] : f32
// CHECK:             arith.select %[[STAYS]], %[[BEST]], %[[X]] : f32
// MEMORY-LABEL: llvm.func @extrema({{.*}}cell.arena_bytes = 192 : i64
func.func @extrema(%x: tensor<5x6xf32>) -> (tensor<5x6xf32>, tensor<5x6xi32>) {
  %y:2 = cell.cummax %x along 0 : tensor<5x6xf32>
  return %y#0, %y#1 : tensor<5x6xf32>, tensor<5x6xi32>
}

// -----

// CHECK-LABEL: func.func @values_alone
// CHECK:         scf.for {{.*}} -> (i32, tensor<5xi32>)
// CHECK:           arith.cmpi slt
// CHECK-NOT:       arith.index_cast
// MEMORY-LABEL: llvm.func @values_alone({{.*}}cell.arena_bytes = 0 : i64
func.func @values_alone(%x: tensor<5xi32>) -> tensor<5xi32> {
  %y:2 = cell.cummin %x along 0 : tensor<5xi32>
  return %y#0 : tensor<5xi32>
}

// -----

// Few elements are counted: how many come before each.
// CHECK-LABEL: func.func @few
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:           arith.cmpi ult
// CHECK:         scf.for
// CHECK:           tensor.insert
// CHECK-NOT:       arith.shrui
func.func @few(%x: tensor<3x128xf32>) -> tensor<3x128xi32> {
  %y = cell.argsort %x along 1 : tensor<3x128xf32> -> tensor<3x128xi32>
  return %y : tensor<3x128xi32>
}

// -----

// Many are moved by their digits, there and back: two buffers of keys and two of positions, and the
// counts of digits twice (129 * 4 bytes is 576 with alignment).
// CHECK-LABEL: func.func @many
// CHECK:         linalg.transpose
// CHECK:         %c32{{.*}} = arith.constant 32 : index
// CHECK:         %c16{{.*}} = arith.constant 16 : index
// CHECK:         scf.for
// CHECK:           arith.shrui
// CHECK:         linalg.transpose
// MEMORY-LABEL: llvm.func @many(
func.func @many(%x: tensor<129x3xi32>) -> tensor<129x3xi64> {
  %y = cell.argsort %x along 0 {descending = true} : tensor<129x3xi32> -> tensor<129x3xi64>
  return %y : tensor<129x3xi64>
}

// -----

// The first few are selected from two chunks and what is left: the keys of one, the counts of a chunk
// and of each bit, then they are moved to the front.
// CHECK-LABEL: func.func @selected
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} -> (tensor<2048xi32>, tensor<11xi32>, i32)
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:             arith.cmpi ult
// CHECK:           scf.if
// CHECK:             scf.while
// CHECK:               linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:             tensor.insert
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<914xi32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// MEMORY-LABEL: llvm.func @selected(
func.func @selected(%x: tensor<5000xf32>) -> tensor<10xi32> {
  %y = cell.argsort %x along 0 {descending = true} : tensor<5000xf32> -> tensor<10xi32>
  return %y : tensor<10xi32>
}
