// The gradient of a layer's weights is one product of all samples that are kept, behind the loops. So is a large layer,
// between loops.
// RUN: cell-opt %s --cell-tile-batch='tiles=4,2,1 kept=8 by-rows' | FileCheck %s
// RUN: cell-opt %s --cell-tile-batch='tiles=4,2,1 kept=8 by-rows' | FileCheck %s --check-prefix=PHASES
// Without the option, and where no samples are kept, there is none:
// RUN: cell-opt %s --cell-tile-batch='tiles=4,2,1 kept=8' | FileCheck %s --check-prefix=NONE
// RUN: cell-opt %s --cell-tile-batch='tiles=4,2,1 kept=0 by-rows' | FileCheck %s --check-prefix=NONE
// NONE: func @layer
// NONE-NOT: linalg
// RUN: cell-run %s --entry=layer --passes='cell-specialize-batch{size=2}' --arg='dense<[[1.0, 2.0, 0.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>' --arg='dense<[[1.0, -1.0], [0.0, 2.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=NUMBERS
// By hand: the squares of the second operand are [1, 1] and [0, 4].
// NUMBERS: result 0: tensor<3x2xf32> {{\[\[}}1.0, 13.0], [2.0, 18.0], [0.0, 20.0]]

module attributes {cell.batch = {max = 100 : i64, size = 65521 : i64}} {
  // CHECK-LABEL: func @layer
  // CHECK: %[[B:.*]] = arith.index_cast
  // CHECK: scf.if
  // The loops keep one factor; the other is an input.
  // CHECK: %[[KEPT:.*]] = scf.for {{.*}} -> (tensor<8x2xf32>)
  // CHECK: %[[MORE:.*]] = scf.for {{.*}}iter_args({{.*}} = %[[KEPT]]) -> (tensor<8x2xf32>)
  // CHECK: %[[ALL:.*]] = scf.for {{.*}}iter_args({{.*}} = %[[MORE]]) -> (tensor<8x2xf32>)
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[ROWS:.*]] = arith.muli %[[B]], %[[ONE]] : index
  // What is read is no more than there is room for, and so of memory, whose size is known.
  // CHECK: %[[MOST:.*]] = arith.constant 8 : index
  // CHECK: %[[READ:.*]] = arith.minsi %[[ROWS]], %[[MOST]] : index
  // CHECK: %[[INIT:.*]] = linalg.fill {{.*}} -> tensor<3x2xf32>
  // CHECK: %[[X:.*]] = tensor.extract_slice {{.*}}[0, 0] [%[[READ]], 3] [1, 1] : tensor<65521x3xf32> to tensor<?x3xf32>
  // CHECK: %[[Y:.*]] = tensor.extract_slice {{.*}}[0, 0] [%[[READ]], 2] [1, 1] : tensor<8x2xf32> to tensor<?x2xf32>
  // CHECK: linalg.matmul indexing_maps = [{{.*}}] ins(%[[X]], %[[Y]] : tensor<?x3xf32>, tensor<?x2xf32>) outs(%[[INIT]] : tensor<3x2xf32>)
  // Batches of more than 8 add up in their tiles.
  // CHECK: } else {
  // CHECK-NOT: linalg
  // CHECK: cell.add
  // PHASES: func private @layer_phase_0_of_4(
  // PHASES-NOT: cell.matmul
  // PHASES: func private @layer_phase_0_of_4_0(
  // PHASES: cell.matmul
  func.func @layer(%x: tensor<65521x3xf32>, %y: tensor<65521x2xf32>) -> tensor<3x2xf32> {
    %squares = cell.square %y : tensor<65521x2xf32>
    %slope = cell.matmul %x, %squares {transpose_a = true} : (tensor<65521x3xf32>, tensor<65521x2xf32>) -> tensor<3x2xf32>
    return %slope : tensor<3x2xf32>
  }

  // Of inputs alone, nothing is kept, and there is one program for all batches.
  // CHECK-LABEL: func @inputs
  // CHECK-NOT: scf.if
  // CHECK: linalg.matmul {{.*}} outs(%{{.*}} : tensor<3x2xf64>)
  // CHECK: return
  func.func @inputs(%x: tensor<65521x3xf64>, %y: tensor<65521x2xf64>) -> tensor<3x2xf64> {
    %slope = cell.matmul %x, %y {transpose_a = true} : (tensor<65521x3xf64>, tensor<65521x2xf64>) -> tensor<3x2xf64>
    return %slope : tensor<3x2xf64>
  }

  // A large layer: parts of 7 samples, the last of up to 8, so that none is of one. What the layer multiplies is kept for
  // those in a part, and so is what it gives.
  // CHECK-LABEL: func @dense
  // CHECK: %[[B:.*]] = arith.index_cast
  // CHECK: %[[REST:.*]] = arith.subi %[[B]], %c1{{(_[0-9]+)?}} : index
  // CHECK: %[[SEVENS:.*]] = arith.ceildivsi %[[REST]], %c7{{(_[0-9]+)?}}
  // CHECK: %[[PARTS:.*]] = arith.maxsi %c1{{(_[0-9]+)?}}, %[[SEVENS]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[PARTS]], %c1
  // CHECK: scf.for %[[PART:.*]] = {{.*}} to %[[PARTS]] {{.*}}iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<65521x80xf32>)
  // CHECK: %[[BEGIN:.*]] = arith.muli %[[PART]], %c7{{(_[0-9]+)?}} : index
  // CHECK: %[[LEFT:.*]] = arith.subi %[[B]], %[[BEGIN]] : index
  // CHECK: %[[ISLAST:.*]] = arith.cmpi eq, %[[PART]], %[[LAST]]
  // CHECK: %[[COUNT:.*]] = arith.select %[[ISLAST]], %[[LEFT]], %c7{{(_[0-9]+)?}} : index
  // Tiles of 4 and of 2 from the part's first sample on: none is of one.
  // CHECK: scf.for {{.*}} -> (tensor<8x64xf32>) {
  // CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[IN:.*]] : index
  // CHECK: tensor.extract_slice %arg1[%[[AT]], 0] [4, 64]
  // CHECK: call @dense_phase_0_of_4(
  // CHECK: tensor.insert_slice {{.*}}[%[[IN]], 0] [4, 64]
  // CHECK: %[[H:.*]] = scf.for {{.*}} -> (tensor<8x64xf32>) {
  // CHECK: call @dense_phase_0_of_2(
  // CHECK-NOT: scf.for
  // CHECK: %[[ROWS:.*]] = arith.muli %[[COUNT]], %c1{{(_[0-9]+)?}} : index
  // CHECK: %[[READ:.*]] = arith.minsi %[[ROWS]]
  // CHECK: %[[ROOM:.*]] = tensor.empty() : tensor<8x80xf32>
  // CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[ROOM]][0, 0] [%[[ROWS]], 80] [1, 1] : tensor<8x80xf32> to tensor<?x80xf32>
  // CHECK: %[[INIT:.*]] = linalg.fill {{.*}} outs(%[[PLACE]] :
  // CHECK: %[[X:.*]] = tensor.extract_slice %[[H]][0, 0] [%[[READ]], 64]
  // CHECK: %[[Y:.*]] = linalg.matmul indexing_maps = [#[[MK:.*]], #[[NK:.*]], #{{.*}}] ins(%[[X]], %arg2 : tensor<?x64xf32>, tensor<80x64xf32>) outs(%[[INIT]] :
  // CHECK: tensor.insert_slice %[[Y]] into %[[ROOM]][0, 0] [%[[ROWS]], 80]
  // CHECK: scf.for {{.*}}iter_args(%{{.*}} = %[[OUT]]) -> (tensor<65521x80xf32>)
  // CHECK: call @dense_phase_1_of_4(
  func.func @dense(%x: tensor<65521x64xf32>, %w: tensor<80x64xf32>) -> tensor<65521x80xf32> {
    %a = cell.abs %x : tensor<65521x64xf32>
    %y = cell.matmul %a, %w {transpose_b = true} : (tensor<65521x64xf32>, tensor<80x64xf32>) -> tensor<65521x80xf32>
    %z = cell.relu %y : tensor<65521x80xf32>
    return %z : tensor<65521x80xf32>
  }

  // The same where samples are added up, and what is called is written out. Rows of an input are multiplied where they are.
  // CHECK-LABEL: func @loss
  // CHECK-NOT: tensor<8x64xf32>
  // CHECK: linalg.matmul {{.*}}(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<64x80xf32>)
  // CHECK: scf.for
  // CHECK: call @loss_phase_1_of_4(
  func.func private @product(%x: tensor<65521x64xf32>, %w: tensor<64x80xf32>) -> tensor<65521x80xf32> {
    %y = cell.matmul %x, %w : (tensor<65521x64xf32>, tensor<64x80xf32>) -> tensor<65521x80xf32>
    return %y : tensor<65521x80xf32>
  }
  func.func @loss(%x: tensor<65521x64xf32>, %w: tensor<64x80xf32>) -> tensor<f32> {
    %y = call @product(%x, %w) : (tensor<65521x64xf32>, tensor<64x80xf32>) -> tensor<65521x80xf32>
    %z = cell.reduce_sum %y over [0, 1] : tensor<65521x80xf32> -> tensor<f32>
    return %z : tensor<f32>
  }

  // Few weights stay in a cache: tiles as before, without a part that is kept.
  // CHECK-LABEL: func @small
  // CHECK-NOT: linalg
  // CHECK: return
  func.func @small(%x: tensor<65521x63xf32>, %w: tensor<63x65xf32>) -> tensor<65521x65xf32> {
    %y = cell.matmul %x, %w : (tensor<65521x63xf32>, tensor<63x65xf32>) -> tensor<65521x65xf32>
    return %y : tensor<65521x65xf32>
  }

  // A sample has five rows. They are in memory.
  // CHECK-LABEL: func @several
  // CHECK: %[[B:.*]] = arith.index_cast
  // CHECK: %[[ALL:.*]] = cell.reshape
  // CHECK: %[[ROWS:.*]] = arith.muli %[[B]], %c5{{(_[0-9]+)?}} : index
  // CHECK: %[[READ:.*]] = arith.minsi %[[ROWS]]
  // CHECK: tensor.extract_slice %[[ALL]][0, 0] [%[[READ]], 3] [1, 1] : tensor<327605x3xf32> to tensor<?x3xf32>
  // CHECK: linalg.matmul
  func.func @several(%x: tensor<65521x5x3xf32>) -> tensor<3x3xf32> {
    %rows = cell.reshape %x : tensor<65521x5x3xf32> -> tensor<327605x3xf32>
    %slope = cell.matmul %rows, %rows {transpose_a = true} : (tensor<327605x3xf32>, tensor<327605x3xf32>) -> tensor<3x3xf32>
    return %slope : tensor<3x3xf32>
  }

  // Columns of a transposed tensor are rows.
  // CHECK-LABEL: func @columns
  // CHECK: linalg.matmul {{.*}} tensor<?x3xf32>, tensor<?x2xf32>)
  // CHECK-NEXT: return
  func.func @columns(%x: tensor<65521x3xf32>, %y: tensor<65521x2xf32>) -> tensor<3x2xf32> {
    %t = cell.transpose %y perm [1, 0] : tensor<65521x2xf32> -> tensor<2x65521xf32>
    %slope = cell.matmul %t, %x : (tensor<2x65521xf32>, tensor<65521x3xf32>) -> tensor<2x3xf32>
    %turned = cell.transpose %slope perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    return %turned : tensor<3x2xf32>
  }

  // Vectors, half precision, and samples that lie behind others are added up in tiles.
  // CHECK-LABEL: func @tiles
  // CHECK-NOT: linalg
  // CHECK: return
  func.func @tiles(%x: tensor<65521x3xf32>, %v: tensor<65521x1xf32>, %h: tensor<65521x3xf16>, %s: tensor<65521x4x3xf32>) -> (tensor<3x1xf32>, tensor<3x3xf16>, tensor<3x3xf32>, tensor<3x3xf32>) {
    %vector = cell.matmul %x, %v {transpose_a = true} : (tensor<65521x3xf32>, tensor<65521x1xf32>) -> tensor<3x1xf32>
    %half = cell.matmul %h, %h {transpose_a = true} : (tensor<65521x3xf16>, tensor<65521x3xf16>) -> tensor<3x3xf16>
    %t = cell.transpose %x perm [1, 0] : tensor<65521x3xf32> -> tensor<3x65521xf32>
    %twice = cell.concat %t, %t dim 0 : (tensor<3x65521xf32>, tensor<3x65521xf32>) -> tensor<6x65521xf32>
    %part = cell.slice %twice from [0, 0] to [3, 65521] by [1, 1] : tensor<6x65521xf32> -> tensor<3x65521xf32>
    %behind = cell.matmul %part, %t {transpose_b = true} : (tensor<3x65521xf32>, tensor<3x65521xf32>) -> tensor<3x3xf32>
    %times = cell.transpose %s perm [1, 0, 2] : tensor<65521x4x3xf32> -> tensor<4x65521x3xf32>
    %rows = cell.reshape %times : tensor<4x65521x3xf32> -> tensor<262084x3xf32>
    %turns = cell.matmul %rows, %rows {transpose_a = true} : (tensor<262084x3xf32>, tensor<262084x3xf32>) -> tensor<3x3xf32>
    return %vector, %half, %behind, %turns : tensor<3x1xf32>, tensor<3x3xf16>, tensor<3x3xf32>, tensor<3x3xf32>
  }
}
