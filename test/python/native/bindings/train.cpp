// What train.c does, with the C++ header.
#include "digits.hpp"

#include <fstream>
#include <iostream>
#include <type_traits>

using cg::digits::train_step_args;

// Shapes are types: a tensor of another shape is none, and what is read only is
// const.
static_assert(std::is_same_v<decltype(train_step_args::images),
                             cg::Tensor<const float, 64, 64>>);
static_assert(std::is_same_v<decltype(train_step_args::out_weight),
                             cg::Tensor<float, 10, 48>>);
static_assert(!std::is_convertible_v<cg::Tensor<float, 48, 10>,
                                     cg::Tensor<float, 10, 48>>);
static_assert(!std::is_convertible_v<cg::Tensor<const float, 10, 48>,
                                     cg::Tensor<float, 10, 48>>);
static_assert(!std::is_convertible_v<float *, cg::Tensor<float, 10, 48>>);

template <class T> static void put(std::ostream &out, T tensor) {
  out.write(reinterpret_cast<const char *>(tensor.data()),
            static_cast<std::streamsize>(tensor.size() * sizeof(float)));
}

int main(int argc, char **argv) try {
  if (argc != 4)
    return 2;
#ifdef EMBEDDED
  cg::digits::Weights weights;
#else
  cg::digits::Weights weights(argv[1]);
#endif
  cg::digits::Weights w(std::move(weights));
  cg::digits::Model model;
  cg::Array<float, 64, 64> images;
  cg::Array<float, 64, 10> labels;
  float loss[1];
  std::ifstream data(argv[2], std::ios::binary);
  std::ofstream results(argv[3], std::ios::binary);
  train_step_args args{images,
                       labels,
                       w.hidden_weight(),
                       w.hidden_bias(),
                       w.out_weight(),
                       w.out_bias(),
                       w.velocity_hidden_weight(),
                       w.velocity_hidden_bias(),
                       w.velocity_out_weight(),
                       w.velocity_out_bias(),
                       loss};
  auto read = [&](auto &array) {
    return bool(
        data.read(reinterpret_cast<char *>(array.data()),
                  static_cast<std::streamsize>(array.size() * sizeof(float))));
  };
  while (read(images) && read(labels)) {
    if (model.train_step(args) != CG_OK)
      return 3;
    results.write(reinterpret_cast<const char *>(loss), sizeof loss);
  }
  put(results, w.hidden_weight());
  put(results, w.hidden_bias());
  put(results, w.out_weight());
  put(results, w.out_bias());
  // Errors are exceptions, or codes.
  if (images(3, 5) != images[3 * 64 + 5])
    return 4;
  args.out_bias = {};
  if (model.train_step(args, std::nothrow) != CG_ERROR_NULL_ARGUMENT)
    return 5;
  try {
    model.train_step(args);
    return 6;
  } catch (const cg::Error &error) {
    if (error.status() != CG_ERROR_NULL_ARGUMENT)
      return 7;
    std::cout << error.what() << "\n";
  }
  return results.flush() ? 0 : 8;
} catch (const cg::Error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
