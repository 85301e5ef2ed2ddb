// Random numbers for samples behind other dimensions, as of sequences with time first: each element of these has a part
// of the stream for all samples, of which a tile draws its own.
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 | FileCheck %s
// RUN: cell-opt %s --cell-tile-batch=tiles=2,1 --cell-to-linalg-pipeline --cell-cpu-pipeline -o /dev/null

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @drawn(
  // CHECK-SAME:    %[[BATCH:[a-z0-9]+]]: tensor<i64>
  // CHECK:         %[[SIZE:.*]] = arith.index_cast %{{.*}} : i64 to index
  // CHECK:         scf.for
  // CHECK-DAG:       %[[FIRST:.*]] = tensor.from_elements
  // CHECK-DAG:       %[[NUMBER:.*]] = arith.index_cast %[[SIZE]] : index to i64
  // CHECK-DAG:       %[[ALL:.*]] = tensor.from_elements %[[NUMBER]]
  // CHECK:           call @drawn_phase_0_of_2(%{{.*}}, %[[FIRST]], %[[ALL]])
  func.func @drawn(%key: tensor<2xi32>, %x: tensor<65521x2x3xi32>) -> tensor<65521x2x3xi32> {
    %0 = cell.random_bits %key : tensor<2xi32> -> tensor<3x65521x2xi32>
    %1 = cell.transpose %0 perm [1, 2, 0] : tensor<3x65521x2xi32> -> tensor<65521x2x3xi32>
    %2 = cell.add %1, %x : tensor<65521x2x3xi32>
    return %2 : tensor<65521x2x3xi32>
  }
  // CHECK-LABEL: func private @drawn_phase_0_of_2(
  // CHECK-SAME:    %[[AT:[a-z0-9]+]]: tensor<i64> {cell.first_sample}, %[[SAMPLES:[a-z0-9]+]]: tensor<i64> {cell.all_samples})
  // CHECK-DAG:     %[[HERE:.*]] = tensor.extract %[[AT]][]
  // CHECK-DAG:     %[[COUNT:.*]] = tensor.extract %[[SAMPLES]][]
  // CHECK:         %[[BEFORE:.*]] = arith.muli %[[COUNT]], %c2
  // CHECK:         arith.addi %[[BEFORE]], %[[HERE]]
  // CHECK:         %[[WORDS:.*]] = tensor.from_elements {{.*}} : tensor<3x2xi32>
  // CHECK:         %[[KEYS:.*]] = cell.concat %{{.*}}, %[[WORDS]] dim 1
  // CHECK:         cell.random_bits %[[KEYS]] : tensor<3x4xi32> -> tensor<3x2x2xi32>
}
