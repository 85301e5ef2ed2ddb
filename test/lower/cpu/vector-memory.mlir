// Vectors are read and written at the alignment of their elements, or at what the access says; nontemporal stays.
// RUN: cell-opt %s --cell-convert-to-llvm | FileCheck %s --check-prefixes=CHECK,MASKS
// RUN: cell-opt %s --cell-convert-to-llvm=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,NOMASKS

// CHECK-LABEL: llvm.func @elements(
func.func @elements(%f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>,
                    %i8: memref<64xi8>, %i64: memref<64xi64>, %index: memref<64xindex>) {
  %0 = arith.constant 0 : index
  // CHECK: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xf16>
  %1 = vector.load %f16[%0] : memref<64xf16>, vector<4xf16>
  // CHECK: llvm.store {{.*}} {alignment = 2 : i64} : vector<4xf16>, !llvm.ptr
  vector.store %1, %f16[%0] : memref<64xf16>, vector<4xf16>
  // CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %2 = vector.load %f32[%0] : memref<64xf32>, vector<4xf32>
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  vector.store %2, %f32[%0] : memref<64xf32>, vector<4xf32>
  // CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xf64>
  %3 = vector.load %f64[%0] : memref<64xf64>, vector<4xf64>
  // CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<4xf64>, !llvm.ptr
  vector.store %3, %f64[%0] : memref<64xf64>, vector<4xf64>
  // CHECK: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xi1>
  %4 = vector.load %i1[%0] : memref<64xi1>, vector<4xi1>
  // CHECK: llvm.store {{.*}} {alignment = 1 : i64} : vector<4xi1>, !llvm.ptr
  vector.store %4, %i1[%0] : memref<64xi1>, vector<4xi1>
  // CHECK: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
  %5 = vector.load %i8[%0] : memref<64xi8>, vector<4xi8>
  // CHECK: llvm.store {{.*}} {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
  vector.store %5, %i8[%0] : memref<64xi8>, vector<4xi8>
  // CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xi64>
  %6 = vector.load %i64[%0] : memref<64xi64>, vector<4xi64>
  // CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  vector.store %6, %i64[%0] : memref<64xi64>, vector<4xi64>
  // CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xi64>
  %7 = vector.load %index[%0] : memref<64xindex>, vector<4xindex>
  // CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  vector.store %7, %index[%0] : memref<64xindex>, vector<4xindex>
  return
}

// CHECK-LABEL: llvm.func @said(
func.func @said(%x: memref<64xf32>) {
  %0 = arith.constant 0 : index
  // CHECK: llvm.load {{.*}} {alignment = 64 : i64, nontemporal} : !llvm.ptr -> vector<16xf32>
  %1 = vector.load %x[%0] {alignment = 64 : i64, nontemporal = true} : memref<64xf32>, vector<16xf32>
  // CHECK: llvm.store {{.*}} {alignment = 32 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
  vector.store %1, %x[%0] {alignment = 32 : i64, nontemporal = true} : memref<64xf32>, vector<16xf32>
  return
}

// CHECK-LABEL: llvm.func @masked(
func.func @masked(%x: memref<64xf64>, %mask: vector<4xi1>, %else: vector<4xf64>) {
  %0 = arith.constant 0 : index
  // CHECK: %[[X:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %{{.*}} {alignment = 8 : i32}
  %1 = vector.maskedload %x[%0], %mask, %else : memref<64xf64>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  // CHECK: llvm.intr.masked.store %[[X]], %{{.*}}, %{{.*}} {alignment = 8 : i32}
  vector.maskedstore %x[%0], %mask, %1 : memref<64xf64>, vector<4xi1>, vector<4xf64>
  return
}

