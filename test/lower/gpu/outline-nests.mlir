// Which ops have a grid of their own, and what comes with them.
// RUN: cell-opt %s --split-input-file --cell-outline-device-kernels=fewest-steps=1 | FileCheck %s

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The fill of what an op adds to is in its kernel.
// CHECK-LABEL: func.func @sum(
// CHECK-COUNT-1: call @sum_kernel
// CHECK-NOT:   call
// CHECK:       func.func private @sum_kernel(
// CHECK-SAME:  cell.grid_nest
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    linalg.fill
// CHECK-NEXT:    linalg.generic
func.func @sum(%x: memref<8xf32>, %y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<f32>)
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : memref<8xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// What is filled is read as another operand, too: the fill has a kernel before.
// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:  call @twice_kernel(%[[Y:.*]])
// CHECK-NEXT:  call @twice_kernel_0(%{{.*}})
// CHECK-NEXT:  return
func.func @twice(%y: memref<8xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%y : memref<8xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// What a loop carries may be the buffer that was filled.
// CHECK-LABEL: func.func @carried(
// CHECK:       scf.for
// CHECK:         func.call @carried_kernel(
// CHECK-NEXT:    func.call @carried_kernel_0(
func.func @carried(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %u = memref.alloc() : memref<8xf32>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t, %q = %u) -> (memref<8xf32>, memref<8xf32>) {
    linalg.fill ins(%zero : f32) outs(%t : memref<8xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%q : memref<8xf32>) outs(%t : memref<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    }
    scf.yield %q, %p : memref<8xf32>, memref<8xf32>
  }
  memref.copy %last#0, %y : memref<8xf32> to memref<8xf32>
  return
}

// -----

// Two steps write one element: no grid shares them.
// CHECK-LABEL: func.func @overlapping(
// CHECK-NOT:   cell.grid_nest
func.func @overlapping(%x: memref<4x3xf32>, %y: memref<6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x3xf32>) outs(%y : memref<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// So is it where a parallel loop does not move in the output, and where a reduction does.
// CHECK-LABEL: func.func @unmoved(
// CHECK-LABEL: func.func @moved(
// CHECK-NOT:   cell.grid_nest
func.func @unmoved(%x: memref<4x3xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x3xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @moved(%x: memref<4x3xf32>, %y: memref<4x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x3xf32>) outs(%y : memref<4x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// A result that nobody reads is the host's buffer: blocks have no memory in common that is their own.
// CHECK-LABEL: func.func @unread(
// CHECK:       memref.alloc() : memref<8xf32>
// CHECK:       call @unread_kernel(
// CHECK:       func.func private @unread_kernel(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @unread(%x: memref<8xf32>, %y: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y, %t : memref<8xf32>, memref<8xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0, %a : f32, f32
  }
  return
}

// -----

// A copy is an op with steps, too.
// CHECK-LABEL: func.func @copied(
// CHECK:       func.func private @copied_kernel(
// CHECK-SAME:  cell.grid_nest
// CHECK-NEXT:    memref.copy
func.func @copied(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
