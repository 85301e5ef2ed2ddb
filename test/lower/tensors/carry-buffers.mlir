// Loops carry tensors, and branches give them, in buffers of their own.
// RUN: cell-opt %s --cell-carry-buffers --split-input-file | FileCheck %s
// RUN: cell-opt %s --cell-convert-entry-points --cell-carry-buffers --one-shot-bufferize --canonicalize --cse --cell-coalesce-buffers --canonicalize --split-input-file | FileCheck %s --check-prefix=MERGED

// Each trip reads the buffer at its beginning and writes it at its end. The first value comes from before the loop.
// CHECK-LABEL: func.func @counted(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         bufferization.materialize_in_destination %[[X]] in restrict writable %[[BUFFER]]
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           %[[NOW:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable
// CHECK:           %[[NEXT:.*]] = linalg.exp ins(%[[NOW]]
// CHECK:           bufferization.materialize_in_destination %[[NEXT]] in restrict writable %[[BUFFER]]
// CHECK:         }
// CHECK:         %[[LAST:.*]] = bufferization.to_tensor %[[BUFFER]] restrict writable
// CHECK:         return %[[LAST]]
// MERGED-LABEL: func.func @counted(
// MERGED-SAME:    %[[X:.*]]: memref<4xf32>, %[[OUT:.*]]: memref<4xf32> {llvm.noalias})
// MERGED-NOT:     memref.alloc
// MERGED:         memref.copy %[[X]], %[[OUT]]
// MERGED:         scf.for
// MERGED-NOT:       memref.copy
// MERGED:           linalg.exp ins(%[[OUT]] : memref<4xf32>) outs(%[[OUT]] :
// MERGED-NEXT:    }
// MERGED-NEXT:    return
func.func @counted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Two tensors that change places: each is saved before the other's buffer is written. One of them need not be: it is
// moved before it is overwritten.
// CHECK-LABEL: func.func @exchanged(
// CHECK:         scf.for
// CHECK:           %[[P:.*]] = bufferization.to_tensor
// CHECK:           %[[Q:.*]] = bufferization.to_tensor
// CHECK:           %[[SAVED_Q:.*]] = bufferization.alloc_tensor() copy
// CHECK:           %[[SAVED_P:.*]] = bufferization.alloc_tensor() copy
// CHECK:           bufferization.materialize_in_destination %[[SAVED_Q]]
// CHECK:           bufferization.materialize_in_destination %[[SAVED_P]]
// MERGED-LABEL: func.func @exchanged(
// MERGED-SAME:    %[[P:[a-z0-9]+]]: memref<4xf32> {llvm.noalias}, %[[Q:[a-z0-9]+]]: memref<4xf32> {llvm.noalias})
// MERGED:         scf.for
// MERGED:           %[[SAVED:.*]] = memref.alloc()
// MERGED-NEXT:      memref.copy %[[P]], %[[SAVED]]
// MERGED-NEXT:      memref.copy %[[Q]], %[[P]]
// MERGED-NEXT:      memref.copy %[[SAVED]], %[[Q]]
// MERGED-NEXT:    }
// MERGED-NEXT:    return
func.func @exchanged(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The condition hands on what it is given, in another order, and a value of its own: that has a buffer of its own.
// What the condition reads is not changed in place.
// CHECK-LABEL: func.func @condition(
// CHECK-DAG:     %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK-DAG:     %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK-DAG:     %[[OWN:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         scf.while : () -> ()
// CHECK:           bufferization.to_tensor %{{.*}} restrict :
// CHECK:           bufferization.to_tensor %{{.*}} restrict :
// CHECK:           %[[SUM:.*]] = linalg.add
// CHECK:           bufferization.materialize_in_destination %[[SUM]]
// CHECK:           scf.condition(%{{.*}})
// CHECK-NEXT:    } do {
// CHECK-COUNT-3:   bufferization.to_tensor %{{.*}} restrict writable
// CHECK:           scf.yield
// CHECK-NEXT:    }
func.func @condition(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %0:3 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %sum = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %first = tensor.extract %sum[%c0] : tensor<4xf32>
    %more = arith.cmpf olt, %first, %one : f32
    scf.condition(%more) %b, %a, %sum : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>, %r: tensor<4xf32>):
    scf.yield %r, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Both branches store what they give. One of them gives a part of a tensor.
// CHECK-LABEL: func.func @branches(
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         scf.if %{{.*}} {
// CHECK:           %[[PART:.*]] = tensor.extract_slice
// CHECK:           bufferization.materialize_in_destination %[[PART]] in restrict writable %[[BUFFER]]
// CHECK:         } else {
// CHECK:           bufferization.materialize_in_destination %{{.*}} in restrict writable %[[BUFFER]]
// CHECK:         }
// CHECK:         bufferization.to_tensor %[[BUFFER]]
// MERGED-LABEL: func.func @branches(
// MERGED-SAME:    %[[OUT:[a-z0-9]+]]: memref<4xf32> {llvm.noalias})
// MERGED-NOT:     memref.alloc
// MERGED:         scf.if
// MERGED:           memref.copy %{{.*}}, %[[OUT]]
// MERGED:         else
// MERGED:           memref.copy %{{.*}}, %[[OUT]]
// MERGED-NEXT:    }
// MERGED-NEXT:    return
func.func @branches(%choice: tensor<i1>, %x: tensor<3x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = tensor.extract %choice[] : tensor<i1>
  %0 = scf.if %c -> tensor<4xf32> {
    %row = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
    scf.yield %row : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A sum onto what one buffer holds may lie there; it is saved before that buffer is written, as it goes to another.
// CHECK-LABEL: func.func @summed_onto(
// CHECK:         scf.for
// CHECK:           %[[SUM:.*]] = linalg.matmul
// CHECK:           %[[SAVED:.*]] = bufferization.alloc_tensor() copy(%[[SUM]])
// CHECK:           bufferization.materialize_in_destination
// CHECK:           bufferization.materialize_in_destination %[[SAVED]]
// CHECK:         }
func.func @summed_onto(%x: tensor<4x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %0:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %a, %t = %b) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %next = linalg.exp ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %sum = linalg.matmul ins(%x, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%s : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %next, %sum : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}
