// SPDX-License-Identifier: GPL-3.0-or-later
// What the time in view, or in a selected range, is spent on: the part of TraceView that asks for it.
#include "analyse/range_difference.h"
#include "analyse/summary.h"
#include "base/try.h"
#include "trace_aligner.h"
#include "ui/session/format.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace tilescope::ui {
namespace {

const QString totals_topic = QStringLiteral("trace totals");
const QString durations_topic = QStringLiteral("trace durations");
const QString heads_topic = QStringLiteral("trace heads");
const QString heads_of_base_topic = QStringLiteral("trace heads of base");

} // namespace

void TraceView::connectTotals() {
    connect(totals_, &TotalsPanel::closed, this, &TraceView::clearRange);
    connect(totals_, &TotalsPanel::passWanted, this, &TraceView::showLongest);
    connect(totals_, &TotalsPanel::markWanted, this, [this](qint64 mark) {
        if (const auto& marks = timeline_->marks(); mark >= 0 && mark < std::ssize(marks))
            showMark(marks[static_cast<std::size_t>(mark)]);
    });
    connect(totals_, &TotalsPanel::markUnwanted, this, [this](qint64 mark) {
        std::vector<TimelineMark> left = timeline_->marks();
        if (mark >= 0 && mark < std::ssize(left))
            left.erase(left.begin() + mark);
        changeMarks(std::move(left), tr("remove a mark"));
    });
    connect(totals_, &TotalsPanel::scopeChanged, this, &TraceView::askTotals);
    const auto pick = [this](auto field) {
        return [this, field](qint64 chosen) {
            if (selection() == nullptr || range_base_ || feed_ == nullptr || !feed_->tables())
                return;
            Selection next = selection()->current();
            next.operation = next.layer = next.program = -1;
            next.*field = chosen;
            if (next.program >= 0)
                next.operation = feed_->tables()->program().step(next.program).operation;
            selection()->set(next);
        };
    };
    connect(totals_, &TotalsPanel::operationChosen, this, pick(&Selection::operation));
    connect(totals_, &TotalsPanel::layerChosen, this, pick(&Selection::layer));
    connect(totals_, &TotalsPanel::programChosen, this, pick(&Selection::program));
}

/// `base`: of the base's IPU of that number, over the same part of the axis.
TotalsPanel::Subject TraceView::totalsSubject(bool base) const {
    const TraceFeed& feed = *feedOf(base);
    const auto range = timeline_->range();
    const std::int64_t ipu = totals_->wantsAllIpus() ? analyse::every_ipu : range ? range_ipu_ : currentIpu();
    const analyse::Range all = feed.tables()->range;
    analyse::Range wanted =
        range ? analyse::Range(*range)
              : analyse::Range(std::llround(timeline_->view().from()), std::llround(timeline_->view().to()));
    // Before its beginning and after its end a file has no time.
    const std::int64_t later = shift(base);
    wanted = {std::clamp(wanted.first - later, all.first, all.second),
              std::clamp(wanted.second - later, all.first, all.second)};
    return {ipu, wanted, feed.tables()->clock_hz, feed.source().name(), range.has_value()};
}

/// How much of the time each IPU computes whose lanes are there.
void TraceView::askHeads() {
    using Remarks = std::map<std::pair<std::int64_t, bool>, QString>;
    const auto told = std::make_shared<Remarks>();
    for (const bool base : {false, true}) {
        TraceFeed* feed = feedOf(base);
        std::vector<std::int64_t> ipus;
        for (const TimelineGroup& group : timeline_->groups())
            if (group.base == base && group.ipu >= 0 && !group.part)
                ipus.push_back(group.ipu);
        if (feed == nullptr || !feed->tables() || ipus.empty())
            continue;
        const TotalsPanel::Subject subject = totalsSubject(base);
        const QString words =
            subject.selected ? tr("computes %1 of the selected time") : tr("computes %1 of the time in view");
        feed->source().ask<Remarks>(
            this, base ? heads_of_base_topic : heads_topic,
            [ipus, subject, base, words](const profile::Profile& file) -> Result<Remarks> {
                Remarks remarks;
                for (const std::int64_t ipu : ipus) {
                    TRY(const auto phases, analyse::range_phases(file, ipu, subject.range));
                    if (const auto share = analyse::utilisation(phases))
                        remarks[{ipu, base}] = words.arg(formatPercent(*share));
                }
                return remarks;
            },
            [this, told, range = timeline_->range()](const Result<Remarks>& remarks) {
                if (!remarks || timeline_->range() != range)
                    return;
                told->insert(remarks->begin(), remarks->end());
                timeline_->setHeadRemarks(*told);
            });
    }
}

