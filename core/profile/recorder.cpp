// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"

#include "base/host_memory.h"
#include "base/try.h"
#include "profile/profile.h"
#include "profile/writer_lock.h"
#include "profile_files.h"
#include "row_writer.h"
#include "schedule_book.h"
#include "schema.h"
#include "tile_book.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tilescope::profile {
namespace {

constexpr std::size_t most_queued = 1 << 17;        ///< rows; a faster producer waits for the disk
constexpr std::size_t most_queued_bytes = 64 << 20; ///< of packed tile arrays and text; the same
constexpr auto commit_interval = std::chrono::milliseconds(250);
constexpr auto poll_interval = std::chrono::milliseconds(20); ///< how often what waits asks whether to end

/// Where a profile is made, until it is whole.
std::string new_path(const std::string& target) {
    return partial_path(target) + ".new";
}

std::int64_t unix_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

} // namespace

/// The writer: a queue of rows, and the thread that inserts them.
struct Recorder::State {
    /// What waits for the thread. Of tables that have one row the last one counts.
    struct Queue {
        std::vector<AnyRow> rows;
        std::optional<RunRecord> run;
        std::optional<ProgressRecord> progress;
        std::size_t bytes = 0; ///< as far as `post` was told
        bool empty() const { return rows.empty() && !run && !progress; }
        void clear() {
            rows.clear();
            run.reset();
            progress.reset();
            bytes = 0;
        }
    };

    WriterLock writer_lock;
    std::string target; ///< the name that the run has or takes
    std::string path;   ///< where it is written until then
    Database db;
    RowWriter writer; ///< the thread's own
    std::mutex mutex;
    std::condition_variable wake;
    std::condition_variable drained;
    Queue queue;
    ScheduleBook schedules; ///< the caller's, as `tiles`
    TileBook tiles;
    bool busy = false;
    bool stop = false;
    bool flush_now = false;
    std::optional<Error> error;
    const CancelToken* cancel = nullptr; ///< of the caller's work
    RunRecord run;
    std::thread thread;

    State(WriterLock taken, std::string name) : writer_lock(std::move(taken)), target(std::move(name)) {}

    bool full(std::size_t share) const {
        return queue.rows.size() >= most_queued / share || queue.bytes >= most_queued_bytes / share;
    }

    /// Until `ready` or cancelled.
    template<class Ready>
    void wait_drained(std::unique_lock<std::mutex>& lock, const CancelToken* ended, const Ready& ready) {
        while (!ready() && !is_cancelled(ended))
            drained.wait_for(lock, poll_interval);
    }

    /// `bytes`: what the row holds beyond its struct, where that is much.
    template<class Row>
    void post(const Row& row, std::size_t bytes = 0) {
        std::unique_lock lock(mutex);
        wait_drained(lock, cancel, [this] { return !full(1) || error; });
        if (error)
            return;
        queue.rows.emplace_back(row);
        queue.bytes += bytes;
        if (full(2))
            wake.notify_one();
    }
    void post(const ProgressRecord& row) {
        const std::lock_guard lock(mutex);
        queue.progress = row;
    }
    void post(const RunRecord& row) {
        run = row;
        const std::lock_guard lock(mutex);
        queue.run = row;
    }

    /// In one transaction.
    void write(Queue& taken) {
        int code = sqlite3_exec(db.get(), "BEGIN", nullptr, nullptr, nullptr);
        for (std::size_t i = 0; i < taken.rows.size() && code == SQLITE_OK; ++i)
            code = writer.insert(std::move(taken.rows[i]));
        if (code == SQLITE_OK)
            code = writer.insert_rest();
        if (code == SQLITE_OK && taken.progress)
            code = writer.insert(*taken.progress);
        if (code == SQLITE_OK && taken.run)
            code = writer.insert(*taken.run);
        if (code == SQLITE_OK)
            code = sqlite3_exec(db.get(), "COMMIT", nullptr, nullptr, nullptr);
        if (code != SQLITE_OK)
            fail(sqlite_error(db.get(), code, target));
    }

    /// The first failure is kept and ends all writing.
    void fail(Error failed) {
        sqlite3_exec(db.get(), "ROLLBACK", nullptr, nullptr, nullptr);
        const std::lock_guard lock(mutex);
        if (!error)
            error = std::move(failed);
    }

    void loop() {
        Queue taken; // its memory is used again
        std::unique_lock lock(mutex);
        while (true) {
            wake.wait_for(lock, commit_interval, [this] { return stop || flush_now || full(2); });
            std::swap(taken, queue);
            flush_now = false;
            if (!taken.empty() && !error) {
                busy = true;
                lock.unlock();
                try {
                    write(taken);
                } catch (const std::bad_alloc&) { // within a transaction: what is committed stays
                    fail(host_memory_error());
                }
                taken.clear();
                lock.lock();
                busy = false;
            }
            taken.clear();
            drained.notify_all();
            if (stop && queue.empty())
                return;
        }
    }

