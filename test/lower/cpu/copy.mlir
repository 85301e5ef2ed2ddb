// A copy becomes vector loops where nothing else of the module loads linalg.
// RUN: cell-opt %s --pass-pipeline="builtin.module(func.func(cell-emit-loops))" | FileCheck %s

// CHECK-LABEL: func.func @copy
// CHECK-NOT: memref.copy
// CHECK: %[[X:.*]] = vector.load %{{.*}} : memref<32xf32>, vector<16xf32>
// CHECK: vector.store %[[X]], %{{.*}} : memref<32xf32>, vector<16xf32>
// CHECK-NOT: memref.copy
func.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) {
  memref.copy %x, %y : memref<32xf32> to memref<32xf32>
  return
}
