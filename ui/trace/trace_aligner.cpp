// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_aligner.h"

#include "base/text.h"
#include "base/try.h"
#include "ui/session/format.h"

#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

using Tables = std::shared_ptr<const TraceTables>;
using Cycle = std::optional<std::int64_t>;

/// When an operation first begins within a range, on any IPU; nullopt: not there.
Result<Cycle> first_run(const profile::Profile& file, const TraceTables& tables, std::int64_t operation,
                        analyse::Range range) {
    TRY(const auto* program, tables.program(file));
    const std::vector<std::int64_t> steps = program->stepsOf(operation);
    Cycle first;
    for (const profile::IpuRecord& ipu : tables.ipus)
        TRY(file.trace_steps(ipu.id, range.first, range.second, &steps,
                             [&](const profile::TraceSlice& slice) {
                                 if (slice.start_cycle < range.first)
                                     return true;
                                 if (slice.start_cycle < range.second)
                                     first = std::min(first.value_or(slice.start_cycle), slice.start_cycle);
                                 return false;
                             }));
    return first;
}

/// What is matched of one run.
struct Side {
    analyse::Parts parts;
    std::vector<analyse::NamedStep> steps;
    static Result<std::shared_ptr<const Side>> read(const profile::Profile& file) {
        Side side;
        TRY(side.parts, analyse::Parts::read(file));
        TRY(side.steps, analyse::named_steps(file));
        return std::make_shared<const Side>(std::move(side));
    }
};

} // namespace

TraceAligner::TraceAligner(TraceFeed& now, TraceFeed& base, const Alignment& wanted,
                           analyse::HandMatches by_hand, QObject* parent)
    : QObject(parent), now_(now), base_(base), wanted_(wanted), by_hand_(std::move(by_hand)) {}

std::int64_t TraceAligner::at(const Ids& ids, std::int64_t id) {
    const auto found = ids.find(id);
    return found == ids.end() ? -1 : found->second;
}

void TraceAligner::setAlignment(const Alignment& wanted) {
    wanted_ = wanted;
    align();
}

void TraceAligner::tablesRead() {
    if (!now_.tables() || !base_.tables())
        return;
    if (!matched_)
        match();
    if (!found_) // a file that grows keeps what was found
        align();
}

/// The parts of the new run are read on its thread, and matched with those of the base on the base's.
void TraceAligner::match() {
    matched_ = true;
    now_.source().ask<std::shared_ptr<const Side>>(
        this, QStringLiteral("parts"), &Side::read, [this](const Result<std::shared_ptr<const Side>>& now) {
            if (!now)
                return;
            base_.source().ask<std::shared_ptr<const Same>>(
                this, QStringLiteral("matching"),
                [now = *now,
                 by_hand = by_hand_](const profile::Profile& file) -> Result<std::shared_ptr<const Same>> {
                    TRY(const auto base, Side::read(file));
                    Same same{analyse::match(base->parts, now->parts, by_hand), {}};
                    same.steps = analyse::match_steps(base->steps, now->steps, same.parts);
                    return std::make_shared<const Same>(std::move(same));
                },
                [this](const Result<std::shared_ptr<const Same>>& same) {
                    if (!same)
                        return;
                    same_ = *same;
                    for (const auto& [now_id, base_id] : same_->parts.layers)
                        layers_[base_id] = now_id;
                    for (const auto& [now_id, base_id] : same_->parts.operations)
                        operations_[base_id] = now_id;
                    if (wanted_.on == Alignment::On::Operation)
                        align();
                    Q_EMIT matched();
                });
        });
}

QString TraceAligner::stepText() const {
    const QString step = tr("step %1").arg(formatCount(wanted_.step + 1));
    return now_.tables()->epochs() > 1 || base_.tables()->epochs() > 1
               ? tr("epoch %1, %2").arg(formatCount(wanted_.epoch + 1), step)
               : step;
}

