// Loops and branches become blocks, whichever comes first in its block and whatever is in it.
// RUN: cell-opt %s --cell-convert-to-llvm --reconcile-unrealized-casts | FileCheck %s

// Two branches in a row in a loop, the second with a loop inside: each goes on where the one before it ends.
// CHECK-LABEL: llvm.func @nested(
// CHECK:         llvm.br ^[[HEAD:bb[0-9]+]]
// CHECK:       ^[[HEAD]](%[[I:.*]]: i64):
// CHECK:         llvm.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK:       ^[[BODY]]:
// CHECK:         llvm.cond_br %{{.*}}, ^[[A:bb[0-9]+]], ^[[B:bb[0-9]+]]
// CHECK:       ^[[A]]:
// CHECK:         llvm.br ^[[JOIN:bb[0-9]+]](%{{.*}} : f32)
// CHECK:       ^[[B]]:
// CHECK:         llvm.br ^[[JOIN]](%{{.*}} : f32)
// CHECK:       ^[[JOIN]](%[[X:.*]]: f32):
// CHECK:         llvm.cond_br %{{.*}}, ^[[C:bb[0-9]+]], ^[[LATCH:bb[0-9]+]]
// CHECK:       ^[[C]]:
// CHECK:         llvm.br ^[[INNER:bb[0-9]+]]
// CHECK:       ^[[INNER]](%{{.*}}: i64):
// CHECK:         llvm.cond_br %{{.*}}, ^[[STEP:bb[0-9]+]], ^[[DONE:bb[0-9]+]]
// CHECK:       ^[[STEP]]:
// CHECK:         llvm.store %[[X]],
// CHECK:         llvm.br ^[[INNER]]
// CHECK:       ^[[DONE]]:
// CHECK:         llvm.br ^[[LATCH]]
// CHECK:       ^[[LATCH]]:
// CHECK:         llvm.br ^[[HEAD]]
// CHECK:       ^[[END]]:
// CHECK:         llvm.return
// CHECK-NOT:   scf.
func.func @nested(%out: memref<8xf32>, %n: index, %c: i1, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = scf.if %c -> f32 {
      %s = arith.addf %x, %y : f32
      scf.yield %s : f32
    } else {
      %s = arith.mulf %x, %y : f32
      scf.yield %s : f32
    }
    %d = arith.cmpf olt, %v, %x : f32
    scf.if %d {
      scf.for %j = %c0 to %n step %c1 {
        memref.store %v, %out[%j] : memref<8xf32>
      }
    }
  }
  return
}
