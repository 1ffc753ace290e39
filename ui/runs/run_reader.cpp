// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_reader.h"

#include <QFileInfo>

namespace tilescope::ui {

RunReader::RunReader(QObject* parent) : QObject(parent) {
    constexpr int readers = 4;
    constexpr int tell_ms = 200;
    pool_.setMaxThreadCount(readers);
    tell_.setInterval(tell_ms);
    connect(&tell_, &QTimer::timeout, this, &RunReader::changed);
}

RunReader::~RunReader() {
    cancel();
    pool_.waitForDone();
}

void RunReader::cancel() {
    if (round_)
        round_->store(false);
    pool_.clear();
    finish();
}

void RunReader::finish() {
    tell_.stop();
    if (std::exchange(reading_, false))
        Q_EMIT changed();
}

void RunReader::answer(const Round& round, std::function<void()> done) {
    std::function<void()> if_wanted = [round, done = std::move(done)] {
        if (round->load())
            done();
    };
    QMetaObject::invokeMethod(this, std::move(if_wanted), Qt::QueuedConnection);
}

void RunReader::read(const QString& folder) {
    cancel();
    runs_.clear();
    paths_.clear();
    reading_ = true;
    round_ = std::make_shared<std::atomic<bool>>(true);
    tell_.start();
    pool_.start([this, round = round_, path = folder.toStdString()] {
        QStringList paths;
        for (const std::string& one : analyse::profiles_below(path, [&] { return round->load(); }))
            paths << QString::fromStdString(one);
        answer(round, [this, paths] { start(paths); });
    });
}

void RunReader::start(const QStringList& paths) {
    paths_ = paths;
    if (paths.isEmpty())
        return finish();
    for (const QString& path : paths)
        pool_.start([this, round = round_, path, known = kept_.value(path)] {
            const QFileInfo file(path);
            Seen seen{file.size(), file.lastModified(), {}};
            if (!round->load())
                return;
            if (known.entry.path.empty() || known.size != seen.size || known.modified != seen.modified)
                seen.entry = analyse::read_run(path.toStdString());
            else
                seen.entry = known.entry;
            answer(round, [this, path, seen] { take(path, seen); });
        });
}

void RunReader::take(const QString& path, const Seen& seen) {
    runs_.push_back(seen.entry);
    kept_.insert(path, seen);
    if (runs_.size() == static_cast<std::size_t>(paths_.size()))
        finish();
}

void RunReader::work(std::function<QString()> something, std::function<void(QString)> done) {
    if (!round_)
        return;
    pool_.start([this, round = round_, something = std::move(something), done = std::move(done)] {
        if (!round->load())
            return;
        answer(round, [done, text = something()] { done(text); });
    });
}

} // namespace tilescope::ui
