//===- Emit.cpp - LLVM dialect to object, shared object, header ----------===//
