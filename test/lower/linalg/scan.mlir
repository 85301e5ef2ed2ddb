// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s
// RUN: cell-opt %s --cell-to-llvm-pipeline --split-input-file | FileCheck %s --check-prefix=MEMORY

// A number is carried along the last dimension.
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