void TraceView::askTotals() {
    askHeads();
    const auto range = timeline_->range();
    const bool base = range && range_base_;
    TraceFeed* feed = feedOf(base);
    const auto runs = [](const TraceFeed* each) {
        return each != nullptr && each->tables() &&
               each->tables()->range.second > each->tables()->range.first;
    };
    if (!runs(feed))
        return;
    totals_->setIpus(feed->tables()->ipus.size());
    totals_ipu_ = currentIpu();
    const TotalsPanel::Subject subject = totalsSubject(base);
    const auto has = [&](const TraceFeed* each) { // what is not there is not 0
        const auto& ipus = each->tables()->ipus;
        return subject.ipu == analyse::every_ipu ||
               std::any_of(ipus.begin(), ipus.end(),
                           [&](const profile::IpuRecord& ipu) { return ipu.id == subject.ipu; });
    };
    if (sources().difference && runs(feed_) && runs(base_) && has(feed_) && has(base_))
        return askDifference();
    visible_totals_asked_ = !range;
    totals_->setComputing(subject);
    struct Answer {
        analyse::RangeTotals totals;
        std::vector<analyse::IpuUse> uses;
    };
    feed->source().ask<Answer>(
        this, totals_topic,
        [subject, tables = feed->tables()](const profile::Profile& file) -> Result<Answer> {
            Answer answer;
            TRY(const auto* program, tables->program(file));
            TRY(answer.totals, analyse::range_totals(file, subject.ipu, subject.range, program->balances));
            TRY(answer.uses,
                analyse::ipu_uses(file, subject.ipu, subject.range, program->balances, program->traffic));
            return answer;
        },
        [this, feed = QPointer<TraceFeed>(feed), subject, range](Result<Answer> answer) {
            visible_totals_asked_ = false;
            if (!answer || feed == nullptr || timeline_->range() != range)
                return;
            totals_->setTotals(subject, answer->totals, std::move(answer->uses), *feed->tables());
            totals_->show();
            tellTotals();
            if (selection() != nullptr)
                tellChosen(selection()->current());
            askDurations();
        });
}

/// In the panel at the side, while no slice is chosen.
void TraceView::tellTotals() {
    const TraceFeed* feed = feedOf(timeline_->range() && range_base_);
    if (tells_slice_ || feed == nullptr || !feed->tables())
        return;
    std::int64_t executions = 0;
    for (const profile::ExecutionGroupRecord& group : feed->tables()->executions)
        executions += feed->tables()->planned ? 0 : group.count;
    Q_EMIT detailsChanged(totals_->details(executions));
}

/// Within what the totals are of; of the new file where both are compared.
void TraceView::askDurations() {
    TraceFeed* feed = feedOf(totals_->difference() ? false : timeline_->range() && range_base_);
    if (feed == nullptr || !feed->tables())
        return;
    const TotalsPanel::Subject subject = totalsSubject(feed->base());
    using Durations = std::shared_ptr<const analyse::RangeDurations>;
    feed->source().ask<Durations>(
        this, durations_topic,
        [subject](const profile::Profile& file) -> Result<Durations> {
            TRY(auto durations, analyse::range_durations(file, subject.ipu, subject.range));
            return std::make_shared<const analyse::RangeDurations>(std::move(durations));
        },
        [this](const Result<Durations>& durations) {
            if (durations)
                totals_->setDurations(*durations);
            else if (durations.error().kind != ErrorKind::Cancelled) // none will come
                totals_->setDurations(std::make_shared<const analyse::RangeDurations>());
        });
}

void TraceView::tellChosen(const Selection& chosen) {
    using Told = TotalsPanel::Chosen;
    if (feed_ == nullptr || !feed_->tables() || (timeline_->range() && range_base_))
        return totals_->setChosen({});
    const TraceTables& tables = *feed_->tables();
    totals_->setChosen(
        chosen.program >= 0     ? std::optional(Told{TotalsPanel::Programs, chosen.program,
                                                 tables.program().step(chosen.program).name})
        : chosen.operation >= 0 ? std::optional(Told{TotalsPanel::Operations, chosen.operation,
                                                     tables.program().operationName(chosen.operation)})
        : chosen.layer >= 0
            ? std::optional(Told{TotalsPanel::Layers, chosen.layer, tables.program().layerName(chosen.layer)})
            : std::nullopt);
}

