// The memory of calls comes from functions of the program, and is given back.
#include "digits.hpp"

#include <cstdlib>
#include <cstring>

struct Counts {
  int asked = 0, live = 0;
  bool refuses = false;
};

static void *take(std::uint64_t bytes, std::uint64_t alignment, void *user) {
  auto *counts = static_cast<Counts *>(user);
  ++counts->asked;
  if (counts->refuses)
    return nullptr;
  ++counts->live;
  return std::aligned_alloc(alignment, bytes);
}

static void give(void *memory, std::uint64_t, void *user) {
  --static_cast<Counts *>(user)->live;
  std::free(memory);
}

int main() {
  cg::digits::Weights w, other;
  cg::digits::Model model, plain;
  cg::Array<float, 64, 64> images;
  cg::Array<float, 64, 10> labels;
  for (int i = 0; i < images.size(); ++i)
    images[i] = static_cast<float>(i % 16) / 16;
  for (int i = 0; i < 64; ++i)
    labels(i, i % 10) = 1;
  if (labels(0, 0) != 1 || labels(0, 1) != 0)
    return 6;
  float loss[1], wanted[1];
  auto args = [&](cg::digits::Weights &of, float (&into)[1]) {
    return cg::digits::train_step_args{images,
                                       labels,
                                       of.hidden_weight(),
                                       of.hidden_bias(),
                                       of.out_weight(),
                                       of.out_bias(),
                                       of.velocity_hidden_weight(),
                                       of.velocity_hidden_bias(),
                                       of.velocity_out_weight(),
                                       of.velocity_out_bias(),
                                       into};
  };
  Counts counts;
  model.set_memory(take, give, &counts);
  counts.refuses = true;
  if (model.train_step(args(w, loss), std::nothrow) != CG_ERROR_ALLOCATION)
    return 1;
  counts.refuses = false;
  if (model.train_step(args(w, loss)) != CG_OK ||
      plain.train_step(args(other, wanted)) != CG_OK)
    return 2;
  if (counts.asked != 2 || counts.live != 0)
    return 3;
  // The call that failed has changed no weight.
  if (loss[0] != wanted[0] ||
      std::memcmp(w.hidden_weight().data(), other.hidden_weight().data(),
                  sizeof(float) * 48 * 64) != 0)
    return 4;
  model.set_memory(nullptr, nullptr);
  return model.train_step(args(w, loss)) == CG_OK && counts.asked == 2 ? 0 : 5;
}
