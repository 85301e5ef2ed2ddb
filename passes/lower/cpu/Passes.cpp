//===- Passes.cpp - linalg to LLVM on CPU passes ------------------------------===//

#include "passes/lower/cpu/Passes.h"
