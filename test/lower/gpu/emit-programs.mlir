// Functions on buffers as kernels: what threads share, and where they wait for each other.
// RUN: cell-opt %s --split-input-file --cell-emit-programs --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// A row a block, of a warp, which is as many threads as there is use for. Temporaries are shared memory; of the function
// a declaration is left that names its kernel.
// CHECK-LABEL: gpu.func @rows(
// CHECK-SAME:    %[[X:.*]]: memref<31x13xf32, 1>, %[[Y:.*]]: memref<31xf32, 1>) workgroup(%[[S:.*]] : memref<f32, 3>) kernel
// CHECK-SAME:    known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 31, 1, 1>
// CHECK-DAG:     %[[T:.*]] = gpu.thread_id  x
// CHECK-DAG:     %[[B:.*]] = gpu.block_id  x
// CHECK:         memref.subview %[[X]][%[[B]], 0] [1, 13] [1, 1] : memref<31x13xf32, 1> to memref<13xf32, strided<[1], offset: ?>, 1>
// A fill is one thread's.
// CHECK-DAG:     %[[FIRST:.*]] = arith.cmpi ult, %[[T]], %c1
// CHECK-DAG:     %[[SUM:.*]] = memref.reinterpret_cast %[[S]] to offset: [0], sizes: [1], strides: [1]
// CHECK:         scf.if %[[FIRST]] {
// CHECK-NEXT:      memref.store %{{.*}}, %[[SUM]][%c0]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// 13 elements are a lane's each; others have nothing to add. Five exchanges, then one lane combines with what was there.
// CHECK:         %[[PART:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %{{.*}} : f32
// CHECK:         gpu.shuffle  xor %[[PART]], %c16_i32, %c32_i32
// CHECK:         gpu.shuffle  xor %{{.*}}, %c8_i32
// CHECK:         gpu.shuffle  xor %{{.*}}, %c4_i32
// CHECK:         gpu.shuffle  xor %{{.*}}, %c2_i32
// CHECK:         gpu.shuffle  xor %{{.*}}, %c1_i32
// CHECK:         scf.if
// CHECK-NEXT:      memref.load %[[SUM]][%c0]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      memref.store %{{.*}}, %[[SUM]][%c0]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// Nothing waits for the last op.
// CHECK:         scf.if
// CHECK:         }
// CHECK-NEXT:    gpu.return
// CHECK:       func.func private @rows(memref<31x13xf32>, memref<31xf32>) attributes {cell.device_kernel = @kernels::@rows}
func.func private @rows(%x: memref<31x13xf32>, %y: memref<31xf32>) attributes {cell.device_kernel} {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (31) {
    %xi = memref.subview %x[%i, 0] [1, 13] [1, 1] : memref<31x13xf32> to memref<13xf32, strided<[1], offset: ?>>
    %yi = memref.subview %y[%i] [1] [1] : memref<31xf32> to memref<f32, strided<[], offset: ?>>
    %s = memref.alloc() : memref<f32>
    linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
        ins(%xi : memref<13xf32, strided<[1], offset: ?>>) outs(%s : memref<f32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    }
    memref.copy %s, %yi : memref<f32> to memref<f32, strided<[], offset: ?>>
  }
  return
}

// -----

// One block. Neighbouring threads write neighbouring elements, however the op counts them; large temporaries lie in the
// last argument.
// CHECK-LABEL: gpu.func @transposes(
// CHECK-SAME:    %[[X:.*]]: memref<100x200xf32, 1>, %[[Y:.*]]: memref<200x100xf32, 1>, %[[SCRATCH:.*]]: memref<80128xi8, 1>) kernel
// CHECK-SAME:    cell.scratch_bytes = 80128 : i64
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK:         %[[BLOCK:.*]] = gpu.block_id
// CHECK:         %[[AT:.*]] = arith.muli %[[BLOCK]], %c80128
// CHECK:         memref.view %[[SCRATCH]][%[[AT]]][] : memref<80128xi8, 1> to memref<200x100xf32, 1>
// CHECK:         scf.for %[[N:.*]] = %{{.*}} to %c20000 step %c256 {
// CHECK:           %[[I:.*]] = arith.remui %[[N]], %c100
// CHECK:           %[[J:.*]] = arith.divui %[[N]], %c100
// CHECK:           memref.load
// CHECK:           memref.store
// CHECK:         }
// CHECK:         gpu.barrier
// Copies of the same layout are one dimension.
// CHECK:         scf.for {{.*}} to %c20000 step %c256 {
// CHECK-NOT:       arith.remui
// CHECK:         }
// CHECK-NEXT:    gpu.return
func.func private @transposes(%x: memref<100x200xf32>, %y: memref<200x100xf32>) attributes {cell.device_kernel} {
  %t = memref.alloc() : memref<200x100xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<100x200xf32>) outs(%t : memref<200x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  memref.copy %t, %y : memref<200x100xf32> to memref<200x100xf32>
  return
}

// -----

