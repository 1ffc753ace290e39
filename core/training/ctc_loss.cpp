// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/ctc_loss.h"

#include "base/try.h"
#include "graph/scan.h"

#include <limits>
#include <string>
#include <utility>

namespace tilescope::training {
namespace {

using graph::Builder;
using graph::DType;
using graph::HostTensor;
using graph::ScanInputs;
using graph::ScanOutputs;
using graph::Shape;
using graph::TensorType;
using graph::ValueId;

constexpr double never = -1e30; ///< the logarithm of a probability that is 0, which sums may be made of

class Ctc {
  public:
    Ctc(Builder& build, const CtcLoss& loss) : build_(build), loss_(loss) {}

    Result<ValueId> add() {
        TRY(check());
        TRY(const ValueId between, labels_between_blanks());
        TRY(const ValueId skips, skips_allowed(between));
        TRY(const ValueId shares, shares_of_states(between));
        TRY(const ValueId running, steps_that_count());
        HostTensor first(TensorType{DType::Float32, {batch_, states_}});
        for (std::int64_t i = 0; i < first.elements(); ++i)
            first.set(i, i % states_ == 0 ? 0 : never);
        TRY(const ScanOutputs made,
            graph::add_scan(
                build_, {{build_.constant("ctc/first", std::move(first))}, {shares, running}, {skips}}, false,
                [this](Builder& body, const ScanInputs& in) { return step(body, in); }, "ctc"));
        return of_ends(made.states[0]);
    }

  private:
    Result<void> check() {
        const TensorType shares = build_.type(loss_.shares);
        const TensorType labels = build_.type(loss_.labels);
        const TensorType lengths{DType::Int32, labels.shape.empty() ? Shape{} : Shape{labels.shape[0]}};
        const bool fit = shares.shape.size() == 3 && graph::is_floating(shares.dtype) &&
                         labels.shape.size() == 2 && labels.dtype == DType::Int32 &&
                         labels.shape[0] == shares.shape[1] && shares.shape[0] > 0 &&
                         build_.type(loss_.label_lengths) == lengths && build_.type(loss_.steps) == lengths;
        if (!fit || labels.shape[1] < 1)
            return bad_input(
                "the CTC loss of " + to_string(shares) + " and labels " + to_string(labels), {},
                "give it [steps, batch, classes], int32 labels [batch, most], and two lengths of "
                "each sample, int32 [batch]");
        if (loss_.blank < 0 || loss_.blank >= shares.shape[2])
            return bad_input("the blank " + std::to_string(loss_.blank) + " of a CTC loss is none of the " +
                                 std::to_string(shares.shape[2]) + " classes",
                             {}, "give it a class from 0 on");
        steps_ = shares.shape[0];
        batch_ = shares.shape[1];
        classes_ = shares.shape[2];
        most_ = labels.shape[1];
        states_ = 2 * most_ + 1;
        return {};
    }

    ValueId filled(Shape shape, std::int64_t value) {
        HostTensor tensor(TensorType{DType::Int32, std::move(shape)});
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            tensor.set(i, static_cast<double>(value));
        return build_.constant("ctc/blank", std::move(tensor));
    }
    Result<ValueId> joined(const Result<ValueId>& a, const Result<ValueId>& b, std::int64_t axis) {
        return build_.emit("concatenate", {a, b}, {{"axis", axis}});
    }
    Result<ValueId> shaped(const Result<ValueId>& x, Shape shape) {
        return build_.emit("reshape", {x}, {{"shape", std::move(shape)}});
    }

    /// [batch, states]: the class of each state.
    Result<ValueId> labels_between_blanks() {
        const auto pairs =
            joined(filled({batch_, most_, 1}, loss_.blank), shaped(loss_.labels, {batch_, most_, 1}), 2);
        return joined(shaped(pairs, {batch_, 2 * most_}), filled({batch_, 1}, loss_.blank), 1);
    }

    /// [batch, states]: 0 where a state may follow the one but one before it, a label after another one.
    Result<ValueId> skips_allowed(ValueId between) {
        const auto earlier = joined(
            filled({batch_, 2}, loss_.blank),
            build_.emit("slice", {between}, {{"begin", Shape{0, 0}}, {"size", Shape{batch_, states_ - 2}}}),
            1);
        const auto other = build_.emit("not_equal", {between, earlier});
        const auto no_blank = build_.emit(
            "not_equal", {between, build_.scalar(static_cast<double>(loss_.blank), DType::Int32)});
        return build_.emit("select", {build_.emit("logical_and", {other, no_blank}), build_.scalar(0),
                                      build_.scalar(never)});
    }

