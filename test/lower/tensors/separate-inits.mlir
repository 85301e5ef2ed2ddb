// RUN: cell-opt %s -split-input-file --cell-separate-inits | FileCheck %s

// What a loop begins with is filled where it is known that the loop runs: a
// large fill before the branch would cost its time on both ways.
// CHECK-LABEL: func.func @branch
// CHECK-NOT:     linalg.fill
// CHECK:         scf.if
// CHECK:           %[[ZEROS:.*]] = linalg.fill
// CHECK-NEXT:      scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %arg2
func.func @branch(%c: i1, %n: index, %x: tensor<8xf32>) -> tensor<8xf32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %sum = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
      %next = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %next : tensor<8xf32>
    }
    scf.yield %sum : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Two loops that begin with one fill have one each.
// CHECK-LABEL: func.func @shared
// CHECK:         %[[B:.*]] = linalg.fill
// CHECK:         %[[A:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[B]])
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @shared(%n: index, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
    %next = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  %b = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zeros) -> tensor<8xf32> {
    %next = linalg.mul ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
