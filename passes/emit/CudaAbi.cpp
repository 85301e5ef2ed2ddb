//===- CudaAbi.cpp - the functions of a model with CUDA kernels -----------===//
//
// An entry has two forms (runtime/cuda/cuda.h): one on memory of the device,
//
//   enter; its host program; leave
//
// and one on memory of the host, with the buffers behind the temporaries in the
// arena:
//
//   enter; upload of every argument; its host program; finish;
//   download of every result, of donated buffers last; finish; leave
//
// A host program that reads nothing from the device is a list of launches, of
// which the runtime makes a graph.
//
//===----------------------------------------------------------------------===//

#include "passes/emit/CudaAbi.h"
#include "passes/emit/AbiBuilder.h"

#include "dialect/Refusal.h"
#include "runtime/cuda/cuda.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstddef>

using namespace mlir;
using namespace cellgrad;

namespace {

constexpr llvm::StringLiteral kRuntimeStatus = "cell_rt_cuda_status_message";

/// Writes constants of the model, and its functions.
class CudaAbiWriter : public AbiBuilder {
public:
  using AbiBuilder::AbiBuilder;

  /// The constant that the runtime opens a device for.
  LogicalResult writeProgram(gpu::GPUModuleOp device, ArrayAttr kernels);
  void writeEntry(const EntrySpec &entry, EntryImpl impl, unsigned number);
  void writeDeviceFunctions();

private:
  /// A member of a constant: a text of which it has the address, a symbol, or a
  /// number.
  using Row = SmallVector<Attribute>;
  /// A private constant: a struct, or an array of structs.
  void writeConstant(llvm::StringRef name, Type element, bool array,
                     ArrayRef<Row> rows);
  Value program() { return LLVM::AddressOfOp::create(b, loc, ptr, kProgram); }
  /// Memory on the stack, from the beginning of the function.
  Value onStack(int64_t bytes);
  /// Leaves with `status` if it is an error; building goes on where it is none.
  void leaveUnlessOk(Value status, Block *leave);
  Value isOk(Value status) {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status,
                                constant(i32, CG_OK));
  }
  Value enter(Value context, int64_t arenaBytes);
  void writeList(const EntrySpec &entry, EntryImpl impl, unsigned number);
  Value callImpl(EntryImpl impl, ArrayRef<Value> buffers, Value call);
  Value run(const EntrySpec &entry, EntryImpl impl, unsigned list,
            unsigned slot, ArrayRef<Value> words, Value call);
  void writeDeviceForm(const EntrySpec &entry, EntryImpl impl, unsigned number);
  void writeHostForm(const EntrySpec &entry, EntryImpl impl, unsigned number);
  static std::string listName(unsigned number) {
    return "cell_list_" + std::to_string(number);
  }

  static constexpr llvm::StringLiteral kProgram = "cell_cuda_program";
};

void CudaAbiWriter::writeConstant(llvm::StringRef name, Type element,
                                  bool array, ArrayRef<Row> rows) {
  Type type = array ? LLVM::LLVMArrayType::get(element, rows.size()) : element;
  b.setInsertionPointToStart(module.getBody());
  auto global =
      LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value value = LLVM::UndefOp::create(b, loc, type);
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [k, attribute] : llvm::enumerate(row)) {
      Value member;
      if (auto string = dyn_cast<StringAttr>(attribute))
        member = // of machine code, the driver reads words
            text((name + "_" + llvm::Twine(i) + "_" + llvm::Twine(k)).str(),
                 string, string.getValue().starts_with("\177ELF") ? 16 : 1);
      else if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
        member = LLVM::AddressOfOp::create(b, loc, ptr, symbol.getValue());
      else
        member = LLVM::ConstantOp::create(b, loc, cast<TypedAttr>(attribute));
      SmallVector<int64_t> at;
      if (array)
        at.push_back(static_cast<int64_t>(i));
      at.push_back(static_cast<int64_t>(k));
      value = LLVM::InsertValueOp::create(b, loc, value, member, at);
    }
  ret(value);
}

