// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/run_list.h"

#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace tilescope::ui {

/// Reads the heads of the profiles below a folder, four at a time, away from the window's thread. What it has
/// read of a file is kept until the file has another size or time.
class RunReader : public QObject {
    Q_OBJECT
  public:
    explicit RunReader(QObject* parent = nullptr);
    ~RunReader() override;
    void read(const QString& folder); ///< what was read before is given up
    void cancel();                    ///< what has been read stays
    bool reading() const { return reading_; }
    int found() const { return static_cast<int>(paths_.size()); } ///< profiles below the folder
    /// Those that have been read, in the order in which they were.
    const std::vector<analyse::RunEntry>& runs() const { return runs_; }
    /// Does something with the runs in the threads, and gives the answer to `done` in the window's, unless
    /// another folder was asked for or all was cancelled meanwhile.
    void work(std::function<QString()> something, std::function<void(QString)> done);

  Q_SIGNALS:
    void changed(); ///< more was read, or all was, or it was cancelled; a few times a second at most

  private:
    struct Seen {
        qint64 size = 0;
        QDateTime modified;
        analyse::RunEntry entry;
    };
    using Round = std::shared_ptr<std::atomic<bool>>; ///< false: given up
    /// Called in a thread: does this in the window's, if the round is not given up by then.
    void answer(const Round& round, std::function<void()> done);
    void start(const QStringList& paths);
    void take(const QString& path, const Seen& seen);
    void finish();

    QThreadPool pool_;
    QTimer tell_;
    Round round_;
    bool reading_ = false;
    QStringList paths_;
    std::vector<analyse::RunEntry> runs_;
    QHash<QString, Seen> kept_;
};

} // namespace tilescope::ui
