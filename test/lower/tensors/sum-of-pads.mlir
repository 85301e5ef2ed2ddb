// The gradient of a tensor that was cut into slices: parts that are put side by side, and what has to stay a sum.
// RUN: cell-opt %s --cell-to-linalg --split-input-file | FileCheck %s

// In any order, with any grouping; zero is added to each part.
// CHECK-LABEL: func.func @parts(
// CHECK-NOT:     tensor.insert_slice
// CHECK:         arith.addf
// CHECK:         arith.addf
// CHECK:         arith.addf
// CHECK:         tensor.insert_slice {{.*}}[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x9xf32>
// CHECK:         tensor.insert_slice {{.*}}[0, 3] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<2x9xf32>
// CHECK:         tensor.insert_slice {{.*}}[0, 5] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x9xf32>
// CHECK-NOT:     arith.addf
func.func @parts(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>, %c: tensor<2x4xf32>) -> tensor<2x9xf32> {
  %0 = cell.pad %c low [0, 5] high [0, 0] interior [0, 0] : tensor<2x4xf32> -> tensor<2x9xf32>
  %1 = cell.pad %a low [0, 0] high [0, 6] interior [0, 0] : tensor<2x3xf32> -> tensor<2x9xf32>
  %2 = cell.pad %b low [0, 3] high [0, 4] interior [0, 0] : tensor<2x2xf32> -> tensor<2x9xf32>
  %3 = cell.add %1, %2 : tensor<2x9xf32>
  %4 = cell.add %0, %3 : tensor<2x9xf32>
  return %4 : tensor<2x9xf32>
}

// -----

// Two of the parts meet in an element.
// CHECK-LABEL: func.func @overlap(
// CHECK:         linalg.fill
func.func @overlap(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %0 = cell.pad %a low [0] high [2] interior [0] : tensor<3xf32> -> tensor<5xf32>
  %1 = cell.pad %b low [2] high [0] interior [0] : tensor<3xf32> -> tensor<5xf32>
  %2 = cell.add %0, %1 : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// -----

// An element has zeros alone.
// CHECK-LABEL: func.func @gap(
// CHECK:         linalg.fill
func.func @gap(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<5xf32> {
  %0 = cell.pad %a low [0] high [3] interior [0] : tensor<2xf32> -> tensor<5xf32>
  %1 = cell.pad %b low [3] high [0] interior [0] : tensor<2xf32> -> tensor<5xf32>
  %2 = cell.add %0, %1 : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @two_dimensions(
// CHECK:         linalg.fill
func.func @two_dimensions(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>) -> tensor<2x2xf32> {
  %0 = cell.pad %a low [0, 0] high [1, 0] interior [0, 0] : tensor<1x2xf32> -> tensor<2x2xf32>
  %1 = cell.reshape %b : tensor<1x2xf32> -> tensor<2x1xf32>
  %2 = cell.pad %1 low [0, 1] high [0, 0] interior [0, 0] : tensor<2x1xf32> -> tensor<2x2xf32>
  %3 = cell.add %0, %2 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// -----

// Zeros between the elements of one part.
// CHECK-LABEL: func.func @spread(
// CHECK:         tensor.insert_slice {{.*}}[0] [2] [2] : tensor<2xf32> into tensor<4xf32>
// CHECK:         tensor.insert_slice {{.*}}[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
// CHECK:         arith.addf
func.func @spread(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<4xf32> {
  %0 = cell.pad %a low [0] high [1] interior [1] : tensor<2xf32> -> tensor<4xf32>
  %1 = cell.pad %b low [2] high [0] interior [0] : tensor<2xf32> -> tensor<4xf32>
  %2 = cell.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Each part has zeros along both dimensions.
// CHECK-LABEL: func.func @corners(
// CHECK:         linalg.fill
// CHECK:         linalg.fill
func.func @corners(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<2x2xf32> {
  %0 = cell.pad %a low [0, 0] high [1, 1] interior [0, 0] : tensor<1x1xf32> -> tensor<2x2xf32>
  %1 = cell.pad %b low [1, 1] high [0, 0] interior [0, 0] : tensor<1x1xf32> -> tensor<2x2xf32>
  %2 = cell.add %0, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// -----

// Something else is added, and a part of the sum is needed by itself.
// CHECK-LABEL: func.func @others(
// CHECK:         linalg.fill
func.func @others(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = cell.pad %a low [0] high [4] interior [0] : tensor<2xf32> -> tensor<6xf32>
  %1 = cell.pad %b low [2] high [2] interior [0] : tensor<2xf32> -> tensor<6xf32>
  %2 = cell.pad %c low [4] high [0] interior [0] : tensor<2xf32> -> tensor<6xf32>
  %3 = cell.add %0, %1 : tensor<6xf32>
  %4 = cell.add %3, %2 : tensor<6xf32>
  return %3, %4 : tensor<6xf32>, tensor<6xf32>
}

// -----

// As many elements as there are places, but one place has two and one has none.
// CHECK-LABEL: func.func @overlap_and_gap(
// CHECK:         linalg.fill
// CHECK:         linalg.fill
func.func @overlap_and_gap(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<6xf32> {
  %0 = cell.pad %a low [0] high [3] interior [0] : tensor<3xf32> -> tensor<6xf32>
  %1 = cell.pad %b low [2] high [1] interior [0] : tensor<3xf32> -> tensor<6xf32>
  %2 = cell.add %0, %1 : tensor<6xf32>
  return %2 : tensor<6xf32>
}