void TraceView::showLongest(const analyse::Durations& durations) {
    unhide(durations.ipu);
    const bool base = timeline_->range() && range_base_ && !totals_->difference();
    const auto start = static_cast<double>(durations.where.first + shift(base));
    const auto end = static_cast<double>(durations.where.second + shift(base));
    timeline_->show(start - (end - start), end + (end - start));
    timeline_->revealGroup(durations.ipu);
}

/// The totals of the new run come first, then those of the base, on whose thread both are compared.
void TraceView::askDifference() {
    const auto same = aligner_->same();
    const TotalsPanel::Subject now = totalsSubject(false);
    const TotalsPanel::Subject base = totalsSubject(true);
    totals_->setComputing(now, base);
    if (!same)
        return; // showAligned() asks again
    visible_totals_asked_ = !timeline_->range();
    struct Side {
        analyse::RangeTotals totals;
        std::optional<analyse::TileUtilisation> use;
    };
    using Totals = std::shared_ptr<const Side>;
    const auto read = [](const profile::Profile& file, const TotalsPanel::Subject& subject,
                         const TraceTables& tables) -> Result<Side> {
        TRY(const auto* program, tables.program(file));
        TRY(auto totals, analyse::range_totals(file, subject.ipu, subject.range, program->balances));
        const auto use = analyse::tile_utilisation(totals, program->balances);
        return Side{std::move(totals), use};
    };
    const auto of = [read](const TotalsPanel::Subject& subject, const auto& tables) {
        return [read, subject, tables](const profile::Profile& file) -> Result<Totals> {
            TRY(auto side, read(file, subject, *tables));
            return std::make_shared<const Side>(std::move(side));
        };
    };
    struct Answer {
        analyse::RangeDifference difference;
        TotalsPanel::Uses uses;
    };
    const auto compare = [this, read, now, base, same, range = timeline_->range()](const Totals& side) {
        base_->source().ask<Answer>(
            this, totals_topic,
            [read, base, same, side,
             tables = base_->tables()](const profile::Profile& file) -> Result<Answer> {
                TRY(const auto there, read(file, base, *tables));
                return Answer{analyse::range_difference(there.totals, side->totals, same->parts, same->steps),
                              {side->use, there.use}};
            },
            [this, now, base, range](Result<Answer> answer) {
                visible_totals_asked_ = false;
                if (!answer || timeline_->range() != range || feed_ == nullptr || base_ == nullptr)
                    return;
                totals_->setDifference(now, base, answer->difference, answer->uses, *feed_->tables(),
                                       *base_->tables());
                totals_->show();
                tellTotals();
                if (selection() != nullptr)
                    tellChosen(selection()->current());
                askDurations();
            });
    };
    feed_->source().ask<Totals>(this, totals_topic, of(now, feed_->tables()),
                                [this, compare](const Result<Totals>& side) {
                                    if (side && base_ != nullptr)
                                        compare(*side);
                                });
}

void TraceView::wantSeen() {
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->want(timeline_->view().from(), timeline_->view().to(), timeline_->view().cyclesPerPixel(),
                       timeline_->seenIpus(feed->base()));
}

void TraceView::viewMoved() {
    wantSeen();
    if (timeline_->range())
        return;
    // Totals of what is in view are as high as their text: what asked for them again whenever lanes get more
    // or less height would never end.
    const std::pair in_view(timeline_->view().from(), timeline_->view().to());
    if (std::exchange(totals_view_, in_view) == in_view)
        return;
    timeline_->setHeadRemarks({}); // until those of what is in view now are known
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            for (const QString& topic : {heads_topic, heads_of_base_topic})
                feed->source().cancel(this, topic);
    // Totals of what is in view can wait; a sum that is under way must not hold up the slices.
    if (std::exchange(visible_totals_asked_, false))
        for (TraceFeed* feed : {feed_, base_})
            if (feed != nullptr)
                feed->source().cancel(this, totals_topic);
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->source().cancel(this, durations_topic);
    totals_timer_.start();
}

void TraceView::clearRange() {
    timeline_->setRange({});
    timeline_->setHeadRemarks({});
    showRange();
    totals_timer_.start();
    if (selection() != nullptr && selection()->current().range) {
        Selection next = selection()->current();
        next.range.reset();
        selection()->set(next);
    }
}

} // namespace tilescope::ui
