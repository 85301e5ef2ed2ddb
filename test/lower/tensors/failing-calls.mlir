// A call that fails leaves donated arguments as they were: what may fail comes before all that changes them, or
// they change in copies until it has passed.
// RUN: cell-opt %s --cell-to-linalg --cell-fuse-linalg --cell-convert-entry-points --cell-separate-inits \
// RUN:   --cell-insert-polls --cell-place-results --cse --cell-separate-inits --cell-carry-buffers --one-shot-bufferize \
// RUN:   --canonicalize --cse --cell-coalesce-buffers --canonicalize | FileCheck %s
// RUN: cell-opt %s --cell-to-llvm-pipeline | FileCheck %s --check-prefix=LLVM
// RUN: cell-opt %s --cell-insert-polls | cell-opt | FileCheck %s --check-prefix=TEXT

// TEXT-COUNT-1: cell.poll trip
// TEXT:         cell.print
// TEXT-NEXT:    cell.poll{{$}}
// TEXT-NOT:     cell.poll

// A loop that counts in a donated argument and checks: it counts in a copy.
// CHECK-LABEL: func.func @in_a_loop
// CHECK-SAME:    %[[N:[a-z0-9]+]]: memref<f32>, %[[OK:[a-z0-9]+]]: memref<5xi1>
// CHECK:         %[[COPY:.*]] = memref.alloc()
// CHECK:         memref.copy %[[N]], %[[COPY]]
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} outs(%[[COPY]] :
// CHECK:           cell.check
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.copy %[[COPY]], %[[N]]
// CHECK-NEXT:    return
func.func @in_a_loop(%n: tensor<f32> {cell.donate = 0 : i64}, %ok: tensor<5xi1>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = cell.constant dense<1.0> : tensor<f32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%m = %n) -> tensor<f32> {
    %next = cell.add %m, %one : tensor<f32>
    %holds = tensor.extract %ok[%i] : tensor<5xi1>
    cell.check %holds "wrong" : i1
    scf.yield %next : tensor<f32>
  }
  return %r : tensor<f32>
}

// What is checked itself: it changes in a copy, and the argument behind the check.
// CHECK-LABEL: func.func @inserted
// CHECK-SAME:    %[[N:[a-z0-9]+]]: memref<4xf32>
// CHECK-NOT:     memref.store {{.*}} %[[N]]
// CHECK:         %[[COPY:.*]] = memref.alloc()
// CHECK:         memref.copy %[[N]], %[[COPY]]
// CHECK:         memref.store %{{.*}}, %[[COPY]]
// CHECK:         cell.check
// CHECK-NEXT:    memref.copy %[[COPY]], %[[N]]
// CHECK-NEXT:    return
func.func @inserted(%n: tensor<4xf32> {cell.donate = 0 : i64}, %v: tensor<f32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 100.0 : f32
  %value = tensor.extract %v[] : tensor<f32>
  %changed = tensor.insert %value into %n[%c0] : tensor<4xf32>
  %other = tensor.extract %changed[%c1] : tensor<4xf32>
  %ok = arith.cmpf olt, %other, %limit : f32
  cell.check %ok "small" : i1
  return %changed : tensor<4xf32>
}

// The same loop without a check counts in the argument itself.
// CHECK-LABEL: func.func @without_a_check
// CHECK-SAME:    %[[N:[a-z0-9]+]]: memref<f32>
// CHECK-NOT:     memref.copy
// CHECK:         scf.for
// CHECK-NEXT:      linalg.generic {{.*}} outs(%[[N]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @without_a_check(%n: tensor<f32> {cell.donate = 0 : i64}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = cell.constant dense<1.0> : tensor<f32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%m = %n) -> tensor<f32> {
    %next = cell.add %m, %one : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %r : tensor<f32>
}

