// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/run_list.h"

#include <QDateTime>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
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
    /// What is read or worked on and not answered yet; at least 1 while reading.
    int pending() const;
    int found() const { return static_cast<int>(found_); } ///< profiles below the folder
    /// Those that have been read, in the order in which they were.
    const std::vector<analyse::RunEntry>& runs() const { return runs_; }
    /// Does something in the threads, and gives the answer to `done` in the window's, unless another folder
    /// was asked for or all was cancelled meanwhile.
    void work(std::function<QString()> something, std::function<void(QString)> done);

  Q_SIGNALS:
    void changed(); ///< more was read, or all was, or it was cancelled; a few times a second at most

  private:
    /// By what one tells that a file is still the same.
    struct FileState {
        qint64 size = -1;
        QDateTime modified;
        bool operator==(const FileState&) const = default;
    };
    struct Kept {
        FileState state;
        analyse::RunEntry run;
    };
    /// Does the work in a thread and gives its answer to `done` in the window's, unless the round is over.
    /// `work` gets the flag that says whether it is still wanted.
    template<class Work, class Done>
    void inRound(Work work, Done done);
    void start(const std::vector<std::string>& paths);
    void take(Kept read);
    void finish();

    QThreadPool pool_;
    QTimer tell_;
    std::shared_ptr<std::atomic<bool>> round_; ///< false: given up
    bool reading_ = false;
    int works_ = 0; ///< that have not answered
    std::size_t found_ = 0;
    std::vector<analyse::RunEntry> runs_;
    std::vector<FileState> states_;              ///< of the files of `runs_`
    std::unordered_map<std::string, Kept> kept_; ///< by path: what was read before, and is not asked for now
};

} // namespace tilescope::ui