void TraceAligner::align() {
    if (!now_.tables() || !base_.tables())
        return;
    const TraceTables& now = *now_.tables();
    const TraceTables& base = *base_.tables();
    const auto start = [this](const TraceTables& tables) {
        const auto cycles = tables.stepCycles(wanted_.epoch, wanted_.step);
        return cycles ? Cycle(cycles->first) : std::nullopt;
    };
    switch (wanted_.on) {
    case Alignment::On::Beginning:
        return take(now.range.first - base.range.first, true, tr("both runs begin at once"));
    case Alignment::On::Step:
        return place(start(now), start(base), stepText());
    case Alignment::On::Operation:
        return alignOperation();
    case Alignment::On::Offset:
        return take(wanted_.offset, true, tr("by hand"));
    }
}

void TraceAligner::alignOperation() {
    const Tables now = now_.tables();
    const Tables base = base_.tables();
    const std::int64_t operation = now->program().operationNamed(wanted_.operation);
    const auto in_now = now->stepCycles(wanted_.epoch, wanted_.step);
    const auto in_base = base->stepCycles(wanted_.epoch, wanted_.step);
    const std::int64_t other = operationInBase(operation);
    if (wanted_.operation.isEmpty())
        return take(shift_, false, tr("name an operation of %1").arg(now_.source().name()));
    if (same_ == nullptr || !now->knowsProgram())
        return take(shift_, false, tr("matching the operations …"));
    if (operation < 0)
        return take(shift_, false, tr("%1 has no operation %2").arg(now_.source().name(), wanted_.operation));
    if (other < 0)
        return take(shift_, false, tr("%1 is not in %2").arg(wanted_.operation, base_.source().name()));
    if (!in_now || !in_base)
        return place(in_now ? Cycle(0) : std::nullopt, in_base ? Cycle(0) : std::nullopt, stepText());
    now_.source().ask<Cycle>(
        this, QStringLiteral("align"),
        [now, operation, range = *in_now](const profile::Profile& file) {
            return first_run(file, *now, operation, range);
        },
        [this, base, other, range = *in_base, wanted = wanted_](const Result<Cycle>& here) {
            if (!here || wanted != wanted_)
                return;
            base_.source().ask<Cycle>(
                this, QStringLiteral("align"),
                [base, other, range](const profile::Profile& file) {
                    return first_run(file, *base, other, range);
                },
                [this, here = *here, wanted](const Result<Cycle>& there) {
                    if (there && wanted == wanted_)
                        place(here, *there, tr("%1 in %2").arg(wanted.operation, stepText()));
                });
        });
}

/// `now`, `base`: where that begins in them; nullopt: it is not known there.
void TraceAligner::place(Cycle now, Cycle base, const QString& what) {
    if (now && base)
        return take(*now - *base, true, tr("%1 begins in both at once").arg(what));
    take(shift_, false, tr("%1 has no trace of %2").arg((now ? base_ : now_).source().name(), what));
}

void TraceAligner::take(std::int64_t shift, bool found, const QString& why) {
    shift_ = shift;
    found_ = found;
    const double clock = now_.tables()->clock_hz;
    const double base_clock = base_.tables()->clock_hz;
    const QString name = base_.source().name();
    const std::int64_t far = std::abs(shift);
    const QString time = formatCyclesAndTime(far, clock);
    const QString moved = shift == 0  ? tr("%1 is not moved").arg(name)
                          : shift > 0 ? tr("%1 stands %2 later").arg(name, time)
                                      : tr("%1 stands %2 earlier").arg(name, time);
    words_ = found ? QStringLiteral("%1: %2").arg(moved, why) : QStringLiteral("%1; %2").arg(why, moved);
    if (clock > 0 && base_clock > 0 && clock != base_clock)
        words_ += tr("; both are drawn by cycles, which at the base's %1 last %2 times as long")
                      .arg(text(clock_text(base_clock)), formatNumber(clock / base_clock));
    Q_EMIT changed();
}

} // namespace tilescope::ui
