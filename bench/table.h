// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <string>

namespace tilescope::bench {

/// The lines of a benchmark in the table that bench/run prints: a figure, what the same run holds it to (a
/// limit, or a peer that it measured), their ratio, and what the ratio is to be.
class Table {
  public:
    explicit Table(std::string part) : part_(std::move(part)) {}

    /// Limits: the ratio is to be at most 1.
    void at_most(const std::string& figure, double value, const std::string& unit, double limit,
                 const std::string& note = {}) {
        row(figure, value, unit, "limit", limit, "at most", 1, value <= limit, note);
    }
    /// The same with a limit that the run measures, of which the ratio may be up to `aim`.
    void at_most(const std::string& figure, double value, const std::string& unit, const std::string& against,
                 double reference, double aim, const std::string& note = {}) {
        row(figure, value, unit, against, reference, "at most", aim, value <= aim * reference, note);
    }
    /// Peers: the ratio is to be at least `aim`.
    void at_least(const std::string& figure, double value, const std::string& unit, const std::string& peer,
                  double of_peer, double aim, const std::string& note = {}) {
        row(figure, value, unit, peer, of_peer, "at least", aim, value >= aim * of_peer, note);
    }
    void skipped(const std::string& figure, const std::string& why) const {
        std::printf("%-9s %-58s skipped: %s\n", part_.c_str(), figure.c_str(), why.c_str());
    }
    /// 1 where an aim was missed.
    int exit_code() const { return missed_ ? 1 : 0; }

  private:
    static std::string number(double value) {
        char text[32];
        std::snprintf(text, sizeof text, value >= 1000 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
        return text;
    }
    void row(const std::string& figure, double value, const std::string& unit, const std::string& against,
             double reference, const char* sense, double aim, bool kept, const std::string& note) {
        missed_ = missed_ || !kept;
        std::printf("%-9s %-58s %9s %-10s %-12s %9s  %6.2f  %s %.2f%s%s%s\n", part_.c_str(), figure.c_str(),
                    number(value).c_str(), unit.c_str(), against.c_str(), number(reference).c_str(),
                    reference != 0 ? value / reference : 0, sense, aim, kept ? "" : "  MISSED",
                    note.empty() ? "" : "  ", note.c_str());
        std::fflush(stdout);
    }

    std::string part_;
    bool missed_ = false;
};

} // namespace tilescope::bench
