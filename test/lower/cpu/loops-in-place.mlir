// What a loop carries stays where it is when each iteration changes a part of it.
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-convert-entry-points,func.func(cell-place-results))" \
// RUN:   | FileCheck %s

// The parts of two tensors, changed together by an inner loop: neither can lie in the other's buffer, so that
// nothing is saved.
// CHECK-LABEL: func.func @parts(
// CHECK:         scf.for
// CHECK-SAME:      iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<1000x4xf32>, tensor<1000x4xi32>)
// CHECK:           scf.for
// CHECK:             tensor.insert
// CHECK:             tensor.insert
// CHECK:           %[[AFTER_A:.*]] = tensor.insert_slice %{{.*}} into %[[A]]
// CHECK:           %[[AFTER_B:.*]] = tensor.insert_slice %{{.*}} into %[[B]]
// CHECK-NOT:       alloc_tensor
// CHECK:           bufferization.materialize_in_destination %[[AFTER_A]] in %[[A]]
// CHECK:           bufferization.materialize_in_destination %[[AFTER_B]] in %[[B]]
func.func @parts(%a: tensor<1000x4xf32>, %b: tensor<1000x4xi32>) -> (tensor<1000x4xf32>, tensor<1000x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  %0:2 = scf.for %i = %c0 to %c1000 step %c1 iter_args(%x = %a, %y = %b)
      -> (tensor<1000x4xf32>, tensor<1000x4xi32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<1000x4xf32> to tensor<4xf32>
    %count = tensor.extract_slice %y[%i, 0] [1, 4] [1, 1] : tensor<1000x4xi32> to tensor<4xi32>
    %1:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%r = %row, %c = %count) -> (tensor<4xf32>, tensor<4xi32>) {
      %v = tensor.extract %r[%j] : tensor<4xf32>
      %n = tensor.extract %c[%j] : tensor<4xi32>
      %w = arith.addf %v, %v : f32
      %m = arith.addi %n, %n : i32
      %r1 = tensor.insert %w into %r[%j] : tensor<4xf32>
      %c2 = tensor.insert %m into %c[%j] : tensor<4xi32>
      scf.yield %r1, %c2 : tensor<4xf32>, tensor<4xi32>
    }
    %x1 = tensor.insert_slice %1#0 into %x[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<1000x4xf32>
    %y1 = tensor.insert_slice %1#1 into %y[%i, 0] [1, 4] [1, 1] : tensor<4xi32> into tensor<1000x4xi32>
    scf.yield %x1, %y1 : tensor<1000x4xf32>, tensor<1000x4xi32>
  }
  return %0#0, %0#1 : tensor<1000x4xf32>, tensor<1000x4xi32>
}

// Two tensors that an inner loop exchanges are saved there, before one overwrites the other, and
// are back in their own buffers where it ends.
// CHECK-LABEL: func.func @exchanged(
// CHECK:         scf.for
// CHECK-SAME:      iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) ->
// CHECK:           scf.for
// CHECK-SAME:        iter_args(%[[P:.*]] = %[[X]], %[[Q:.*]] = %[[Y]]) ->
// CHECK:             %[[SAVED:.*]] = bufferization.alloc_tensor() copy(%[[Q]])
// CHECK:             %[[OTHER:.*]] = bufferization.alloc_tensor() copy(%[[P]])
// CHECK:             bufferization.materialize_in_destination %[[SAVED]] in %[[P]]
// CHECK:             bufferization.materialize_in_destination %[[OTHER]] in %[[Q]]
// CHECK-NOT:       alloc_tensor
// CHECK:         return
func.func @exchanged(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    %1:2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xf32>, tensor<4xf32>) {
      scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
    }
    scf.yield %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
