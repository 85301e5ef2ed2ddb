//===- Link.cpp - objects to shared objects, in process -------------------===//

#include "passes/emit/Link.h"
#include "passes/emit/Artifact.h"
#include "passes/emit/Files.h"
#include "passes/emit/Object.h"
#include "passes/emit/RuntimeImage.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(wasm)

using namespace cellgrad;
using llvm::StringRef;

namespace {
constexpr llvm::StringLiteral kScratchName = "cellgrad-link";

/// Removes the directories of processes that were killed: theirs are locked no
/// more. One that was just made may not be locked yet.
void removeLeftovers() {
  namespace fs = llvm::sys::fs;
  constexpr std::chrono::minutes kYoung(1);
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  std::error_code error;
  for (fs::directory_iterator at(folder, error, /*follow_symlinks=*/false), end;
       !error && at != end; at.increment(error)) {
    StringRef name = llvm::sys::path::filename(at->path());
    fs::file_status status;
    if (!name.starts_with(kScratchName) ||
        fs::status(at->path(), status, /*follow=*/false) ||
        status.type() != fs::file_type::directory_file ||
        status.getUser() != ::getuid() ||
        std::chrono::system_clock::now() - status.getLastModificationTime() <
            kYoung)
      continue;
    int lock = ::open(at->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0)
      (void)fs::remove_directories(at->path());
    if (lock >= 0)
      ::close(lock);
  }
}

/// A directory for LLD's inputs, which it takes as files only; gone at the end,
/// or where the process is killed when another one links.
class Scratch {
public:
  ~Scratch() {
    for (const std::string &file : files)
      ::unlink(file.c_str()); // LLVM's remove leaves pipes alone
    if (!directory.empty())
      (void)llvm::sys::fs::remove(directory);
    if (lock >= 0)
      ::close(lock);
  }

  /// The path of a file called `name` with these contents.
  llvm::Expected<std::string> add(StringRef name, StringRef contents) {
    if (directory.empty()) {
      static std::once_flag once;
      std::call_once(once, removeLeftovers);
      if (auto error =
              llvm::sys::fs::createUniqueDirectory(kScratchName, directory)) {
        llvm::SmallString<128> folder;
        llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
        return llvm::createStringError(
            "cannot create a folder for temporary files in '" + folder + "': " +
            error.message() + "; set TMPDIR to a folder that can be written");
      }
      lock = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (lock >= 0)
        (void)::flock(lock, LOCK_EX | LOCK_NB);
    }
    std::string path = reserve(name);
    int descriptor;
    if (auto error = llvm::sys::fs::openFileForWrite(path, descriptor))
      return llvm::make_error<FileError>(path, llvm::errorCodeToError(error));
    if (auto error = writeAndClose(descriptor, contents, /*durable=*/false))
      return llvm::make_error<FileError>(path, std::move(error));
    return path;
  }

  /// The path of a file that something else will write.
  std::string reserve(StringRef name) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    files.push_back(path.str().str());
    return files.back();
  }

private:
  llvm::SmallString<128> directory;
  int lock = -1; ///< held while the process lives
  std::vector<std::string> files;
};

/// A pipe with a name whose reader, a thread, keeps what is written to it.
class Pipe {
public:
  static llvm::Expected<std::unique_ptr<Pipe>> open(std::string path) {
    std::unique_ptr<Pipe> pipe(new Pipe(std::move(path)));
    const char *name = pipe->name.c_str();
    bool works =
        ::mkfifo(name, 0600) == 0 &&
        (pipe->reader = ::open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) >= 0 &&
        (pipe->writer = ::open(name, O_WRONLY | O_CLOEXEC)) >= 0 &&
        (pipe->ended = ::eventfd(0, EFD_CLOEXEC)) >= 0;
    int failure =
        works ? ::pthread_create(&pipe->thread, nullptr, read, &*pipe) : errno;
    if (failure)
      return llvm::createStringError(
          "cannot start a pipe for the linker at '" + pipe->name +
          "': " + std::generic_category().message(failure));
    pipe->started = true;
    return pipe;
  }
  ~Pipe() {
    if (started)
      finish();
    for (int descriptor : {reader, writer, ended})
      if (descriptor >= 0)
        ::close(descriptor);
  }

  const std::string &path() const { return name; }

  /// All that was written by now. The reader does not wait for the end of the
  /// file: a process forked meanwhile would keep the pipe open.
  std::string finish() {
    ::eventfd_write(ended, 1);
    ::pthread_join(thread, nullptr);
    started = false;
    return std::move(contents);
  }

private:
  explicit Pipe(std::string path) : name(std::move(path)) {}

  static void *read(void *self) {
    auto *pipe = static_cast<Pipe *>(self);
    pollfd wanted[] = {{pipe->reader, POLLIN, 0}, {pipe->ended, POLLIN, 0}};
    for (bool last = false; !last;) {
      if (::poll(wanted, 2, -1) < 0)
        continue;
      // What was written before the end was told is there when it is seen.
      last = wanted[1].revents != 0;
      pipe->drain();
    }
    return nullptr;
  }

