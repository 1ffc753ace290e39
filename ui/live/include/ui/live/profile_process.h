// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryFile>
#include <QTimer>

namespace tilescope::ui {

/// What `tilescope profile` is asked to do.
struct RunRequest {
    QString workload;    ///< workload, model file or script (.py)
    QString data_folder; ///< empty: the environment's
    QString output;      ///< profile to write
    int epochs = 0;      ///< 0: as the workload says; a script says it itself
    bool estimate = false;
    QStringList overrides;     ///< of the workload: "fit.batch_size=8"
    bool remedies = true;      ///< changes are tried where it does not fit
    QString cache_folder = {}; ///< of executables; empty: they are not kept
    bool operator==(const RunRequest&) const = default;
    bool ofScript() const { return workload.endsWith(QLatin1String(".py")); }
    QStringList arguments() const; ///< the command first
    QString commandLine() const;   ///< as typed into a shell
    /// With the folders of the settings, where it names no others.
    RunRequest inFolders() const;
};

/// A `tilescope profile` or `run` of our own, beside the window. What it does is read from its file, not from
/// it.
class ProfileProcess : public QObject {
    Q_OBJECT
  public:
    explicit ProfileProcess(QObject* parent = nullptr);
    ~ProfileProcess() override; ///< ends the run cleanly first

    /// The program: beside this one, or in PATH; empty where there is none.
    static QString program();
    void start(const RunRequest& request);
    bool running() const { return process_ != nullptr && process_->state() != QProcess::NotRunning; }
    const RunRequest& request() const { return request_; }
    /// Asks the run to end (SIGINT): its profile then says cancelled.
    void cancel();
    /// The run goes on by itself: neither this object nor the program ends it any more.
    void leave();

  Q_SIGNALS:
    void fileStarted(const QString& path); ///< the new profile can be opened
    /// The process has ended. `error`: its one line, where it failed; `cancelled`: it was asked to end.
    void finished(bool cancelled, const QString& error);

  private:
    QString lastLine(); ///< that the process has written
    void lookForFile();
    void ended(int code, QProcess::ExitStatus status);

    QProcess* process_;  ///< null: left
    QTemporaryFile log_; ///< what it writes: a pipe would end the run with the window
    QTimer look_;
    RunRequest request_;
    qint64 pid_ = 0;
    bool file_started_ = false;
    bool cancelled_ = false;
};

} // namespace tilescope::ui