    Result<void> connect(const std::string& file, const std::string& setup) {
        path = file;
        sqlite3* raw = nullptr;
        const int code = sqlite3_open_v2(
            path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
        db.reset(raw);
        if (code != SQLITE_OK)
            return Failure(sqlite_error(raw, code, target));
        sqlite3_busy_timeout(raw, 5000);
        return execute(raw, setup, target);
    }

    /// Writes all tables and the run's row to a file beside the target, as one plain file.
    Result<void> make_file(const RunRecord& first) {
        run = first;
        TRY(connect(new_path(target),
                    "PRAGMA page_size = 4096; PRAGMA application_id = " + std::to_string(application_id) +
                        "; PRAGMA user_version = " + std::to_string(schema_version) + "; BEGIN;" +
                        schema_sql() + views_sql()));
        writer.use(db.get());
        int code = writer.insert(first);
        writer.use(nullptr);
        if (code == SQLITE_OK)
            code = sqlite3_exec(db.get(), "COMMIT", nullptr, nullptr, nullptr);
        if (code != SQLITE_OK)
            return Failure(sqlite_error(db.get(), code, target));
        db.reset();
        return {};
    }

    /// What a run that did not get far has left beside the target.
    Result<void> remove_beginnings() const {
        TRY(check_replaceable(new_path(target)));
        TRY(check_replaceable(partial_path(target)));
        TRY(remove_profile(new_path(target)));
        return remove_profile(partial_path(target));
    }

    /// A complete run that did not come to take its name takes it now: the disk was full, or its process was
    /// killed just then.
    Result<void> settle_earlier() {
        const std::string earlier = partial_path(target);
        std::error_code ignored;
        if (!std::filesystem::exists(earlier, ignored))
            return {};
        {
            const auto profile = Profile::open(earlier);
            const auto ended = profile ? (*profile)->run() : Failure(profile.error());
            if (!ended || ended->status != RunStatus::Complete)
                return {};
        }
        TRY(connect(earlier, {}));
        return settle(std::move(db), earlier, target, new_path(target));
    }

    Result<void> begin(const RunRecord& first, bool beside) {
        TRY(remove_beginnings());
        TRY(make_file(first));
        const std::string name = beside ? partial_path(target) : target;
        TRY(rename_profile(path, name));
        auto made = connect(name, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
        if (made)
            writer.use(db.get());
        else if (!beside) {
            db.reset();
            (void)remove_profile(target); // the new one, of which nothing is known but its start
        }
        return made;
    }
};

Result<WriterLock> reserve(const std::string& path) {
    TRY(const std::string target, replaceable(path));
    return WriterLock::take(target);
}

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path, const RunRecord& run,
                                                   Existing existing, std::optional<WriterLock> reserved) {
    namespace fs = std::filesystem;
    std::error_code error;
    TRY(const std::string target, replaceable(path));
    if (!reserved) {
        TRY(auto lock, WriterLock::take(target));
        reserved.emplace(std::move(lock));
    }
    auto state = std::make_unique<State>(*std::move(reserved), target);
    TRY(state->settle_earlier());
    const bool older = fs::exists(target, error) && fs::file_size(target, error) > 0;
    if (older && fs::exists(target + "-wal", error) && state->connect(target, {}))
        (void)fold_log(std::move(state->db), target); // of a run that was killed; a damaged one stays so
    state->db.reset();
    Result<void> begun;
    try {
        begun = state->begin(run, older && existing == Existing::Keep);
    } catch (const std::bad_alloc&) { // what it has begun is not left behind
        begun = Failure(host_memory_error());
    }
    if (!begun) {
        state->db.reset();
        (void)state->remove_beginnings();
        return Failure(begun.error());
    }
    state->thread = std::thread([s = state.get()] { s->loop(); });
    return std::unique_ptr<Recorder>(new Recorder(std::move(state)));
}

Recorder::Recorder(std::unique_ptr<State> state)
    : state_(std::move(state)), path_(state_->path), beside_(path_ != state_->target) {}

Recorder::~Recorder() {
    if (state_)
        (void)finish(RunStatus::Failed, "the run ended without a result");
}

void Recorder::update(const RunRecord& run) {
    state_->post(run);
}

template<class Row>
void Recorder::put(const Row& row) {
    state_->post(row);
}

void Recorder::set(const TargetRecord& target) {
    put(target);
}
void Recorder::set(const ProgressRecord& progress) {
    put(progress);
}
void Recorder::add(const IpuRecord& row) {
    put(row);
}
void Recorder::add(const DeviceRecord& row) {
    put(row);
}
void Recorder::add(const LayerRecord& row) {
    put(row);
}
void Recorder::add(const TensorRecord& row) {
    put(row);
}
void Recorder::add(const OperationRecord& row) {
    put(row);
}
void Recorder::add(const VariableRecord& row) {
    put(row);
}
void Recorder::add(const ComputeSetRecord& row) {
    put(row);
}
void Recorder::add(const VertexRecord& row) {
    put(row);
}
void Recorder::add(const ExchangeRecord& row) {
    put(row);
}
void Recorder::add(const ExchangeVariableRecord& row) {
    put(row);
}
void Recorder::add(const ExchangeMovesRecord& row) {
    put(row);
}
void Recorder::add(const TileNeedsRecord& row) {
    state_->post(row, row.data.size());
}
void Recorder::add(const ProgramRecord& row) {
    put(row);
}
void Recorder::add(const LivenessSpanRecord& row) {
    put(row);
}
void Recorder::add(const PlanRecord& row) {
    put(row);
}
void Recorder::add(const CompileEventRecord& row) {
    put(row);
}
void Recorder::add(const RemovedOperationRecord& row) {
    put(row);
}
void Recorder::add(const ExecutionRecord& row) {
    put(row);
}
void Recorder::add(const ExecutionGroupRecord& row) {
    put(row);
}
void Recorder::add(const DeviceProgramRecord& row) {
    put(row);
}
void Recorder::add(const FurtherStepRecord& row) {
    put(row);
}
void Recorder::add(const PipelineSlotRecord& row) {
    put(row);
}
void Recorder::add(const LinkTrafficRecord& row) {
    put(row);
}
void Recorder::add(const ErrorBandRecord& row) {
    put(row);
}
void Recorder::add(const MetricRecord& row) {
    put(row);
}
void Recorder::add(const MetricWithinRecord& row) {
    put(row);
}
void Recorder::add(const EpochMetricRecord& row) {
    put(row);
}
void Recorder::add(const OutputRecord& row) {
    put(row);
}
void Recorder::add(const LogRecord& row) {
    put(row);
}
void Recorder::add(const OversizeTileRecord& row) {
    put(row);
}
void Recorder::add(const RemedyRecord& row) {
    put(row);
}

std::int64_t Recorder::add_block(std::vector<BlockPartRecord> parts) {
    const auto [id, made] = state_->schedules.add(parts);
    for (std::size_t i = 0; made && i < parts.size(); ++i)
        put(parts[i]);
    return id;
}

std::int64_t Recorder::add_schedule(std::vector<ScheduleIpuRecord> ipus,
                                    std::vector<ScheduleRoundRecord> rounds, std::int64_t device_program_id,
                                    ScheduleOfIo io) {
    const auto [id, made] = state_->schedules.add(ipus, rounds, device_program_id, &io);
    if (made)
        put(ScheduleRecord{id, device_program_id});
    for (std::size_t i = 0; made && i < rounds.size(); ++i)
        put(rounds[i]);
    for (std::size_t i = 0; made && i < io.ipus.size(); ++i)
        put(io.ipus[i]);
    for (std::size_t i = 0; made && i < io.rounds.size(); ++i)
        put(io.rounds[i]);
    for (std::size_t i = 0; made && i < ipus.size(); ++i)
        put(ipus[i]);
    return id;
}

void Recorder::add_tile_values(const std::string& entity, std::int64_t entity_id, std::int64_t ipu,
                               const std::string& metric, std::span<const std::int64_t> values) {
    const auto [id, new_metric] = state_->tiles.metric(entity, metric);
    if (new_metric)
        put(*new_metric);
    const TileBook::Added blob = state_->tiles.add(values);
    if (blob.made) {
        const std::size_t bytes = blob.made->data.size();
        state_->post(*blob.made, bytes);
    }
    put(TileEntry{id, entity_id, ipu, blob.id});
}

void Recorder::flush(const CancelToken* cancel) {
    std::unique_lock lock(state_->mutex);
    state_->flush_now = true;
    state_->wake.notify_one();
    state_->wait_drained(lock, cancel, [this] {
        return (state_->queue.empty() && !state_->busy && !state_->flush_now) || state_->error;
    });
}

void Recorder::listen(const CancelToken* cancel) {
    state_->cancel = cancel;
}

Result<void> Recorder::finish(RunStatus status, const std::string& error) {
    RunRecord run = state_->run;
    run.status = status;
    run.error = error;
    run.finished_unix_ms = unix_ms();
    state_->post(run);
    flush();
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
    }
    state_->wake.notify_one();
    state_->thread.join();
    const std::unique_ptr<State> s = std::move(state_); // with its lock
    std::optional<Error> failed = std::move(s->error);
    if (failed) { // a changed row may still fit where new ones do not, once the log is in the file
        sqlite3_exec(s->db.get(), "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr);
        run.status = RunStatus::Failed;
        run.error = failed->line();
        s->writer.insert(run);
    }
    s->writer.use(nullptr);
    if (failed) {
        (void)fold_log(std::move(s->db), s->path);
        return Failure(std::move(*failed));
    }
    std::error_code unknown;
    const bool takes_name = status == RunStatus::Complete || !std::filesystem::exists(s->target, unknown);
    const std::string& name = takes_name ? s->target : s->path;
    TRY(settle(std::move(s->db), s->path, name, new_path(s->target)));
    path_ = name;
    beside_ = path_ != s->target;
    return {};
}

std::string Recorder::failure() const {
    if (!state_)
        return {};
    const std::lock_guard lock(state_->mutex);
    return state_->error ? state_->error->line() : std::string();
}

} // namespace tilescope::profile
