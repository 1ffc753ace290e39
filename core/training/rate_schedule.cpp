// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/rate_schedule.h"

#include "base/nearest_name.h"
#include "base/try.h"
#include "training/optimisers.h"

#include <cmath>
#include <map>
#include <numbers>

namespace tilescope::training {

using graph::Builder;
using graph::RateSchedule;
using graph::ValueId;
namespace {

/// Arithmetic on scalars of the device.
class Scalars {
  public:
    Scalars(Builder& build, const RateSchedule& schedule, ValueId step)
        : build_(build), schedule_(schedule), step_(step) {}

    double number(const char* name, double otherwise) const {
        return schedule_.settings.real(name, otherwise);
    }
    double initial() const { return number("initial_learning_rate", 0.01); }
    double decay_steps() const { return number("decay_steps", 1); }
    std::vector<double> list(const char* name) const {
        return schedule_.settings.get(name, std::vector<double>());
    }

    ValueId step() const { return step_; }
    ValueId of(double value) { return build_.scalar(value); }
    Result<ValueId> on(const char* kind, const Result<ValueId>& a, double b) {
        return build_.emit(kind, {a, of(b)});
    }
    Result<ValueId> on(const char* kind, double a, const Result<ValueId>& b) {
        return build_.emit(kind, {of(a), b});
    }
    Result<ValueId> on(const char* kind, const Result<ValueId>& a, const Result<ValueId>& b) {
        return build_.emit(kind, {a, b});
    }
    Result<ValueId> on(const char* kind, const Result<ValueId>& a) { return build_.emit(kind, {a}); }
    /// `value` where `condition` holds, else `otherwise`.
    Result<ValueId> chosen(ValueId condition, double value, ValueId otherwise) {
        return build_.emit("select", {condition, of(value), otherwise});
    }
    Result<ValueId> cast(const Result<ValueId>& a, const char* dtype) {
        return build_.emit("cast", {a}, {{"dtype", std::string(dtype)}});
    }
    /// step / decay_steps, as a whole number where the schedule is a staircase.
    Result<ValueId> periods() {
        const auto p = on("divide", step_, decay_steps());
        return schedule_.settings.flag("staircase") ? cast(cast(p, "int32"), "float32") : p;
    }
    /// step / decay_steps up to 1; where the schedule has a `cycle`, over the whole number of decay_steps
    /// that the step lies in, so that the rate rises again at the end of each.
    Result<ValueId> progress() {
        TRY(const ValueId decays, on("divide", step_, decay_steps()));
        if (!schedule_.settings.flag("cycle"))
            return on("minimum", decays, 1.0);
        return on("divide", decays, on("maximum", on("ceil", decays), 1.0));
    }

