// Branches that update donated arguments do so in place, and a way that leaves one as it is does nothing.
// RUN: cell-opt %s --cell-to-linalg --cell-fuse-linalg --cell-convert-entry-points --cell-separate-inits --cell-place-results --cse --one-shot-bufferize --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>, %[[M:[a-z0-9]+]]: memref<40xf32>, %[[G:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.if %{{.*}} {
// CHECK-NOT:       memref.alloc
// CHECK:           linalg.generic {{.*}} outs(%[[W]], %[[M]] :
// CHECK-NOT:       memref.copy
// CHECK:         return
func.func @update(%c: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}, %m: tensor<40xf32> {cell.donate = 1 : i64}, %g: tensor<40xf32>)
    -> (tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0:2 = scf.if %take -> (tensor<40xf32>, tensor<40xf32>) {
    %1 = cell.add %m, %g : tensor<40xf32>
    %2 = cell.sub %w, %1 : tensor<40xf32>
    scf.yield %2, %1 : tensor<40xf32>, tensor<40xf32>
  } else {
    scf.yield %w, %m : tensor<40xf32>, tensor<40xf32>
  }
  return %0#0, %0#1 : tensor<40xf32>, tensor<40xf32>
}

// Both ways update; what reads the old value comes before.
// CHECK-LABEL: func.func @both
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} ins(%[[W]] : {{.*}}) outs(%[[OUT]] :
// CHECK:         scf.if
// CHECK:           linalg.generic {{.*}} outs(%[[W]] :
// CHECK:         } else {
// CHECK:           linalg.generic {{.*}} outs(%[[W]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @both(%c: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}) -> (tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<40xf32> {
    %1 = cell.neg %w : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  } else {
    %1 = cell.square %w : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  }
  %2 = cell.exp %w : tensor<40xf32>
  return %0, %2 : tensor<40xf32>, tensor<40xf32>
}

// A branch in a branch.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK:             linalg.generic {{.*}} outs(%[[W]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @nested(%c: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}) -> tensor<40xf32> {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<40xf32> {
    %more = cell.reduce_sum %w over [0] : tensor<40xf32> -> tensor<f32>
    %again = cell.cast %more : tensor<f32> to tensor<i1>
    %inner = tensor.extract %again[] : tensor<i1>
    %1 = scf.if %inner -> tensor<40xf32> {
      %2 = cell.neg %w : tensor<40xf32>
      scf.yield %2 : tensor<40xf32>
    } else {
      scf.yield %w : tensor<40xf32>
    }
    scf.yield %1 : tensor<40xf32>
  } else {
    scf.yield %w : tensor<40xf32>
  }
  return %0 : tensor<40xf32>
}

// What is computed from the result and reads the old value keeps the update from being in place.
// CHECK-LABEL: func.func @old_and_new
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK:         scf.if
// CHECK:           linalg.generic {{.*}} outs(%[[NEW:alloc[_0-9]*]] :
// CHECK:         linalg.generic {{.*}} outs(%[[OUT]] :
// CHECK:         memref.copy %{{.*}}, %[[W]]
func.func @old_and_new(%c: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}) -> (tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<40xf32> {
    %1 = cell.neg %w : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  } else {
    scf.yield %w : tensor<40xf32>
  }
  %2 = cell.mul %w, %0 : tensor<40xf32>
  return %0, %2 : tensor<40xf32>, tensor<40xf32>
}

// So does what is computed from another result.
// CHECK-LABEL: func.func @old_and_other
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>, %{{.*}}: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     outs(%[[W]]
// CHECK-NOT:     memref.copy %{{.*}}, %[[W]]
// CHECK:         linalg.generic {{.*}} outs(%[[OUT]] :
// CHECK:         memref.copy %{{.*}}, %[[W]]
func.func @old_and_other(%c: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}, %m: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0:2 = scf.if %take -> (tensor<40xf32>, tensor<40xf32>) {
    %1 = cell.neg %w : tensor<40xf32>
    %2 = cell.square %m : tensor<40xf32>
    scf.yield %1, %2 : tensor<40xf32>, tensor<40xf32>
  } else {
    scf.yield %w, %m : tensor<40xf32>, tensor<40xf32>
  }
  %3 = cell.mul %w, %0#1 : tensor<40xf32>
  return %0#0, %3 : tensor<40xf32>, tensor<40xf32>
}

// A check comes before; one that needs what the branch gives keeps the argument as it was until then.
// CHECK-LABEL: func.func @checked
// CHECK-SAME:    %{{.*}}: memref<i1>, %{{.*}}: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>
// CHECK:         cell.check %{{.*}} "first"
// CHECK:         scf.if
// CHECK:           linalg.generic {{.*}} outs(%[[W]] :
// CHECK-LABEL: func.func @checked_after
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[W:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     outs(%[[W]]
// CHECK:         cell.check %{{.*}} "second"
// CHECK-NEXT:    memref.copy %{{.*}}, %[[W]]
func.func @checked(%c: tensor<i1>, %ok: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}) -> tensor<40xf32> {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<40xf32> {
    %1 = cell.neg %w : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  } else {
    scf.yield %w : tensor<40xf32>
  }
  cell.check %ok "first" : tensor<i1>
  return %0 : tensor<40xf32>
}
func.func @checked_after(%c: tensor<i1>, %w: tensor<40xf32> {cell.donate = 0 : i64}) -> tensor<40xf32> {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<40xf32> {
    %1 = cell.neg %w : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  } else {
    scf.yield %w : tensor<40xf32>
  }
  %finite = cell.is_finite %0 : tensor<40xf32>
  cell.check %finite "second" : tensor<40xi1>
  return %0 : tensor<40xf32>
}

// A branch that reads what a store overwrites, which reads what the branch would overwrite, stores afterwards: two
// arguments swap places by way of a temporary.
// CHECK-LABEL: func.func @swap
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[P:[a-z0-9]+]]: memref<40xf32>, %[[Q:[a-z0-9]+]]: memref<40xf32>
// CHECK:         scf.if
// CHECK-NOT:       %[[P]] :
// CHECK:         } else {
// CHECK-NOT:       outs(%[[P]] :
// CHECK:         }
// CHECK:         memref.copy %[[P]], %[[Q]]
// CHECK-NEXT:    memref.copy %{{.*}}, %[[P]]
// CHECK-NEXT:    return
func.func @swap(%c: tensor<i1>, %p: tensor<40xf32> {cell.donate = 0 : i64}, %q: tensor<40xf32> {cell.donate = 1 : i64})
    -> (tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<40xf32> {
    scf.yield %q : tensor<40xf32>
  } else {
    %1 = cell.neg %q : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  }
  return %0, %p : tensor<40xf32>, tensor<40xf32>
}