LogicalResult CudaAbiWriter::writeProgram(gpu::GPUModuleOp device,
                                          ArrayAttr kernels) {
  loc = module.getLoc();
  MLIRContext *ctx = b.getContext();
  auto texts = device->getAttrOfType<DictionaryAttr>("cell.ptx");
  auto codes = device->getAttrOfType<DictionaryAttr>("cell.cubin");
  auto number = [&](int64_t value) { return b.getI32IntegerAttr(value); };
  SmallVector<Row> images, rows;
  for (NamedAttribute image : texts) {
    llvm::StringRef chip = image.getName(), digits = chip;
    bool exact = llvm::isAlpha(chip.back());
    unsigned version = 0;
    if (!digits.consume_front("sm_") || digits.consumeInteger(10, version))
      return refuse(device, Blame::Form)
             << "has code for '" << chip << "': expected a name like sm_80";
    auto ptx = cast<StringAttr>(image.getValue());
    images.push_back(
        {ptx, b.getI64IntegerAttr(ptx.size()), number(version),
         number(exact ? CELL_RT_CUDA_PTX_EXACT : CELL_RT_CUDA_PTX)});
    if (codes && codes.contains(chip)) {
      auto code = codes.getAs<StringAttr>(chip);
      images.push_back({code, b.getI64IntegerAttr(code.size()), number(version),
                        number(CELL_RT_CUDA_CUBIN)});
    }
  }
  for (auto kernel : kernels.getAsRange<DictionaryAttr>())
    rows.push_back(
        {kernel.get("name"), kernel.get("place"), number(0), number(0)});
  writeConstant("cell_images",
                LLVM::LLVMStructType::getLiteral(ctx, {ptr, i64, i32, i32}),
                /*array=*/true, images);
  writeConstant("cell_kernels",
                LLVM::LLVMStructType::getLiteral(ctx, {ptr, ptr, i32, i32}),
                /*array=*/true, rows);
  writeConstant(
      kProgram,
      LLVM::LLVMStructType::getLiteral(ctx, {ptr, ptr, i32, i32, i32, i32}),
      /*array=*/false,
      Row{FlatSymbolRefAttr::get(ctx, "cell_images"),
          FlatSymbolRefAttr::get(ctx, "cell_kernels"), number(images.size()),
          number(rows.size()), number(2 * model.entries.size()), number(0)});
  return success();
}

Value CudaAbiWriter::onStack(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  Region *region = b.getInsertionBlock()->getParent();
  b.setInsertionPointToStart(&region->front());
  int64_t words = std::max<int64_t>(llvm::divideCeil(bytes, 8), 1);
  return LLVM::AllocaOp::create(
      b, loc, ptr, LLVM::LLVMArrayType::get(i64, words), constant(i32, 1));
}

void CudaAbiWriter::leaveUnlessOk(Value status, Block *leave) {
  Region *region = b.getInsertionBlock()->getParent();
  Block *here = b.getInsertionBlock();
  Block *next = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(b, loc, isOk(status), next, ValueRange{}, leave,
                         ValueRange{status});
  b.setInsertionPointToStart(next);
}

/// Begins the call; returns it.
Value CudaAbiWriter::enter(Value context, int64_t arenaBytes) {
  failIf(isNull(context), CG_ERROR_CONTEXT);
  checkContext(context);
  Value call = onStack(sizeof(cell_rt_cuda_call));
  Value status =
      callRuntime("cell_rt_cuda_enter", i32,
                  {context, program(), constant(i64, arenaBytes), call});
  Region *region = b.getInsertionBlock()->getParent();
  Block *here = b.getInsertionBlock();
  Block *failed = b.createBlock(region, region->end(), {i32}, {loc});
  ret(failed->getArgument(0));
  b.setInsertionPointToEnd(here);
  leaveUnlessOk(status, failed);
  return call;
}

