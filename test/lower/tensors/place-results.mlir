// RUN: cell-opt %s --cell-fuse-linalg --cell-convert-entry-points --cell-separate-inits --cell-place-results --one-shot-bufferize --canonicalize | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#reverse = affine_map<(d0) -> (39 - d0)>

// The donated parameter is updated in place, after the last read of its old value,
// with no allocation and no copy.
// CHECK-LABEL: func.func @sgd
// CHECK-SAME:    %[[P:[a-z0-9]+]]: memref<40xf32>, %[[G:[a-z0-9]+]]: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[G]] : {{.*}}) outs(%[[OUT]] :
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[G]] : {{.*}}) outs(%[[P]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @sgd(%p: tensor<40xf32> {cell.donate = 0 : i64}, %g: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %e = tensor.empty() : tensor<40xf32>
  %lr = arith.constant 0.1 : f32
  %new = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%p, %g : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %b, %lr : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<40xf32>
  %other = linalg.generic {indexing_maps = [#reverse, #id, #id], iterator_types = ["parallel"]} ins(%p, %g : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<40xf32>
  return %new, %other : tensor<40xf32>, tensor<40xf32>
}

// Two arguments that swap places need one temporary.
// CHECK-LABEL: func.func @swap
// CHECK-SAME:    %[[P:[a-z0-9]+]]: memref<40xf32>, %[[Q:[a-z0-9]+]]: memref<40xf32>
// CHECK:         %[[T:.*]] = memref.alloc
// CHECK-NEXT:    memref.copy %[[P]], %[[T]]
// CHECK-NEXT:    memref.copy %[[Q]], %[[P]]
// CHECK-NEXT:    memref.copy %[[T]], %[[Q]]
// CHECK-NEXT:    return
func.func @swap(%p: tensor<40xf32> {cell.donate = 1 : i64}, %q: tensor<40xf32> {cell.donate = 0 : i64}) -> (tensor<40xf32>, tensor<40xf32>) {
  return %p, %q : tensor<40xf32>, tensor<40xf32>
}

// The old value is copied out before it is overwritten.
// CHECK-LABEL: func.func @old_and_new
// CHECK-SAME:    %[[P:[a-z0-9]+]]: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         memref.copy %[[P]], %[[OUT]]
// CHECK:         linalg.generic {{.*}} outs(%[[P]] :
// CHECK-NOT:     memref.copy
func.func @old_and_new(%p: tensor<40xf32> {cell.donate = 0 : i64}) -> (tensor<40xf32>, tensor<40xf32>) {
  %e = tensor.empty() : tensor<40xf32>
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%p : tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<40xf32>
  return %new, %p : tensor<40xf32>, tensor<40xf32>
}

// The new value needs elements of the old one in another order: it is computed apart.
// CHECK-LABEL: func.func @reversed
// CHECK-SAME:    %[[P:[a-z0-9]+]]: memref<40xf32>
// CHECK:         %[[T:.*]] = memref.alloc
// CHECK:         linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%[[T]] :
// CHECK:         memref.copy %[[T]], %[[P]]
func.func @reversed(%p: tensor<40xf32> {cell.donate = 0 : i64}) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %new = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel"]} ins(%p : tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<40xf32>
  return %new : tensor<40xf32>
}

// One initial value that two reductions share is written twice, not copied.
// CHECK-LABEL: func.func @shared_fill
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4x40xf32>, %[[A:[a-z0-9]+]]: memref<40xf32> {{.*}}, %[[B:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK-DAG:     linalg.fill {{.*}} outs(%[[A]] :
// CHECK-DAG:     linalg.fill {{.*}} outs(%[[B]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @shared_fill(%x: tensor<4x40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x40xf32>) outs(%f : tensor<40xf32>) dimensions = [0]
  %b = linalg.reduce { arith.maximumf } ins(%x : tensor<4x40xf32>) outs(%f : tensor<40xf32>) dimensions = [0]
  return %a, %b : tensor<40xf32>, tensor<40xf32>
}

// A temporary that is read for the last time by an elementwise op holds its result.
// CHECK-LABEL: func.func @dying
// CHECK:         %[[T:.*]] = memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}}"reduction"]{{.*}} outs(%[[T]] :
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[T]] :
// CHECK:         linalg.generic {{.*}} ins(%[[T]], %[[T]] : {{.*}})
func.func @dying(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = linalg.exp ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = linalg.matmul ins(%b, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// An argument that is its own result stays as it is.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @unchanged(%p: tensor<40xf32> {cell.donate = 0 : i64}) -> tensor<40xf32> {
  return %p : tensor<40xf32>
}
