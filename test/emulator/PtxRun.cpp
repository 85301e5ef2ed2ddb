//===- PtxRun.cpp - runs a kernel of a PTX file ---------------------------===//
//
//   ptx-run FILE [OPTIONS] [ARGUMENTS]
//
// Options and arguments may also stand in the file: each line that begins with
// "// ptx-run:" is one run. docs/emulator.md describes them.
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "Numbers.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace ptx;

namespace {

/// One argument of the kernel: a scalar, or a buffer with its values.
struct Argument {
  Type type = Type::None;
  bool isBuffer = false, isPrinted = false;
  uint64_t count = 1;
  std::string spelling;
  std::vector<char> bytes;
  bool isWritten = false;
  char *memory = nullptr;
};

struct Run {
  std::string kernel;
  Dim3 grid, block = {32, 1, 1};
  uint32_t shared = 0;
  Options options = Options::fromEnvironment();
  bool counts = false;
  std::vector<Argument> arguments;
};

[[noreturn]] void fail(const std::string &why) {
  std::cerr << "ptx-run: " << why << "\n";
  exit(2);
}

uint64_t parseNumber(const std::string &text, const std::string &where) {
  char *end = nullptr;
  uint64_t value = strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end)
    fail("expected a number in '" + where + "'");
  return value;
}

Dim3 parseDim(const std::string &text, const std::string &where) {
  Dim3 dim;
  std::stringstream parts(text);
  std::string part;
  uint32_t *sizes[] = {&dim.x, &dim.y, &dim.z};
  for (unsigned n = 0; std::getline(parts, part, ','); ++n) {
    if (n == 3)
      fail("more than three sizes in '" + where + "'");
    *sizes[n] = static_cast<uint32_t>(parseNumber(part, where));
  }
  return dim;
}

/// A number as it is written in decimal, or its bits as 0x... without a "p".
uint64_t parseValue(const std::string &text, Type type) {
  bool isBits = text.size() > 2 && text[0] == '0' && text[1] == 'x' &&
                text.find('p') == std::string::npos;
  char *end = nullptr;
  if (!isFloat(type) || isBits) {
    bool minus = text[0] == '-';
    uint64_t value = strtoull(text.c_str() + minus, &end, 0);
    if (*end)
      fail("'" + text + "' is no integer");
    return minus ? 0 - value : value;
  }
  double value = strtod(text.c_str(), &end);
  if (*end)
    fail("'" + text + "' is no number");
  switch (type) {
  case Type::F32:
  case Type::TF32:
    return bitCast<uint32_t>(static_cast<float>(value));
  case Type::F64:
    return bitCast<uint64_t>(value);
  case Type::F16:
    return narrow<Half>(value).bits;
  case Type::BF16:
    return narrow<BFloat>(value).bits;
  default:
    fail("values of packed types are written as bits");
  }
}

uint64_t iota(uint64_t n, Type type) {
  return parseValue(std::to_string(n), type);
}

/// "f32[32]=1,2,3:out", "u32=5".
Argument parseArgument(const std::string &text) {
  Argument argument;
  argument.spelling = text.substr(0, text.find('='));
  std::string values;
  bool hasValues = argument.spelling.size() != text.size();
  if (hasValues)
    values = text.substr(argument.spelling.size() + 1);
  if (values.size() >= 4 && values.substr(values.size() - 4) == ":out") {
    argument.isPrinted = true;
    values.resize(values.size() - 4);
  }
  std::string type = argument.spelling;
  size_t bracket = type.find('[');
  if (bracket != std::string::npos) {
    argument.isBuffer = true;
    if (type.back() != ']')
      fail("expected ']' in '" + text + "'");
    argument.count =
        parseNumber(type.substr(bracket + 1, type.size() - bracket - 2), text);
    type.resize(bracket);
  }
  argument.type = typeOf(type);
  unsigned size = sizeOf(argument.type);
  if (argument.type == Type::None || argument.type == Type::Pred)
    fail("no type '" + type + "' in '" + text + "'");
  if (!argument.isBuffer && !hasValues)
    fail("expected a value in '" + text + "'");
  argument.isPrinted |= argument.isBuffer && !hasValues;
  argument.isWritten = hasValues;
  argument.bytes.assign(argument.count * size, '\xff');
  if (!hasValues)
    return argument;
  std::vector<uint64_t> list;
  std::stringstream parts(values);
  for (std::string part; std::getline(parts, part, ',');)
    if (part != "iota")
      list.push_back(parseValue(part, argument.type));
  if (values != "iota" && list.size() != 1 && list.size() != argument.count)
    fail("'" + text + "' has " + std::to_string(list.size()) + " values for " +
         std::to_string(argument.count) + " elements");
  for (uint64_t n = 0; n < argument.count; ++n) {
    uint64_t value = values == "iota"   ? iota(n, argument.type)
                     : list.size() == 1 ? list[0]
                                        : list[n];
    memcpy(argument.bytes.data() + n * size, &value, size);
  }
  return argument;
}

Run parseRun(const std::vector<std::string> &words) {
  Run run;
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    std::string value =
        equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "--kernel")
      run.kernel = value;
    else if (key == "--grid")
      run.grid = parseDim(value, word);
    else if (key == "--block")
      run.block = parseDim(value, word);
    else if (key == "--shared")
      run.shared = static_cast<uint32_t>(parseNumber(value, word));
    else if (key == "--schedule")
      run.options.schedule = static_cast<unsigned>(parseNumber(value, word));
    else if (key == "--limit")
      run.options.limit = parseNumber(value, word);
    else if (key == "--counts")
      run.counts = true;
    else if (key.substr(0, 2) == "--")
      fail("unknown option '" + word + "'");
    else
      run.arguments.push_back(parseArgument(word));
  }
  return run;
}

