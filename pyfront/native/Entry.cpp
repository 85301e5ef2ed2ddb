//===- Entry.cpp - calling a compiled entry -------------------------------===//

#include "pyfront/native/Cancel.h"
#include "pyfront/native/Comm.h"
#include "pyfront/native/HostMemory.h"
#include "pyfront/native/Model.h"
#include "pyfront/native/Recorder.h"
#include "pyfront/native/Threads.h"

#include <algorithm>
#include <mutex>

namespace nb = nanobind;
using namespace cellgrad;
using namespace cellgrad::python;

namespace {
/// Scratch memory of one thread, shared by the entries it calls one after the
/// other.
class ThreadArena {
public:
  ~ThreadArena() {
    if (memory)
      releaseHost(memory, size);
  }

  /// `bytes` bytes, or null while an entry further up the stack (one whose
  /// print hook called this one) is using them: that call allocates its own.
  void *enter(size_t bytes) {
    if (depth++ > 0)
      return nullptr;
    if (bytes > size) {
      if (memory)
        releaseHost(memory, size);
      memory = nullptr;
      size = 0;
      memory = allocateHost(bytes);
      size = bytes;
    }
    return memory;
  }
  void leave() { --depth; }
  size_t bytes() const { return size; }

private:
  void *memory = nullptr;
  size_t size = 0;
  unsigned depth = 0;
};

thread_local ThreadArena threadArena;

/// The arena for the duration of a call on so many threads.
struct ArenaLease {
  ArenaLease(const EntrySpec &entry, int32_t threads) {
    try {
      memory = threadArena.enter(entry.arenaBytesOn(threads));
    } catch (const HostMemoryError &error) {
      threadArena.leave();
      throw HostMemoryError(entry.name + ": " + error.what() +
                            " for intermediate results: use a smaller batch");
    }
  }
  ~ArenaLease() { threadArena.leave(); }
  void *memory;
};

/// Of a code of the ABI, such as CG_FLOAT32.
const DTypeInfo *dtypeOf(int32_t code) {
  static const DTypeInfo *const dtypes[] = {
      lookupDType("bool"),    lookupDType("int8"),     lookupDType("int16"),
      lookupDType("int32"),   lookupDType("int64"),    lookupDType("uint8"),
      lookupDType("float16"), lookupDType("bfloat16"), lookupDType("float32"),
      lookupDType("float64"), lookupDType("uint16"),   lookupDType("uint32"),
      lookupDType("uint64")};
  return dtypes[code];
}

// Guarded by the GIL.
PyObject *hookObject = nullptr;
PyObject *hostObject = nullptr;

/// The hook and the call that prints, on their way through C.
struct PrintCall {
  PyObject *hook;
  CancelFlag &cancel;
};

void printThroughPython(const cg_print_record *record, void *user) {
  auto *call = static_cast<PrintCall *>(user);
  nb::gil_scoped_acquire gil;
  if (call->cancel.raised())
    return;
  try {
    nb::object tensor = nb::none();
    if (record->data) {
      TensorBuffer copy(
          *dtypeOf(record->dtype),
          TensorBuffer::Shape(record->shape, record->shape + record->rank));
      std::copy_n(static_cast<const char *>(record->data), copy.bytes(),
                  static_cast<char *>(copy.data()));
      tensor = wrapBuffer(std::move(copy));
    }
    nb::handle(call->hook)(record->text, tensor);
  } catch (...) {
    call->cancel.raise();
  }
}

/// Messages to and from functions of the program, and the call that has them.
int32_t callPython(const cg_collective *what, void *user) {
  auto &cancel = *static_cast<CancelFlag *>(user);
  nb::gil_scoped_acquire gil;
  if (cancel.raised())
    return 1;
  try {
    nb::object given = nb::none();
    const DTypeInfo &dtype = *dtypeOf(what->dtype);
    TensorBuffer::Shape shape{what->count};
    if (what->kind == CG_SEND) {
      TensorBuffer copy(dtype, std::move(shape));
      std::copy_n(static_cast<const char *>(what->send), copy.bytes(),
                  static_cast<char *>(copy.data()));
      given = wrapBuffer(std::move(copy));
    }
    nb::object result = nb::handle(hostObject)(what->tag, given, what->count);
    if (what->kind == CG_RECEIVE) {
      const auto &taken = nb::cast<const TensorBuffer &>(result);
      if (&taken.dtype() != &dtype ||
          taken.shape() != llvm::ArrayRef<int64_t>(what->count))
        throw std::runtime_error("a function of the host gives " +
                                 taken.describe());
      std::copy_n(static_cast<const char *>(taken.read()), taken.bytes(),
                  static_cast<char *>(what->recv));
    }
    return 0;
  } catch (...) {
    cancel.raise();
    return 1;
  }
}
} // namespace

