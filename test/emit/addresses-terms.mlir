// An index that was added to itself forty times has more terms than can be counted: they are one. The part that the loop
// does not change is ahead of it all the same.
// RUN: cellc %s -o %t.ll --target=x86-64-v3 --emit=ll
// RUN: FileCheck %s --input-file=%t.ll

// CHECK:      %[[BASE:.*]] = getelementptr float, ptr %{{.*}}, i64 %{{.*}}
// CHECK:      getelementptr float, ptr %[[BASE]], i64
llvm.func @f(%x: !llvm.ptr, %y: !llvm.ptr, %arena: !llvm.ptr) -> i32
    attributes {cell.arena_bytes = 0 : i64, cell.signature = {
      args = [{name = "x", role = "input", dtype = "float32", shape = [1000]}],
      results = [{name = "y", dtype = "float32", shape = [8]}]}} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %end = llvm.mlir.constant(8 : i64) : i64
  %ok = llvm.mlir.constant(0 : i32) : i32
  %from = llvm.load %x : !llvm.ptr -> i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %1 = llvm.add %i, %i : i64
  %2 = llvm.add %1, %1 : i64
  %3 = llvm.add %2, %2 : i64
  %4 = llvm.add %3, %3 : i64
  %5 = llvm.add %4, %4 : i64
  %6 = llvm.add %5, %5 : i64
  %7 = llvm.add %6, %6 : i64
  %8 = llvm.add %7, %7 : i64
  %9 = llvm.add %8, %8 : i64
  %10 = llvm.add %9, %9 : i64
  %11 = llvm.add %10, %10 : i64
  %12 = llvm.add %11, %11 : i64
  %13 = llvm.add %12, %12 : i64
  %14 = llvm.add %13, %13 : i64
  %15 = llvm.add %14, %14 : i64
  %16 = llvm.add %15, %15 : i64
  %17 = llvm.add %16, %16 : i64
  %18 = llvm.add %17, %17 : i64
  %19 = llvm.add %18, %18 : i64
  %20 = llvm.add %19, %19 : i64
  %21 = llvm.add %20, %20 : i64
  %22 = llvm.add %21, %21 : i64
  %23 = llvm.add %22, %22 : i64
  %24 = llvm.add %23, %23 : i64
  %25 = llvm.add %24, %24 : i64
  %26 = llvm.add %25, %25 : i64
  %27 = llvm.add %26, %26 : i64
  %28 = llvm.add %27, %27 : i64
  %29 = llvm.add %28, %28 : i64
  %30 = llvm.add %29, %29 : i64
  %31 = llvm.add %30, %30 : i64
  %32 = llvm.add %31, %31 : i64
  %33 = llvm.add %32, %32 : i64
  %34 = llvm.add %33, %33 : i64
  %35 = llvm.add %34, %34 : i64
  %36 = llvm.add %35, %35 : i64
  %37 = llvm.add %36, %36 : i64
  %38 = llvm.add %37, %37 : i64
  %39 = llvm.add %38, %38 : i64
  %40 = llvm.add %39, %39 : i64
  %at = llvm.add %40, %from : i64
  %source = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %value = llvm.load %source : !llvm.ptr -> f32
  %target = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %value, %target : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %end : i64
  llvm.cond_br %more, ^loop(%next : i64), ^done
^done:
  llvm.return %ok : i32
}
