// Loops that may take long ask whether the call is cancelled, except where that makes copies of donated arguments that cost
// more than it is worth.
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --cell-convert-entry-points --cell-separate-inits \
// RUN:   --cell-insert-polls=min-work=1000 | FileCheck %s
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --cell-convert-entry-points --cell-separate-inits \
// RUN:   --cell-insert-polls="min-work=1000 max-copy=100" | FileCheck %s --check-prefix=LITTLE
// RUN: cell-opt %s --cell-to-linalg --cell-sequential-to-loops --cell-convert-entry-points --cell-insert-polls | FileCheck %s --check-prefix=DEFAULT

// 100 trips of 40 additions.
// CHECK-LABEL: func.func @long
// CHECK:         scf.for
// CHECK-NEXT:      cell.poll{{$}}
// DEFAULT-LABEL: func.func @long
// DEFAULT-NOT:   cell.poll
func.func @long(%x: tensor<40xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<40xf32> {
    %b = cell.add %a, %x : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}

// CHECK-LABEL: func.func @short
// CHECK-NOT:     cell.poll
// CHECK:         return
func.func @short(%x: tensor<40xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<40xf32> {
    %b = cell.add %a, %x : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}

// A short loop in a long one has none.
// CHECK-LABEL: func.func @nested
// CHECK:         scf.for
// CHECK-NEXT:      cell.poll{{$}}
// CHECK-NOT:       cell.poll
// CHECK:         return
func.func @nested(%x: tensor<40xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<40xf32> {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<40xf32> {
      %c = cell.add %b, %x : tensor<40xf32>
      scf.yield %c : tensor<40xf32>
    }
    scf.yield %s : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}

// What it computes is not known.
// CHECK-LABEL: func.func @unknown
// CHECK:         scf.for
// CHECK-NEXT:      cell.poll{{$}}
// DEFAULT-LABEL: func.func @unknown
// DEFAULT:       scf.for
// DEFAULT-NEXT:    cell.poll{{$}}
func.func @unknown(%x: tensor<f32>, %count: tensor<i32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.extract %count[] : tensor<i32>
  %n = arith.index_cast %m : i32 to index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<f32> {
    %b = cell.add %a, %x : tensor<f32>
    scf.yield %b : tensor<f32>
  }
  return %r : tensor<f32>
}

// Loops that an op becomes are none of the program's.
// CHECK-LABEL: func.func @of_an_op
// CHECK:         scf.for
// CHECK-NOT:     cell.poll
// CHECK:         {cell.loop_of_op}
// CHECK:         return
func.func @of_an_op(%x: tensor<4000xf32>) -> tensor<4000xf32> {
  %0 = cell.cumsum %x along 0 : tensor<4000xf32>
  return %0 : tensor<4000xf32>
}

// It works in the argument; 160 bytes would be copied beside 4000 additions.
// CHECK-LABEL: func.func @updates
// CHECK-NOT:     cell.poll
// CHECK:         return
func.func @updates(%w: tensor<40xf32> {cell.donate = 0 : i64}, %g: tensor<40xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> tensor<40xf32> {
    %b = cell.add %a, %g : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}

// Beside 40000 they do not count; but they may be more than there is to be.
// CHECK-LABEL:  func.func @updates_for_long
// CHECK:          scf.for
// CHECK-NEXT:       cell.poll{{$}}
// LITTLE-LABEL: func.func @updates_for_long
// LITTLE-NOT:     cell.poll
// LITTLE:         return
func.func @updates_for_long(%w: tensor<40xf32> {cell.donate = 0 : i64}, %g: tensor<40xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> tensor<40xf32> {
    %b = cell.add %a, %g : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}

// The loop reads what the argument becomes before it, which would be computed beside it; the one after it reads the old
// value only.
// CHECK-LABEL: func.func @reads_an_update
// CHECK:         scf.for
// CHECK-NOT:     cell.poll
// CHECK:         scf.for
// CHECK-NEXT:      cell.poll{{$}}
func.func @reads_an_update(%w: tensor<40xf32> {cell.donate = 0 : i64}, %g: tensor<40xf32>)
    -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %v = cell.sub %w, %g : tensor<40xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %g) -> tensor<40xf32> {
    %b = cell.add %a, %v : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %g) -> tensor<40xf32> {
    %b = cell.mul %a, %w : tensor<40xf32>
    scf.yield %b : tensor<40xf32>
  }
  return %v, %r, %s : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}

// A loop that may fail anyway works on a copy.
// CHECK-LABEL: func.func @checks
// CHECK:         scf.for
// CHECK-NEXT:      cell.poll{{$}}
func.func @checks(%w: tensor<40xf32> {cell.donate = 0 : i64}, %ok: tensor<100xi1>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> tensor<40xf32> {
    %b = cell.add %a, %a : tensor<40xf32>
    %holds = tensor.extract %ok[%i] : tensor<100xi1>
    cell.check %holds "wrong" : i1
    scf.yield %b : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}
