"""Two ops that share rows, with as many copies of other memory between them as the argument says."""

import sys

OP = """  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<64x8xf32>) outs(%s : memref<64x8xf32>) {
  ^bb0(%%a: f32, %%o: f32):
    %%e = math.exp %%a : f32
    linalg.yield %%e : f32
  }"""

print("#id = affine_map<(i, j) -> (i, j)>")
arguments = ", ".join(f"%{name}: memref<64x8xf32>" for name in "xy")
print(f"func.func @far({arguments}, %p: memref<3xf32>, %q: memref<3xf32>) {{")
print("  %t = memref.alloc() : memref<64x8xf32>")
print(OP % ("%x", "%t"))
for _ in range(int(sys.argv[1])):
    print("  memref.copy %p, %q : memref<3xf32> to memref<3xf32>")
print(OP % ("%t", "%y"))
print("  return\n}")
