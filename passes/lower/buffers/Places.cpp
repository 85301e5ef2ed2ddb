//===- Places.cpp - where ops come from -----------------------------------===//
//
// The location of an op of a derivative is fused from that of its forward op,
// with "vjp of cell.tanh" as metadata (dialect/Rules.cpp); cell-name-ops adds
// the op's own name in the same way. What was merged of several ops has the
// locations of all.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/Places.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace cellgrad {

static void collect(Location location, Place place,
                    SmallVectorImpl<Place> &places) {
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    place.file = file.getFilename().str();
    place.line = file.getLine();
    auto same = [&](const Place &other) {
      return other.op == place.op && other.phase == place.phase &&
             other.file == place.file && other.line == place.line &&
             other.cell == place.cell;
    };
    if (llvm::none_of(places, same))
      places.push_back(std::move(place));
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    if (place.cell.empty())
      place.cell = name.getName().str();
    collect(name.getChildLoc(), place, places);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    size_t before = places.size();
    collect(call.getCallee(), place, places);
    if (places.size() == before)
      collect(call.getCaller(), place, places);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (auto note = dyn_cast_or_null<StringAttr>(fused.getMetadata())) {
      StringRef text = note.getValue();
      // Of the derivative of a derivative the outermost rule says the phase.
      if (text.consume_front("vjp of "))
        place.phase = "adjoint";
      else if (text.consume_front("jvp of "))
        place.phase = place.phase.empty() ? "tangent" : place.phase;
      if (text.consume_front("cell.") && place.op.empty())
        place.op = text.str();
    }
    for (Location part : fused.getLocations())
      collect(part, place, places);
  }
}

llvm::SmallVector<Place> placesOf(Location location) {
  SmallVector<Place> places;
  collect(location, {}, places);
  for (Place &place : places)
    if (place.phase.empty())
      place.phase = "forward";
  return places;
}

DictionaryAttr toAttribute(const Place &place, MLIRContext *context) {
  Builder b(context);
  return b.getDictionaryAttr(
      {b.getNamedAttr("op", b.getStringAttr(place.op)),
       b.getNamedAttr("phase", b.getStringAttr(place.phase)),
       b.getNamedAttr("file", b.getStringAttr(place.file)),
       b.getNamedAttr("line", b.getI64IntegerAttr(place.line)),
       b.getNamedAttr("cell", b.getStringAttr(place.cell))});
}

} // namespace cellgrad
