// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/estimate.h"

#include "analyse/training_progress.h"
#include "ui/session/format.h"

#include <QFile>
#include <QSaveFile>
#include <algorithm>
#include <utility>

namespace tilescope::ui {

Estimate::Estimate(QObject* parent) : QObject(parent) {
    constexpr int second = 1000;
    clock_.setInterval(second);
    connect(&clock_, &QTimer::timeout, this, &Estimate::progressed);
    connect(&process_, &ProfileProcess::fileStarted, this, &Estimate::follow);
    connect(&process_, &ProfileProcess::finished, this, [this](bool cancelled, const QString& error) {
        if (cancelled || cancelled_)
            return tell({}, true);
        // What it names is a copy that nobody knows.
        read(QString(error).remove(process_.request().workload + QStringLiteral(": ")));
    });
}

Estimate::~Estimate() {
    disconnect(&process_, nullptr, this, nullptr);
}

void Estimate::start(const std::string& workload, const QStringList& changes) {
    source_.reset();
    if (number_ > 0)
        QFile::remove(path());
    cancelled_ = false;
    share_ = 0;
    since_.start();
    QSaveFile file(folder_.filePath(QStringLiteral("workload.json")));
    const QByteArray json = QByteArray::fromStdString(workload);
    if (!folder_.isValid() || !file.open(QIODevice::WriteOnly) || file.write(json) != json.size() ||
        !file.commit())
        return tell({{}, tr("the folder for temporary files cannot be written")}, false);
    RunRequest request;
    request.workload = file.fileName();
    request.output = folder_.filePath(QStringLiteral("estimate_%1.tilescope").arg(++number_));
    request.estimate = true;
    request.remedies = false;
    request.overrides = changes;
    clock_.start();
    process_.start(request.inFolders());
}

void Estimate::cancel() {
    if (!running())
        return;
    cancelled_ = true;
    process_.cancel();
    if (std::exchange(reading_, false)) {
        source_->forget(this);
        tell({}, true);
    }
}

double Estimate::seconds() const {
    return since_.isValid() ? static_cast<double>(since_.elapsed()) / 1000 : 0;
}

/// How far the passes are.
void Estimate::follow() {
    source_ = ProfileSource::open(process_.request().output);
    connect(source_.get(), &ProfileSource::changed, this, [this] {
        source_->ask<profile::ProgressRecord>(
            this, QStringLiteral("progress of an estimate"),
            [](const profile::Profile& file) { return file.progress(); },
            [this](Result<profile::ProgressRecord> progress) {
                if (progress && !reading_)
                    share_ = analyse::share_of_compilation(*progress);
            });
    });
}

/// What does not fit has a profile, too, and says by how much.
void Estimate::read(const QString& error) {
    reading_ = true;
    source_ = ProfileSource::open(path());
    connect(source_.get(), &ProfileSource::failed, this, [this, error](const Error& failure) {
        tell({{}, error.isEmpty() ? text(failure.line()) : error}, false);
    });
    source_->ask<analyse::Summary>(
        this, QStringLiteral("estimate"),
        [](const profile::Profile& file) { return analyse::summarise(file); },
        [this, error](Result<analyse::Summary> summary) {
            Estimated result{{}, error};
            if (summary)
                result.summary = std::move(*summary);
            else if (error.isEmpty())
                result.error = text(summary.error().line());
            tell(result, false);
        });
}

void Estimate::tell(const Estimated& result, bool cancelled) {
    clock_.stop();
    reading_ = false;
    // It is the file that answers here, so that it may go when it has.
    QTimer::singleShot(0, this, [answered = std::exchange(source_, nullptr)] {});
    Q_EMIT finished(result, cancelled);
}

} // namespace tilescope::ui
