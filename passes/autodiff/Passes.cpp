//===- Passes.cpp - differentiation passes ------------------------------===//

#include "passes/autodiff/Passes.h"