nb::object cellgrad::python::printHook() {
  return hookObject ? nb::borrow(hookObject) : nb::none();
}

static void replace(PyObject *&kept, nb::object hook) {
  PyObject *old = kept;
  kept = hook.is_none() ? nullptr : hook.release().ptr();
  Py_XDECREF(old);
}

void cellgrad::python::setPrintHook(nb::object hook) {
  replace(hookObject, std::move(hook));
}

void cellgrad::python::setHostHook(nb::object hook) {
  replace(hostObject, std::move(hook));
}

/// The buffers of one call.
struct Entry::Frame {
  llvm::SmallVector<void *, 32> pointers; ///< as the argument struct has them
  llvm::SmallVector<nb::object, 8> kept;  ///< borrowed arguments
  /// That were given; null for the batch, which is a number.
  llvm::SmallVector<TensorBuffer *, 32> tensors;
  int64_t batch = 0; ///< samples of this call; 0 while none is given
};

/// What a call lends to its entry, but for memory and threads.
struct Entry::Lent {
  explicit Lent(const EntrySpec &entry)
      : cancel(entry.cancellable), print{hookObject, cancel} {
    if (entry.cancellable && PyErr_CheckSignals() != 0)
      throw nb::python_error();
    context.struct_size = sizeof context;
    context.print = print.hook ? printThroughPython : nullptr;
    context.print_user = &print;
    context.cancel = cancel.address();
    context.max_trips = callLimits.trips;
    context.max_stash_bytes = callLimits.stashBytes;
    context.failed_bytes = &failedBytes;
    context.on_cancel = CancelFlag::ask;
    context.on_cancel_user = &cancel;
    context.comm = comm.get();
    context.host = hostObject ? callPython : nullptr;
    context.host_user = &cancel;
  }

  CancelFlag cancel;
  PrintCall print;
  nb::object hook = printHook(); ///< kept for as long as the call
  uint64_t failedBytes = 0;
  std::shared_ptr<cg_comm> comm = communicator(); ///< the same
  cg_context context{};
};

Entry::Entry(std::shared_ptr<Model> model, size_t index)
    : owner(std::move(model)), entry(&owner->model().entries[index]),
      buffers(entry->buffers()),
      writesGiven(llvm::any_of(
          entry->args,
          [](const TensorSpec &arg) { return arg.donate.has_value(); })),
      function(reinterpret_cast<int32_t (*)(void *const *, const cg_context *)>(
          owner->symbol(owner->device() ? entry->deviceFunction()
                                        : entry->symbol))) {
  for (const TensorSpec *spec : buffers)
    written.push_back(spec->donate || spec->role == "result");
  writesGiven = llvm::is_contained(
      llvm::ArrayRef(written).take_front(entry->args.size()), true);
}

/// What a tensor is in a call with so many samples.
static TensorBuffer::Shape shapeIn(const TensorSpec &spec, int64_t batch) {
  TensorBuffer::Shape shape(spec.shape.begin(), spec.shape.end());
  if (spec.hasRows())
    shape[0] = batch;
  return shape;
}

