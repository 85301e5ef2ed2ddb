llvm.func @"while"(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr, %3: !llvm.ptr, %4: !llvm.ptr,
                   %5: !llvm.ptr, %6: !llvm.ptr, %arena: !llvm.ptr) -> i32
    attributes {cell.signature = {
      args = [{name = "int", dtype = "float32", shape = [2]},
              {name = "a.b", dtype = "float16", shape = [2]},
              {name = "a b", dtype = "bfloat16", shape = [2]},
              {name = "3d", dtype = "bool", shape = []},
              {name = "größe", dtype = "int64", shape = array<i64: 1, 2, 3>},
              {name = "end*/", dtype = "uint8", shape = [0]}],
      results = [{name = "a-b", dtype = "float64", shape = []}]}} {
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
