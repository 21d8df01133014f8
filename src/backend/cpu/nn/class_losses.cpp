// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of classification losses and their gradients: NLLLoss, NLLLoss2d, CrossEntropyLoss.
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

using Numbers = std::vector<double>;

Status write(const Numbers& values, Tensor& y) {
  return with_type(FloatTypes{}, y.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < values.size(); ++i) y.as<T>()[i] = convert_element<T>(values[i]);
    return {};
  });
}

// Scores of [batches, classes, positions], a class for each batch and position.
struct Classes {
  int scores, target, weight;
  int64_t batches, classes, positions, ignored, reduction;

  int64_t count() const { return batches * positions; }
  int64_t place(int64_t i, int64_t c) const { return (i / positions * classes + c) * positions + i % positions; }

  static Result<Classes> of(const WholeCall& call, const char* scores) {
    const Shape& shape = call.info(call.even_empty(scores)).shape;
    Classes made{call.even_empty(scores),       call.even_empty("target"),   call.input("weight"), 1, 1, 1,
                 call.integer("ignored", -100), call.integer("reduction", 1)};
    if (const std::string name = call.text("reduction_name"); !name.empty()) {
      made.reduction = name == "none" ? 0 : name == "mean" ? 1 : name == "sum" ? 2 : -1;
      if (made.reduction < 0) return refuse(formatted("reduction \"{}\" is not \"none\", \"mean\" or \"sum\"", name));
    }
    if (made.reduction < 0 || made.reduction > 2) return refuse("reduction must be 0, 1 or 2");
    if (shape.empty()) return refuse("self must have a dimension of classes");
    if (shape.size() == 1) {
      made.classes = shape[0];
    } else {
      made.batches = shape[0], made.classes = shape[1];
      made.positions = product(shape, 2, shape.size());
    }
    const auto& target = call.info(made.target);
    if (graph::element_count(target.shape) != made.count())
      return refuse(formatted("target has shape {}, self {}", graph::to_text(target.shape), graph::to_text(shape)));
    if (made.weight >= 0 && graph::element_count(call.info(made.weight).shape) != made.classes)
      return refuse(formatted("weight must have {} elements", made.classes));
    return made;
  }

  Result<std::vector<int64_t>> labels(Inputs in) const {
    auto made = TRY(integers(in[static_cast<size_t>(target)]));
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i] != ignored && (made[i] < 0 || made[i] >= classes))
        return failed("NLLLoss", formatted("target {} is {}; there are {} classes", i, made[i], classes));
    return made;
  }
  Result<Numbers> weights(Inputs in) const {
    if (weight < 0) return Numbers(static_cast<size_t>(classes), 1);
    return reals(in[static_cast<size_t>(weight)]);
  }
};

Status check_count(const WholeCall& call, int output, int64_t count, const char* name) {
  if (output < 0 || graph::element_count(call.result(output).shape) == count) return {};
  return refuse(
      formatted("{} has shape {}; it must have {} elements", name, graph::to_text(call.result(output).shape), count));
}

// -weight * the log probability of each class, and the sum of the weights. With `smooth` a part of the loss is that of
// all classes; from scores also their logarithms of softmax.
struct Nll {
  Classes c;
  int loss, total, logs;
  double smooth;
  bool raw;  // scores, not log probabilities