    /// [steps, batch, states]: the logarithm of the share of each state's class.
    Result<ValueId> shares_of_states(ValueId between) {
        auto logarithms = build_.as_type(loss_.shares, DType::Float32);
        if (!loss_.of_logarithms)
            logarithms = build_.emit("log_softmax", {logarithms});
        // Of no share the logarithm is finite, too: the difference of two infinite ones would be no number.
        logarithms = build_.emit("maximum", {logarithms, build_.scalar(never)});
        const auto by_class = build_.emit("transpose", {logarithms}, {{"permutation", Shape{1, 2, 0}}});
        const auto of_states = build_.emit("gather_nd", {by_class, shaped(between, {batch_, states_, 1})},
                                           {{"batch_dims", std::int64_t{1}}});
        const auto is_class = build_.emit(
            "logical_and",
            {build_.emit("greater_equal", {between, build_.scalar(0, DType::Int32)}),
             build_.emit("less", {between, build_.scalar(static_cast<double>(classes_), DType::Int32)})});
        const auto no_class =
            build_.emit("select", {is_class, build_.scalar(0), build_.scalar(never)}); // [batch, states]
        const auto of_classes = build_.emit("add", {of_states, shaped(no_class, {batch_, states_, 1})});
        return build_.emit("transpose", {of_classes}, {{"permutation", Shape{2, 0, 1}}});
    }

    /// bool [steps, batch, states]
    Result<ValueId> steps_that_count() {
        HostTensor numbers(TensorType{DType::Int32, {steps_, 1, states_}});
        for (std::int64_t i = 0; i < numbers.elements(); ++i) {
            const std::int64_t step = i / states_;
            numbers.set(i, static_cast<double>(step));
        }
        return build_.emit(
            "less", {build_.constant("ctc/step", std::move(numbers)), shaped(loss_.steps, {1, batch_, 1})});
    }

    /// The forward variables of the next step.
    Result<ScanOutputs> step(Builder& body, const ScanInputs& in) const {
        const ValueId stay = in.states[0];
        const auto from = [&](std::int64_t back) {
            const auto kept =
                body.emit("slice", {stay}, {{"begin", Shape{0, 0}}, {"size", Shape{batch_, states_ - back}}});
            return body.emit("pad", {kept},
                             {{"before", Shape{0, back}}, {"after", Shape{0, 0}}, {"value", never}});
        };
        TRY(const ValueId next, from(1));
        TRY(const ValueId skip, body.emit("add", {from(2), in.fixed[0]}));
        TRY(const ValueId top,
            body.emit("stop_gradient", {body.emit("maximum", {stay, body.emit("maximum", {next, skip})})}));
        const auto share = [&](ValueId way) { return body.emit("exp", {body.emit("subtract", {way, top})}); };
        const auto sum = body.emit("add", {body.emit("add", {share(stay), share(next)}), share(skip)});
        const auto reached = body.emit("add", {top, body.emit("log", {sum})});
        TRY(const ValueId after,
            body.emit("select", {in.sequences[1], body.emit("add", {reached, in.sequences[0]}), stay}));
        return ScanOutputs{{after}, {}};
    }

    /// [batch]: an alignment ends with the last label, or with the blank after it.
    Result<ValueId> of_ends(ValueId states) {
        HostTensor numbers(TensorType{DType::Int32, {1, states_}});
        for (std::int64_t i = 0; i < states_; ++i)
            numbers.set(i, static_cast<double>(i));
        const ValueId number = build_.constant("ctc/state", std::move(numbers));
        const auto last = build_.emit(
            "multiply", {shaped(loss_.label_lengths, {batch_, 1}), build_.scalar(2, DType::Int32)});
        const auto before = build_.emit("subtract", {last, build_.scalar(1, DType::Int32)});
        const auto ends = build_.emit(
            "logical_or", {build_.emit("equal", {number, last}), build_.emit("equal", {number, before})});
        TRY(const ValueId ended, build_.emit("select", {ends, states, build_.scalar(never)}));
        const graph::Attributes of_rows{{"axes", Shape{1}}, {"keep_dims", true}};
        TRY(const ValueId top, build_.emit("stop_gradient", {build_.emit("reduce_max", {ended}, of_rows)}));
        const auto shares = build_.emit("exp", {build_.emit("subtract", {ended, top})});
        TRY(const ValueId total,
            shaped(
                build_.emit("add", {top, build_.emit("log", {build_.emit("reduce_sum", {shares}, of_rows)})}),
                {batch_}));
        const auto possible = build_.emit("greater", {total, build_.scalar(never / 2)});
        return build_.emit("select", {possible, build_.emit("negate", {total}),
                                      build_.scalar(std::numeric_limits<double>::infinity())});
    }

    Builder& build_;
    const CtcLoss& loss_;
    std::int64_t steps_ = 0;
    std::int64_t batch_ = 0;
    std::int64_t classes_ = 0;
    std::int64_t most_ = 0;   ///< labels
    std::int64_t states_ = 0; ///< each label, with blanks around it
};

} // namespace

Result<ValueId> add_ctc_loss(Builder& build, const CtcLoss& loss) {
    return Ctc(build, loss).add();
}

} // namespace tilescope::training
