//===- Model.h - compiled models in this process --------------------------===//

#ifndef CELLGRAD_PYFRONT_MODEL_H
#define CELLGRAD_PYFRONT_MODEL_H

#include "pyfront/native/TensorBuffer.h"

#include "pyfront/native/DeviceMemory.h"

#include "runtime/cellgrad_abi.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace cellgrad::python {

/// A file that is no model, or none for this machine.
struct ModelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A loaded shared object. Entries keep it loaded.
class Model {
public:
  /// Checks the file, loads it and reads its signature. A model with CUDA
  /// kernels is opened on a device, number 0 unless another is given. Throws
  /// ModelError and DeviceError.
  explicit Model(const std::string &path,
                 std::optional<int32_t> device = std::nullopt);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const std::string &path() const { return file; }
  const std::string &name() const { return spec.name; }
  const std::string &signature() const { return json; }
  const ModelSpec &model() const { return spec; }
  /// The words for a status code of this model.
  std::string statusMessage(int32_t status) const;
  void *symbol(const std::string &name) const;
  /// What it computes on, and the handle for its calls; null: the CPU.
  Device *device() const { return place; }
  cg_cuda *cuda() const { return opened; }
  /// The words for the last error of a call with the handle.
  std::string deviceMessage() const;

private:
  void open();
  void load(llvm::StringRef contents, const struct stat &status);
  void readSignature();
  void openDevice(int32_t ordinal);
  void close();

  std::string file, json;
  ModelSpec spec;
  int descriptor = -1; ///< while the file is checked and loaded
  std::pair<dev_t, ino_t> identity;
  void *handle = nullptr;
  Device *place = nullptr;
  cg_cuda *opened = nullptr;
};

class Recorder;

/// One entry of a model, ready to be called.
class Entry {
public:
  Entry(std::shared_ptr<Model> model, size_t index);

  /// Calls the entry with the buffers of `arguments` (a list or tuple of
  /// TensorBuffer, or of objects one can borrow); returns the list of results.
  /// Donated arguments are written and returned themselves. `out`, where not
  /// None, holds the buffers to write the other results to.
  /// `recorder`, where not null, is told when kernels with probes run.
  nanobind::object call(nanobind::handle arguments, nanobind::handle out,
                        Recorder *recorder = nullptr) const;

  const EntrySpec &spec() const { return *entry; }
  const std::shared_ptr<Model> &model() const { return owner; }

private:
  struct Frame;
  struct Lent;
  void addBuffer(size_t index, nanobind::handle object, Frame &frame) const;
  /// What the function gets for a buffer: its memory where it computes.
  void *memoryOf(const TensorBuffer &tensor, bool isWritten) const;
  TensorBuffer fresh(const TensorSpec &spec, const Frame &frame) const;
  /// The status of the call.
  int32_t callOnHost(Frame &frame, Lent &lent) const;
  int32_t callOnDevice(Frame &frame, Lent &lent) const;
  nanobind::object collect(Frame &frame, nanobind::handle arguments,
                           nanobind::handle out) const;
  void checkOverlap(const Frame &frame) const;
  [[noreturn]] void raise(int32_t status, const Lent &lent) const;
  [[noreturn]] void fail(const TensorSpec &spec, const std::string &problem,
                         nanobind::exception_type type =
                             nanobind::exception_type::value_error) const;

  std::shared_ptr<Model> owner;
  const EntrySpec *entry;
  std::vector<const TensorSpec *> buffers; ///< as the argument struct has them
  llvm::SmallVector<bool, 32> written;     ///< those the entry writes to
  bool writesGiven;                        ///< some argument is donated
  int32_t (*function)(void *const *, const cg_context *);
};

/// The Python callable that gets the tensors a model prints, or null: then they
/// go to stdout.
nanobind::object printHook();
void setPrintHook(nanobind::object hook);

/// What functions of the program are called by; None: there are none.
void setHostHook(nanobind::object hook);

} // namespace cellgrad::python

#endif