  Status run(Inputs in, Outputs out) const {
    auto values = TRY(reals(in[static_cast<size_t>(c.scores)]));
    const auto labels = TRY(c.labels(in));
    const auto weights = TRY(c.weights(in));
    for (int64_t i = 0; i < c.count() && raw; ++i) {
      double most = -INFINITY, sum = 0;
      for (int64_t k = 0; k < c.classes; ++k) most = std::max(most, values[static_cast<size_t>(c.place(i, k))]);
      for (int64_t k = 0; k < c.classes; ++k) sum += std::exp(values[static_cast<size_t>(c.place(i, k))] - most);
      for (int64_t k = 0; k < c.classes; ++k) values[static_cast<size_t>(c.place(i, k))] -= most + std::log(sum);
    }
    Numbers each(labels.size());
    double sum = 0, all = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == c.ignored) continue;
      const auto row = static_cast<int64_t>(i);
      const double w = weights[static_cast<size_t>(labels[i])];
      double spread = 0;
      for (int64_t k = 0; k < c.classes && smooth > 0; ++k)
        spread -= weights[static_cast<size_t>(k)] * values[static_cast<size_t>(c.place(row, k))];
      each[i] = -(1 - smooth) * w * values[static_cast<size_t>(c.place(row, labels[i]))] +
                smooth * spread / static_cast<double>(c.classes);
      sum += each[i], all += w;
    }
    if (c.reduction == 1) sum /= all;
    TRY(write(c.reduction == 0 ? each : Numbers{sum}, out[static_cast<size_t>(loss)]));
    if (total >= 0) TRY(write({all}, out[static_cast<size_t>(total)]));
    if (logs >= 0) TRY(write(values, out[static_cast<size_t>(logs)]));
    return {};
  }
};

MadeKernel make_nll(const KernelRequest& request) {
  const WholeCall call(request);
  Nll op{TRY(Classes::of(call, "scores")), call.result_named("loss"), call.result_named("total"),
         call.result_named("logs"),        call.real("smooth"),       call.flag("raw")};
  if (op.smooth < 0 || op.smooth > 1)
    return refuse(formatted("labelSmoothing is {}; it must be from 0 to 1", op.smooth));
  TRY(check_count(call, op.loss, op.c.reduction == 0 ? op.c.count() : 1, "the loss"));
  TRY(check_count(call, op.total, 1, "totalWeight"));
  TRY(check_count(call, op.logs, op.c.count() * op.c.classes, "logProb"));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// The gradient of the scores; of log probabilities, or with `raw` of what they were made of.
MadeKernel make_nll_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const Classes c = TRY(Classes::of(call, "scores"));
  const int grad = call.even_empty("grad"), total = call.input("total");
  const double smooth = call.real("smooth");
  const bool raw = call.flag("raw");
  TRY(check_count(call, call.output(0), c.count() * c.classes, "the gradient"));
  if (graph::element_count(call.info(grad).shape) != (c.reduction == 0 ? c.count() : 1))
    return refuse("gradOutput does not have the loss' shape");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto g = TRY(reals(in[static_cast<size_t>(grad)])), logs = TRY(reals(in[static_cast<size_t>(c.scores)]));
    const auto labels = TRY(c.labels(in));
    const auto weights = TRY(c.weights(in));
    double all = 0, sum = 0;
    for (const double w : weights) sum += w;
    for (const int64_t label : labels) all += label == c.ignored ? 0 : weights[static_cast<size_t>(label)];
    if (total >= 0) all = TRY(reals(in[static_cast<size_t>(total)])).at(0);
    Numbers made(logs.size());
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == c.ignored) continue;
      const auto row = static_cast<int64_t>(i);
      const double by = (c.reduction == 0 ? g[i] : g[0]) / (c.reduction == 1 ? all : 1);
      const double w = weights[static_cast<size_t>(labels[i])], part = smooth / static_cast<double>(c.classes);
      for (int64_t k = 0; k < c.classes; ++k) {
        const auto at = static_cast<size_t>(c.place(row, k));
        double value = -part * weights[static_cast<size_t>(k)] - (k == labels[i] ? (1 - smooth) * w : 0);
        if (raw) value += std::exp(logs[at]) * ((1 - smooth) * w + part * sum);
        made[at] = value * by;
      }
    }
    return write(made, out[0]);
  });
}

constexpr KernelRow rows[] = {
    {"AclnnNll", "reference", make_nll},
    {"AclnnNllGrad", "reference", make_nll_grad},
};

}  // namespace

std::span<const KernelRow> class_loss_rows() { return rows; }

}  // namespace belay::backend::cpu
