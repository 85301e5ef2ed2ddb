//===- Passes.cpp - math expansion passes ------------------------------===//

#include "passes/lower/math/Passes.h"
