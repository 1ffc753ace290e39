// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "time_walk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

/// Figures along the time line. A part that lies within one stretch counts with the sum that was made of it
/// once; only parts across the border of two are looked into. Of these most are cut once, by one border: what
/// lies on either side of the part that is cut counts with the sums that are kept of it, too.
namespace tilescope::profile {
namespace {

class FigureWalk {
  public:
    FigureWalk(const StepFigure& figure, std::int64_t from, std::int64_t width, std::size_t count)
        : figure_(figure), from_(from), width_(width),
          sums_(count), range_{from, from + width * static_cast<std::int64_t>(count)} {}

    void add(const std::vector<TimePart>& parts, std::int64_t begin) {
        for (const TimePart& part : parts) {
            const std::int64_t start = begin + part.start;
            const auto [first, last] = overlapping(part, start, range_);
            for (std::int64_t i = first; i <= last;)
                i += add_repeats(part, start + i * part.period, last - i + 1);
        }
    }
    std::vector<FigureSum> take() { return std::move(sums_); }

  private:
    /// Those of the next `most` repeats, of which the first begins at `start`, that lie in one stretch, or
    /// else the first of them.
    std::int64_t add_repeats(const TimePart& part, std::int64_t start, std::int64_t most) {
        const std::int64_t column = column_of(std::max(start, range_.from));
        const std::int64_t border = std::min(range_.to, from_ + (column + 1) * width_);
        if (start >= range_.from && start + part.length <= border) {
            const std::int64_t room = border - start - part.length;
            const std::int64_t count = part.period > 0 ? std::min(most, 1 + room / part.period) : most;
            sums_[static_cast<std::size_t>(column)].add(times(whole(part), count));
            return count;
        }
        if (start >= range_.from && border < range_.to && start + part.length <= border + width_)
            cut(part, start, border, sums_[static_cast<std::size_t>(column)],
                sums_[static_cast<std::size_t>(column) + 1]);
        else if (part.kind == TimePart::Kind::Node)
            add(part.node->parts, start);
        else
            each_piece(part, start,
                       [&](std::int64_t from, std::int64_t to, double rate) { spread(from, to, rate); });
        return 1;
    }

    /// Adds what lies before and behind a border within a part that begins at `start`.
    void cut(const TimePart& part, std::int64_t start, std::int64_t border, FigureSum& before,
             FigureSum& behind) {
        if (part.kind != TimePart::Kind::Node) {
            each_piece(part, start, [&](std::int64_t from, std::int64_t to, double rate) {
                if (from < border)
                    before.add(piece(from, std::min(to, border), rate));
                if (to > border)
                    behind.add(piece(std::max(from, border), to, rate));
            });
            return;
        }
        const std::vector<TimePart>& parts = part.node->parts;
        const NodeSums& sums = sums_of(*part.node);
        std::size_t at = 0;
        while (at < parts.size() && start + parts[at].end() <= border)
            ++at;
        before.add(sums.before[at]);
        if (at == parts.size())
            return;
        behind.add(sums.behind[at]);
        const TimePart& inner = parts[at];
        const std::int64_t begin = start + inner.start;
        if (begin >= border) {
            behind.add(times(whole(inner), inner.repeats));
            return;
        }
        // The first repeat that ends behind the border; those that follow it begin there.
        const std::int64_t first = inner.repeats == 1 || begin + inner.length > border
                                       ? 0
                                       : 1 + (border - begin - inner.length) / inner.period;
        const std::int64_t own = begin + first * inner.period;
        const bool is_cut = own < border;
        if (inner.repeats > 1) {
            const FigureSum each = whole(inner);
            before.add(times(each, first));
            behind.add(times(each, inner.repeats - first - (is_cut ? 1 : 0)));
        }
        if (is_cut)
            cut(inner, own, border, before, behind);
    }

    std::int64_t column_of(std::int64_t cycle) const {
        return std::clamp<std::int64_t>((cycle - from_) / width_, 0,
                                        static_cast<std::int64_t>(sums_.size()) - 1);
    }

