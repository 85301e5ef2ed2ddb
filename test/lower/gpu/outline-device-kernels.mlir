// What becomes a kernel of an entry, and what stays with the host.
// RUN: cell-opt %s --cell-outline-device-kernels | FileCheck %s
// RUN: cell-opt %s --cell-outline-device-kernels=print-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A run of ops is one kernel of one block; a temporary that no one else uses
// is its own.
// CHECK-LABEL: func.func @run(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK-NEXT: call @run_kernel(%[[X]], %[[Y]])
// CHECK-NEXT: return
// PLAN: [[@LINE+3]]:3: remark: kernel run_kernel: 2 ops, 1 block
func.func @run(%x: memref<8xf32>, %y: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%t : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %y : memref<8xf32> to memref<8xf32>
  return
}

// Equal code is one kernel.
// CHECK-LABEL: func.func @again(
// CHECK-NEXT: call @run_kernel(
// CHECK-NEXT: return
func.func @again(%p: memref<8xf32>, %q: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%p : memref<8xf32>) outs(%t : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %t, %q : memref<8xf32> to memref<8xf32>
  return
}

// What the host checks is read after the kernel; a buffer that two kernels use
// is the host's. A scalar that only a later kernel uses goes through memory.
// CHECK-LABEL: func.func @checked(
// CHECK-SAME: %[[X:.*]]: memref<8xi1>, %[[F:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>)
// CHECK: %[[T:.*]] = memref.alloc() : memref<i1>
// CHECK: %[[S:.*]] = memref.alloc() : memref<f32>
// CHECK: call @checked_kernel(%[[T]], %[[X]], %[[F]], %[[S]])
// CHECK-NEXT: %[[OK:.*]] = memref.load %[[T]][]
// CHECK-NEXT: cell.check %[[OK]] "all"
// CHECK-NEXT: call @checked_kernel_0(%[[S]], %[[Y]])
// CHECK-NEXT: return
func.func @checked(%x: memref<8xi1>, %f: memref<f32>, %y: memref<f32>) {
  %true = arith.constant true
  %t = memref.alloc() : memref<i1>
  linalg.fill ins(%true : i1) outs(%t : memref<i1>)
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : memref<8xi1>) outs(%t : memref<i1>) {
  ^bb0(%a: i1, %o: i1):
    %0 = arith.andi %a, %o : i1
    linalg.yield %0 : i1
  }
  %ok = memref.load %t[] : memref<i1>
  %s = memref.load %f[] : memref<f32>
  cell.check %ok "all" : i1
  %d = arith.addf %s, %s : f32
  memref.store %d, %y[] : memref<f32>
  return
}

// Each loop over items is a kernel of its own, whose steps are blocks; what it
// uses of others is loaded by each. PLAN says how many there are.
// CHECK-LABEL: func.func @items(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[F:.*]]: memref<f32>, %[[Y:.*]]: memref<4x8xf32>)
// CHECK: %[[S:.*]] = memref.alloc() : memref<f32>
// CHECK: call @items_kernel(%[[F]], %[[S]])
// CHECK: call [[ITEMS:@items_kernel_[0-9]+]](%[[X]], %[[S]], %[[Y]])
// CHECK: call @items_kernel(%[[F]],
// PLAN: [[@LINE+8]]:3: remark: kernel items_kernel_1: 1 ops, 4 blocks
func.func @items(%x: memref<4x8xf32>, %f: memref<f32>, %y: memref<4x8xf32>) {
  %s = memref.load %f[] : memref<f32>
  // A store ends the run, not the loads before it.
  memref.store %s, %f[] : memref<f32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (4) {
    scf.for %k = %c0 to %c8 step %c1 {
      %a = memref.load %x[%i, %k] : memref<4x8xf32>
      %b = arith.mulf %a, %s : f32
      memref.store %b, %y[%i, %k] : memref<4x8xf32>
    }
  }
  %e = memref.load %f[] : memref<f32>
  memref.store %e, %f[] : memref<f32>
  %v = memref.alloc() : memref<f32>
  memref.store %e, %v[] : memref<f32>
  cell.print "{}" (%v : memref<f32>)
  return
}

// Control flow that needs nothing of the host is part of a kernel; a loop that
// may be cancelled is the host's, which reads the condition in each trip.
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>)
// CHECK-NOT: scf.for
// CHECK: call @loops_kernel(%[[X]])
// CHECK: scf.while
// CHECK: func.call @loops_kernel_{{[0-9]+}}(
// CHECK: %[[C:.*]] = memref.load
// CHECK: scf.condition(%[[C]])
// CHECK: cell.poll trip
// CHECK: func.call @loops_kernel(%[[X]])
// CHECK: scf.yield
func.func @loops(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.divf %a, %one : f32
    memref.store %b, %x[%i] : memref<8xf32>
  }
  scf.while : () -> () {
    %t = memref.alloc() : memref<i1>
    %a = memref.load %x[%c0] : memref<8xf32>
    %c = arith.cmpf ogt, %a, %one : f32
    memref.store %c, %t[] : memref<i1>
    %d = memref.load %t[] : memref<i1>
    scf.condition(%d)
  } do {
    cell.poll trip
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.load %x[%i] : memref<8xf32>
      %b = arith.divf %a, %one : f32
      memref.store %b, %x[%i] : memref<8xf32>
    }
    scf.yield
  }
  return
}

// What the host computes of a value that it reads comes after the read, and a
// kernel takes it as an argument.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[N:.*]]: memref<i32>)
// CHECK: %[[S:.*]] = memref.alloc() : memref<i32>
// CHECK: call @computed_kernel(%[[N]], %[[X]], %[[S]])
// CHECK: %[[VALUE:.*]] = memref.load %[[S]][]
// CHECK: %[[TRIPS:.*]] = arith.index_cast %[[VALUE]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[TRIPS]]
// CHECK: cell.poll
// CHECK: func.call @computed_kernel_{{[0-9]+}}(%{{.*}}, %[[I]]
func.func @computed(%x: memref<8xf32>, %n: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %value = memref.load %n[] : memref<i32>
  %trips = arith.index_cast %value : i32 to index
  memref.store %zero, %x[%trips] : memref<8xf32>
  scf.for %i = %c0 to %trips step %c1 {
    cell.poll
    memref.store %zero, %x[%i] : memref<8xf32>
  }
  return
}

memref.global "private" constant @numbers : memref<2xf32> = dense<[1.0, 2.0]>

// The host has no address of a constant: a kernel copies what is printed.
// CHECK-LABEL: func.func @constant(
// CHECK: %[[C:.*]] = memref.alloc() : memref<2xf32>
// CHECK: call @constant_kernel(%[[C]])
// CHECK: cell.print "{}"(%[[C]] : memref<2xf32>)
func.func @constant() {
  %0 = memref.get_global @numbers : memref<2xf32>
  cell.print "{}" (%0 : memref<2xf32>)
  return
}

// CHECK-LABEL: func.func private @run_kernel(
// CHECK-SAME: attributes {cell.device_kernel}
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: linalg.generic

// CHECK: func.func private [[ITEMS]](
// CHECK-NEXT: scf.forall
// CHECK-NOT: func.func
// CHECK: memref.load %arg1[]
// CHECK: scf.for
