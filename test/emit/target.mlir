// The target decides the instructions, and what the loader asks the processor.
// A processor without 16-bit floats gets conversions from the runtime.
// RUN: cellc %s -o %t.v2.so --target=x86-64-v2 --emit=so,s
// RUN: FileCheck %s --check-prefix=V2 --input-file=%t.v2.s
// RUN: llvm-nm -D --undefined-only %t.v2.so | FileCheck %s --check-prefix=LIBC --allow-empty
// RUN: cellc %s -o %t.v4.s --target=x86-64-v4 --emit=s
// RUN: FileCheck %s --check-prefix=V4 --input-file=%t.v4.s
// RUN: %python %S/Inputs/half.py %t.v2.so

// V2-NOT: ymm
// V2-NOT: {{[[:space:]]v[a-z]+}}
// V2: __truncsfhf2
// V2-NOT: ymm
// LIBC-NOT: hf2
// V4: zmm

func.func @f(%x: tensor<40xf16> {cell.name = "x"}, %y: tensor<40xbf16> {cell.name = "y"})
    -> (tensor<40xf16>, tensor<40xbf16>, tensor<40xf32>) {
  %0 = cell.add %x, %x : tensor<40xf16>
  %1 = cell.mul %y, %y : tensor<40xbf16>
  %2 = cell.cast %x : tensor<40xf16> to tensor<40xf32>
  %3 = cell.tanh %2 : tensor<40xf32>
  return %0, %1, %3 : tensor<40xf16>, tensor<40xbf16>, tensor<40xf32>
}
