//===- TargetOption.h - a target as an option of a pass -------------------===//

#ifndef CELLGRAD_LOWER_TARGET_TARGETOPTION_H
#define CELLGRAD_LOWER_TARGET_TARGETOPTION_H

#include "passes/lower/target/Target.h"

#include "llvm/Support/CommandLine.h"

namespace cellgrad {

/// A row of the table by its name; x86-64-v4 where none is named.
class TargetName {
public:
  TargetName() : TargetName(*findTarget("x86-64-v4")) {}
  TargetName(const Target &target) : target(&target) {}
  const Target &operator*() const { return *target; }
  const Target *operator->() const { return target; }

private:
  const Target *target;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, TargetName target);

} // namespace cellgrad

namespace llvm::cl {
template <>
class parser<cellgrad::TargetName> : public basic_parser<cellgrad::TargetName> {
public:
  using basic_parser::basic_parser;

  /// True where there is no such target.
  bool parse(Option &option, StringRef argName, StringRef name,
             cellgrad::TargetName &value);
  StringRef getValueName() const override { return "target"; }
  void printOptionDiff(const Option &option, const cellgrad::TargetName &value,
                       const OptVal &initial, size_t globalWidth) const;
  void anchor() override;
};
} // namespace llvm::cl

#endif