    void spread(std::int64_t from, std::int64_t to, double rate) {
        to = std::min(to, range_.to);
        for (std::int64_t at = std::max(from, range_.from); at < to;) {
            const std::int64_t column = column_of(at);
            const std::int64_t end = std::min(to, from_ + (column + 1) * width_);
            sums_[static_cast<std::size_t>(column)].add(piece(at, end, rate));
            at = end;
        }
    }

    static FigureSum piece(std::int64_t from, std::int64_t to, double rate) {
        const auto cycles = static_cast<double>(to - from);
        return {cycles, rate * cycles, rate, rate};
    }
    static FigureSum times(FigureSum sum, std::int64_t count) {
        sum.cycles *= static_cast<double>(count);
        sum.sum *= static_cast<double>(count);
        return sum;
    }

    /// Calls `visit(from, to, per cycle)` for the times of a part that is no node, for which the figure is
    /// known.
    template<class Visit>
    void each_piece(const TimePart& part, std::int64_t start, const Visit& visit) const {
        const bool level = figure_.over == StepFigure::Over::Step;
        if (part.kind == TimePart::Kind::Untraced)
            return;
        if (part.kind != TimePart::Kind::Step) {
            if (!level && part.length > 0)
                visit(start, start + part.length, 0.0);
            return;
        }
        const auto id = static_cast<std::size_t>(part.program_id);
        const double value =
            part.program_id >= 0 && id < figure_.of_step.size() ? figure_.of_step[id] : std::nan("");
        if (std::isnan(value))
            return;
        if (level) {
            if (part.length > 0)
                visit(start, start + part.length, value);
            return;
        }
        const bool compute = figure_.over == StepFigure::Over::Compute;
        std::int64_t at = start;
        for (const auto& [length, own] : {std::pair{part.cycles.sync, false},
                                          {part.cycles.exchange, !compute},
                                          {part.cycles.compute, compute}}) {
            if (length > 0)
                visit(at, at + length, own ? value / static_cast<double>(length) : 0.0);
            at += length;
        }
    }

    FigureSum whole(const TimePart& part) {
        if (part.kind != TimePart::Kind::Node) {
            FigureSum sum;
            each_piece(part, 0, [&](std::int64_t from, std::int64_t to, double rate) {
                sum.add(piece(from, to, rate));
            });
            return sum;
        }
        return sums_of(*part.node).before[part.node->parts.size()];
    }

    /// What lies before and behind each part of a node.
    struct NodeSums {
        std::array<FigureSum, TimeNode::most_parts + 1> before;
        std::array<FigureSum, TimeNode::most_parts> behind;
    };
    const NodeSums& sums_of(const TimeNode& node) {
        if (const auto known = nodes_.find(&node); known != nodes_.end())
            return known->second;
        std::vector<FigureSum> each;
        for (const TimePart& inner : node.parts)
            each.push_back(times(whole(inner), inner.repeats));
        NodeSums& sums = nodes_[&node];
        for (std::size_t i = 0; i < each.size(); ++i) {
            sums.before[i + 1] = sums.before[i];
            sums.before[i + 1].add(each[i]);
        }
        for (std::size_t i = each.size(); i-- > 1;) {
            sums.behind[i - 1] = sums.behind[i];
            sums.behind[i - 1].add(each[i]);
        }
        return sums;
    }

    const StepFigure& figure_;
    std::int64_t from_;
    std::int64_t width_;
    std::vector<FigureSum> sums_;
    TimeRange range_;
    std::unordered_map<const TimeNode*, NodeSums> nodes_;
};

} // namespace

void FigureSum::add(const FigureSum& more) {
    if (more.cycles <= 0)
        return;
    least = cycles > 0 ? std::min(least, more.least) : more.least;
    most = cycles > 0 ? std::max(most, more.most) : more.most;
    cycles += more.cycles;
    sum += more.sum;
}

Result<std::vector<FigureSum>> Profile::trace_figure(std::int64_t ipu, std::int64_t from, std::int64_t width,
                                                     std::size_t count, const StepFigure& figure) const {
    TRY(const auto* line, state_->time_tree().line(ipu));
    FigureWalk walk(figure, from, width, count);
    if (count > 0)
        walk.add(*line, 0);
    return walk.take();
}

} // namespace tilescope::profile
