// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_reader.h"

#include "ui/session/format.h"
#include "ui/session/in_background.h"

#include <QFileInfo>
#include <algorithm>

namespace tilescope::ui {

RunReader::RunReader(QObject* parent) : QObject(parent) {
    constexpr int readers = 4;
    constexpr int tell_ms = 200;
    setObjectName(QStringLiteral("runReader"));
    pool_.setMaxThreadCount(readers);
    tell_.setInterval(tell_ms);
    connect(&tell_, &QTimer::timeout, this, &RunReader::changed);
}

RunReader::~RunReader() {
    blockSignals(true); // whom they would reach may be half gone
    cancel();
    pool_.waitForDone();
}

void RunReader::cancel() {
    if (round_)
        round_->store(false);
    pool_.clear();
    works_ = 0;
    finish();
}

int RunReader::pending() const {
    const int unread = static_cast<int>(found_ - runs_.size());
    return works_ + (reading_ ? std::max(unread, 1) : 0);
}

void RunReader::finish() {
    tell_.stop();
    if (std::exchange(reading_, false))
        Q_EMIT changed();
}

template<class Work, class Done>
void RunReader::inRound(Work work, Done done) {
    const auto in_round =
        [round = round_,
         work = std::move(work)]() -> std::optional<std::invoke_result_t<const Work&, std::atomic<bool>&>> {
        if (!round->load())
            return {};
        return work(*round);
    };
    inBackground(&pool_, this, in_round, [round = round_, done = std::move(done)](auto answer) {
        if (answer && round->load())
            done(std::move(*answer));
    });
}

void RunReader::read(const QString& folder) {
    cancel();
    for (std::size_t i = 0; i < runs_.size(); ++i)
        kept_.insert_or_assign(runs_[i].path, Kept{states_[i], std::move(runs_[i])});
    runs_.clear();
    states_.clear();
    found_ = 0;
    reading_ = true;
    round_ = std::make_shared<std::atomic<bool>>(true);
    tell_.start();
    inRound(
        [path = folder.toStdString()](const std::atomic<bool>& wanted) {
            return analyse::profiles_below(path, [&] { return wanted.load(); });
        },
        [this](const std::vector<std::string>& paths) { start(paths); });
}

void RunReader::start(const std::vector<std::string>& paths) {
    found_ = paths.size();
    if (paths.empty())
        return finish();
    for (const std::string& path : paths) {
        Kept known;
        if (auto kept = kept_.extract(path))
            known = std::move(kept.mapped());
        inRound(
            [path, known = std::move(known)](const std::atomic<bool>&) {
                const QFileInfo file(text(path));
                const FileState state{file.size(), file.lastModified()};
                return Kept{state, known.state == state ? known.run : analyse::read_run(path)};
            },
            [this](Kept read) { take(std::move(read)); });
    }
}

void RunReader::take(Kept read) {
    runs_.push_back(std::move(read.run));
    states_.push_back(read.state);
    if (runs_.size() == found_)
        finish();
}

void RunReader::work(std::function<QString()> something, std::function<void(QString)> done) {
    if (!round_ || !round_->load())
        return;
    ++works_;
    inRound([something = std::move(something)](const std::atomic<bool>&) { return something(); },
            [this, done = std::move(done)](QString answer) {
                --works_;
                done(std::move(answer));
            });
}

} // namespace tilescope::ui
