//===- Json.cpp - the elementwise records, for the fuzzer -----------------===//

#include "dialect/tblgen/Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace cellgrad::tblgen;

namespace {

/// The dtypes a type constraint of the dialect admits.
StringRef kindOf(StringRef constraint) {
  return StringSwitch<StringRef>(constraint)
      .Case("Cell_FloatTensor", "float")
      .Case("Cell_NumericTensor", "numeric")
      .Case("Cell_IntTensor", "int")
      .Case("Cell_BoolTensor", "bool")
      .Default("any");
}

bool emitJson(const RecordKeeper &records, raw_ostream &os) {
  json::OStream out(os, 2);
  out.arrayBegin();
  for (const OpRecord &r : readOps(records)) {
    if (!r.isElementwise())
      continue;
    out.object([&] {
      out.attribute("op", r.op.getOperationName());
      out.attributeArray("operands", [&] {
        for (auto &operand : r.op.getOperands())
          out.value(kindOf(operand.constraint.getDefName()));
      });
      out.attribute("result",
                    kindOf(r.op.getResult(0).constraint.getDefName()));
      out.attribute("derivative", r.kind);
    });
  }
  out.arrayEnd();
  os << "\n";
  return false;
}

mlir::GenRegistration json("gen-cell-json",
                           "The elementwise ops and their types as JSON",
                           emitJson);

} // namespace
