// RUN: cell-opt %s --cell-fuse-linalg --cse | FileCheck %s
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-fuse-linalg{recompute-limit=0},cse))" | FileCheck %s --check-prefix=STORE

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// A chain of elementwise ops is one loop; the constant, the broadcast bias and the
// transposed operand are read in place. The transcendental value that two ops need is
// computed once, and is a second result because it is returned.
// CHECK: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:.*]]: tensor<8x16xf32>, %[[B:.*]]: tensor<16xf32>, %[[T:.*]]: tensor<16x8xf32>
// CHECK:         %[[R:.*]]:2 = linalg.generic
// CHECK-SAME:      #[[ID]], #[[COLUMN]], #{{.*}}, #[[SWAPPED]], #[[ID]], #[[ID]]]
// CHECK-SAME:      ins(%[[X]], %[[B]], %{{.*}}, %[[T]] :
// CHECK:           arith.addf
// CHECK:           math.tanh
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           linalg.yield
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @chain(%x: tensor<8x16xf32>, %b: tensor<16xf32>, %t: tensor<16x8xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %two = arith.constant dense<2.0> : tensor<8x16xf32>
  %bias = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<8x16xf32>) dimensions = [0]
  %tt = linalg.transpose ins(%t : tensor<16x8xf32>) outs(%e : tensor<8x16xf32>) permutation = [1, 0]
  %0 = linalg.add ins(%x, %bias : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.tanh ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = linalg.mul ins(%1, %two : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = linalg.add ins(%2, %tt : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %3, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// An elementwise producer becomes part of the reduction that reads it.
// CHECK-LABEL: func.func @mean_square
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]
// CHECK:           %[[P:.*]] = arith.mulf
// CHECK:           %[[S:.*]] = arith.mulf %[[P]], %[[P]]
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
func.func @mean_square(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.mul ins(%x, %y : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.square ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %2 : tensor<8xf32>
}

// A transposed operand of a product is a map, not a copy.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[A:.*]]: tensor<8x16xf32>, %[[W:.*]]: tensor<32x16xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[W]]
func.func @product(%a: tensor<8x16xf32>, %w: tensor<32x16xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %wt = linalg.transpose ins(%w : tensor<32x16xf32>) outs(%e : tensor<16x32xf32>) permutation = [1, 0]
  %r = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%a, %wt : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// The product needs %n in memory. A reduction that reads %x anyway computes the cheap %n again
// unless that is forbidden; it never computes the exponential again.
// CHECK-LABEL: func.func @recompute
// CHECK:         linalg.generic
// CHECK:           arith.negf
// CHECK:         linalg.generic
// CHECK:           arith.negf
// CHECK-NEXT:      arith.maximumf
// CHECK-NEXT:      arith.addf
// STORE-LABEL: func.func @recompute
// STORE:         arith.negf
// STORE-NOT:     arith.negf
func.func @recompute(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %n = linalg.negf ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %me = tensor.empty() : tensor<8x4xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%n, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%mf : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%n, %x : tensor<8x16xf32>, tensor<8x16xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.maximumf %a, %b : f32
    %t = arith.addf %o, %d : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %m, %s : tensor<8x4xf32>, tensor<8xf32>
}

// One that does not reads %n: %x would have to be kept beside it.
// CHECK-LABEL: func.func @keep
// CHECK:         arith.negf
// CHECK-NOT:     arith.negf
// STORE-LABEL: func.func @keep
func.func @keep(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %n = linalg.negf ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %me = tensor.empty() : tensor<8x4xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%n, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%mf : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%n : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %m, %s : tensor<8x4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @no_recompute
// CHECK:         math.exp
// CHECK-NOT:     math.exp
func.func @no_recompute(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %n = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %me = tensor.empty() : tensor<8x4xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%n, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%mf : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%n : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %m, %s : tensor<8x4xf32>, tensor<8xf32>
}

// Merging the two exponentials' users into one loop would need its own result: the
// second depends on a reduction of the first.
// CHECK-LABEL: func.func @softmax_like
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           math.exp
// CHECK:         %[[S:.*]] = linalg.generic
// CHECK-SAME:      "reduction"
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[E]], %[[S]]
// CHECK:           arith.divf
func.func @softmax_like(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %n = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%n : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1]
  %d = linalg.div ins(%n, %b : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}

// The index of an element stays that of its own loop after a transposed read.
// CHECK-LABEL: func.func @index
// CHECK:         linalg.generic
// CHECK:           linalg.index 1
// CHECK-NOT:     linalg.generic
func.func @index(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %i = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<16x8xf32>) {
  ^bb0(%o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  } -> tensor<16x8xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%i : tensor<16x8xf32>) outs(%f : tensor<8x16xf32>) permutation = [1, 0]
  %r = linalg.add ins(%x, %t : tensor<8x16xf32>, tensor<8x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Loops that may not end keep their order: what the first one reads is not merged with what reads
// the result of the second.
// CHECK-LABEL: func.func @loops
// CHECK:         math.exp
// CHECK:         scf.while
// CHECK:         scf.while
// CHECK:         arith.addf
// CHECK:         return
func.func @loops(%x: tensor<40xf32>, %n: index) -> (tensor<20xf32>, tensor<40xf32>, tensor<40xf32>) {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<40xf32>
  %p = linalg.exp ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %part = tensor.extract_slice %p[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
  %first:2 = scf.while (%v = %p, %i = %n) : (tensor<40xf32>, index) -> (tensor<40xf32>, index) {
    %go = arith.cmpi ne, %i, %zero : index
    scf.condition(%go) %v, %i : tensor<40xf32>, index
  } do {
  ^bb0(%v: tensor<40xf32>, %i: index):
    scf.yield %v, %i : tensor<40xf32>, index
  }
  %second:2 = scf.while (%v = %x, %i = %n) : (tensor<40xf32>, index) -> (tensor<40xf32>, index) {
    %go = arith.cmpi eq, %i, %zero : index
    scf.condition(%go) %v, %i : tensor<40xf32>, index
  } do {
  ^bb0(%v: tensor<40xf32>, %i: index):
    scf.yield %v, %i : tensor<40xf32>, index
  }
  %sum = linalg.add ins(%p, %second#0 : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  return %part, %first#0, %sum : tensor<20xf32>, tensor<40xf32>, tensor<40xf32>
}

// What a loop reads inside is computed before it, also where it was merged with what comes after it.
// CHECK-LABEL: func.func @captured
// CHECK:         %[[BOTH:.*]]:2 = linalg.generic
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[BOTH]]#
// CHECK:         return
func.func @captured(%x: tensor<40xf32>, %n: index) -> (tensor<40xf32>, tensor<40xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<40xf32>
  %p = linalg.exp ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %loop = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> tensor<40xf32> {
    %next = linalg.mul ins(%v, %p : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
    scf.yield %next : tensor<40xf32>
  }
  %sum = linalg.add ins(%p, %x : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  return %loop, %sum : tensor<40xf32>, tensor<40xf32>
}

// A product of two vectors begins with a number, and reads no tensor of zeros.
// CHECK-LABEL: func.func @outer
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %arg2 : tensor<40xf32>, tensor<20xf32>, tensor<40x20xf32>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[BEFORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[XY:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[ZERO]], %[[XY]]
// CHECK-NEXT:      arith.addf %[[BEFORE]], %[[NEW]]
// CHECK:         return
func.func @outer(%x: tensor<40x1xf32>, %y: tensor<1x20xf32>, %before: tensor<40x20xf32>) -> tensor<40x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x20xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<40x20xf32>) -> tensor<40x20xf32>
  %p = linalg.matmul ins(%x, %y : tensor<40x1xf32>, tensor<1x20xf32>) outs(%zeros : tensor<40x20xf32>) -> tensor<40x20xf32>
  %sum = linalg.add ins(%before, %p : tensor<40x20xf32>, tensor<40x20xf32>) outs(%e : tensor<40x20xf32>) -> tensor<40x20xf32>
  return %sum : tensor<40x20xf32>
}
