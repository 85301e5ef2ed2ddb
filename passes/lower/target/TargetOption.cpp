//===- TargetOption.cpp - a target as an option of a pass -----------------===//

#include "passes/lower/target/TargetOption.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using cellgrad::TargetName;

raw_ostream &cellgrad::operator<<(raw_ostream &os, TargetName target) {
  return os << target->name;
}

bool cl::parser<TargetName>::parse(Option &option, StringRef, StringRef name,
                                   TargetName &value) {
  if (const cellgrad::Target *target = cellgrad::findTarget(name)) {
    value = *target;
    return false;
  }
  auto names = map_range(cellgrad::allTargets(),
                         [](const cellgrad::Target &t) { return t.name; });
  return option.error("unknown target '" + name + "': expected one of " +
                      join(names, ", "));
}

void cl::parser<TargetName>::printOptionDiff(const Option &option,
                                             const TargetName &value,
                                             const OptVal &,
                                             size_t globalWidth) const {
  printOptionName(option, globalWidth);
  outs() << "= " << value << "\n";
}

void cl::parser<TargetName>::anchor() {}