// Scalars: all threads read them, and decide alike; one thread writes, in order, so that it need not wait for itself. A
// loop begins and ends with nothing to wait for. Indices have 64 bits, whatever the kernel's have.
// CHECK-LABEL: gpu.func @scalars(
// CHECK-SAME:    %[[X:.*]]: memref<8xf32, 1>, %[[N:.*]]: i64)
// CHECK:         %[[END:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[END]] step %c1 {
// CHECK-NEXT:      %[[V:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[D:.*]] = arith.addf %[[V]], %[[V]]
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      scf.if %[[FIRST:.*]] {
// CHECK-NEXT:        memref.store %[[D]], %[[X]][%[[I]]]
// CHECK-NEXT:        memref.store %[[D]], %[[X]][%c0]
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %[[W:.*]] = memref.load %[[X]][%c1]
// CHECK-NEXT:      %[[GO:.*]] = arith.cmpf ogt, %[[W]], %{{.*}}
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      scf.if %[[GO]] {
// CHECK-NEXT:        scf.if %[[FIRST]] {
// CHECK-NEXT:          memref.store
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.return
func.func private @scalars(%x: memref<8xf32>, %n: index) attributes {cell.device_kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    cell.poll trip
    %v = memref.load %x[%i] : memref<8xf32>
    %d = arith.addf %v, %v : f32
    memref.store %d, %x[%i] : memref<8xf32>
    memref.store %d, %x[%c0] : memref<8xf32>
    %w = memref.load %x[%c1] : memref<8xf32>
    %go = arith.cmpf ogt, %w, %zero : f32
    scf.if %go {
      memref.store %zero, %x[%c1] : memref<8xf32>
    }
  }
  return
}

// -----

// Few long reductions: the whole block shares each, a tree in every warp, then one over the warps' parts.
// CHECK-LABEL: gpu.func @long(
// CHECK-SAME:    workgroup(%[[SLOTS:.*]] : memref<8xf32, 3>)
// CHECK:         scf.for %[[R:.*]] = %c0 to %c2 step %c1 {
// CHECK:           scf.for
// CHECK:           gpu.barrier
// CHECK-COUNT-5:   gpu.shuffle
// CHECK:           scf.if
// CHECK-NEXT:        memref.store %{{.*}}, %[[SLOTS]][%{{.*}}]
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   memref.load %[[SLOTS]]
// CHECK-COUNT-7:   arith.maximumf
// CHECK:           scf.if
// CHECK:             memref.store
func.func private @long(%x: memref<2x9000xf32>, %y: memref<2xf32>) attributes {cell.device_kernel} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<2x9000xf32>) outs(%y : memref<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Two loops of blocks, constants of the module, two programs in one module, a buffer that loops hand on.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         gpu.func @tiles({{.*}} known_grid_size = array<i32: 12, 1, 1>
// CHECK:           %[[B:.*]] = gpu.block_id
// CHECK:           arith.remui %[[B]], %c4
// CHECK:           arith.divui %[[B]], %c4
// CHECK:         gpu.func @handed(
// CHECK-SAME:      %{{.*}}: memref<256xi8, 1>) kernel attributes {cell.scratch_bytes = 256 : i64
// CHECK:           memref.get_global @table : memref<3xf32, 1>
// CHECK:           scf.for {{.*}} -> (memref<3xf32, 1>, memref<3xf32, 1>)
// CHECK:         memref.global "private" constant @table : memref<3xf32, 1> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
module {
  memref.global "private" constant @table : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
  func.func private @tiles(%x: memref<3x4xf32>) attributes {cell.device_kernel} {
    %z = arith.constant 0.0 : f32
    scf.forall (%i, %j) in (3, 4) {
      %t = memref.subview %x[%i, %j] [1, 1] [1, 1] : memref<3x4xf32> to memref<f32, strided<[], offset: ?>>
      linalg.fill ins(%z : f32) outs(%t : memref<f32, strided<[], offset: ?>>)
    }
    return
  }
  func.func private @handed(%x: memref<3xf32>) attributes {cell.device_kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %t = memref.get_global @table : memref<3xf32>
    %y = memref.alloc() : memref<3xf32>
    memref.copy %t, %y : memref<3xf32> to memref<3xf32>
    %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (memref<3xf32>, memref<3xf32>) {
      linalg.add ins(%a, %b : memref<3xf32>, memref<3xf32>) outs(%a : memref<3xf32>)
      scf.yield %b, %a : memref<3xf32>, memref<3xf32>
    }
    return
  }
}

// -----

// A buffer as large as shared memory leaves no room for the sums of warps.
// CHECK-LABEL: gpu.func @full(
// CHECK-SAME:    cell.scratch_bytes = 49152 : i64
func.func private @full(%x: memref<12288xf32>, %s: memref<f32>) attributes {cell.device_kernel} {
  %t = memref.alloc() : memref<12288xf32>
  memref.copy %x, %t : memref<12288xf32> to memref<12288xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%t : memref<12288xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What is done before, after and in other loops is one block's, a step after another.
// CHECK-LABEL: gpu.func @around(
// CHECK-SAME:    known_grid_size = array<i32: 1, 1, 1>
// CHECK:         gpu.barrier
// CHECK:         scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK:           scf.for %[[J:.*]] = %c0 to %c4 step %c1 {
// CHECK:             memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func private @around(%x: memref<3x4xf32>) attributes {cell.device_kernel} {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%x : memref<3x4xf32>)
  scf.forall (%i) in (3) {
    scf.forall (%j) in (4) {
      memref.store %z, %x[%i, %j] : memref<3x4xf32>
    }
  }
  return
}

// -----

// A module without programs stays as it is.
// CHECK-LABEL: func.func private @plain
// CHECK-NOT:   gpu.module
func.func private @plain(%x: memref<3xf32>) {
  return
}
