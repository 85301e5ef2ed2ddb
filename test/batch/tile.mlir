// An entry becomes loops over tiles, the largest first; small ones may overlap
// the one before.
// RUN: cell-opt %s --cell-tile-batch=tiles=16,4,1 | FileCheck %s
// RUN: not cell-opt %s --cell-tile-batch=tiles=4,16,1 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not cell-opt %s --cell-tile-batch=tiles=4,2 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: tiles must descend to 1
// Tiles of 2 take two samples, so those of 4 leave them.
// RUN: cell-opt %s --cell-tile-batch=tiles=16,4,2,1 | FileCheck %s --check-prefix=SPARE
// SPARE-LABEL: func @centred(
// SPARE: func.call @centred_phase_1_of_16(
// SPARE: %[[BEGIN:.*]] = arith.addi
// SPARE: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// SPARE: %[[TWO:.*]] = arith.constant 2 : index
// SPARE: %[[LESS:.*]] = arith.subi %[[LEFT]], %[[TWO]]
// SPARE: arith.ceildivsi %[[LESS]],
// SPARE: func.call @centred_phase_1_of_4(
// SPARE: %[[BEGIN:.*]] = arith.minsi
// SPARE: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// SPARE: arith.ceildivsi %[[LEFT]],
// SPARE: func.call @centred_phase_1_of_2(
// The passes behind keep no tensor of the stand-in's size.
// RUN: cell-opt %s --cell-to-linalg-pipeline --cell-cpu-pipeline -o - | FileCheck %s --check-prefix=ARENA

// CHECK-NOT: module attributes
module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-NOT: @double(
  func.func private @double(%x: tensor<65521x2xf32>) -> tensor<65521x2xf32> {
    %0 = cell.add %x, %x : tensor<65521x2xf32>
    return %0 : tensor<65521x2xf32>
  }
  // CHECK: func @forward(%[[N:.*]]: tensor<i64> {cell.name = "batch", cell.role = "batch"}, %[[X:.*]]: tensor<65521x2xf32> {cell.name = "x"}, %[[W:.*]]: tensor<2xf32>) -> tensor<65521x2xf32>
  // CHECK-SAME: attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}, cell.batch_tiles}
  // CHECK: %[[EXTRACTED:.*]] = tensor.extract %[[N]][]
  // CHECK: %[[B:.*]] = arith.index_cast %[[EXTRACTED]]
  // CHECK: %[[R0:.*]] = tensor.empty() : tensor<65521x2xf32>
  // Tiles of 16: as many as there are.
  // CHECK: %[[BEGIN:.*]] = arith.constant 0 : index
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: %[[LEFT:.*]] = arith.subi %[[B]], %[[BEGIN]]
  // CHECK: %[[COUNT:.*]] = arith.divsi %[[LEFT]], %[[C16]]
  // CHECK: %[[R1:.*]] = scf.for %[[I:.*]] = %[[ZERO]] to %[[COUNT]] step %[[ONE]] iter_args(%[[INTO:.*]] = %[[R0]])
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[I]], %[[C16]]
  // CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[BEFORE]]
  // CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[AT]], 0] [16, 2] [1, 1]
  // CHECK: %[[Y:.*]] = func.call @forward_of_16(%[[PART]], %[[W]])
  // CHECK: tensor.insert_slice %[[Y]] into %[[INTO]][%[[AT]], 0] [16, 2] [1, 1]
  // CHECK: } {cell.tile_trips = 8.000000e+00 : f64}
  // Tiles of 4: for a batch of at least 4, the last ends with the batch.
  // CHECK: %[[FITS:.*]] = arith.cmpi sge, %[[B]], %[[C4:.*]] : index
  // CHECK: %[[MANY:.*]] = arith.ceildivsi
  // CHECK: %[[COUNT4:.*]] = arith.select %[[FITS]], %[[MANY]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[B]], %[[C4]]
  // CHECK: %[[R2:.*]] = scf.for {{.*}} to %[[COUNT4]] step %{{.*}} iter_args(%{{.*}} = %[[R1]])
  // CHECK: arith.minsi %{{.*}}, %[[LAST]]
  // CHECK: func.call @forward_of_4(
  // CHECK: } {cell.tile_trips = 2.000000e+00 : f64}
  // CHECK-NOT: scf.for
  // CHECK: return %[[R2]]
  // One sample has a function of its own, which what calls the entry chooses.
  // CHECK: func @forward_of_1(%{{.*}}: tensor<1x2xf32> {cell.name = "x"}, %{{.*}}: tensor<2xf32>) -> tensor<1x2xf32>
  // CHECK-SAME: attributes {cell.batch_program = {of = "forward", size = 1 : i64}}
  func.func @forward(%x: tensor<65521x2xf32> {cell.name = "x"}, %w: tensor<2xf32>)
      -> tensor<65521x2xf32> {
    %0 = call @double(%x) : (tensor<65521x2xf32>) -> tensor<65521x2xf32>
    %1 = cell.broadcast %w along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %2 = cell.mul %0, %1 : tensor<65521x2xf32>
    return %2 : tensor<65521x2xf32>
  }
  // Functions of no batch stay.
  // CHECK: func @other(%{{.*}}: tensor<2xf32>) -> tensor<2xf32>
  func.func @other(%w: tensor<2xf32>) -> tensor<2xf32> {
    return %w : tensor<2xf32>
  }
  // Behind a sum, too, tiles of 4 take all that is left of a batch of at least 4, and no sample alone.
  // CHECK-LABEL: func @centred(
  // CHECK: %[[SIZE:.*]] = arith.index_cast
  // CHECK: func.call @centred_phase_0_of_1(
  // CHECK: func.call @centred_phase_1_of_16(
  // CHECK: %[[BEGIN:.*]] = arith.addi
  // CHECK: %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[BEGIN]]
  // CHECK: %[[FITS:.*]] = arith.cmpi sge, %[[SIZE]],
  // CHECK-NEXT: %[[TRIPS:.*]] = arith.ceildivsi %[[LEFT]],
  // CHECK-NEXT: arith.select %[[FITS]], %[[TRIPS]],
  // CHECK: func.call @centred_phase_1_of_4(
  // CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[SIZE]]
  // CHECK: arith.subi %[[SIZE]], %[[END]]
  // CHECK: func.call @centred_phase_1_of_1(
  func.func @centred(%x: tensor<65521x2xf32>) -> tensor<65521x2xf32> {
    %0 = cell.reduce_sum %x over [0] : tensor<65521x2xf32> -> tensor<2xf32>
    %1 = cell.broadcast %0 along [0] : tensor<2xf32> -> tensor<65521x2xf32>
    %2 = cell.sub %x, %1 : tensor<65521x2xf32>
    return %2 : tensor<65521x2xf32>
  }
  // CHECK: func private @double_of_16(%{{.*}}: tensor<16x2xf32>) -> tensor<16x2xf32>
  // CHECK: func private @forward_of_16(%{{.*}}: tensor<16x2xf32> {{.*}}, %{{.*}}: tensor<2xf32>) -> tensor<16x2xf32>
  // CHECK: call @double_of_16
}

// ARENA: llvm.func @forward
// ARENA-SAME: cell.arena_bytes = {{[0-9][0-9]?[0-9]?[0-9]?}} : i64
// ARENA-SAME: max_batch = 100
// ARENA-SAME: shape = array<i64: -1, 2>