static std::string describeShape(const TensorSpec &spec) {
  if (!spec.hasRows())
    return describeTensor(*spec.dtype, spec.shape);
  std::string text = std::string(spec.dtype->name) + "[batch";
  for (int64_t extent : llvm::ArrayRef(spec.shape).drop_front())
    text += ", " + std::to_string(extent);
  return text + "]";
}

void Entry::fail(const TensorSpec &spec, const std::string &problem,
                 nb::exception_type type) const {
  throw nb::builtin_exception(type, (entry->name + ": " + spec.role + " '" +
                                     spec.name + "' is " + describeShape(spec) +
                                     ", " + problem)
                                        .c_str());
}

void *Entry::memoryOf(const TensorBuffer &tensor, bool isWritten) const {
  if (Device *device = owner->device())
    return reinterpret_cast<void *>(tensor.onDevice(*device));
  return isWritten ? tensor.data() : const_cast<void *>(tensor.read());
}

TensorBuffer Entry::fresh(const TensorSpec &spec, const Frame &frame) const {
  TensorBuffer::Shape shape = shapeIn(spec, frame.batch);
  try {
    return owner->device()
               ? TensorBuffer(*spec.dtype, std::move(shape), *owner->device())
               : TensorBuffer(*spec.dtype, std::move(shape));
  } catch (const HostMemoryError &error) {
    throw HostMemoryError(
        entry->name + ": " + error.what() + " for the result '" + spec.name +
        "', " + describeTensor(*spec.dtype, shapeIn(spec, frame.batch)));
  }
}

void Entry::addBuffer(size_t index, nb::handle object, Frame &frame) const {
  static const PyObject *type = nb::type<TensorBuffer>().ptr();
  const TensorSpec &spec = *buffers[index];
  if (reinterpret_cast<PyObject *>(Py_TYPE(object.ptr())) != type) {
    try {
      frame.kept.push_back(
          wrapBuffer(TensorBuffer::import(object, /*copy=*/false, nullptr)));
    } catch (const nb::builtin_exception &error) {
      fail(spec, std::string("but ") + error.what(), error.type());
    }
    object = frame.kept.back();
  }
  auto *tensor = nb::inst_ptr<TensorBuffer>(object);
  bool givesBatch =
      spec.hasRows() && frame.batch == 0 && !tensor->shape().empty();
  int64_t batch = givesBatch ? tensor->shape()[0] : frame.batch;
  if (&tensor->dtype() != spec.dtype ||
      tensor->shape() != llvm::ArrayRef(shapeIn(spec, batch)))
    fail(spec, "but " + tensor->describe() + " was given" +
                   (spec.hasRows() && frame.batch != 0
                        ? ", and the batch is " + std::to_string(batch)
                        : ""));
  if (givesBatch && (batch < 1 || batch > entry->maxBatch))
    fail(spec, "but its batch is " + std::to_string(batch) + ": 1 to " +
                   std::to_string(entry->maxBatch));
  frame.batch = batch;
  if (tensor->readOnly() && written[index])
    fail(spec, "which the entry writes, but the memory given is read-only: "
               "pass a copy");
  const Device *place = owner->device(), *shared = tensor->sharedOn();
  if (shared && shared != place && (place || written[index]))
    fail(spec, "but others share its memory on CUDA device " +
                   std::to_string(shared->ordinal()) + ": pass a copy");
  frame.pointers.push_back(memoryOf(*tensor, written[index]));
  frame.tensors.push_back(tensor);
}