  /// Reads until the pipe is empty.
  void drain() {
    char chunk[1 << 16];
    ssize_t size;
    while ((size = ::read(reader, chunk, sizeof chunk)) > 0 ||
           (size < 0 && errno == EINTR))
      if (size > 0)
        contents.append(chunk, size);
  }

  std::string name, contents;
  int reader = -1, ended = -1;
  int writer = -1; ///< keeps the pipe from ending before LLD opens it
  bool started = false;
  pthread_t thread;
};

/// Calls a function in a thread of its own, where there can be one.
void inOwnThread(llvm::function_ref<void()> function) {
  auto call = [](void *f) -> void * {
    (*static_cast<llvm::function_ref<void()> *>(f))();
    return nullptr;
  };
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, call, &function) != 0)
    return function();
  ::pthread_join(thread, nullptr);
}

/// Runs LLD. Its state and LLVM's options are global, so one thread at a time.
/// What it keeps for the sections of its input, 13 KB a link, it gives back
/// when its thread ends.
llvm::Error runLinker(llvm::ArrayRef<std::string> arguments, bool wasm) {
  static bool usable = true;
  std::vector<const char *> argv{wasm ? "wasm-ld" : "ld.lld"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream os(output);
  std::lock_guard<std::mutex> lock(optionsOfLLVM());
  if (!usable)
    return llvm::createStringError(
        "the linker failed earlier in this process and cannot "
        "be used again: restart the program");
  lld::Result result{};
  inOwnThread([&] {
    result = lld::lldMain(
        argv, os, os,
        {{lld::Gnu, &lld::elf::link}, {lld::Wasm, &lld::wasm::link}});
  });
  usable = result.canRunAgain;
  if (result.retCode != 0)
    // It says so of files that it cannot write; all else is in its input.
    return StringRef(output).contains("output file")
               ? llvm::createStringError(StringRef(output).trim())
               : llvm::make_error<LinkFailure>("linking failed: " +
                                                   StringRef(output).trim(),
                                               llvm::inconvertibleErrorCode());
  return llvm::Error::success();
}

/// Runs LLD with the further arguments; returns what it would write to a file.
/// It maps the files it writes, and a full disk then ends the process.
llvm::Expected<std::string> link(std::vector<std::string> arguments,
                                 Scratch &scratch, bool wasm = false) {
  auto output = Pipe::open(scratch.reserve("output"));
  if (!output)
    return output.takeError();
  arguments.insert(arguments.end(), {"-o", (*output)->path()});
  auto error = runLinker(arguments, wasm);
  std::string contents = (*output)->finish();
  if (error)
    return std::move(error);
  return contents;
}

/// The functions of a model that its callers see: what is kept of an object
/// with all that it needs.
llvm::Expected<std::vector<std::string>> readExports(StringRef object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "model.o"));
  if (!file)
    return file.takeError();
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    using llvm::object::SymbolRef;
    if (!(*flags & SymbolRef::SF_Global) || (*flags & SymbolRef::SF_Undefined))
      continue;
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    names.push_back(name->str());
  }
  return names;
}

llvm::StringSet<> readLibrarySymbols(Arch arch) {
  llvm::StringSet<> names;
  RuntimeImages images = runtimeImages(arch);
  for (StringRef image : {images.libc, images.libm}) {
    auto file = llvm::object::ObjectFile::createELFObjectFile(
        llvm::MemoryBufferRef(image, "stub"));
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
    for (const llvm::object::ELFSymbolRef &symbol :
         elf->getDynamicSymbolIterators())
      if (auto name = symbol.getName())
        names.insert(*name);
      else
        llvm::consumeError(name.takeError());
  }
  return names;
}
} // namespace

/// Of libc; the runtime has the first two, and instructions do the others.
constexpr llvm::StringLiteral kWasmMemory[] = {"aligned_alloc", "free",
                                               "memcpy", "memmove", "memset"};

/// Functions of libm that JavaScript computes (passes/emit/module.mjs), for
/// double, and with an f for float.
constexpr llvm::StringLiteral kWasmImports[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",
    "cos",  "cosh",  "exp",  "expm1", "fmod", "log",   "log10", "log1p",
    "log2", "pow",   "sin",  "sinh",  "tan",  "tanh"};

static bool isWasmImport(StringRef name) {
  return llvm::is_contained(kWasmImports, name) ||
         (name.consume_back("f") && llvm::is_contained(kWasmImports, name));
}

char LinkFailure::ID;

bool cellgrad::isLibrarySymbol(StringRef name, Arch arch) {
  // Those of all ELF platforms are the same.
  static const llvm::StringSet<> names = readLibrarySymbols(Arch::X86);
  if (arch == Arch::Wasm)
    return llvm::is_contained(kWasmMemory, name) || isWasmImport(name);
  return names.contains(name);
}

