// Reductions of one element type that need nothing of each other are one, of parts of one buffer.
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-bucket-collectives,canonicalize)" --split-input-file | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-bucket-collectives{bucket-bytes=127})" --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-bucket-collectives{bucket-bytes=0})" --split-input-file | FileCheck %s --check-prefix=SMALL

// The first part has 16 bytes, and zeros up to the place of the second one; the third is of another type.
// CHECK-LABEL: func.func @parts
// CHECK: %[[S:.*]] = memref.alloc() : memref<128xi8>
// CHECK: %[[SEND:.*]] = memref.view %[[S]][%{{.*}}][] : memref<128xi8> to memref<32xf32>
// CHECK: %[[A:.*]] = memref.view %[[S]][%{{.*}}][] : memref<128xi8> to memref<4xf32>
// CHECK: scf.for %[[I:.*]] = %c4{{.*}} to %c16
// CHECK-NEXT: memref.store %{{.*}}, %[[SEND]][%[[I]]]
// CHECK: %[[B:.*]] = memref.view %[[S]][%c64{{.*}}][] : memref<128xi8> to memref<2x8xf32>
// CHECK: memref.store %{{.*}}, %[[A]][%c0]
// CHECK: memref.store %{{.*}}, %[[B]][%c0, %c0]
// CHECK: cell.collective_start 0 send %{{.*}} : memref<4xf16>
// CHECK-NEXT: cell.collective_wait 0
// CHECK: cell.collective_start 0 send %[[SEND]] : memref<32xf32> receive %{{.*}} : memref<32xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
// CHECK-NEXT: cell.collective_wait 0 send %[[SEND]]
// CHECK-NOT: collective
// CHECK: return
// SMALL-LABEL: func.func @parts
// SMALL: cell.collective_start 0 send %{{.*}} : memref<4xf32>
// SMALL: cell.collective_start 0 send %{{.*}} : memref<4xf16>
// SMALL: cell.collective_start 0 send %{{.*}} : memref<2x8xf32>
func.func @parts(%out: memref<4xf32>, %more: memref<2x8xf32>, %h: memref<4xf16>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<2x8xf32>
  memref.store %cst, %a[%c0] : memref<4xf32>
  memref.store %cst, %b[%c0, %c0] : memref<2x8xf32>
  %r = memref.alloc() : memref<4xf32>
  cell.collective_start 0 send %a : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a : memref<4xf32> receive %r : memref<4xf32>
  %g = memref.alloc() : memref<4xf16>
  cell.collective_start 0 send %h : memref<4xf16> receive %g : memref<4xf16> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %h : memref<4xf16> receive %g : memref<4xf16>
  %s = memref.alloc() : memref<2x8xf32>
  cell.collective_start 0 send %b : memref<2x8xf32> receive %s : memref<2x8xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %b : memref<2x8xf32> receive %s : memref<2x8xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  memref.copy %s, %more : memref<2x8xf32> to memref<2x8xf32>
  return
}

// -----