/// Memory that is written may be used once only.
void Entry::checkOverlap(const Frame &frame) const {
  struct Range {
    uint64_t begin, end;
    size_t index;
  };
  llvm::SmallVector<Range, 32> ranges;
  for (auto [i, tensor] : llvm::enumerate(frame.tensors))
    if (tensor && tensor->bytes() != 0)
      ranges.push_back(
          {tensor->address(), tensor->address() + tensor->bytes(), i});
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  // `widest` is the range seen so far that reaches furthest; of those that are
  // written, too.
  const Range *widest = nullptr, *widestWritten = nullptr;
  for (const Range &range : ranges) {
    const Range *other = written[range.index] ? widest : widestWritten;
    if (other && range.begin < other->end) {
      size_t at = written[range.index] ? range.index : other->index;
      size_t with = at == range.index ? other->index : range.index;
      fail(*buffers[at],
           "which the entry writes, but its memory is also that of '" +
               buffers[with]->name + "': pass a copy of one of them");
    }
    if (!widest || range.end > widest->end)
      widest = &range;
    if (written[range.index] &&
        (!widestWritten || range.end > widestWritten->end))
      widestWritten = &range;
  }
}

/// A list or tuple as a tuple, which no other thread can change during the
/// call.
static nb::object freeze(nb::handle sequence) {
  if (PyTuple_CheckExact(sequence.ptr()))
    return nb::borrow(sequence);
  if (PyList_Check(sequence.ptr()))
    return nb::steal(PyList_AsTuple(sequence.ptr()));
  return {};
}

nb::object Entry::collect(Frame &frame, nb::handle arguments,
                          nb::handle out) const {
  nb::object outputs;
  if (!out.is_none()) {
    outputs = freeze(out);
    size_t wanted = buffers.size() - entry->args.size();
    if (!outputs.is_valid() || nb::len(outputs) != wanted)
      throw nb::type_error((entry->name + ": out: expected a list of " +
                            std::to_string(wanted) + " tensors")
                               .c_str());
  }
  nb::object results = nb::steal(PyList_New(entry->results.size()));
  if (!results.is_valid())
    throw nb::python_error();
  for (auto [i, spec] : llvm::enumerate(entry->results)) {
    nb::object result;
    if (spec.donatedArg) {
      // The batch is an argument that is not given.
      size_t given = *spec.donatedArg - (entry->maxBatch != 0);
      result = nb::borrow(NB_TUPLE_GET_ITEM(arguments.ptr(), given));
    } else if (outputs.is_valid()) {
      size_t index = frame.pointers.size();
      result = nb::borrow(
          NB_TUPLE_GET_ITEM(outputs.ptr(), index - entry->args.size()));
      addBuffer(index, result, frame);
    } else {
      TensorBuffer made = fresh(spec, frame);
      frame.pointers.push_back(memoryOf(made, true));
      result = wrapBuffer(std::move(made));
    }
    NB_LIST_SET_ITEM(results.ptr(), i, result.release().ptr());
  }
  if (writesGiven || outputs.is_valid())
    checkOverlap(frame);
  return results;
}

nb::object Entry::call(nb::handle given, nb::handle out,
                       Recorder *recorder) const {
  nb::object arguments = freeze(given);
  if (!arguments.is_valid())
    throw nb::type_error(
        (entry->name + ": expected a list of tensors").c_str());
  size_t count = NB_TUPLE_GET_SIZE(arguments.ptr());
  size_t first = entry->maxBatch != 0; // the batch is not given
  if (count != entry->args.size() - first)
    throw nb::type_error((entry->name + ": takes " +
                          std::to_string(entry->args.size() - first) +
                          " tensors, " + std::to_string(count) + " were given")
                             .c_str());
  Frame frame;
  if (first != 0) {
    frame.pointers.push_back(nullptr);
    frame.tensors.push_back(nullptr);
  }
  for (size_t i = 0; i < count; ++i)
    addBuffer(first + i, NB_TUPLE_GET_ITEM(arguments.ptr(), i), frame);
  nb::object results = collect(frame, arguments, out);
  if (first != 0)
    frame.pointers[0] = reinterpret_cast<void *>(frame.batch);
  Lent lent(*entry);
  if (recorder) {
    lent.context.probe = Recorder::probe;
    lent.context.probe_user = recorder;
    recorder->begin = nowNanoseconds();
  }
  int32_t status =
      owner->device() ? callOnDevice(frame, lent) : callOnHost(frame, lent);
  if (recorder)
    recorder->end = nowNanoseconds();
  lent.cancel.rethrow();
  if (status != CG_OK && status != CG_SKIPPED)
    raise(status, lent);
  return results;
}