  private:
    Builder& build_;
    const RateSchedule& schedule_;
    ValueId step_;
};

Result<ValueId> exponential(Scalars& s) {
    TRY(const ValueId power, s.on("multiply", s.periods(), std::log(s.number("decay_rate", 0.96))));
    return s.on("multiply", s.on("exp", power), s.initial());
}
Result<ValueId> inverse_time(Scalars& s) {
    TRY(const ValueId below, s.on("add", s.on("multiply", s.periods(), s.number("decay_rate", 0.5)), 1.0));
    return s.on("divide", s.initial(), below);
}
Result<ValueId> polynomial(Scalars& s) {
    const double end = s.number("end_learning_rate", 1e-4);
    TRY(const ValueId left, s.on("subtract", 1.0, s.progress()));
    TRY(const ValueId share, s.on("power", left, s.number("power", 1)));
    return s.on("add", s.on("multiply", share, s.initial() - end), end);
}
Result<ValueId> cosine(Scalars& s) {
    const double alpha = s.number("alpha", 0);
    TRY(const ValueId wave, s.on("cos", s.on("multiply", s.progress(), std::numbers::pi)));
    TRY(const ValueId share, s.on("add", s.on("multiply", wave, 0.5 * (1 - alpha)), 0.5 * (1 + alpha)));
    return s.on("multiply", share, s.initial());
}
/// A wave of first_decay_steps, then of t_mul times as many each, which begin at m_mul times the rate.
Result<ValueId> cosine_restarts(Scalars& s) {
    const double longer = s.number("t_mul", 2);
    TRY(const ValueId waves, s.on("divide", s.step(), s.number("first_decay_steps", 1)));
    Result<ValueId> before = s.on("floor", waves); // whole waves
    Result<ValueId> at = s.on("subtract", waves, before);
    if (longer != 1) {
        TRY(const ValueId power, s.on("add", s.on("multiply", waves, longer - 1), 1.0));
        before = s.on("floor", s.on("divide", s.on("log", power), std::log(longer)));
        TRY(const ValueId length, s.on("power", longer, before));
        TRY(const ValueId begun, s.on("divide", s.on("subtract", length, 1.0), longer - 1));
        at = s.on("divide", s.on("subtract", waves, begun), length);
    }
    TRY(const ValueId height, s.on("power", s.number("m_mul", 1), before));
    TRY(const ValueId wave, s.on("cos", s.on("multiply", at, std::numbers::pi)));
    const double alpha = s.number("alpha", 0);
    TRY(const ValueId share,
        s.on("multiply", s.on("multiply", s.on("add", wave, 1.0), height), 0.5 * (1 - alpha)));
    return s.on("multiply", s.on("add", share, alpha), s.initial());
}
/// values[0] up to and including boundaries[0], values[1] up to boundaries[1], …
Result<ValueId> piecewise(Scalars& s) {
    const std::vector<double> boundaries = s.list("boundaries");
    const std::vector<double> values = s.list("values");
    ValueId rate = s.of(values.front());
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        TRY(const ValueId passed, s.on("greater", s.step(), boundaries[i]));
        TRY(rate, s.chosen(passed, values[i + 1], rate));
    }
    return rate;
}

const std::map<std::string, Result<ValueId> (*)(Scalars&)>& schedules() {
    static const std::map<std::string, Result<ValueId> (*)(Scalars&)> all = {
        {"ExponentialDecay", exponential},        {"InverseTimeDecay", inverse_time},
        {"PolynomialDecay", polynomial},          {"CosineDecay", cosine},
        {"CosineDecayRestarts", cosine_restarts}, {"PiecewiseConstantDecay", piecewise}};
    return all;
}

} // namespace

std::vector<std::string> schedule_names() {
    std::vector<std::string> names;
    for (const auto& [name, formula] : schedules())
        names.push_back(name);
    return names;
}

Result<ValueId> add_rate(Builder& build, const RateSchedule& schedule, ValueId step) {
    const std::string place = "compile.optimizer.learning_rate";
    const auto formula = schedules().find(schedule.name);
    if (formula == schedules().end()) {
        return not_supported("learning-rate schedule \"" + schedule.name + "\" is not supported", place,
                             remedy_for(schedule.name, schedule_names(), "use ExponentialDecay"));
    }
    Scalars scalars(build, schedule, step);
    const std::size_t values = scalars.list("values").size();
    const std::size_t boundaries = scalars.list("boundaries").size();
    if (schedule.name == "PiecewiseConstantDecay" && values != boundaries + 1)
        return bad_input(std::to_string(values) + " values for " + std::to_string(boundaries) + " boundaries",
                         place, "give one value more than boundaries");
    for (const char* steps : {"decay_steps", "first_decay_steps"})
        if (schedule.settings.real(steps, 1) <= 0)
            return bad_input(std::string(steps) + " is not above 0", place, "give the number of steps");
    if (schedule.settings.real("t_mul", 1) <= 0)
        return bad_input("t_mul is not above 0", place, "give how much longer each wave is than the last");
    return formula->second(scalars);
}

} // namespace tilescope::training