Value CudaAbiWriter::callImpl(EntryImpl impl, ArrayRef<Value> buffers,
                              Value call) {
  SmallVector<Value> args(buffers);
  Value arena = loadAt(call, offsetof(cell_rt_cuda_call, arena), i64);
  args.push_back(LLVM::IntToPtrOp::create(b, loc, ptr, arena));
  args.push_back(call);
  if (impl.takesContext)
    args.push_back(member(call, offsetof(cell_rt_cuda_call, context)));
  return LLVM::CallOp::create(b, loc, impl.function, args).getResult();
}

/// int32_t list(call, words)
void CudaAbiWriter::writeList(const EntrySpec &entry, EntryImpl impl,
                              unsigned number) {
  b.setInsertionPointToEnd(module.getBody());
  auto list = LLVM::LLVMFuncOp::create(
      b, loc, listName(number), LLVM::LLVMFunctionType::get(i32, {ptr, ptr}),
      LLVM::Linkage::Internal);
  b.setInsertionPointToStart(list.addEntryBlock(b));
  SmallVector<Value> buffers;
  for (size_t i = 0, count = entry.buffers().size(); i < count; ++i)
    buffers.push_back(LLVM::IntToPtrOp::create(
        b, loc, ptr, loadAt(list.getArgument(1), 8 * i, i64)));
  ret(callImpl(impl, buffers, list.getArgument(0)));
}

/// Runs the host program on buffers at the addresses `words`.
Value CudaAbiWriter::run(const EntrySpec &entry, EntryImpl impl, unsigned list,
                         unsigned slot, ArrayRef<Value> words, Value call) {
  Value callers = setDefaultFloatState(
      b, loc, arch, b.getInsertionBlock()->getParent()->front());
  Value status;
  if (entry.waits) {
    SmallVector<Value> buffers = llvm::map_to_vector(words, [&](Value word) {
      return LLVM::IntToPtrOp::create(b, loc, ptr, word).getResult();
    });
    status = callImpl(impl, buffers, call);
  } else {
    Value array = onStack(8 * words.size());
    for (auto [i, word] : llvm::enumerate(words))
      LLVM::StoreOp::create(b, loc, word, member(array, 8 * i));
    Value function = LLVM::AddressOfOp::create(b, loc, ptr, listName(list));
    status = callRuntime("cell_rt_cuda_run", i32,
                         {call, constant(i32, slot), function, array,
                          constant(i32, words.size())});
  }
  restoreFloatState(b, loc, arch, callers);
  return status;
}

void CudaAbiWriter::writeDeviceForm(const EntrySpec &entry, EntryImpl impl,
                                    unsigned number) {
  Value context;
  SmallVector<Value> words;
  for (Value buffer :
       beginEntry(entry, entry.deviceFunction(), impl.function.getLoc(),
                  context, CG_CUDA_ALIGNMENT))
    words.push_back(LLVM::PtrToIntOp::create(b, loc, i64, buffer));
  Value call = enter(context, entry.arenaBytes);
  Value status = run(entry, impl, number, 2 * number, words, call);
  ret(callRuntime("cell_rt_cuda_leave", i32, {call, status}));
}

void CudaAbiWriter::writeHostForm(const EntrySpec &entry, EntryImpl impl,
                                  unsigned number) {
  Value context;
  SmallVector<Value> host =
      beginEntry(entry, entry.symbol, impl.function.getLoc(), context);
  Value call = enter(context, entry.hostArenaBytes());
  Region *region = b.getInsertionBlock()->getParent();
  Block *here = b.getInsertionBlock();
  Block *leave = b.createBlock(region, region->end(), {i32}, {loc});
  Value left =
      callRuntime("cell_rt_cuda_leave", i32, {call, leave->getArgument(0)});
  ret(outcome(entry, left, host));
  b.setInsertionPointToEnd(here);

  Value arena = loadAt(call, offsetof(cell_rt_cuda_call, arena), i64);
  SmallVector<Value> device;
  int64_t offset = entry.arenaBytes;
  auto buffers = entry.buffers();
  for (const TensorSpec *spec : buffers) {
    device.push_back(LLVM::AddOp::create(b, loc, arena, constant(i64, offset)));
    offset += entry.hostBytes(*spec);
  }
  auto copy = [&](llvm::StringRef name, Value to, Value from,
                  const TensorSpec &spec) {
    leaveUnlessOk(
        callRuntime(name, i32, {call, to, from, constant(i64, spec.bytes())}),
        leave);
  };
  auto finish = [&] {
    leaveUnlessOk(callRuntime("cell_rt_cuda_finish", i32, {call}), leave);
  };
  for (auto [spec, from, to] : llvm::zip(buffers, host, device))
    if (spec->role != "result" && spec->bytes() != 0)
      copy("cell_rt_cuda_upload", to, from, *spec);
  leaveUnlessOk(run(entry, impl, number, 2 * number + 1, device, call), leave);
  finish();
  for (bool donated : {false, true})
    for (auto [spec, to, from] : llvm::zip(buffers, host, device))
      if (spec->bytes() != 0 &&
          (donated ? spec->donate.has_value() : spec->role == "result"))
        copy("cell_rt_cuda_download", to, from, *spec);
  finish();
  LLVM::BrOp::create(b, loc, ValueRange{constant(i32, CG_OK)}, leave);
}

