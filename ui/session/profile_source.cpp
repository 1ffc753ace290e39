// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/profile_source.h"

#include "base/try.h"

#include <QFileInfo>
#include <QTimer>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tilescope::ui {

namespace {
using Key = std::pair<QObject*, QString>;
constexpr int poll_ms = 250;
} // namespace

struct ProfileSource::State {
    struct Job {
        std::uint64_t id = 0;
        Key key;
        std::function<std::any(const profile::Profile&)> query;
        std::function<void(std::any)> done;
    };

    QString path;
    std::unique_ptr<profile::Profile> file; ///< the thread's, but for `interrupt`
    std::thread thread;
    QTimer poll;

    std::mutex mutex; ///< guards what follows
    std::condition_variable wake;
    std::deque<Job> queue;
    std::uint64_t running = 0; ///< id of the job in progress
    Key running_key;
    bool stop = false;

    std::map<Key, std::uint64_t> newest; ///< GUI thread: the last request of each topic
    std::uint64_t ids = 0;
    int pending = 0;
    std::int64_t version = -1;

    void work(ProfileSource* source) {
        std::unique_lock lock(mutex);
        while (true) {
            wake.wait(lock, [this] { return stop || !queue.empty(); });
            if (stop)
                return;
            Job job = std::move(queue.front());
            queue.pop_front();
            running = job.id;
            running_key = job.key;
            lock.unlock();
            std::any result = job.query(*file);
            lock.lock();
            running = 0;
            auto deliver = [source, id = job.id, key = job.key, done = std::move(job.done),
                            result = std::move(result)]() mutable {
                source->answer(id, key, done, std::move(result));
            };
            QMetaObject::invokeMethod(source, std::move(deliver), Qt::QueuedConnection);
        }
    }
};

ProfileSource::ProfileSource() : state_(std::make_unique<State>()) {}

Result<std::shared_ptr<ProfileSource>> ProfileSource::open(const QString& path) {
    TRY(auto file, profile::Profile::follow(path.toStdString()));
    const bool running = file->run().value_or(profile::RunRecord{}).status == profile::RunStatus::Running;
    std::shared_ptr<ProfileSource> source(new ProfileSource);
    State& state = *source->state_;
    state.path = QFileInfo(path).absoluteFilePath();
    state.version = file->data_version();
    state.file = std::move(file);
    state.thread = std::thread([s = &state, raw = source.get()] { s->work(raw); });
    connect(&state.poll, &QTimer::timeout, source.get(), &ProfileSource::pollFile);
    state.poll.setInterval(poll_ms);
    if (running)
        state.poll.start();
    return source;
}

ProfileSource::~ProfileSource() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
        state_->file->interrupt();
    }
    state_->wake.notify_all();
    state_->thread.join();
}

QString ProfileSource::path() const {
    return state_->path;
}
QString ProfileSource::name() const {
    return QFileInfo(state_->path).completeBaseName();
}
int ProfileSource::pending() const {
    return state_->pending;
}

void ProfileSource::forget(QObject* receiver) {
    std::erase_if(state_->newest, [receiver](const auto& entry) { return entry.first.first == receiver; });
}

void ProfileSource::post(QObject* receiver, const QString& topic,
                         std::function<std::any(const profile::Profile&)> query,
                         std::function<void(std::any)> done) {
    const Key key{receiver, topic};
    State::Job job{++state_->ids, key, std::move(query), {}};
    const QPointer<QObject> alive(receiver);
    job.done = [alive, done = std::move(done)](std::any result) {
        if (alive)
            done(std::move(result));
    };
    state_->newest[key] = job.id;
    ++state_->pending;
    const std::lock_guard lock(state_->mutex);
    for (auto older = state_->queue.begin(); older != state_->queue.end();) {
        const bool superseded = older->key == key;
        state_->pending -= superseded ? 1 : 0;
        older = superseded ? state_->queue.erase(older) : older + 1;
    }
    if (state_->running != 0 && state_->running_key == key)
        state_->file->interrupt();
    state_->queue.push_back(std::move(job));
    state_->wake.notify_one();
}

void ProfileSource::answer(std::uint64_t id, const std::pair<QObject*, QString>& key,
                           const std::function<void(std::any)>& done, std::any result) {
    const auto newest = state_->newest.find(key);
    if (newest != state_->newest.end() && newest->second == id) {
        state_->newest.erase(newest);
        done(std::move(result)); // may ask again
    }
    if (--state_->pending == 0)
        Q_EMIT idle();
}

void ProfileSource::pollFile() {
    struct Seen {
        std::int64_t version;
        bool running;
    };
    ask<Seen>(
        this, QStringLiteral("poll"),
        [](const profile::Profile& file) -> Result<Seen> {
            const auto run = file.run();
            return Seen{file.data_version(), run && run->status == profile::RunStatus::Running};
        },
        [this](const Result<Seen>& seen) {
            if (!seen)
                return;
            if (!seen->running)
                state_->poll.stop();
            if (seen->version != std::exchange(state_->version, seen->version) || !seen->running)
                Q_EMIT changed();
        });
}

} // namespace tilescope::ui
