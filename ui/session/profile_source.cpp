// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/profile_source.h"

#include <QFileInfo>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tilescope::ui {

namespace {
using Key = std::pair<QObject*, QString>;
constexpr int poll_ms = 250;

/// Whether someone waits for its answers: it is part of what is seen, or of no widget at all.
bool is_in_front(const QObject* receiver) {
    for (const QObject* each = receiver; each != nullptr; each = each->parent())
        if (const auto* widget = qobject_cast<const QWidget*>(each); widget != nullptr)
            return widget->isVisible();
    return true;
}

bool is_part_of(const QObject* receiver, const QObject& whole) {
    while (receiver != nullptr && receiver != &whole)
        receiver = receiver->parent();
    return receiver != nullptr;
}
} // namespace

/// What the source shares with its thread, which may outlive it by the query that is under way.
struct ProfileSource::State {
    struct Job {
        std::uint64_t id = 0;
        Key key;
        std::function<std::any(const profile::Profile&)> query;
        std::function<void(std::any)> done;
        std::function<std::any(const Error&)> failed;
        QPointer<QObject> receiver; ///< of use to the GUI thread only
        bool in_front = false;      ///< goes before those that are not
    };

    QString path;
    std::thread thread;
    std::atomic<bool> ended = false; ///< all but: joining it takes no time

    std::mutex mutex; ///< guards what follows
    std::condition_variable wake;
    std::unique_ptr<profile::Profile> file; ///< the thread makes it; others only interrupt it
    std::deque<Job> queue;
    std::uint64_t running = 0; ///< id of the job in progress
    Key running_key;
    QPointer<QObject> running_receiver;
    bool running_in_front = false;
    bool put_off = false; ///< the job in progress is to be begun again, after one that came in front
    bool stop = false;    ///< the source is gone

    /// Before or, as what comes last, after the jobs that are not in front.
    void insert(Job job, bool last) {
        const auto at = std::find_if(queue.begin(), queue.end(),
                                     [&](const Job& other) { return !last && !other.in_front; });
        queue.insert(at, std::move(job));
    }
    /// What is in front waits for nothing else: the mutex is held.
    void makeWay() {
        if (running == 0 || running_in_front)
            return;
        put_off = true;
        file->interrupt();
    }

    /// False: there is nothing to ask.
    bool openFile(ProfileSource* source) {
        auto opened = profile::Profile::follow(path.toStdString());
        const std::int64_t version = opened ? (*opened)->data_version() : -1;
        const bool growing =
            opened && (*opened)->run().value_or(profile::RunRecord{}).status == profile::RunStatus::Running;
        const auto ipus = opened ? (*opened)->ipus() : Result<std::vector<profile::IpuRecord>>();
        const std::int64_t first_ipu = ipus && !ipus->empty() ? ipus->front().id : 0; // none: none yet
        const std::lock_guard lock(mutex);
        if (stop)
            return false;
        if (!opened) {
            QMetaObject::invokeMethod(
                source, [source, error = opened.error()] { source->haveFailed(error); },
                Qt::QueuedConnection);
            return false;
        }
        file = std::move(*opened);
        QMetaObject::invokeMethod(
            source,
            [source, version, growing, first_ipu] { source->haveOpened(version, growing, first_ipu); },
            Qt::QueuedConnection);
        return true;
    }

    void run(ProfileSource* source) {
        work(source);
        std::unique_ptr<profile::Profile> closed; // what it has read takes its time
        {
            const std::lock_guard lock(mutex);
            closed = std::move(file);
        }
        closed.reset();
        ended = true;
    }

    /// The source is gone: its thread ends by itself, and the program after it.
    static void leave(std::shared_ptr<State> state) {
        struct Leaving {
            std::vector<std::shared_ptr<State>> states;
            ~Leaving() {
                for (const auto& each : states)
                    each->thread.join();
            }
        };
        static Leaving leaving;
        std::erase_if(leaving.states, [](const auto& each) {
            if (!each->ended)
                return false;
            each->thread.join();
            return true;
        });
        leaving.states.push_back(std::move(state));
    }

    void work(ProfileSource* source) {
        if (!openFile(source))
            return;
        std::unique_lock lock(mutex);
        while (true) {
            wake.wait(lock, [this] { return stop || !queue.empty(); });
            if (stop)
                return;
            Job job = std::move(queue.front());
            queue.pop_front();
            running = job.id;
            running_key = job.key;
            running_receiver = job.receiver;
            running_in_front = job.in_front;
            file->resume(); // an interrupt was for the job before
            lock.unlock();
            std::any result = job.query(*file);
            lock.lock();
            running = 0;
            if (stop)
                return;
            if (std::exchange(put_off, false)) {
                job.in_front = running_in_front;
                insert(std::move(job), false);
                continue;
            }
            auto deliver = [source, id = job.id, key = job.key, done = std::move(job.done),
                            result = std::move(result)]() mutable {
                source->answer(id, key, done, std::move(result));
            };
            QMetaObject::invokeMethod(source, std::move(deliver), Qt::QueuedConnection);
        }
    }
};

ProfileSource::ProfileSource() : state_(std::make_shared<State>()), poll_(new QTimer(this)) {
    opening_.start();
    connect(poll_, &QTimer::timeout, this, &ProfileSource::pollFile);
    poll_->setInterval(poll_ms);
}

std::shared_ptr<ProfileSource> ProfileSource::open(const QString& path) {
    std::shared_ptr<ProfileSource> source(new ProfileSource);
    State& state = *source->state_;
    state.path = QFileInfo(path).absoluteFilePath();
    state.thread = std::thread([s = &state, raw = source.get()] { s->run(raw); });
    return source;
}

