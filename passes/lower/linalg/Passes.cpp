//===- Passes.cpp - cell to linalg passes ------------------------------===//

#include "passes/lower/linalg/Passes.h"
