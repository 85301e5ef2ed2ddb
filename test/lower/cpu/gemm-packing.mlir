// How operands are packed where vectors are not whole: what is stored ends with the panel, and what is loaded with the
// row or the column of the operand.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-gemm{target=x86-64-v4}))" | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A tile has 4 rows, and 5 of 21 steps of k are left over: 16 elements and 4.
// CHECK-LABEL:   func.func @interleaved
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK:         %[[FIVE:.*]] = arith.constant dense<[true, true, true, true, true, false,
// CHECK:         %[[FOUR:.*]] = arith.constant dense<[true, true, true, true, false,
// CHECK-COUNT-4: vector.store %{{.*}}, %[[A]]
// CHECK-COUNT-4: vector.maskedload %{{.*}}, %[[FIVE]],
// CHECK-NOT:     store
// CHECK:         vector.store %{{.*}}, %[[A]]
// CHECK-NOT:     store
// CHECK:         vector.maskedstore %[[A]][%{{.*}}], %[[FOUR]],
// CHECK-NOT:     store {{.*}}%[[A]]
// CHECK:         vector.fma
func.func @interleaved(%a: memref<16x21xf32, strided<[256, 1]>>, %b: memref<21x512xf32>, %c: memref<16x512xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x21xf32, strided<[256, 1]>>, memref<21x512xf32>) outs(%c : memref<16x512xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows lie side by side: 11 of each of two tiles are a vector of 8 and 3 more, of one step of k after the other.
// CHECK-LABEL: func.func @columns
// CHECK:       %[[A:.*]] = memref.alloc()
// CHECK-DAG:   %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:   %[[ROWS:.*]] = arith.constant 11 : index
// CHECK-DAG:   %[[LANES:.*]] = arith.constant 8 : index
// CHECK-DAG:   %[[THREE:.*]] = arith.constant dense<[true, true, true, false,
// CHECK:       scf.for %[[K:.*]] = {{.*}} step %[[ONE]] {
// CHECK:         %[[FROM:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK:         %[[TO:.*]] = arith.muli %[[K]], %[[ROWS]]
// CHECK:         scf.for %[[I:.*]] = {{.*}} step %[[ONE]] {
// CHECK:           %[[ROW:.*]] = arith.muli %[[I]], %[[ROWS]]
// CHECK:           %[[SOURCE:.*]] = arith.addi %[[FROM]], %[[ROW]]
// CHECK:           %[[X:.*]] = vector.load %{{.*}}[%[[SOURCE]]]
// CHECK:           %[[PANEL:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK:           %[[PLACE:.*]] = arith.addi %[[TO]], %[[PANEL]]
// CHECK:           vector.store %[[X]], %[[A]][%[[PLACE]]]
// CHECK:           %[[REST:.*]] = arith.addi %{{.*}}, %[[LANES]]
// CHECK:           %[[Y:.*]] = vector.maskedload %{{.*}}[%[[REST]]], %[[THREE]],
// CHECK:           %[[LAST:.*]] = arith.addi %{{.*}}, %[[LANES]]
// CHECK:           vector.maskedstore %[[A]][%[[LAST]]], %[[THREE]], %[[Y]]
// CHECK-NOT:     store {{.*}}%[[A]]
// CHECK:         vector.fma
func.func @columns(%a: memref<17x22xf64, strided<[128, 1]>>, %b: memref<17x128xf64>, %c: memref<22x128xf64>) {
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<17x22xf64, strided<[128, 1]>>, memref<17x128xf64>) outs(%c : memref<22x128xf64>) {
  ^bb0(%p: f64, %q: f64, %z: f64):
    %0 = arith.mulf %p, %q : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// Of B each step of k goes to all panels: 161 columns are two of four vectors, and one of three, of which the last has
// zeros beside one column.
// CHECK-LABEL: func.func @panels
// CHECK:       %[[B:.*]] = memref.alloc()
// CHECK-DAG:   %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:   %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:   %[[WIDTH:.*]] = arith.constant 64 : index
// CHECK-DAG:   %[[SIZE:.*]] = arith.constant 1088 : index
// CHECK-DAG:   %[[FIRST:.*]] = arith.constant dense<[true, false, false,{{.*}}> : vector<16xi1>
// CHECK:       scf.for %[[K:.*]] = {{.*}} step %[[ONE]] {
// CHECK:         scf.for %[[J:.*]] = %{{.*}} to %[[TWO]] step %[[ONE]] {
// CHECK:           %[[COLUMN:.*]] = arith.muli %[[J]], %[[WIDTH]]
// CHECK:           %[[FROM:.*]] = arith.addi %{{.*}}, %[[COLUMN]]
// CHECK:           %[[STEP:.*]] = arith.muli %[[K]], %[[WIDTH]]
// CHECK:           %[[PANEL:.*]] = arith.muli %[[J]], %[[SIZE]]
// CHECK:           %[[TO:.*]] = arith.addi %[[STEP]], %[[PANEL]]
// CHECK:           %[[X:.*]] = vector.load %{{.*}}[%[[FROM]]]
// CHECK:           vector.store %[[X]], %[[B]][%[[TO]]]
// CHECK-COUNT-3:   vector.store %{{.*}}, %[[B]]
// CHECK:         vector.fma
// CHECK:         %[[Y:.*]] = vector.maskedload %{{.*}}, %[[FIRST]],
// CHECK:         vector.store %[[Y]], %[[B]]
// CHECK:         vector.fma
func.func @panels(%a: memref<64x17xf32>, %b: memref<17x161xf32, strided<[256, 1]>>, %c: memref<64x161xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x17xf32>, memref<17x161xf32, strided<[256, 1]>>) outs(%c : memref<64x161xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