ProfileSource::~ProfileSource() {
    std::deque<State::Job> unasked;
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
        std::swap(unasked, state_->queue);
        if (state_->file)
            state_->file->interrupt();
    }
    state_->wake.notify_all();
    State::leave(std::move(state_));
}

QString ProfileSource::path() const {
    return state_->path;
}
QString ProfileSource::stem() const {
    return QFileInfo(state_->path).completeBaseName();
}
QString ProfileSource::name() const {
    return name_.isEmpty() ? stem() : name_;
}
int ProfileSource::pending() const {
    return pending_;
}

QList<ProfileSource::Waiting> ProfileSource::waiting() const {
    constexpr double ms = 1000;
    const auto seconds = [](const QElapsedTimer& since) { return static_cast<double>(since.elapsed()) / ms; };
    QList<Waiting> all;
    if (opening_.isValid())
        all << Waiting{{}, {}, seconds(opening_), true};
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, asked] : newest_)
        if (asked.receiver != nullptr && asked.receiver != this)
            all << Waiting{asked.receiver, key.second, seconds(asked.since), state_->running == asked.id};
    std::stable_sort(all.begin(), all.end(),
                     [](const Waiting& a, const Waiting& b) { return a.seconds > b.seconds; });
    return all;
}

bool ProfileSource::waitsFor(const QObject& whole) const {
    return std::any_of(newest_.begin(), newest_.end(),
                       [&](const auto& entry) { return is_part_of(entry.second.receiver, whole); });
}

void ProfileSource::haveOpened(std::int64_t version, bool running, std::int64_t first_ipu) {
    version_ = version;
    first_ipu_ = first_ipu;
    opening_.invalidate();
    if (running)
        poll_->start();
    Q_EMIT opened();
    if (--pending_ == 0)
        Q_EMIT idle();
}

void ProfileSource::haveFailed(const Error& error) {
    bad_ = true;
    opening_.invalidate();
    newest_.clear();
    std::deque<State::Job> unasked;
    {
        const std::lock_guard lock(state_->mutex);
        std::swap(unasked, state_->queue);
    }
    pending_ = 0;
    Q_EMIT failed(error);
    Q_EMIT idle();
}

void ProfileSource::forget(QObject* receiver) {
    std::erase_if(newest_, [receiver](const auto& entry) { return entry.first.first == receiver; });
}

void ProfileSource::post(QObject* receiver, const QString& topic,
                         std::function<std::any(const profile::Profile&)> query,
                         std::function<void(std::any)> done, std::function<std::any(const Error&)> failed) {
    if (bad_)
        return;
    const Key key{receiver, topic};
    State::Job job{++ids_, key, std::move(query), {}, std::move(failed), receiver, is_in_front(receiver)};
    const QPointer<QObject> alive(receiver);
    job.done = [alive, done = std::move(done)](std::any result) {
        if (alive)
            done(std::move(result));
    };
    newest_[key] = {job.id, receiver, {}};
    newest_[key].since.start();
    ++pending_;
    const std::lock_guard lock(state_->mutex);
    dropQueries(key);
    if (job.in_front)
        state_->makeWay();
    const bool last = !job.in_front;
    state_->insert(std::move(job), last);
    state_->wake.notify_one();
}

void ProfileSource::putInFront(const QObject& whole) {
    const std::lock_guard lock(state_->mutex);
    const auto own = [&](State::Job& job) {
        return job.in_front = job.in_front || is_part_of(job.receiver, whole);
    };
    const auto rest = std::stable_partition(state_->queue.begin(), state_->queue.end(), own);
    if (is_part_of(state_->running_receiver, whole))
        state_->running_in_front = true;
    else if (rest != state_->queue.begin())
        state_->makeWay();
}

void ProfileSource::cancel(QObject* receiver, const QString& topic) {
    const Key key{receiver, topic};
    if (newest_.erase(key) == 0)
        return;
    const int before = pending_;
    {
        const std::lock_guard lock(state_->mutex);
        dropQueries(key);
    }
    if (pending_ == 0 && before > 0)
        Q_EMIT idle();
}

void ProfileSource::stop(QObject* receiver, const QString& topic) {
    const Key key{receiver, topic};
    std::optional<State::Job> queued;
    {
        const std::lock_guard lock(state_->mutex);
        const auto found = std::find_if(state_->queue.begin(), state_->queue.end(),
                                        [&](const State::Job& job) { return job.key == key; });
        if (found != state_->queue.end()) {
            queued = std::move(*found);
            state_->queue.erase(found);
        } else if (state_->running != 0 && state_->running_key == key) {
            state_->put_off = false;
            state_->file->interrupt();
        }
    }
    if (queued)
        answer(queued->id, key, queued->done, queued->failed({ErrorKind::Cancelled, "cancelled", {}, {}}));
}

void ProfileSource::dropQueries(const Key& key) {
    pending_ -=
        static_cast<int>(std::erase_if(state_->queue, [&](const State::Job& job) { return job.key == key; }));
    if (state_->running != 0 && state_->running_key == key) {
        state_->put_off = false; // nobody asks for it any more
        state_->file->interrupt();
    }
}

void ProfileSource::answer(std::uint64_t id, const std::pair<QObject*, QString>& key,
                           const std::function<void(std::any)>& done, std::any result) {
    const auto newest = newest_.find(key);
    if (newest != newest_.end() && newest->second.id == id) {
        newest_.erase(newest);
        done(std::move(result)); // may ask again
    }
    if (--pending_ == 0)
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
                poll_->stop();
            if (seen->version != std::exchange(version_, seen->version) || !seen->running)
                Q_EMIT changed();
        });
}

} // namespace tilescope::ui