// Where there are no registers for masks, the first lanes are stored by whole stores: of 4, 2 and 1.
// CHECK-LABEL: llvm.func @first_lanes(
func.func @first_lanes(%x: memref<64xf32>, %v: vector<8xf32>) {
  %at = arith.constant 16 : index
  %mask = arith.constant dense<[true, true, true, true, true, true, true, false]> : vector<8xi1>
  // MASKS: llvm.intr.masked.store %arg1, {{.*}} {alignment = 4 : i32} : vector<8xf32>
  // NOMASKS:      %[[AT:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // NOMASKS-NEXT: %[[FOUR:.*]] = llvm.shufflevector %arg1, %arg1 [0, 1, 2, 3]
  // NOMASKS-NEXT: llvm.store %[[FOUR]], %[[AT]] {alignment = 4 : i64} : vector<4xf32>
  // NOMASKS-NEXT: %[[AT4:.*]] = llvm.getelementptr %[[AT]][4] : (!llvm.ptr) -> !llvm.ptr, f32
  // NOMASKS-NEXT: %[[TWO:.*]] = llvm.shufflevector %arg1, %arg1 [4, 5]
  // NOMASKS-NEXT: llvm.store %[[TWO]], %[[AT4]] {alignment = 4 : i64} : vector<2xf32>
  // NOMASKS-NEXT: %[[AT6:.*]] = llvm.getelementptr %[[AT]][6] : (!llvm.ptr) -> !llvm.ptr, f32
  // NOMASKS-NEXT: %[[ONE:.*]] = llvm.shufflevector %arg1, %arg1 [6]
  // NOMASKS-NEXT: llvm.store %[[ONE]], %[[AT6]] {alignment = 4 : i64} : vector<1xf32>
  // NOMASKS-NEXT: llvm.return
  vector.maskedstore %x[%at], %mask, %v : memref<64xf32>, vector<8xi1>, vector<8xf32>
  return
}

// CHECK-LABEL: llvm.func @all_and_none(
func.func @all_and_none(%x: memref<64xf64>, %v: vector<4xf64>) {
  %at = arith.constant 0 : index
  %all = arith.constant dense<true> : vector<4xi1>
  %none = arith.constant dense<false> : vector<4xi1>
  // NOMASKS:     llvm.shufflevector %arg1, %arg1 [0, 1, 2, 3]
  // NOMASKS:     llvm.store {{.*}} : vector<4xf64>
  // NOMASKS-NOT: store
  // CHECK:       llvm.return
  vector.maskedstore %x[%at], %all, %v : memref<64xf64>, vector<4xi1>, vector<4xf64>
  vector.maskedstore %x[%at], %none, %v : memref<64xf64>, vector<4xi1>, vector<4xf64>
  return
}

// Other lanes than the first, lanes that are only known when the code runs, and bits keep their masks.
// CHECK-LABEL: llvm.func @other_masks(
func.func @other_masks(%x: memref<64xf32>, %v: vector<4xf32>, %given: vector<4xi1>, %bits: memref<64xi1>) {
  %at = arith.constant 0 : index
  %gap = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %last = arith.constant dense<[false, true, true, true]> : vector<4xi1>
  %first = arith.constant dense<[true, true, false, false]> : vector<4xi1>
  // CHECK-COUNT-4: llvm.intr.masked.store
  // CHECK-NEXT:    llvm.return
  vector.maskedstore %x[%at], %gap, %v : memref<64xf32>, vector<4xi1>, vector<4xf32>
  vector.maskedstore %x[%at], %last, %v : memref<64xf32>, vector<4xi1>, vector<4xf32>
  vector.maskedstore %x[%at], %given, %v : memref<64xf32>, vector<4xi1>, vector<4xf32>
  vector.maskedstore %bits[%at], %first, %given : memref<64xi1>, vector<4xi1>, vector<4xi1>
  return
}

// With registers for masks, too, where rows are computed in place: the next row begins in lanes that are masked out.
// CHECK-LABEL: llvm.func @in_place(
func.func @in_place(%x: memref<200xf32>, %y: memref<200xf32>) {
  %mask = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %from = arith.constant 0 : index
  %to = arith.constant 16 : index
  %row = arith.constant 12 : index
  %first = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %i = %from to %to step %one {
    %0 = arith.muli %i, %row : index
    %1 = arith.addi %0, %first : index
    %2 = vector.maskedload %x[%1], %mask, %zero : memref<200xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %3 = arith.addf %2, %2 : vector<8xf32>
    // CHECK: %[[PART:.*]] = llvm.shufflevector %{{.*}}, %{{.*}} [0, 1, 2, 3]
    // CHECK: llvm.store %[[PART]], %{{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    vector.maskedstore %x[%1], %mask, %3 : memref<200xf32>, vector<8xi1>, vector<8xf32>
    // MASKS: llvm.intr.masked.store
    vector.maskedstore %y[%1], %mask, %3 : memref<200xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}
