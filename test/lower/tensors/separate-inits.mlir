// RUN: cell-opt %s -split-input-file --cell-separate-inits | FileCheck %s

// What a loop begins with is filled where it is known that the loop runs: a
// large fill before the branch would cost its time on both ways.
// CHECK-LABEL: func.func @branch
// CHECK-NOT:     linalg.fill
// CHECK:         scf.if
// CHECK:           %[[ZEROS:.*]] = linalg.fill
// CHECK-NEXT:      scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %arg2
func.func @branch(%c: i1, %n: index, %x: tensor<8xf32>) -> tensor<8xf32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %sum = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
      %next = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %next : tensor<8xf32>
    }
    scf.yield %sum : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Two loops that begin with one fill have one each.
// CHECK-LABEL: func.func @shared
// CHECK:         %[[B:.*]] = linalg.fill
// CHECK:         %[[A:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[B]])
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @shared(%n: index, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
    %next = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  %b = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
    %next = linalg.mul ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// A loop over tiles of a batch may have none: it makes what its trips begin with. Other loops are taken to run.
// CHECK-LABEL: func.func @tiles
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for
// CHECK:           %[[ZEROS:.*]] = linalg.fill
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK:         {cell.tile_trips
func.func @tiles(%n: index, %x: tensor<8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%all = %y) -> tensor<64xf32> {
    %at = arith.muli %i, %i8 : index
    %a = scf.for %j = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
      %next = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %next : tensor<8xf32>
    }
    %put = tensor.insert_slice %a into %all[%at] [8] [1] : tensor<8xf32> into tensor<64xf32>
    scf.yield %put : tensor<64xf32>
  } {cell.tile_trips = 1.0 : f64}
  return %r : tensor<64xf32>
}

// -----

// Zeros of as many rows as there are stand at the op that does without them; rows are inserted into memory of their own.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[ROOM:.*]] = tensor.empty() : tensor<9x4xf32>
// CHECK:         %[[A:.*]] = linalg.fill
// CHECK-NEXT:    %[[P:.*]] = linalg.matmul {{.*}} outs(%[[A]]
// CHECK-NEXT:    %[[OTHER:.*]] = tensor.empty() : tensor<9x4xf32>
// CHECK-NEXT:    tensor.insert_slice %[[P]] into %[[OTHER]]
// CHECK:         %[[B:.*]] = linalg.fill
// CHECK-NEXT:    %[[Q:.*]] = linalg.matmul {{.*}} outs(%[[B]]
// CHECK-NEXT:    tensor.insert_slice %[[Q]] into %[[ROOM]]
func.func @rows(%n: index, %x: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %room = tensor.empty() : tensor<9x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%zeros : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = tensor.insert_slice %p into %room[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<9x4xf32>
  %q = linalg.matmul ins(%p, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%zeros : tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = tensor.insert_slice %q into %room[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<9x4xf32>
  return %a, %b : tensor<9x4xf32>, tensor<9x4xf32>
}
