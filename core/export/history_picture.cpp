// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "export/history.h"
#include "markup.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace tilescope::exports {
namespace {

using analyse::History;
using analyse::HistoryEntry;

constexpr double width = 800;
constexpr double height = 300;
constexpr double left = 90, right = 20, top = 36, bottom = 60;
/// Of the lines, one workload after another (Okabe and Ito's colours, which colour-blind readers tell apart).
constexpr std::array<const char*, 6> colours{"#0072b2", "#d55e00", "#009e73",
                                             "#cc79a7", "#e69f00", "#56b4e9"};

std::string name_of(const HistoryEntry& entry) {
    return entry.label.empty() ? std::filesystem::path(entry.path).stem().string()
                               : analyse::label_text(entry.label);
}

/// Places values between the lowest and the highest of all, with 0 as the ground where that is near.
class Plot {
  public:
    explicit Plot(const History& history) : history_(history) {
        bool any = false;
        for (const HistoryEntry& entry : history.entries)
            if (entry.value) {
                low_ = any ? std::min(low_, *entry.value) : *entry.value;
                high_ = any ? std::max(high_, *entry.value) : *entry.value;
                any = true;
            }
        if (low_ > 0 && low_ < high_ / 2)
            low_ = 0;
        if (high_ <= low_) { // all alike: a line in the middle
            const double room = low_ == 0 ? 1 : std::abs(low_) / 10;
            low_ -= room;
            high_ += room;
        }
    }
    double x(std::size_t at) const {
        const auto last = static_cast<double>(std::max<std::size_t>(2, history_.entries.size()) - 1);
        return left + (width - left - right) * static_cast<double>(at) / last;
    }
    double y(double value) const {
        return height - bottom - (height - top - bottom) * (value - low_) / (high_ - low_);
    }
    std::string axis() const {
        std::string out;
        for (const double part : {0.0, 0.5, 1.0}) {
            const double value = low_ + part * (high_ - low_);
            out += "<path d=\"M" + pixels(left) + " " + pixels(y(value)) + "H" + pixels(width - right) +
                   "\" stroke=\"currentColor\" stroke-opacity=\"0.2\"/>" +
                   svg_text(left - 8, y(value) + 4, "end",
                            analyse::figure_text(value, history_.unit, (high_ - low_) / 2));
        }
        const std::size_t last = history_.entries.size() - 1;
        for (const std::size_t at : {std::size_t{0}, last}) {
            const HistoryEntry& entry = history_.entries[at];
            const char* anchor = at == 0 ? "start" : "end";
            out += svg_text(x(at), height - bottom + 20, anchor, name_of(entry));
            out += svg_text(x(at), height - bottom + 36, anchor, analyse::date_text(entry.started_unix_ms));
            if (last == 0)
                break;
        }
        return out;
    }
    /// The line of one workload: larger points where it changed, a gap where the figure is absent.
    std::string line(const std::string& workload, const char* colour) const {
        std::string path;
        std::string points;
        bool gap = true;
        for (std::size_t i = 0; i < history_.entries.size(); ++i) {
            const HistoryEntry& entry = history_.entries[i];
            if (entry.workload != workload)
                continue;
            gap = gap || !entry.value;
            if (!entry.value)
                continue;
            path += (gap ? "M" : "L") + pixels(x(i)) + " " + pixels(y(*entry.value));
            gap = false;
            points += "<circle cx=\"" + pixels(x(i)) + "\" cy=\"" + pixels(y(*entry.value)) + "\" r=\"" +
                      (entry.changed ? "5" : "2.5") + "\" fill=\"" + colour + "\"><title>" +
                      markup_text(name_of(entry) + ": " + analyse::figure_text(entry.value, history_.unit) +
                                  (entry.cause.empty() ? "" : "; " + entry.cause)) +
                      "</title></circle>";
        }
        return "<path fill=\"none\" stroke-width=\"1.5\" stroke=\"" + std::string(colour) + "\" d=\"" + path +
               "\"/>" + points;
    }

  private:
    const History& history_;
    double low_ = 0;
    double high_ = 0;
};

/// The names of the workloads below the picture, in as many rows as they need.
class Legend {
  public:
    void add(const std::string& name, const char* colour) {
        const double needs = 34 + letter * static_cast<double>(name.size());
        if (x_ > left && x_ + needs > width) {
            x_ = left;
            y_ += row;
        }
        markup_ += "<circle cx=\"" + pixels(x_ + 5) + "\" cy=\"" + pixels(y_ - 4) + "\" r=\"4\" fill=\"" +
                   colour + "\"/>" + svg_text(x_ + 14, y_, "start", name);
        x_ += needs;
    }
    const std::string& markup() const { return markup_; }
    double bottom() const { return y_ + 4; }

  private:
    static constexpr double letter = 7; ///< about the mean width of one
    static constexpr double row = 18;
    double x_ = left;
    double y_ = height - 4;
    std::string markup_;
};

} // namespace

std::string history_svg(const History& history) {
    const Plot plot(history);
    std::map<std::string, const char*> colour_of;
    std::string lines;
    Legend legend;
    for (const HistoryEntry& entry : history.entries) {
        const char* colour = colours[colour_of.size() % colours.size()];
        if (!colour_of.emplace(entry.workload, colour).second)
            continue;
        lines += plot.line(entry.workload, colour);
        legend.add(entry.workload, colour);
    }
    const std::string unit = to_string(history.unit);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + pixels(width) + " " +
           pixels(legend.bottom()) +
           "\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\"><title>History "
           "of " +
           markup_text(history.metric) + "</title>" +
           svg_text(left, 18, "start", history.metric + (unit.empty() ? "" : ", " + unit)) + plot.axis() +
           lines + legend.markup() + "</svg>\n";
}

} // namespace tilescope::exports