llvm::Expected<std::string>
cellgrad::linkSharedObject(llvm::ArrayRef<llvm::SmallString<0>> objects,
                           StringRef soname, const Platform &platform,
                           bool bound, bool cuda, bool lines) {
  Scratch scratch;
  RuntimeImages images = runtimeImages(platform.arch);
  std::vector<std::string> arguments{"-shared",
                                     "--threads=1",
                                     "--build-id=none",
                                     "--gc-sections",
                                     "--as-needed",
                                     "-Bsymbolic",
                                     "--hash-style=gnu",
                                     "--nostdlib",
                                     "-z",
                                     "now",
                                     "-z",
                                     "relro",
                                     "-z",
                                     "noexecstack",
                                     "-z",
                                     "max-page-size=" +
                                         std::to_string(platform.pageBytes),
                                     "-soname",
                                     soname.str()};
  if (bound)
    arguments.push_back("--no-undefined");
  if (bound && !lines)
    arguments.push_back("--strip-all");
  llvm::SmallVector<std::pair<std::string, StringRef>> inputs;
  for (auto [number, object] : llvm::enumerate(objects))
    inputs.emplace_back("model" + (number ? std::to_string(number) : "") + ".o",
                        object);
  inputs.append({{"runtime.o", images.object},
                 {"cuda.o", cuda ? cudaRuntimeObject() : StringRef()},
                 {"libm.so.6", images.libm},
                 {"libc.so.6", images.libc}});
  for (const auto &[name, contents] : inputs) {
    if (contents.empty())
      continue;
    auto file = scratch.add(name, contents);
    if (!file)
      return file.takeError();
    arguments.push_back(*file);
  }
  auto contents = link(std::move(arguments), scratch);
  if (contents)
    sealArtifact(*contents);
  return contents;
}

llvm::Expected<std::string> cellgrad::linkWasm(StringRef object) {
  Scratch scratch;
  std::string imports = "cell_wasm_print\n";
  for (StringRef name : kWasmImports)
    imports += (name + "\n" + name + "f\n").str();
  std::vector<std::string> arguments{
      "--no-entry",         "--export=cg_alloc", "--export=cg_free",
      "--export-dynamic",   "--gc-sections",     "--strip-all",
      "--threads=1",        "--stack-first",     "-z",
      "stack-size=1048576", "--error-limit=3"};
  for (auto [name, contents] :
       {std::pair{"model.o", object},
        std::pair{"runtime.o", runtimeImages(Arch::Wasm).object},
        std::pair{"imports", StringRef(imports)}}) {
    auto file = scratch.add(name, contents);
    if (!file)
      return file.takeError();
    bool list = contents.data() == imports.data();
    arguments.push_back((list ? "--allow-undefined-file=" : "") + *file);
  }
  auto module = link(std::move(arguments), scratch, /*wasm=*/true);
  if (module)
    return module;
  // What the code generator calls where there is no instruction.
  std::string words = llvm::toString(module.takeError());
  StringRef name = StringRef(words).split("undefined symbol: ").second;
  name = name.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isLibrarySymbol(name, Arch::X86))
    return llvm::createStringError(
        "the model needs '" + name +
        "' of the C library, which JavaScript does not have");
  return llvm::make_error<LinkFailure>(words, llvm::inconvertibleErrorCode());
}

llvm::Expected<std::string> cellgrad::makeArchive(StringRef object,
                                                  StringRef member) {
  llvm::NewArchiveMember file(llvm::MemoryBufferRef(object, member));
  auto archive = llvm::writeArchiveToBuffer(
      file, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}

llvm::Expected<std::string> cellgrad::linkRelocatable(StringRef object,
                                                      const Platform &platform,
                                                      bool cuda) {
  Scratch scratch;
  auto model = scratch.add("model.o", object);
  if (!model)
    return model.takeError();
  auto runtime = scratch.add("runtime.o", runtimeImages(platform.arch).object);
  if (!runtime)
    return runtime.takeError();
  std::vector<std::string> arguments{"-r", "--threads=1", "--build-id=none",
                                     *model, *runtime};
  // Without what nothing refers to: a program without C's streams can link a
  // model that prints nothing.
  auto exports = readExports(object);
  if (!exports)
    return exports.takeError();
  arguments.push_back("--gc-sections");
  for (const std::string &name : *exports)
    arguments.push_back("--undefined=" + name);
  if (cuda) {
    auto device = scratch.add("cuda.o", cudaRuntimeObject());
    if (!device)
      return device.takeError();
    arguments.push_back(*device);
  }
  auto merged = link(std::move(arguments), scratch);
  if (!merged)
    return merged.takeError();

  auto binary = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(*merged, "merged.o"));
  if (!binary)
    return binary.takeError();
  llvm::objcopy::ConfigManager config;
  config.ELF.LocalizeHidden = true;
  std::string local;
  llvm::raw_string_ostream os(local);
  if (auto error = llvm::objcopy::executeObjcopyOnBinary(config, **binary, os))
    return std::move(error);
  return local;
}
