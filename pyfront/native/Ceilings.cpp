//===- Ceilings.cpp - what the machine can do at most ---------------------===//
//
// Written by hand for the processor that runs it, so that profiles compare
// compiled code with something else than compiled code.
//
//===----------------------------------------------------------------------===//

#include "pyfront/native/Ceilings.h"

#include "pyfront/native/Recorder.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace cellgrad::python;

namespace {

// Chains enough that the latency of one does not show: two units of four or
// five cycles each.
constexpr int kChains = 12;
constexpr int kSteps = 20000;

#define CELL_CHAINS(name, attributes, vector, set, fma)                        \
  __attribute__((attributes noinline)) double name() {                         \
    vector chains[kChains], factor = set(0.999999), term = set(1e-6);          \
    for (int c = 0; c < kChains; ++c)                                          \
      chains[c] = set(1.0 + c);                                                \
    for (int i = 0; i < kSteps; ++i)                                           \
      _Pragma("GCC unroll 12") for (int c = 0; c < kChains; ++c) chains[c] =   \
          fma(chains[c], factor, term);                                        \
    volatile vector sink;                                                      \
    for (int c = 0; c < kChains; ++c)                                          \
      sink = chains[c];                                                        \
    (void)sink;                                                                \
    return 2.0 * kChains * kSteps * sizeof(vector);                            \
  }

#ifdef __x86_64__
#define CELL_ISA(isa) target(isa),
#define CELL_SEPARATE_PS(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#define CELL_SEPARATE_PD(a, b, c) _mm_add_pd(_mm_mul_pd(a, b), c)
CELL_CHAINS(singles512, CELL_ISA("avx512f"), __m512, _mm512_set1_ps,
            _mm512_fmadd_ps)
CELL_CHAINS(doubles512, CELL_ISA("avx512f"), __m512d, _mm512_set1_pd,
            _mm512_fmadd_pd)
CELL_CHAINS(singles256, CELL_ISA("avx2,fma"), __m256, _mm256_set1_ps,
            _mm256_fmadd_ps)
CELL_CHAINS(doubles256, CELL_ISA("avx2,fma"), __m256d, _mm256_set1_pd,
            _mm256_fmadd_pd)
CELL_CHAINS(singles128, CELL_ISA("sse2"), __m128, _mm_set1_ps, CELL_SEPARATE_PS)
CELL_CHAINS(doubles128, CELL_ISA("sse2"), __m128d, _mm_set1_pd,
            CELL_SEPARATE_PD)
using Singles = __m128;
#else
typedef float Singles __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(16)));
#define CELL_SINGLES(x) (Singles{} + float(x))
#define CELL_DOUBLES(x) (Doubles{} + (x))
#define CELL_FUSED(a, b, c) ((a) * (b) + (c))
CELL_CHAINS(singles128, , Singles, CELL_SINGLES, CELL_FUSED)
CELL_CHAINS(doubles128, , Doubles, CELL_DOUBLES, CELL_FUSED)
#endif

/// Runs `work`, which gives the operations or bytes it has done, on so many
/// threads, and gives the highest rate a second of `times` times.
double bestRate(int threads, int times,
                const std::function<double(int)> &work) {
  double best = 0;
  for (int i = 0; i < times; ++i) {
    std::vector<double> done(threads);
    std::vector<std::thread> others;
    int64_t begin = nowNanoseconds();
    for (int t = 1; t < threads; ++t)
      others.emplace_back([&, t] { done[t] = work(t); });
    done[0] = work(0);
    for (std::thread &other : others)
      other.join();
    double seconds = double(nowNanoseconds() - begin) * 1e-9;
    double sum = 0;
    for (double part : done)
      sum += part;
    best = std::max(best, sum / seconds);
  }
  return best;
}

constexpr size_t kElements = size_t(1) << 22; // of each array: 16 MiB

double readAll(const float *x) {
  Singles sums[8] = {};
  for (size_t i = 0; i < kElements; i += 32)
    for (int k = 0; k < 8; ++k) {
      Singles four;
      std::memcpy(&four, x + i + 4 * size_t(k), sizeof four);
      sums[k] = sums[k] + four;
    }
  volatile Singles sink;
  for (Singles &sum : sums)
    sink = sum;
  (void)sink;
  return double(kElements) * sizeof(float);
}

double addScaled(float *x, const float *y, const float *z) {
  for (size_t i = 0; i < kElements; ++i)
    x[i] = y[i] + 0.5f * z[i];
  return 3.0 * kElements * sizeof(float);
}
} // namespace

Ceilings cellgrad::python::measureCeilings(int threads) {
  using Chains = double (*)();
  Chains singles = singles128, doubles = doubles128;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
    singles = singles512;
    doubles = doubles512;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    singles = singles256;
    doubles = doubles256;
  }
#endif
  Ceilings found;
  constexpr int kRepeats = 20;
  auto operations = [&](Chains chains, double bytes) {
    return bestRate(threads, 8,
                    [&](int) {
                      double done = 0;
                      for (int i = 0; i < kRepeats; ++i)
                        done += chains();
                      return done;
                    }) /
           bytes;
  };
  found.singles = operations(singles, sizeof(float));
  found.doubles = operations(doubles, sizeof(double));
  std::vector<std::unique_ptr<float[]>> arrays;
  for (int i = 0; i < 3 * threads; ++i)
    arrays.push_back(std::make_unique<float[]>(kElements)); // zeros, in memory
  auto array = [&](int thread, int i) { return arrays[3 * thread + i].get(); };
  found.bytes =
      std::max(bestRate(threads, 6,
                        [&](int t) {
                          return readAll(array(t, 0)) + readAll(array(t, 1)) +
                                 readAll(array(t, 2));
                        }),
               bestRate(threads, 6, [&](int t) {
                 return addScaled(array(t, 0), array(t, 1), array(t, 2));
               }));
  return found;
}
