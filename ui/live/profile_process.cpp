// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/profile_process.h"

#include "profile/profile.h"
#include "ui/session/folders.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <csignal>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr int look_ms = 50;
constexpr int patience_ms = 5000; ///< of the destructor, for a run to end

QString quoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[\\w./:=@%+,-]+$"));
    if (plain.match(word).hasMatch())
        return word;
    return QLatin1Char('\'') + QString(word).replace(QLatin1Char('\''), QStringLiteral("'\\''")) +
           QLatin1Char('\'');
}

} // namespace

QStringList RunRequest::arguments() const {
    const bool script = ofScript();
    QStringList all{script ? QStringLiteral("run") : QStringLiteral("profile")};
    if (!script)
        all << workload;
    if (!data_folder.isEmpty())
        all << QStringLiteral("--data") << data_folder;
    if (epochs > 0 && !script)
        all << QStringLiteral("--epochs") << QString::number(epochs);
    if (estimate)
        all << QStringLiteral("--estimate");
    if (!remedies && !script)
        all << QStringLiteral("--no-remedies");
    if (!cache_folder.isEmpty())
        all << QStringLiteral("--cache") << cache_folder;
    static const QString system = QStringLiteral("system=");
    for (const QString& one : overrides)
        if (script && one.startsWith(system)) // which it finds, before any of its workloads
            all << QStringLiteral("--system") << one.mid(system.size());
        else
            all << QStringLiteral("--set") << one;
    all << QStringLiteral("-o") << output;
    return script ? all << workload : all; // what stands behind a script is its own
}

RunRequest RunRequest::inFolders() const {
    RunRequest all = *this;
    if (all.data_folder.isEmpty())
        all.data_folder = dataFolder();
    if (all.cache_folder.isEmpty())
        all.cache_folder = executableFolder();
    return all;
}

QString RunRequest::commandLine() const {
    QStringList words{QStringLiteral("tilescope")};
    for (const QString& word : arguments())
        words << quoted(word);
    return words.join(QLatin1Char(' '));
}

ProfileProcess::ProfileProcess(QObject* parent) : QObject(parent), process_(new QProcess(this)) {
    process_->setProcessChannelMode(QProcess::MergedChannels);
    look_.setInterval(look_ms);
    connect(&look_, &QTimer::timeout, this, &ProfileProcess::lookForFile);
    connect(process_, &QProcess::started, this, [this] { pid_ = process_->processId(); });
    connect(process_, &QProcess::finished, this, &ProfileProcess::ended);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT finished(false, tr("%1: the program cannot be started; install it beside tilescope-gui or "
                                      "in PATH")
                                       .arg(process_->program()));
    });
}

ProfileProcess::~ProfileProcess() {
    if (process_ == nullptr)
        return;
    disconnect(process_, nullptr, this, nullptr);
    if (!running())
        return;
    cancel();
    process_->waitForFinished(patience_ms); // then QProcess kills it; what was committed stays valid
}

QString ProfileProcess::program() {
    const QString name = QStringLiteral("tilescope");
    const QString beside = QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
    return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

void ProfileProcess::start(const RunRequest& request) {
    request_ = request;
    if (process_ == nullptr || !log_.open())
        return;
    log_.resize(0);
    process_->setStandardOutputFile(log_.fileName());
    pid_ = 0;
    file_started_ = false;
    cancelled_ = false;
    const QString found = program();
    QStringList arguments = request.arguments();
    arguments.insert(1, QStringLiteral("--progress=plain"));
    process_->start(found.isEmpty() ? QStringLiteral("tilescope") : found, arguments);
    look_.start();
}

void ProfileProcess::cancel() {
    if (!running())
        return;
    cancelled_ = true;
    ::kill(static_cast<pid_t>(process_->processId()), SIGINT);
}

void ProfileProcess::leave() {
    if (!running())
        return;
    disconnect(process_, nullptr, this, nullptr);
    look_.stop();
    process_->setParent(nullptr);
    static auto& left = *new std::vector<QProcess*>; // never deleted, since that would end the run
    left.push_back(std::exchange(process_, nullptr));
}

QString ProfileProcess::lastLine() {
    QString last;
    log_.seek(0);
    while (!log_.atEnd())
        if (const QString line = QString::fromUtf8(log_.readLine()).trimmed(); !line.isEmpty())
            last = line;
    return last;
}

void ProfileProcess::lookForFile() {
    if (file_started_ || pid_ == 0)
        return;
    // A profile of this name may be there from an earlier run: the process's own number tells.
    const auto file = profile::Profile::follow(request_.output.toStdString());
    if (!file || (*file)->run().value_or(profile::RunRecord{}).pid != pid_)
        return;
    file_started_ = true;
    look_.stop();
    Q_EMIT fileStarted(request_.output);
}

void ProfileProcess::ended(int code, QProcess::ExitStatus status) {
    lookForFile(); // a short run ends before anyone looks
    look_.stop();
    const bool failed = !cancelled_ && (status != QProcess::NormalExit || code != 0);
    QString error;
    if (failed && status != QProcess::NormalExit)
        error = tr("the run ended unexpectedly; its profile holds what was recorded until then");
    else if (failed) {
        static const QString name = QStringLiteral("tilescope: ");
        error = lastLine();
        error = error.startsWith(name) ? error.mid(name.size()) : error;
    }
    Q_EMIT finished(cancelled_, error);
}

} // namespace tilescope::ui
