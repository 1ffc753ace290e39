// SPDX-License-Identifier: GPL-3.0-or-later
/// What recording costs: the rows that a second takes, beside plain inserts of the same rows (one prepared
/// statement for each table, the texts in the rows, as a program without a recorder would write them), and
/// its share of the time of runs that compute, beside its limit.
///
///     bench_recorder
#include "bench/must.h"
#include "bench/table.h"
#include "build_paths.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "profile/table_text.h"
#include "workload/workload.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <sqlite3.h>
#include <unistd.h>

using namespace tilescope;
using bench::must;
namespace fs = std::filesystem;

namespace {

bench::Table results("recorder");

void must_be(int code, int expected) {
    if (code != expected) {
        std::fprintf(stderr, "bench_recorder: %s\n", sqlite3_errstr(code));
        std::exit(1);
    }
}

double wall_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_s() { ///< of all threads
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Cost {
    double wall = 1e9, cpu = 1e9;
    /// The least of several: what others do on the computer only adds.
    void take(const std::function<void()>& what) {
        const double wall_before = wall_s();
        const double cpu_before = cpu_s();
        what();
        wall = std::min(wall, wall_s() - wall_before);
        cpu = std::min(cpu, cpu_s() - cpu_before);
    }
};

/// Runs a sample and records it.
void run_sample(const std::string& sample, const std::vector<std::string>& settings, bool estimate,
                const std::string& path) {
    const auto registry = operators::standard_operators();
    const CancelToken cancel;
    auto workload =
        must(workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json", settings));
    auto prepared = must(prepare::prepare_job(workload, registry, {.estimate = estimate}, cancel));
    profile::RunRecord run;
    run.name = sample;
    auto recorder = must(profile::Recorder::create(path, run));
    const std::int64_t each = std::max<std::int64_t>(1, prepared.job.training.ipus_per_replica);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(prepared.job.attachment.ipus.size()); ++i)
        recorder->add(profile::IpuRecord{i, i, "", i / each, i % each});
    run::Observer nobody;
    must(run::run_job(std::move(prepared.job), registry, run, *recorder, nobody, cancel));
    must(recorder->finish(profile::RunStatus::Complete));
}

/// The rows of a compiled model as the recorder takes them.
struct Rows {
    profile::SharedRows<profile::TensorRecord> tensors;
    std::vector<profile::VariableRecord> variables;
    profile::SharedRows<profile::ComputeSetRecord> compute_sets;
    profile::SharedRows<profile::VertexRecord> vertices;
    profile::SharedRows<profile::ExchangeRecord> exchanges;
    profile::SharedRows<profile::ProgramRecord> program;
    std::vector<profile::PlanRecord> plans;

    explicit Rows(const profile::Profile& file)
        : tensors(must(file.tensors())),
          variables(must(file.variables()).those([](const auto& row) { return row.ipu == 0; })),
          compute_sets(must(file.compute_sets())), vertices(must(file.vertices())),
          exchanges(must(file.exchanges())), program(must(file.program())), plans(must(file.plans())) {
        for (profile::VariableRecord& row : variables)
            row.ipu = 0;
    }

    template<class Visit>
    void each(const Visit& visit) const {
        visit("tensor", tensors);
        visit("variable", variables);
        visit("compute_set", compute_sets);
        visit("vertex", vertices);
        visit("exchange", exchanges);
        visit("program", program);
        visit("plan", plans);
    }
    std::size_t count() const {
        std::size_t sum = 0;
        each([&](const char*, const auto& rows) { sum += rows.size(); });
        return sum;
    }
};

constexpr int times_over = 4; ///< with other ids, so that it takes long enough

template<class Row>
Row moved(Row row, std::int64_t by) {
    if constexpr (requires { row.id; })
        row.id += by;
    else if constexpr (requires { row.rank; })
        row.rank += by;
    return row;
}

void record(const Rows& rows, const std::string& path) {
    auto recorder = must(profile::Recorder::create(path, {}, profile::Recorder::Existing::Overwrite));
    for (std::int64_t k = 0; k < times_over; ++k)
        rows.each([&](const char*, const auto& list) {
            for (const auto& row : list)
                recorder->add(moved(row, 1'000'000 * k));
        });
    must(recorder->finish(profile::RunStatus::Complete));
}

using Values = std::vector<sqlite3_value*>; ///< of the columns of a row

struct PlainTable {
    profile::TableText text;
    std::vector<Values> rows;
};

/// The same rows out of a file that has them.
std::vector<PlainTable> plain_tables(const Rows& rows, const std::string& path) {
    std::vector<PlainTable> tables;
    sqlite3* db = nullptr;
    must_be(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    rows.each([&](const char* name, const auto&) {
        for (profile::TableText& text : profile::all_tables())
            if (text.name == name) {
                text.storing = profile::Storing::Plain;
                sqlite3_stmt* select = nullptr;
                must_be(sqlite3_prepare_v2(db, text.select().c_str(), -1, &select, nullptr), SQLITE_OK);
                PlainTable& table = tables.emplace_back(PlainTable{text, {}});
                while (sqlite3_step(select) == SQLITE_ROW) {
                    Values& values = table.rows.emplace_back();
                    for (int c = 0; c < sqlite3_column_count(select); ++c)
                        values.push_back(sqlite3_value_dup(sqlite3_column_value(select, c)));
                }
                sqlite3_finalize(select);
            }
    });
    sqlite3_close(db);
    return tables;
}

/// A file with the same rows, in one transaction, synchronised once as the recorder's are.
void insert(const std::vector<PlainTable>& tables, const std::string& path) {
    for (const char* suffix : {"", "-wal", "-shm"})
        fs::remove(path + suffix);
    sqlite3* db = nullptr;
    must_be(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    const auto run = [&](const std::string& sql) {
        must_be(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    };
    run("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN");
    for (const PlainTable& table : tables) {
        run(table.text.create());
        sqlite3_stmt* statement = nullptr;
        must_be(sqlite3_prepare_v2(db, table.text.insert().c_str(), -1, &statement, nullptr), SQLITE_OK);
        for (const Values& row : table.rows) {
            for (std::size_t c = 0; c < row.size(); ++c)
                sqlite3_bind_value(statement, static_cast<int>(c) + 1, row[c]);
            must_be(sqlite3_step(statement), SQLITE_DONE);
            sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);
    }
    run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    must_be(sqlite3_close(db), SQLITE_OK);
}

void measure_rate(const fs::path& folder) {
    const std::string model = (folder / "model.tilescope").string();
    run_sample("bert_large_pod16_grouped", {"ipu_config.auto_select_ipus=8"}, true, model);
    const Rows rows(*must(profile::Profile::open(model)));
    const std::string ours = (folder / "recorded.tilescope").string();
    const std::string plain = (folder / "plain.db").string();
    record(rows, ours); // with an IPU, so that the view of variables shows them
    sqlite3* db = nullptr;
    must_be(sqlite3_open(ours.c_str(), &db), SQLITE_OK);
    must_be(
        sqlite3_exec(db, "INSERT INTO ipu (id, replica, shard) VALUES (0, 0, 0)", nullptr, nullptr, nullptr),
        SQLITE_OK);
    sqlite3_close(db);
    const std::vector<PlainTable> tables = plain_tables(rows, ours);
    const auto count = static_cast<double>(rows.count()) * times_over;
    std::size_t inserted = 0;
    for (const PlainTable& table : tables)
        inserted += table.rows.size();
    if (static_cast<double>(inserted) != count) {
        std::fprintf(stderr, "bench_recorder: %zu of %.0f rows came back\n", inserted, count);
        std::exit(1);
    }
    Cost recorder;
    Cost inserts;
    for (int i = 0; i < 7; ++i) {
        recorder.take([&] { record(rows, ours); });
        inserts.take([&] { insert(tables, plain); });
    }
    const auto megabytes = [](const std::string& path) {
        char text[64];
        std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(fs::file_size(path)) / 1e6);
        return std::string(text);
    };
    const std::string rows_of = "rows of BERT-Large (" + std::to_string(rows.count() * times_over) + ")";
    const std::string files = "(" + megabytes(ours) + ", plain " + megabytes(plain) + ")";
    constexpr double aim = 0.8; // of a writer that keeps each text in each row
    results.at_least(rows_of, count / recorder.wall / 1e3, "k/s", "inserts", count / inserts.wall / 1e3, aim,
                     files);
    std::fprintf(stderr, "  (by CPU time: %.0f thousand rows/s, plain inserts %.0f)\n",
                 count / recorder.cpu / 1e3, count / inserts.cpu / 1e3);
}

/// What a run gave to the recorder while it computed, once more: CPU time of all threads.
double record_again(const profile::Profile& file, double wall, const std::string& path) {
    const auto executions = must(file.executions(0, 1'000'000));
    const auto metrics = must(file.metrics());
    auto recorder = must(profile::Recorder::create(path, {}, profile::Recorder::Existing::Overwrite));
    const auto commits =
        static_cast<std::size_t>(wall / 0.25) + 1; // as often as it writes while a run goes on
    const double before = cpu_s();
    auto metric = metrics.begin();
    for (std::size_t i = 0; i < executions.size(); ++i) {
        profile::ExecutionRecord e = executions[i];
        e.schedule_id = -1;
        recorder->add(e);
        for (; metric != metrics.end() && metric->execution_id == e.id; ++metric)
            recorder->add(*metric);
        recorder->set(profile::ProgressRecord{profile::RunActivity::Train, e.epoch, 1, e.first_step, 1, 1});
        if (i % (executions.size() / commits + 1) == 0)
            recorder->flush();
    }
    recorder->flush();
    const double cost = cpu_s() - before;
    must(recorder->finish(profile::RunStatus::Complete));
    return cost;
}

void measure_share(const fs::path& folder, const std::string& sample,
                   const std::vector<std::string>& settings) {
    const std::string path = (folder / "run.tilescope").string();
    run_sample(sample, settings, false, path);
    const auto file = must(profile::Profile::open(path));
    const auto totals = must(file->execution_totals(profile::ExecutionKind::Train));
    const double wall = static_cast<double>(totals.wall_us) / 1e6;
    double cost = 1e9;
    for (int i = 0; i < 3; ++i)
        cost = std::min(cost, record_again(*file, wall, (folder / "again.tilescope").string()));
    results.at_most("share of " + sample + " (" + std::to_string(totals.executions) + " engine runs)",
                    100 * cost / wall, "%", 3);
}

} // namespace

int main() {
    const fs::path folder = fs::temp_directory_path() / ("bench_recorder_" + std::to_string(getpid()));
    fs::create_directory(folder);
    measure_rate(folder);
    const std::vector<std::string> every_step = {"compile.steps_per_execution=1", "fit.epochs=1"};
    for (const char* sample : {"mnist_rmsprop", "mnist_tf2", "keras_mnist"})
        measure_share(folder, sample, every_step);
    fs::remove_all(folder);
    return results.exit_code();
}