int32_t Entry::callOnHost(Frame &frame, Lent &lent) const {
  std::shared_ptr<cg_parallel> threads;
  if (entry->parallel)
    threads = lendThreads();
  ArenaLease arena(*entry, threads ? threads->threads : 1);
  lent.context.arena = arena.memory;
  lent.context.arena_bytes = arena.memory ? threadArena.bytes() : 0;
  lent.context.parallel = threads.get();
  nb::gil_scoped_release release;
  return function(frame.pointers.data(), &lent.context);
}

/// Calls on devices take turns: a handle serves one at a time, and a call may
/// come from the print hook of another, of the same thread. One lock for all
/// models: two threads whose hooks call each other's models do not wait
/// forever.
static std::recursive_mutex deviceTurn;

/// Everything is enqueued on the stream that all of the device's memory is used
/// on. The call waits only where the program does.
int32_t Entry::callOnDevice(Frame &frame, Lent &lent) const {
  Device::Scratch arena(*owner->device(), entry->arenaBytes);
  lent.context.arena = reinterpret_cast<void *>(arena.memory);
  lent.context.arena_bytes = entry->arenaBytes;
  lent.context.cuda = owner->cuda();
  int32_t status;
  {
    nb::gil_scoped_release release;
    std::lock_guard<std::recursive_mutex> turn(deviceTurn);
    status = function(frame.pointers.data(), &lent.context);
  }
  for (auto [i, tensor] : llvm::enumerate(frame.tensors))
    if (written[i])
      tensor->writtenOnDevice();
  return status;
}

void Entry::raise(int32_t status, const Lent &lent) const {
  uint64_t failedBytes = lent.failedBytes;
  const char *kept = " that a loop of unknown length keeps for its gradient ";
  std::string said = entry->name + ": ", bytes = std::to_string(failedBytes);
  switch (status) {
  case CG_ERROR_TRIP_LIMIT:
    throw std::runtime_error(
        said + "its loops made more than " + std::to_string(callLimits.trips) +
        " trips: does one of them never end? set_context(max_trips=...) sets "
        "the limit");
  case CG_ERROR_STASH_LIMIT:
    throw HostMemoryError(said + bytes + " bytes" + kept +
                          "are more than is left of the " +
                          std::to_string(callLimits.stashBytes) +
                          " that set_context(max_stash_bytes=...) allows");
  case CG_ERROR_ALLOCATION:
    if (failedBytes == 0) // a call from a print hook has an arena of its own
      throw HostMemoryError(
          said + "out of memory: " + std::to_string(entry->arenaBytes) +
          " bytes of scratch memory could not be allocated");
    throw HostMemoryError(said + "out of memory: " + bytes + " bytes" + kept +
                          "could not be allocated: make fewer trips, or use a "
                          "smaller batch");
  case CG_ERROR_COMM:
  case CG_ERROR_COMM_MISMATCH:
  case CG_ERROR_COMM_TIMEOUT: {
    std::string why = lent.comm ? lent.comm->message(lent.comm.get()) : "";
    throw CommError(said + (why.empty() ? owner->statusMessage(status) : why));
  }
  default:
    if (status >= CG_ERROR_CHECK)
      throw nb::index_error(owner->statusMessage(status).c_str());
    std::string words = owner->cuda() ? owner->deviceMessage() : "";
    throw std::runtime_error(
        said + (words.empty() ? owner->statusMessage(status) : words));
  }
}
