//===- Model.cpp - compiled models in this process ------------------------===//

#include "pyfront/native/Model.h"

#include "passes/emit/Artifact.h"
#include "passes/emit/Processor.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

using namespace cellgrad;
using namespace cellgrad::python;

namespace {
/// A file that is loaded, and the models that use it.
struct LoadedFile {
  std::string name;      ///< that dlopen knows it by
  std::string path;      ///< that debuggers are told
  char *given = nullptr; ///< what the dynamic linker would tell them
  unsigned users = 0;
};
std::mutex loadedMutex;
/// Guarded by loadedMutex; lives as long as the process, as debuggers look into
/// it.
auto &loaded = *new std::map<std::pair<dev_t, ino_t>, LoadedFile>;

/// A path to the open file that no other file has had: dlopen takes a path that
/// it knows for the library that it knows, and descriptors are used again. The
/// digits of a number are the slashes.
std::string freshPath(int descriptor) {
  static unsigned count = 0; // guarded by loadedMutex
  std::string path = "/proc/self/fd";
  for (unsigned digits = ++count; digits != 0; digits >>= 1)
    path += digits & 1 ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

/// Loads a copy of the file by its path, where it was for that time only.
void *loadCopy(llvm::StringRef contents, std::string &path) {
  llvm::SmallString<128> place;
  int copy;
  if (auto error =
          llvm::sys::fs::createTemporaryFile("cellgrad", "so", copy, place))
    throw ModelError("no copy of it can be made: " + error.message());
  path = place.str().str();
  llvm::FileRemover remover(place);
  llvm::raw_fd_ostream out(copy, /*shouldClose=*/true);
  out << contents;
  out.close();
  if (std::error_code error = out.error()) {
    out.clear_error();
    throw ModelError("no copy of it can be written: " + error.message());
  }
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// The dynamic linker's entry of a library, which debuggers read.
link_map *entryOf(void *handle) {
  link_map *entry = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &entry) == 0 ? entry : nullptr;
}

/// Code and data reach each other by signed offsets of 32 bits.
constexpr off_t kMaxBytes = off_t(1) << 31;
} // namespace

Model::Model(const std::string &path, std::optional<int32_t> device)
    : file(path) {
  try {
    open();
    readSignature();
    if (spec.cuda())
      openDevice(device.value_or(0));
  } catch (const ModelError &error) {
    close();
    throw ModelError("cannot load '" + file + "': " + error.what());
  } catch (const DeviceError &) {
    close();
    throw;
  }
}

Model::~Model() { close(); }

void Model::openDevice(int32_t ordinal) {
  place = &Device::get(ordinal);
  char message[2048] = "";
  auto open =
      reinterpret_cast<int32_t (*)(int32_t, cg_cuda **, char *, uint64_t)>(
          symbol(spec.prefix() + "open"));
  if (open(ordinal, &opened, message, sizeof message) != CG_OK)
    throw DeviceError(message);
}

std::string Model::deviceMessage() const {
  return reinterpret_cast<const char *(*)(const cg_cuda *)>(
      symbol(spec.prefix() + "cuda_message"))(opened);
}

void Model::close() {
  if (opened)
    reinterpret_cast<void (*)(cg_cuda *)>(symbol(spec.prefix() + "close"))(
        opened);
  opened = nullptr;
  if (handle) {
    std::lock_guard<std::mutex> lock(loadedMutex);
    auto file = loaded.find(identity);
    bool last = --file->second.users == 0;
    if (link_map *entry = last ? entryOf(handle) : nullptr)
      entry->l_name = file->second.given; // the linker frees it
    dlclose(handle);
    if (last)
      loaded.erase(file);
  }
  if (descriptor >= 0)
    ::close(descriptor);
}

void *Model::symbol(const std::string &name) const {
  void *address = dlsym(handle, name.c_str());
  if (!address)
    throw ModelError("it has no function " + name +
                     "; compile the model again");
  return address;
}

std::string Model::statusMessage(int32_t status) const {
  auto words = reinterpret_cast<const char *(*)(int32_t)>(
      symbol("cg_" + spec.name + "_status_message"));
  return words(status);
}

void Model::open() {
  // A pipe is not waited for.
  descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    throw ModelError(std::strerror(errno));
  identity = {status.st_dev, status.st_ino};
  if (!S_ISREG(status.st_mode))
    throw ModelError(
        std::string("it is a ") +
        (S_ISDIR(status.st_mode) ? "directory" : "device or pipe") +
        ", not a file");
  if (status.st_size > kMaxBytes)
    throw ModelError("it has " + std::to_string(status.st_size) +
                     " bytes, and models have 2 GiB at most");
  // Read, not mapped: the file may change under us, and a map of a shrunk file
  // faults.
  auto contents = llvm::MemoryBuffer::getOpenFile(
      descriptor, file, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  if (!contents)
    throw ModelError(contents.getError().message());
  auto name = checkArtifact((*contents)->getBuffer());
  if (!name)
    throw ModelError(llvm::toString(name.takeError()));
  spec.name = *name;
  load((*contents)->getBuffer(), status);
}

/// Loads the open file, not what the path leads to by now.
void Model::load(llvm::StringRef contents, const struct stat &status) {
  llvm::SmallString<128> absolute(file);
  if (auto error = llvm::sys::fs::make_absolute(absolute))
    throw ModelError(error.message());
  std::lock_guard<std::mutex> lock(loadedMutex);
  auto known = loaded.find(identity);
  std::string name =
      known != loaded.end() ? known->second.name : freshPath(descriptor);
  handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  // Where there is no /proc, an open file has no path.
  if (!handle && access("/proc/self/fd", F_OK) != 0)
    handle = loadCopy(contents, name);
  if (!handle)
    throw ModelError(dlerror());
  // What is mapped is what was checked, unless someone has written to it.
  struct stat now;
  if (fstat(descriptor, &now) != 0 || now.st_size != status.st_size ||
      now.st_mtim.tv_sec != status.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != status.st_mtim.tv_nsec) {
    dlclose(std::exchange(handle, nullptr));
    throw ModelError("it was written to while it was loaded; try again");
  }
  if (known == loaded.end()) {
    known = loaded.try_emplace(identity).first;
    known->second.name = name;
    known->second.path = absolute.str().str();
    if (link_map *entry = entryOf(handle)) {
      known->second.given = entry->l_name;
      entry->l_name = known->second.path.data();
    }
  }
  ++known->second.users;
  ::close(descriptor);
  descriptor = -1;
}

static const llvm::json::Array &getArray(const llvm::json::Object &object,
                                         llvm::StringRef key) {
  if (const auto *array = object.getArray(key))
    return *array;
  throw ModelError("its signature has no '" + key.str() + "'");
}

static std::string getString(const llvm::json::Object &object,
                             llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

static TensorSpec parseTensor(const llvm::json::Object &object) {
  TensorSpec spec;
  spec.name = getString(object, "name");
  spec.field = getString(object, "field");
  spec.role = getString(object, "role");
  spec.dtype = lookupDType(getString(object, "dtype"));
  if (!spec.dtype)
    throw ModelError("its signature has the unknown dtype '" +
                     getString(object, "dtype") + "'");
  for (const llvm::json::Value &extent : getArray(object, "shape"))
    spec.shape.push_back(extent.getAsInteger().value_or(kBatchExtent));
  if (auto donate = object.getInteger("donate"))
    spec.donate = *donate;
  if (auto donated = object.getInteger("donated_arg"))
    spec.donatedArg = *donated;
  return spec;
}

static EntrySpec parseEntry(const llvm::json::Object &object) {
  EntrySpec entry;
  entry.name = getString(object, "name");
  entry.symbol = getString(object, "symbol");
  // Of a model with CUDA kernels, the function for pointers of the device is
  // called.
  auto arenaOf = [&](const char *key) { return object.getInteger(key); };
  auto onDevice = arenaOf("device_arena_bytes");
  entry.arenaBytes = onDevice ? *onDevice : arenaOf("arena_bytes").value_or(0);
  if (const auto *arena = object.getObject("arena"))
    entry.slotBytes = arena->getInteger("thread").value_or(0);
  entry.cancellable = object.getBoolean("cancellable").value_or(false);
  entry.parallel = object.getBoolean("parallel").value_or(false);
  entry.waits = object.getBoolean("waits").value_or(false);
  entry.maxBatch = object.getInteger("max_batch").value_or(0);
  for (auto [key, list] :
       {std::pair{"args", &entry.args}, std::pair{"results", &entry.results}})
    for (const llvm::json::Value &value : getArray(object, key))
      if (const auto *tensor = value.getAsObject())
        list->push_back(parseTensor(*tensor));
  return entry;
}

static void checkTarget(const llvm::json::Object &signature) {
  const auto *target = signature.getObject("target");
  if (!target)
    return;
  std::vector<std::string> required;
  for (const llvm::json::Value &feature : getArray(*target, "features"))
    required.push_back(feature.getAsString().value_or("").str());
  std::vector<std::string> missing = missingFeatures(required);
  if (!missing.empty())
    throw ModelError(
        "it was compiled for " + getString(*target, "cpu") +
        ", and this processor lacks " + llvm::join(missing, ", ") +
        ": compile it for target 'native' here, or for 'x86-64-v2' to run on "
        "most machines");
}

void Model::readSignature() {
  auto version = reinterpret_cast<uint32_t (*)()>(
      symbol("cg_" + spec.name + "_abi_version"))();
  if (version != CELLGRAD_ABI_VERSION)
    throw ModelError("it has ABI version " + std::to_string(version) +
                     ", this cellgrad loads version " +
                     std::to_string(CELLGRAD_ABI_VERSION) +
                     ": compile the model again");
  json = reinterpret_cast<const char *(*)()>(
      symbol("cg_" + spec.name + "_signature"))();
  auto parsed = llvm::json::parse(json);
  const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (!object) {
    if (!parsed)
      llvm::consumeError(parsed.takeError());
    throw ModelError("its signature is not JSON; compile the model again");
  }
  checkTarget(*object);
  spec.weightsBytes = object->getInteger("weights_bytes").value_or(0);
  if (const auto *device = object->getObject("device"))
    for (const llvm::json::Value &chip : getArray(*device, "chips"))
      spec.chips.push_back(chip.getAsString().value_or("").str());
  for (const llvm::json::Value &value : getArray(*object, "entries"))
    if (const auto *entry = value.getAsObject())
      spec.entries.push_back(parseEntry(*entry));
}