// A loop of unknown length may be cancelled, and its stash may take all memory: updates come after it, in place.
// The loop starts from a copy of what is updated.
// CHECK-LABEL: func.func @after_a_loop
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<40xf32>, %[[M:[a-z0-9]+]]: memref<40xf32>
// CHECK-NOT:     outs(%[[W]]
// CHECK-NOT:     outs(%[[M]]
// CHECK:         cell.stash_empty
// CHECK:         scf.while
// CHECK:           cell.poll trip
// CHECK:           cell.stash_store
// CHECK-DAG:     linalg.generic {{.*}} outs(%[[W]] :
// CHECK-DAG:     linalg.generic {{.*}} outs(%[[M]] :
// CHECK:         return
// LLVM-LABEL:  llvm.func @after_a_loop
// LLVM:          %[[FRAME:.*]] = llvm.alloca {{.*}} {cell.call_frame}
// LLVM-NEXT:     llvm.call @cell_enter(%[[FRAME]])
// LLVM:          %[[CANCEL:.*]] = llvm.load
// LLVM:          %[[LEFT:.*]] = llvm.alloca
// LLVM:          %[[STASH:.*]] = llvm.call @cell_rt_stash_new(%[[FRAME]],
// LLVM:          llvm.cond_br %{{.*}} weights([1048576, 1]), ^{{.*}}, ^[[OUT:bb[0-9]+]](
// LLVM:          llvm.load volatile %[[CANCEL]]
// LLVM:          llvm.cond_br %{{.*}} weights([1048576, 1]), ^{{.*}}, ^[[OUT]](
// LLVM:          llvm.load %[[LEFT]]
// LLVM:          llvm.cond_br %{{.*}} weights([1048576, 1]), ^{{.*}}, ^[[OUT]](
// LLVM:          %[[STATUS:.*]] = llvm.call @cell_rt_stash_store(%[[STASH]],
// LLVM:          llvm.cond_br %{{.*}} weights([1048576, 1]), ^{{.*}}, ^[[OUT]](%[[STATUS]] : i32)
// LLVM:          llvm.call @cell_rt_stash_free(%[[STASH]])
// LLVM:          llvm.call @cell_rt_leave(%[[FRAME]])
// LLVM:          llvm.return
// LLVM:        ^[[OUT]](%[[WHY:.*]]: i32):
// LLVM-NEXT:     llvm.call @cell_rt_leave(%[[FRAME]])
// LLVM-NEXT:     llvm.return %[[WHY]]
func.func @after_a_loop(%w: tensor<40xf32> {cell.donate = 0 : i64}, %m: tensor<40xf32> {cell.donate = 1 : i64}, %g: tensor<40xf32>, %go: tensor<i1>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w1 = cell.add %w, %g : tensor<40xf32>
  %m1 = cell.sub %m, %g : tensor<40xf32>
  %s = cell.stash_empty : !cell.stash<tensor<40xf32>>
  %r:3 = scf.while (%i = %c0, %x = %w, %k = %s) : (index, tensor<40xf32>, !cell.stash<tensor<40xf32>>) -> (index, tensor<40xf32>, !cell.stash<tensor<40xf32>>) {
    %c = tensor.extract %go[] : tensor<i1>
    scf.condition(%c) %i, %x, %k : index, tensor<40xf32>, !cell.stash<tensor<40xf32>>
  } do {
  ^bb0(%i: index, %x: tensor<40xf32>, %k: !cell.stash<tensor<40xf32>>):
    %next = arith.addi %i, %c1 : index
    %kept = cell.stash_write %x into %k at %i : !cell.stash<tensor<40xf32>>
    %y = cell.tanh %x : tensor<40xf32>
    scf.yield %next, %y, %kept : index, tensor<40xf32>, !cell.stash<tensor<40xf32>>
  }
  %back = scf.for %i = %c0 to %r#0 step %c1 iter_args(%a = %r#1) -> tensor<40xf32> {
    %x = cell.stash_read %r#2 at %i : !cell.stash<tensor<40xf32>>
    %b = cell.mul %a, %x : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  return %w1, %m1, %back : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}

// A check of what is stored: computed apart, and copied when it has passed.
// CHECK-LABEL: func.func @of_the_result
// CHECK-SAME:    %[[N:[a-z0-9]+]]: memref<1xi32>
// CHECK-NOT:     outs({{.*}}%[[N]]
// CHECK:         cell.check
// CHECK-NEXT:    memref.copy %{{.*}}, %[[N]]
func.func @of_the_result(%n: tensor<1xi32> {cell.donate = 0 : i64}) -> tensor<1xi32> {
  %one = cell.constant dense<1> : tensor<1xi32>
  %nine = cell.constant dense<9> : tensor<1xi32>
  %next = cell.add %n, %one : tensor<1xi32>
  %ok = cell.less %next, %nine : tensor<1xi32>
  cell.check %ok "too many" : tensor<1xi1>
  return %next : tensor<1xi32>
}

// The hook of a print may cancel.
// CHECK-LABEL: func.func @after_a_print
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<40xf32>
// CHECK:         cell.print
// CHECK-NEXT:    cell.poll{{$}}
// CHECK:         linalg.generic {{.*}} outs(%[[W]] :
func.func @after_a_print(%w: tensor<40xf32> {cell.donate = 0 : i64}) -> tensor<40xf32> {
  %w1 = cell.add %w, %w : tensor<40xf32>
  cell.print "w {}" (%w : tensor<40xf32>)
  return %w1 : tensor<40xf32>
}

// One element is put into an argument, and a check reads the result: it is put into a copy.
// CHECK-LABEL: func.func @one_element
// CHECK-SAME:    %[[U:[a-z0-9]+]]: memref<f32>, %[[W:[a-z0-9]+]]: memref<40xf32>
// CHECK:         %[[COPY:.*]] = memref.alloc() {{.*}} memref<40xf32>
// CHECK:         memref.copy %[[W]], %[[COPY]]
// CHECK:         memref.store %{{.*}}, %[[COPY]]
// CHECK:         cell.check
// CHECK-NEXT:    memref.copy %[[COPY]], %[[W]]
// CHECK-NEXT:    return
func.func @one_element(%u: tensor<f32>, %w: tensor<40xf32> {cell.donate = 0 : i64}) -> (tensor<40xf32>, tensor<f32>) {
  %c3 = arith.constant 3 : index
  %new = tensor.extract %u[] : tensor<f32>
  %s = tensor.insert %new into %w[%c3] : tensor<40xf32>
  %most = cell.reduce_max %s over [0] : tensor<40xf32> -> tensor<f32>
  %less = cell.less %most, %u : tensor<f32>
  %ok = tensor.extract %less[] : tensor<i1>
  cell.check %ok "large" : i1
  return %s, %most : tensor<40xf32>, tensor<f32>
}