// What the second one sends depends on the first; then maxima; then what the caller has, which is copied.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-3: cell.collective_start 0 send %{{.*}} : memref<4xf32>
// CHECK: cell.collective_start 0 send %{{.*}} : memref<32xf32> receive %{{.*}} : memref<32xf32> {combine = 3
// CHECK-NEXT: cell.collective_wait 0
// CHECK-NEXT: memref.copy %{{.*}}, %arg{{.*}} : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.copy %{{.*}}, %arg{{.*}} : memref<4xf32> to memref<4xf32>
// SMALL-LABEL: func.func @apart
// SMALL-NOT: memref.view
func.func @apart(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %r = memref.alloc() : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  cell.collective_start 0 send %x : memref<4xf32> receive %r : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %r : memref<4xf32>
  cell.collective_start 0 send %r : memref<4xf32> receive %s : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %r : memref<4xf32> receive %s : memref<4xf32>
  %1 = memref.load %s[%c0] : memref<4xf32>
  memref.store %1, %r[%c0] : memref<4xf32>
  cell.collective_start 0 send %r : memref<4xf32> receive %s : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %r : memref<4xf32> receive %s : memref<4xf32>
  cell.collective_start 0 send %x : memref<4xf32> receive %y : memref<4xf32> {combine = 3 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %x : memref<4xf32> receive %y : memref<4xf32>
  cell.collective_start 0 send %s : memref<4xf32> receive %z : memref<4xf32> {combine = 3 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %s : memref<4xf32> receive %z : memref<4xf32>
  return
}

// -----

// Another group, or a message, is a border.
// CHECK-LABEL: func.func @group
// CHECK-COUNT-3: cell.collective_start 0 send %{{.*}} : memref<4xf32>
// CHECK: return
func.func @group(%out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a0 = memref.alloc() : memref<4xf32>
  %r0 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a0[%c0] : memref<4xf32>
  %a1 = memref.alloc() : memref<4xf32>
  %r1 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a1[%c0] : memref<4xf32>
  %a2 = memref.alloc() : memref<4xf32>
  %r2 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a2[%c0] : memref<4xf32>
  cell.collective_start 0 send %a0 : memref<4xf32> receive %r0 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a0 : memref<4xf32> receive %r0 : memref<4xf32>
  cell.collective_start 0 send %a1 : memref<4xf32> receive %r1 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, group = array<i64: 0, 1>, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a1 : memref<4xf32> receive %r1 : memref<4xf32>
  cell.collective_start 0 send %a2 : memref<4xf32> receive %r2 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a2 : memref<4xf32> receive %r2 : memref<4xf32>
  memref.copy %r0, %out : memref<4xf32> to memref<4xf32>
  memref.copy %r2, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @message
// CHECK-COUNT-3: cell.collective_start 0 send %{{.*}} : memref<4xf32>
// CHECK: return
func.func @message(%out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a0 = memref.alloc() : memref<4xf32>
  %r0 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a0[%c0] : memref<4xf32>
  %a1 = memref.alloc() : memref<4xf32>
  %r1 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a1[%c0] : memref<4xf32>
  %a2 = memref.alloc() : memref<4xf32>
  %r2 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a2[%c0] : memref<4xf32>
  cell.collective_start 0 send %a0 : memref<4xf32> receive %r0 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a0 : memref<4xf32> receive %r0 : memref<4xf32>
  cell.collective_start 0 send %a1 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 8 : i32, ranks = 0 : i64, root = 1 : i32}
  cell.collective_wait 0 send %a1 : memref<4xf32>
  cell.collective_start 0 send %a2 : memref<4xf32> receive %r2 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a2 : memref<4xf32> receive %r2 : memref<4xf32>
  memref.copy %r0, %out : memref<4xf32> to memref<4xf32>
  memref.copy %r2, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Ordered sums, whose bits are promised, are with ordered ones alone.
// CHECK-LABEL: func.func @ordered
// CHECK: cell.collective_start 0 send %{{.*}} : memref<4xf32> receive %{{.*}} : memref<4xf32> {combine = 0 : i32, flags = 0 : i32
// CHECK: cell.collective_start 0 send %{{.*}} : memref<4xf32> receive %{{.*}} : memref<4xf32> {combine = 0 : i32, flags = 1 : i32
// CHECK: return
func.func @ordered(%out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a0 = memref.alloc() : memref<4xf32>
  %r0 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a0[%c0] : memref<4xf32>
  %a1 = memref.alloc() : memref<4xf32>
  %r1 = memref.alloc() : memref<4xf32>
  memref.store %cst, %a1[%c0] : memref<4xf32>
  cell.collective_start 0 send %a0 : memref<4xf32> receive %r0 : memref<4xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a0 : memref<4xf32> receive %r0 : memref<4xf32>
  cell.collective_start 0 send %a1 : memref<4xf32> receive %r1 : memref<4xf32> {combine = 0 : i32, flags = 1 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a1 : memref<4xf32> receive %r1 : memref<4xf32>
  memref.copy %r0, %out : memref<4xf32> to memref<4xf32>
  memref.copy %r1, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Five reductions of 512 KiB: an eighth is less than 1 MiB, which two of them have.
// CHECK-LABEL: func.func @small
// CHECK-COUNT-2: cell.collective_start 0 send %{{.*}} : memref<262144xf32>
// CHECK: cell.collective_start 0 send %{{.*}} : memref<131072xf32>
// CHECK-NOT: collective_start
// CHECK: return
func.func @small(%out: memref<131072xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a0 = memref.alloc() : memref<131072xf32>
  %r0 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a0[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a0 : memref<131072xf32> receive %r0 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a0 : memref<131072xf32> receive %r0 : memref<131072xf32>
  %a1 = memref.alloc() : memref<131072xf32>
  %r1 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a1[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a1 : memref<131072xf32> receive %r1 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a1 : memref<131072xf32> receive %r1 : memref<131072xf32>
  %a2 = memref.alloc() : memref<131072xf32>
  %r2 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a2[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a2 : memref<131072xf32> receive %r2 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a2 : memref<131072xf32> receive %r2 : memref<131072xf32>
  %a3 = memref.alloc() : memref<131072xf32>
  %r3 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a3[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a3 : memref<131072xf32> receive %r3 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a3 : memref<131072xf32> receive %r3 : memref<131072xf32>
  %a4 = memref.alloc() : memref<131072xf32>
  %r4 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a4[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a4 : memref<131072xf32> receive %r4 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a4 : memref<131072xf32> receive %r4 : memref<131072xf32>
  memref.copy %r0, %out : memref<131072xf32> to memref<131072xf32>
  return
}

// -----

// One of 12 MiB and five of 512 KiB: an eighth is 1.8 MiB, which four of them have.
// CHECK-LABEL: func.func @eighths
// CHECK: cell.collective_start 0 send %{{.*}} : memref<3145728xf32>
// CHECK: cell.collective_start 0 send %{{.*}} : memref<524288xf32>
// CHECK: cell.collective_start 0 send %{{.*}} : memref<131072xf32>
// CHECK-NOT: collective_start
// CHECK: return
func.func @eighths(%out: memref<131072xf32>) {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  %a9 = memref.alloc() : memref<3145728xf32>
  %r9 = memref.alloc() : memref<3145728xf32>
  memref.store %cst, %a9[%c0] : memref<3145728xf32>
  cell.collective_start 0 send %a9 : memref<3145728xf32> receive %r9 : memref<3145728xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a9 : memref<3145728xf32> receive %r9 : memref<3145728xf32>
  %a0 = memref.alloc() : memref<131072xf32>
  %r0 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a0[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a0 : memref<131072xf32> receive %r0 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a0 : memref<131072xf32> receive %r0 : memref<131072xf32>
  %a1 = memref.alloc() : memref<131072xf32>
  %r1 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a1[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a1 : memref<131072xf32> receive %r1 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a1 : memref<131072xf32> receive %r1 : memref<131072xf32>
  %a2 = memref.alloc() : memref<131072xf32>
  %r2 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a2[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a2 : memref<131072xf32> receive %r2 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a2 : memref<131072xf32> receive %r2 : memref<131072xf32>
  %a3 = memref.alloc() : memref<131072xf32>
  %r3 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a3[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a3 : memref<131072xf32> receive %r3 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a3 : memref<131072xf32> receive %r3 : memref<131072xf32>
  %a4 = memref.alloc() : memref<131072xf32>
  %r4 = memref.alloc() : memref<131072xf32>
  memref.store %cst, %a4[%c0] : memref<131072xf32>
  cell.collective_start 0 send %a4 : memref<131072xf32> receive %r4 : memref<131072xf32> {combine = 0 : i32, flags = 0 : i32, kind = 0 : i32, ranks = 0 : i64, root = 0 : i32}
  cell.collective_wait 0 send %a4 : memref<131072xf32> receive %r4 : memref<131072xf32>
  memref.copy %r0, %out : memref<131072xf32> to memref<131072xf32>
  return
}