void CudaAbiWriter::writeEntry(const EntrySpec &entry, EntryImpl impl,
                               unsigned number) {
  loc = impl.function.getLoc();
  if (!entry.waits)
    writeList(entry, impl, number);
  writeHostForm(entry, impl, number);
  writeDeviceForm(entry, impl, number);
}

void CudaAbiWriter::writeDeviceFunctions() {
  loc = module.getLoc();
  std::string prefix = model.prefix();
  auto open = define(prefix + "open", i32, {i32, ptr, ptr, i64});
  failIf(isNull(open.getArgument(1)), CG_ERROR_NULL_ARGUMENT);
  ret(callRuntime("cell_rt_cuda_open", i32,
                  {program(), open.getArgument(0), open.getArgument(1),
                   open.getArgument(2), open.getArgument(3)}));

  Type none = LLVM::LLVMVoidType::get(b.getContext());
  auto close = define(prefix + "close", none, {ptr});
  callRuntime("cell_rt_cuda_close", none, {close.getArgument(0)});
  LLVM::ReturnOp::create(b, loc, ValueRange{});

  auto message = define(prefix + "cuda_message", ptr, {ptr});
  ret(callRuntime("cell_rt_cuda_message", ptr, {message.getArgument(0)}));

  auto wait = define(prefix + "wait", i32, {ptr});
  Value context = wait.getArgument(0);
  failIf(isNull(context), CG_ERROR_CONTEXT);
  checkContext(context);
  ret(callRuntime("cell_rt_cuda_wait", i32, {context, program()}));
}

} // namespace

FailureOr<std::vector<std::string>>
cellgrad::readChips(gpu::GPUModuleOp device) {
  auto texts = device->getAttrOfType<DictionaryAttr>("cell.ptx");
  if (!texts || texts.empty())
    return refuse(device, Blame::Form)
           << "has no cell.ptx: run cell-emit-ptx on it";
  std::vector<std::string> chips;
  for (NamedAttribute text : texts)
    chips.push_back(text.getName().str());
  return chips;
}

LogicalResult cellgrad::writeCudaAbi(ModuleOp module, gpu::GPUModuleOp device,
                                     const ModelSpec &model,
                                     ArrayRef<EntryImpl> impls,
                                     uint64_t cpuFeatures,
                                     llvm::StringRef signature,
                                     ArrayAttr checks) {
  CudaAbiWriter writer(module, model, Arch::X86, cpuFeatures);
  auto kernels = module->getAttrOfType<ArrayAttr>("cell.device_kernels");
  if (!kernels)
    return refuse(device, Blame::Form)
           << "is not launched: the module has no cell.device_kernels";
  if (failed(writer.writeProgram(device, kernels)))
    return failure();
  module->removeAttr("cell.device_kernels");
  device.erase();
  for (auto [i, entry] : llvm::enumerate(model.entries))
    writer.writeEntry(entry, impls[i], i);
  writer.writeModelFunctions(signature, checks, kRuntimeStatus);
  writer.writeDeviceFunctions();
  return success();
}
