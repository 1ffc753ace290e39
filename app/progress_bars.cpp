// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/progress_bars.h"

#include "base/text.h"
#include "base/wait_text.h"

#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tilescope::app {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr auto line_interval =
    std::chrono::milliseconds(10'000);       ///< of lines within a pass, where none is drawn over
constexpr std::int64_t compiling_width = 12; ///< of the bar: leaves room for what is within a pass

std::string bar(std::int64_t done, std::int64_t all, std::int64_t width, char filled, char empty) {
    const std::int64_t full = all == 0 ? width : done * width / all;
    return std::string(static_cast<std::size_t>(full), filled) +
           std::string(static_cast<std::size_t>(width - full), empty);
}

std::string metrics_text(const std::vector<std::pair<std::string, double>>& metrics) {
    std::string text;
    for (const auto& [name, value] : metrics) {
        char number[64];
        std::snprintf(number, sizeof number, "%.4f", value);
        text += " - " + name + ": " + (std::isnan(value) ? "nan" : number); // whose sign has no meaning
    }
    return text;
}

/// Of the terminal that the bars are drawn on: a line that is longer could not be drawn over.
std::size_t terminal_columns() {
    winsize size{};
    constexpr std::size_t usual = 80;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

} // namespace

ProgressMode progress_mode(const std::string& option) {
    if (option == "none")
        return ProgressMode::None;
    return option == "auto" && isatty(STDERR_FILENO) != 0 ? ProgressMode::Bars : ProgressMode::Lines;
}

void ProgressBars::draw(const std::string& wanted) {
    const std::string line = wanted.substr(0, terminal_columns() - 1);
    const std::string pad = last_.size() > line.size() ? std::string(last_.size() - line.size(), ' ') : "";
    std::fprintf(stderr, "\r%s%s", line.c_str(), pad.c_str());
    std::fflush(stderr);
    last_ = line;
    open_ = true;
    drawn_ = Clock::now();
}

void ProgressBars::end_line() {
    if (open_)
        std::fputc('\n', stderr);
    open_ = false;
    last_.clear();
}

std::string ProgressBars::elapsed() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    char text[64];
    std::snprintf(text, sizeof text, "[Elapsed: %02d:%02d:%04.1f]", static_cast<int>(seconds) / 3600,
                  static_cast<int>(seconds) / 60 % 60, std::fmod(seconds, 60.0));
    return text;
}

void ProgressBars::compiling(const std::string& program, const std::string& pass, std::size_t number,
                             std::size_t count) {
    if (number == 0)
        begin_ = Clock::now();
    work_.reset();
    if (mode_ == ProgressMode::Bars) {
        program_ = "[" +
                   bar(static_cast<std::int64_t>(number), static_cast<std::int64_t>(count), compiling_width,
                       '#', ' ') +
                   "] " + std::to_string(100 * number / count) + "% Compiling " + program + ": ";
        draw(program_ + pass + " " + elapsed());
    } else if (mode_ == ProgressMode::Lines) {
        program_ = "Compiling " + program + ", pass " + std::to_string(number + 1) + " of " +
                   std::to_string(count) + ": ";
        if (number == 0) {
            std::fprintf(stderr, "Compiling %s\n", program.c_str());
            drawn_ = Clock::now();
        }
    }
}

void ProgressBars::within_pass(const compile::WorkDone& progress) {
    if (progress.work != work_ || progress.done == 0) {
        work_ = progress.work;
        work_begin_ = Clock::now();
    }
    const auto apart = mode_ == ProgressMode::Bars ? redraw_interval : line_interval;
    if (mode_ == ProgressMode::None || Clock::now() - drawn_ < apart)
        return;
    const double seconds = std::chrono::duration<double>(Clock::now() - work_begin_).count();
    std::string line = program_ + verb(progress.work) + " " +
                       count_text(static_cast<std::int64_t>(progress.done)) + " of " +
                       count_text(static_cast<std::int64_t>(progress.count));
    if (progress.done > 0) // as fast as so far
        line += ", about " +
                wait_text(std::round(seconds * static_cast<double>(progress.count - progress.done) /
                                     static_cast<double>(progress.done))) +
                " of it left";
    if (mode_ == ProgressMode::Bars)
        return draw(line + ": " + progress.part);
    std::fprintf(stderr, "%s %s\n", line.c_str(), elapsed().c_str());
    drawn_ = Clock::now();
}

void ProgressBars::compiled(const std::string& program) {
    if (mode_ != ProgressMode::Bars || !open_)
        return;
    draw("[" + bar(1, 1, compiling_width, '#', ' ') + "] 100% Compiled " + program + " " + elapsed());
    end_line();
}

void ProgressBars::epoch_started(std::int64_t epoch, std::int64_t epochs, std::int64_t) {
    begin_ = Clock::now();
    if (mode_ != ProgressMode::None) {
        end_line();
        std::fprintf(stderr, "Epoch %lld/%lld\n", static_cast<long long>(epoch) + 1,
                     static_cast<long long>(epochs));
    }
}

void ProgressBars::steps_done(std::int64_t done, std::int64_t steps, double device_us,
                              const std::vector<std::pair<std::string, double>>& metrics) {
    if (mode_ == ProgressMode::None)
        return;
    const bool last = done == steps;
    if (!last && (mode_ == ProgressMode::Lines || Clock::now() - drawn_ < redraw_interval))
        return;
    if (!save_())
        return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    char wall[32];
    std::snprintf(wall, sizeof wall, "%.0fs", seconds);
    const std::string per_step = device_us > 0 ? time_text(device_us * 1e-6) + "/step on the IPU"
                                               : time_text(seconds / static_cast<double>(done)) + "/step";
    const std::string line = std::to_string(done) + "/" + std::to_string(steps) + " [" +
                             bar(done, steps, 30, '=', '.') + "] - " + wall + " - " + per_step +
                             metrics_text(metrics);
    if (mode_ == ProgressMode::Bars)
        draw(line);
    else
        std::fprintf(stderr, "%s\n", line.c_str());
}

void ProgressBars::epoch_ended() {
    end_line();
}

void ProgressBars::evaluated(const std::vector<std::pair<std::string, double>>& metrics) {
    if (mode_ == ProgressMode::None)
        return;
    if (!save_())
        return;
    std::fprintf(stderr, "Evaluation%s\n", metrics_text(metrics).c_str());
}

void ProgressBars::note(const std::string& level, const std::string& message) {
    if (level == "info" || (mode_ == ProgressMode::None && level == "note"))
        return; // a warning is no progress: it is always shown
    end_line();
    (void)save_(); // a message holds whether it is in the file or not
    std::fprintf(stderr, "tilescope: %s: %s\n", level.c_str(), message.c_str());
}

} // namespace tilescope::app
