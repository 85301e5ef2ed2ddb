// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --split-input-file | FileCheck %s

// CHECK:       #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @gather
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], {{.*}}iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<5xi64>)
// CHECK-NEXT:    ^bb0(%[[I:.*]]: i64, %{{.*}}: f32):
// CHECK-NEXT:      %[[LAST:.*]] = arith.constant 8 : i64
// CHECK-NEXT:      %[[LOW:.*]] = arith.minsi %[[I]], %[[LAST]]
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:      %[[IN:.*]] = arith.maxsi %[[LOW]], %[[ZERO]]
// CHECK-NEXT:      %[[AT:.*]] = arith.index_cast %[[IN]] : i64 to index
// CHECK-NEXT:      %[[COLUMN:.*]] = linalg.index 1
// CHECK-NEXT:      %[[X:.*]] = tensor.extract %arg0[%[[AT]], %[[COLUMN]]] : tensor<9x4xf32>
// CHECK-NEXT:      linalg.yield %[[X]]
func.func @gather(%x: tensor<9x4xf32>, %i: tensor<5xi64>) -> tensor<5x4xf32> {
  %y = cell.gather %x at %i dim 0 : tensor<9x4xf32>, tensor<5xi64> -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}

// -----

// The row of a trip is a view; beyond the end it is the last.
// CHECK-LABEL: func.func @gather_at_trip
// CHECK:         scf.for %[[I:.*]] = %c0
// CHECK:           %[[N:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:           %[[LOW:.*]] = arith.minsi %[[N]], %c8
// CHECK:           %[[IN:.*]] = arith.maxsi %[[LOW]], %c0
// CHECK:           %[[AT:.*]] = arith.index_cast %[[IN]] : i64 to index
// CHECK:           tensor.extract_slice %arg0[0, %[[AT]], 0] [2, 1, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x4xf32>
func.func @gather_at_trip(%x: tensor<2x9x4xf32>) -> tensor<2x4xf32> {
  %zero = cell.constant dense<0.0> : tensor<2x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %r = scf.for %i = %c0 to %c12 step %c1 iter_args(%a = %zero) -> (tensor<2x4xf32>) {
    %n = arith.index_cast %i : index to i64
    %t = tensor.from_elements %n : tensor<i64>
    %row = cell.gather %x at %t dim 1 : tensor<2x9x4xf32>, tensor<i64> -> tensor<2x4xf32>
    %b = cell.add %a, %row : tensor<2x4xf32>
    scf.yield %b : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}

// -----

// A slice of several dimensions is walked as one.
// CHECK-LABEL: func.func @gather_slices
// CHECK:         %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1], [2, 3]] : tensor<2x9x4x3xf32> into tensor<2x9x12xf32>
// CHECK:           tensor.extract %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : tensor<2x9x12xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] output_shape [2, 5, 4, 3]
func.func @gather_slices(%x: tensor<2x9x4x3xf32>, %i: tensor<2x5xi32>) -> tensor<2x5x4x3xf32> {
  %y = cell.gather %x at %i dim 1 batch 1 : tensor<2x9x4x3xf32>, tensor<2x5xi32> -> tensor<2x5x4x3xf32>
  return %y : tensor<2x5x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_add
// CHECK:         scf.for %[[K:.*]] = %c0{{.*}} to %{{.*}} iter_args(%[[ACC:.*]] = %arg0) -> (tensor<9x4xf32>)
// CHECK:           tensor.extract %arg1[%[[K]]] : tensor<5xi32>
// CHECK:           %[[AT:.*]] = arith.index_cast
// CHECK:           %[[U:.*]] = tensor.extract_slice %arg2[%[[K]], 0] [1, 4] [1, 1]
// CHECK:           %[[OLD:.*]] = tensor.extract_slice %[[ACC]][%[[AT]], 0] [1, 4] [1, 1]
// CHECK:           %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[U]] : tensor<4xf32>) outs(%[[OLD]] : tensor<4xf32>)
// CHECK:           tensor.insert_slice %[[NEW]] into %[[ACC]][%[[AT]], 0]
func.func @scatter_add(%x: tensor<9x4xf32>, %i: tensor<5xi32>, %u: tensor<5x4xf32>) -> tensor<9x4xf32> {
  %y = cell.scatter "add" %u into %x at %i dim 0 : tensor<5x4xf32>, tensor<9x4xf32>, tensor<5xi32>
  return %y : tensor<9x4xf32>
}

// -----

// Single elements are set without slices; a dimension before comes first.
// CHECK-LABEL: func.func @scatter_set
// CHECK:         scf.for %[[P:.*]] = %c0
// CHECK:           scf.for %[[K:.*]] = %c0{{.*}} iter_args(%[[ACC:.*]] =
// CHECK:             %[[U:.*]] = tensor.extract %arg2[%[[P]], %[[K]]] : tensor<3x5xf32>
// CHECK-NEXT:        tensor.insert %[[U]] into %[[ACC]][%[[P]], %{{.*}}] : tensor<3x9xf32>
func.func @scatter_set(%x: tensor<3x9xf32>, %i: tensor<5xi32>, %u: tensor<3x5xf32>) -> tensor<3x9xf32> {
  %y = cell.scatter "set" %u into %x at %i dim 1 : tensor<3x5xf32>, tensor<3x9xf32>, tensor<5xi32>
  return %y : tensor<3x9xf32>
}

// -----

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<0xf32>
// CHECK-NEXT:    return %arg0, %[[E]]
func.func @nothing(%x: tensor<9xf32>, %e: tensor<0xf32>, %i: tensor<0xi32>) -> (tensor<9xf32>, tensor<0xf32>) {
  %y = cell.scatter "set" %e into %x at %i dim 0 : tensor<0xf32>, tensor<9xf32>, tensor<0xi32>
  %z = cell.reverse %e over [] : tensor<0xf32>
  return %y, %z : tensor<9xf32>, tensor<0xf32>
}

// -----

// The extremum, then the least position that attains it.
// CHECK-LABEL: func.func @argmax
// CHECK:         linalg.reduce
// CHECK:           arith.maximumf
// CHECK:         arith.constant 2147483647 : i32
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "reduction"]
// CHECK:           arith.cmpf oeq
// CHECK:           arith.cmpf uno
// CHECK:           arith.minsi
func.func @argmax(%x: tensor<2x3x4xf32>) -> tensor<3xi32> {
  %y = cell.argmax %x over [0, 2] : tensor<2x3x4xf32> -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// -----

// CHECK:       #[[BACK:.*]] = affine_map<(d0, d1) -> (d0, -d1 + 2)>
// CHECK-LABEL: func.func @reverse
// CHECK:         linalg.generic {indexing_maps = [#[[BACK]],
func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = cell.reverse %x over [1] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @iota
// CHECK:         linalg.index 1
// CHECK:         arith.index_cast %{{.*}} : index to i64
// CHECK:         arith.sitofp %{{.*}} : i64 to f32
func.func @iota() -> tensor<2x3xf32> {
  %y = cell.iota dim 1 : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