// What reads an argument comes before the branch that stores into it, also where the branch moves up: another
// argument, which it reads, changes in place.
// CHECK-LABEL: func.func @moved_up
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[P:[a-z0-9]+]]: memref<40xf32>, %[[Q:[a-z0-9]+]]: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%[[OUT]] :
// CHECK:         scf.if
// CHECK:           linalg.generic {{.*}} ins(%[[P]], %[[Q]] : {{.*}}) outs(%[[P]] :
// CHECK:         linalg.generic {{.*}} ins(%[[Q]] : {{.*}}) outs(%[[Q]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @moved_up(%c: tensor<i1>, %p: tensor<40xf32> {cell.donate = 0 : i64}, %q: tensor<40xf32> {cell.donate = 1 : i64})
    -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %new = cell.square %q : tensor<40xf32>
  %out = cell.exp %p : tensor<40xf32>
  %0 = scf.if %take -> tensor<40xf32> {
    %1 = cell.sub %p, %q : tensor<40xf32>
    scf.yield %1 : tensor<40xf32>
  } else {
    scf.yield %p : tensor<40xf32>
  }
  return %0, %new, %out : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}

// One way gives the argument that it changes as another result as well: the store stays behind what reads that.
// CHECK-LABEL: func.func @given_on
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[P:[a-z0-9]+]]: memref<40xf32>, %[[OUT:[a-z0-9]+]]: memref<40xf32>
// CHECK:         scf.if
// CHECK-NOT:       outs(%[[P]] :
// CHECK-NOT:       memref.copy %{{.*}}, %[[P]]
// CHECK:         linalg.generic {{.*}} outs(%[[OUT]] :
// CHECK:         memref.copy %{{.*}}, %[[P]]
// CHECK:         return
func.func @given_on(%c: tensor<i1>, %p: tensor<40xf32> {cell.donate = 0 : i64}) -> (tensor<40xf32>, tensor<40xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0:2 = scf.if %take -> (tensor<40xf32>, tensor<40xf32>) {
    %1 = cell.square %p : tensor<40xf32>
    scf.yield %1, %p : tensor<40xf32>, tensor<40xf32>
  } else {
    %1 = cell.neg %p : tensor<40xf32>
    scf.yield %p, %1 : tensor<40xf32>, tensor<40xf32>
  }
  %2 = cell.exp %0#1 : tensor<40xf32>
  return %0#0, %2 : tensor<40xf32>, tensor<40xf32>
}

// What reads another shape of an argument reads the argument.
// CHECK-LABEL: func.func @shapes
// CHECK-SAME:    %{{.*}}: memref<i1>, %[[P:[a-z0-9]+]]: memref<8x5xf32>
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:         scf.if
// CHECK:           linalg.generic {{.*}} outs(%[[P]] :
// CHECK-NOT:     "reduction"
// CHECK:         return
func.func @shapes(%c: tensor<i1>, %p: tensor<8x5xf32> {cell.donate = 0 : i64}) -> (tensor<8x5xf32>, tensor<10xf32>) {
  %take = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %take -> tensor<8x5xf32> {
    %1 = cell.square %p : tensor<8x5xf32>
    scf.yield %1 : tensor<8x5xf32>
  } else {
    scf.yield %p : tensor<8x5xf32>
  }
  %2 = cell.reshape %p : tensor<8x5xf32> -> tensor<4x10xf32>
  %3 = cell.reduce_max %2 over [0] : tensor<4x10xf32> -> tensor<10xf32>
  return %0, %3 : tensor<8x5xf32>, tensor<10xf32>
}

// A way that keeps the old value needs it: what is put into it before the branch goes into a copy.
// CHECK-LABEL: func.func @kept_in_a_way(
// CHECK:         memref.copy %arg3, %[[COPY:.*]] :
// CHECK-NEXT:    memref.store %{{.*}}, %[[COPY]]
// CHECK:         scf.if
// CHECK:           linalg.generic {{.*}} ins(%[[COPY]]{{.*}} outs(%arg3
func.func @kept_in_a_way(%n: tensor<i1>, %s: tensor<f32>, %w0: tensor<6xf32> {cell.donate = 0 : i64},
                         %w1: tensor<6xf32> {cell.donate = 1 : i64}) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0 : index
  %value = tensor.extract %s[] : tensor<f32>
  %new = tensor.insert %value into %w1[%zero] : tensor<6xf32>
  %which = tensor.extract %n[] : tensor<i1>
  %r = scf.if %which -> (tensor<6xf32>) {
    %twice = cell.add %new, %new : tensor<6xf32>
    scf.yield %twice : tensor<6xf32>
  } else {
    scf.yield %w1 : tensor<6xf32>
  }
  return %new, %r : tensor<6xf32>, tensor<6xf32>
}
