// What elementwise ops make of a value that is kept anyway is made again where the adjoint reads it
// after much other work: of a layer, its argument is kept.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-rematerialize))" --split-input-file | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-rematerialize{distance=9}))" --split-input-file | FileCheck %s --check-prefix=FAR

!t = tensor<128x128xf32>

// A layer of the forward pass, three other products, and what the adjoint reads of it.
// CHECK-LABEL: func.func @layer
// CHECK-SAME:    %[[X:.*]]: tensor<128x128xf32>, %[[B:.*]]: tensor<128xf32>, %[[CT:.*]]: tensor<128x128xf32>
// CHECK:         %[[P:.*]] = cell.matmul %[[X]], %[[X]]
// CHECK:         %[[WIDE:.*]] = cell.broadcast %[[B]]
// CHECK:         %[[Z:.*]] = cell.add %[[P]], %[[WIDE]]
// CHECK:         %[[Y:.*]] = cell.tanh %[[Z]]
// CHECK:         %[[P1:.*]] = cell.matmul %[[Y]]
// CHECK:         %[[P2:.*]] = cell.matmul %[[P1]]
// CHECK:         %[[P3:.*]] = cell.matmul %[[P2]]
// CHECK:         %[[P4:.*]] = cell.matmul %[[P3]]
// CHECK:         %[[KEPT:.*]] = cell.barrier %[[Z]] after(%[[P4]])
// CHECK-NEXT:    %[[AGAIN:.*]] = cell.tanh %[[KEPT]]
// CHECK-NEXT:    cell.matmul %[[AGAIN]]
// CHECK:         %[[SLOPE:.*]] = cell.sech_squared %[[KEPT]]
// FAR-LABEL: func.func @layer
// FAR-NOT:     cell.barrier
func.func @layer(%x: !t, %b: tensor<128xf32>, %ct: !t) -> (!t, !t) {
  %p = cell.matmul %x, %x : (!t, !t) -> !t
  %wide = cell.broadcast %b along [0] : tensor<128xf32> -> !t
  %z = cell.add %p, %wide : !t
  %y = cell.tanh %z : !t
  %p1 = cell.matmul %y, %x : (!t, !t) -> !t
  %p2 = cell.matmul %p1, %x : (!t, !t) -> !t
  %p3 = cell.matmul %p2, %x : (!t, !t) -> !t
  %p4 = cell.matmul %p3, %x : (!t, !t) -> !t
  %dw = cell.matmul %y, %p4 : (!t, !t) -> !t
  %slope = cell.sech_squared %z : !t
  %dz = cell.mul %slope, %ct : !t
  return %dw, %dz : !t, !t
}

// -----

!t = tensor<128x128xf32>

// Nothing that the result follows from is kept: the result is. So is what is returned.
// CHECK-LABEL: func.func @no_gain
// CHECK-NOT:     cell.barrier
func.func @no_gain(%x: !t) -> (!t, !t, !t) {
  %z = cell.matmul %x, %x : (!t, !t) -> !t
  %y = cell.relu %z : !t
  %s = cell.sin %x : !t
  %p1 = cell.matmul %y, %s : (!t, !t) -> !t
  %p2 = cell.matmul %p1, %x : (!t, !t) -> !t
  %p3 = cell.matmul %p2, %x : (!t, !t) -> !t
  %p4 = cell.matmul %p3, %x : (!t, !t) -> !t
  %dw = cell.matmul %y, %p4 : (!t, !t) -> !t
  %ds = cell.matmul %s, %x : (!t, !t) -> !t
  return %dw, %ds, %s : !t, !t, !t
}

// -----

!t = tensor<128x128xf32>

