// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"
#include "ui/live/profile_process.h"
#include "ui/session/profile_source.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>

namespace tilescope::ui {

/// What came of a run that was compiled anew.
struct Estimated {
    std::optional<analyse::Summary> summary; ///< also of what does not fit; none: there is no profile
    QString error;                           ///< the process's line without the file, where it failed
    /// It was compiled to its end, and has times.
    bool complete() const { return summary && profile::ran_to_its_end(summary->run.status); }
};

/// Compiles a recorded run anew as an estimate with other settings, in a process beside the window: the one
/// way in which the window learns what a change gives.
class Estimate : public QObject {
    Q_OBJECT
  public:
    explicit Estimate(QObject* parent = nullptr);
    ~Estimate() override;
    /// `workload`: of the run's record, with every default; `changes`: as `--set` takes them. Not while
    /// running().
    void start(const std::string& workload, const QStringList& changes);
    void cancel(); ///< `finished` follows, and says so
    bool running() const { return process_.running() || reading_; }
    double seconds() const;                                    ///< since the start
    double share() const { return share_; }                    ///< of the compilation that is done, 0 to 1
    QString path() const { return process_.request().output; } ///< of the newest profile

  Q_SIGNALS:
    void progressed(); ///< about once a second
    void finished(const tilescope::ui::Estimated& result, bool cancelled);

  private:
    void follow();
    void read(const QString& error);
    void tell(const Estimated& result, bool cancelled);

    QTemporaryDir folder_; ///< ends after the process that writes into it
    ProfileProcess process_;
    std::shared_ptr<ProfileSource> source_; ///< the profile of the newest one
    QTimer clock_;                          ///< that a compilation takes time is seen
    QElapsedTimer since_;
    double share_ = 0;
    bool reading_ = false; ///< what it gives
    bool cancelled_ = false;
    int number_ = 0;
};

} // namespace tilescope::ui
