// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/session.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tilescope::app {

enum class ProgressMode { Bars, Lines, None };

/// "auto" is bars on a terminal and lines elsewhere; "plain" lines; "none" nothing.
ProgressMode progress_mode(const std::string& option);

/// Progress on stderr: one bar for a compilation, one per epoch, as Keras shows them.
class ProgressBars : public run::Observer {
  public:
    /// `save` puts into the profile what is about to be shown, and says whether it is there: of what is not,
    /// the terminal does not tell.
    ProgressBars(ProgressMode mode, std::function<bool()> save) : mode_(mode), save_(std::move(save)) {}
    ~ProgressBars() override { end_line(); }
    ProgressBars(const ProgressBars&) = delete;
    ProgressBars& operator=(const ProgressBars&) = delete;
    void compiling(const std::string& program, const std::string& pass, std::size_t number,
                   std::size_t count) override;
    void within_pass(const compile::WorkDone& progress) override;
    void compiled(const std::string& program) override;
    void epoch_started(std::int64_t epoch, std::int64_t epochs, std::int64_t steps) override;
    void steps_done(std::int64_t done, std::int64_t steps, double device_us,
                    const std::vector<std::pair<std::string, double>>& metrics) override;
    void epoch_ended() override;
    void evaluated(const std::vector<std::pair<std::string, double>>& metrics) override;
    void note(const std::string& level, const std::string& message) override;

  private:
    using Clock = std::chrono::steady_clock;
    void draw(const std::string& wanted); ///< over the line before, as far as there is room
    std::string elapsed() const;
    void end_line();
    ProgressMode mode_;
    std::function<bool()> save_;
    bool open_ = false; ///< a bar stands on the last line
    std::string last_;
    std::string program_;               ///< the bar of the pass that runs, and what is compiled
    std::optional<compile::Work> work_; ///< of the pass, since `work_begin_`
    Clock::time_point work_begin_{};
    Clock::time_point begin_ = Clock::now();
    Clock::time_point drawn_{};
};

} // namespace tilescope::app
