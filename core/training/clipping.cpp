// SPDX-License-Identifier: GPL-3.0-or-later
#include "clipping.h"

#include "base/try.h"

#include <string>

namespace tilescope::training {

using graph::Builder;
using graph::DType;
using graph::no_value;
using graph::ValueId;
using graph::Variable;
namespace {

/// The trainable variables that have gradients, each with its place among those.
class Gradients {
  public:
    Gradients(Builder& build, std::string label, std::vector<ValueId>& gradients)
        : build_(build), label_(std::move(label)), gradients_(gradients) {}

    /// Puts change(gradient) in the place of each.
    template<typename Change>
    Result<void> each(Change change) {
        std::vector<Variable> trainable;
        for (const Variable& variable : build_.graph().variables)
            if (variable.trainable)
                trainable.push_back(variable);
        for (std::size_t i = 0; i < gradients_.size(); ++i) {
            if (gradients_[i] == no_value)
                continue;
            build_.scope.layer = trainable[i].layer;
            name_ = label_ + "/" + trainable[i].name + "/clip";
            TRY(gradients_[i], change(gradients_[i]));
        }
        return {};
    }

    Result<ValueId> clipped_by_value(ValueId gradient, double most) {
        const DType type = build_.type(gradient).dtype;
        return on("minimum",
                  {on("maximum", {gradient, build_.scalar(-most, type)}), build_.scalar(most, type)});
    }
    Result<ValueId> sum_of_squares(ValueId gradient) { return on("reduce_sum", {on("square", {gradient})}); }
    /// gradient most / max(norm, most).
    Result<ValueId> shortened(ValueId gradient, ValueId norm, double most) {
        const DType type = build_.type(gradient).dtype;
        const ValueId limit = build_.scalar(most, type);
        TRY(ValueId length, on("cast", {norm}, {{"dtype", to_string(type)}}));
        return on("multiply", {gradient, on("divide", {limit, on("maximum", {length, limit})})});
    }
    Result<ValueId> on(const char* kind, const graph::Operands<ValueId>& inputs,
                       graph::Attributes attributes = {}) {
        return build_.emit(kind, inputs, std::move(attributes), name_);
    }

  private:
    Builder& build_;
    std::string label_;
    std::string name_;
    std::vector<ValueId>& gradients_;
};

} // namespace

Result<void> clip_gradients(Builder& build, const graph::OptimiserSpec& optimiser, const std::string& label,
                            std::vector<ValueId>& gradients) {
    Gradients all(build, label, gradients);
    if (const double most = optimiser.settings.real("clipvalue", 0); most > 0) {
        TRY(all.each([&](ValueId gradient) { return all.clipped_by_value(gradient, most); }));
    }
    if (const double most = optimiser.settings.real("clipnorm", 0); most > 0) {
        TRY(all.each([&](ValueId gradient) -> Result<ValueId> {
            TRY(const ValueId norm, all.on("sqrt", {all.sum_of_squares(gradient)}));
            return all.shortened(gradient, norm, most);
        }));
    }
    if (const double most = optimiser.settings.real("global_clipnorm", 0); most > 0) {
        ValueId total = no_value;
        TRY(all.each([&](ValueId gradient) -> Result<ValueId> {
            TRY(const ValueId own, all.on("cast", {all.sum_of_squares(gradient)}, {{"dtype", "float32"}}));
            TRY(total, total == no_value ? own : all.on("add", {total, own}));
            return gradient;
        }));
        if (total == no_value)
            return {};
        TRY(const ValueId length, all.on("sqrt", {total}));
        // Of no finite length all is no number, as in TensorFlow.
        TRY(const ValueId norm, all.on("add", {length, all.on("subtract", {length, length})}));
        TRY(all.each([&](ValueId gradient) { return all.shortened(gradient, norm, most); }));
    }
    return {};
}

} // namespace tilescope::training