void printValue(const char *at, Type type) {
  uint64_t bits = 0;
  memcpy(&bits, at, sizeOf(type));
  double value = 0;
  int digits = 9;
  switch (type) {
  case Type::F32:
  case Type::TF32:
    value = bitCast<float>(static_cast<uint32_t>(bits));
    break;
  case Type::F64:
    value = bitCast<double>(bits);
    digits = 17;
    break;
  case Type::F16:
    value = widen(Half{static_cast<uint16_t>(bits)});
    break;
  case Type::BF16:
    value = widen(BFloat{static_cast<uint16_t>(bits)});
    break;
  default:
    if (isSigned(type)) {
      unsigned shift = 64 - 8 * sizeOf(type);
      printf(" %lld", static_cast<long long>(
                          static_cast<int64_t>(bits << shift) >> shift));
    } else if (type == Type::U8 || type == Type::U16 || type == Type::U32 ||
               type == Type::U64) {
      printf(" %llu", static_cast<unsigned long long>(bits));
    } else {
      printf(" %0*llx", static_cast<int>(2 * sizeOf(type)),
             static_cast<unsigned long long>(bits));
    }
    return;
  }
  if (value != value)
    printf(" nan");
  else
    printf(" %.*g", digits, value);
}

/// Runs once; whether nothing was wrong.
bool execute(const Module &module, Run run) {
  if (module.kernels.empty())
    fail("no kernel in this file");
  const Kernel *kernel = module.kernels.begin()->second.get();
  if (!run.kernel.empty()) {
    auto found = module.kernels.find(run.kernel);
    if (found == module.kernels.end())
      fail("no kernel '" + run.kernel + "'");
    kernel = found->second.get();
  } else if (module.kernels.size() > 1) {
    fail("several kernels: --kernel says which");
  }
  if (run.arguments.size() != kernel->params.size())
    fail("'" + kernel->name + "' takes " +
         std::to_string(kernel->params.size()) + " arguments, not " +
         std::to_string(run.arguments.size()));
  Memory memory;
  for (auto &variable : module.globals)
    memory.add(reinterpret_cast<uint64_t>(variable.second.data),
               variable.second.bytes, 0, Allocation::Kind::Variable, true);
  std::vector<char> params(kernel->paramBytes + 8);
  for (size_t n = 0; n < run.arguments.size(); ++n) {
    Argument &argument = run.arguments[n];
    const Parameter &parameter = kernel->params[n];
    const void *value = argument.bytes.data();
    uint64_t size = argument.bytes.size();
    uint64_t pointer = 0;
    if (argument.isBuffer) {
      void *at = nullptr;
      if (posix_memalign(&at, 256, std::max<uint64_t>(size, 1) + 256) != 0)
        fail("out of memory");
      argument.memory = static_cast<char *>(at);
      memcpy(at, argument.bytes.data(), size);
      pointer = reinterpret_cast<uint64_t>(at);
      memory.add(pointer, size, 0, Allocation::Kind::Device,
                 argument.isWritten);
      value = &pointer;
      size = 8;
    }
    if (size != parameter.bytes)
      fail("argument " + std::to_string(n) + " has " + std::to_string(size) +
           " bytes, the parameter " + std::to_string(parameter.bytes));
    memcpy(params.data() + parameter.offset, value, size);
  }
  Launch launch;
  launch.kernel = kernel;
  launch.grid = run.grid;
  launch.block = run.block;
  launch.params = params.data();
  launch.dynamicShared = run.shared;
  launch.options = run.options;
  Counters counters;
  Outcome outcome = ptx::run(launch, memory, counters);
  for (Argument &argument : run.arguments) {
    if (argument.isPrinted && outcome.fault == Fault::None) {
      printf("%s:", argument.spelling.c_str());
      for (uint64_t n = 0; n < argument.count; ++n)
        printValue(argument.memory + n * sizeOf(argument.type), argument.type);
      printf("\n");
    }
    free(argument.memory);
  }
  if (run.counts)
    printf("%llu instructions, %llu barriers, %llu bytes loaded, %llu stored, "
           "%llu different ones read, %llu written\n",
           static_cast<unsigned long long>(counters.laneInstructions),
           static_cast<unsigned long long>(counters.barriers),
           static_cast<unsigned long long>(counters.bytesLoaded),
           static_cast<unsigned long long>(counters.bytesStored),
           static_cast<unsigned long long>(counters.bytesRead),
           static_cast<unsigned long long>(counters.bytesWritten));
  if (outcome.fault != Fault::None)
    printf("error: %s\n", outcome.message.c_str());
  fflush(stdout);
  return outcome.fault == Fault::None;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    fail("expected a file");
  std::ifstream file(argv[1]);
  if (!file)
    fail(std::string("cannot read '") + argv[1] + "'");
  std::stringstream content;
  content << file.rdbuf();
  std::string text = content.str(), error;
  auto module = parse(text, error);
  if (!module) {
    printf("error: %s\n", error.c_str());
    return 1;
  }
  std::vector<std::string> given(argv + 2, argv + argc);
  std::vector<std::vector<std::string>> runs;
  std::stringstream lines(text);
  const std::string mark = "// ptx-run:";
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, mark.size(), mark) != 0)
      continue;
    std::vector<std::string> words;
    std::stringstream rest(line.substr(mark.size()));
    for (std::string word; rest >> word;)
      words.push_back(word);
    words.insert(words.end(), given.begin(), given.end());
    runs.push_back(words);
  }
  if (runs.empty())
    runs.push_back(given);
  bool good = true;
  for (const auto &words : runs)
    good &= execute(*module, parseRun(words));
  return good ? 0 : 1;
}