// What two values have in common is made once.
// CHECK-LABEL: func.func @shared
// CHECK:         %[[KEPT:.*]] = cell.barrier
// CHECK:         %[[ERF:.*]] = cell.erf %[[KEPT]]
// CHECK:         %[[Y:.*]] = cell.mul %[[KEPT]], %[[ERF]]
// CHECK-NEXT:    cell.matmul %[[Y]]
// CHECK-NEXT:    cell.mul %[[ERF]]
// CHECK-NEXT:    cell.gaussian %[[KEPT]]
// CHECK-NOT:     cell.erf
func.func @shared(%x: !t, %ct: !t) -> (!t, !t, !t) {
  %z = cell.matmul %x, %x : (!t, !t) -> !t
  %e = cell.erf %z : !t
  %y = cell.mul %z, %e : !t
  %p1 = cell.matmul %y, %x : (!t, !t) -> !t
  %p2 = cell.matmul %p1, %x : (!t, !t) -> !t
  %p3 = cell.matmul %p2, %x : (!t, !t) -> !t
  %p4 = cell.matmul %p3, %x : (!t, !t) -> !t
  %dw = cell.matmul %y, %p4 : (!t, !t) -> !t
  %dz = cell.mul %e, %ct : !t
  %g = cell.gaussian %z : !t
  return %dw, %dz, %g : !t, !t, !t
}

// -----

// Beside thin products the function would show, however long their sums are.
!t = tensor<512x64xf32>
!w = tensor<64x64xf32>

// CHECK-LABEL: func.func @thin
// CHECK-NOT:     cell.barrier
func.func @thin(%x: !t, %w: !w) -> (!w, !w, !w, !w, !t) {
  %z = cell.matmul %x, %w : (!t, !w) -> !t
  %y = cell.tanh %z : !t
  %p1 = cell.matmul %y, %w : (!t, !w) -> !t
  %d1 = cell.matmul %p1, %x {transpose_a = true} : (!t, !t) -> !w
  %d2 = cell.matmul %p1, %p1 {transpose_a = true} : (!t, !t) -> !w
  %d3 = cell.matmul %x, %p1 {transpose_a = true} : (!t, !t) -> !w
  %dw = cell.matmul %y, %p1 {transpose_a = true} : (!t, !t) -> !w
  %slope = cell.sech_squared %z : !t
  return %d1, %d2, %d3, %dw, %slope : !w, !w, !w, !w, !t
}

// -----

!t = tensor<128x128xf32>
!s = tensor<16x128xf32>
!v = tensor<8x16x128xf32>

// A small operand of what is repeated first is kept for what is repeated later: it is read where it is needed first, too.
// CHECK-LABEL: func.func @small_leaf
// CHECK-SAME:    %{{.*}}: tensor<128x128xf32>, %[[S:.*]]: tensor<16x128xf32>, %[[X3:.*]]: tensor<8x16x128xf32>
// CHECK:         %[[KEPT3:.*]] = cell.barrier %[[X3]] after(
// CHECK-NEXT:    %[[WIDE:.*]] = cell.broadcast %[[S]]
// CHECK-NEXT:    cell.mul %[[KEPT3]], %[[WIDE]]
// CHECK:         %[[KEPT:.*]] = cell.barrier %[[S]] after(
// CHECK-NEXT:    cell.tanh %[[KEPT]]
func.func @small_leaf(%x: !t, %s: !s, %x3: !v) -> (!t, !v, !v, !s, !s) {
  %u = cell.tanh %s : !s
  %u2 = cell.matmul %u, %x : (!s, !t) -> !s
  %wide = cell.broadcast %s along [0] : !s -> !v
  %v = cell.mul %x3, %wide : !v
  %v2 = cell.neg %v : !v
  %p1 = cell.matmul %x, %x : (!t, !t) -> !t
  %p2 = cell.matmul %p1, %x : (!t, !t) -> !t
  %p3 = cell.matmul %p2, %x : (!t, !t) -> !t
  %p4 = cell.matmul %p3, %x : (!t, !t) -> !t
  %v3 = cell.exp %v : !v
  %v4 = cell.sub %v3, %x3 : !v
  %p5 = cell.matmul %p4, %x : (!t, !t) -> !t
  %p6 = cell.matmul %p5, %x : (!t, !t) -> !t
  %p7 = cell.matmul %p6, %x : (!t, !t) -> !t
  %p8 = cell.matmul %p7, %x : (!t, !t) -> !t
  %u3 = cell.exp %u : !s
  %u4 = cell.sub %u3, %s : !s
  return %p8, %v4, %v2, %u4, %u2 : !t, !v, !v, !s, !s
}
