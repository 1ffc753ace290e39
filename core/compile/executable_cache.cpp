// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/executable_cache.h"

#include "base/hash.h"
#include "compile/discard.h"
#include "executable_check.h"
#include "graph/graph_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace tilescope::compile {
namespace {

namespace fs = std::filesystem;

constexpr char magic[8] = {'T', 'S', 'E', 'X', 'E', 'C', '0', '4'};

/// Writes to a stream, and counts and hashes what it writes. It ends early once cancelled or failed.
class Writer {
  public:
    static constexpr bool reads = false;
    explicit Writer(std::ostream& out, const CancelToken* cancel = nullptr) : out_(out), cancel_(cancel) {}
    template<class T>
    void raw(T& value) {
        block(&value, sizeof value);
    }
    void block(const void* data, std::size_t size) {
        const auto bytes = static_cast<const char*>(data);
        out_.write(bytes, static_cast<std::streamsize>(size));
        checksum_ = fnv1a({bytes, size}, checksum_);
        size_ += size;
    }
    bool ended() const { return !out_ || is_cancelled(cancel_); }
    std::uint64_t checksum() const { return checksum_; }
    std::uint64_t size() const { return size_; }

  private:
    std::ostream& out_;
    const CancelToken* cancel_;
    std::uint64_t checksum_ = fnv1a({});
    std::uint64_t size_ = 0;
};

/// Reads what a Writer wrote. What runs over the end, or is read once cancelled, sets `failed` and yields
/// nothing.
class Reader {
  public:
    static constexpr bool reads = true;
    Reader(std::istream& in, std::uint64_t bytes, const CancelToken* cancel)
        : in_(in), left_(bytes), cancel_(cancel) {}
    template<class T>
    void raw(T& value) {
        block(&value, sizeof value);
    }
    void block(void* data, std::size_t size) {
        if (size == 0)
            return; // an empty vector's data may be null
        const auto bytes = static_cast<char*>(data);
        failed = failed || size > left_ || is_cancelled(cancel_) ||
                 !in_.read(bytes, static_cast<std::streamsize>(size));
        if (failed) {
            std::memset(data, 0, size);
            return;
        }
        left_ -= size;
        checksum_ = fnv1a({bytes, size}, checksum_);
    }
    bool ended() const { return failed; }
    std::uint64_t left() const { return left_; }
    void restart_checksum() { checksum_ = fnv1a({}); }
    std::uint64_t checksum() const { return checksum_; }
    bool failed = false;

  private:
    std::istream& in_;
    std::uint64_t left_;
    const CancelToken* cancel_;
    std::uint64_t checksum_ = fnv1a({});
};

template<class T>
concept Plain = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_enum_v<T>;

template<class Archive, Plain T>
void item(Archive& a, T& value) {
    a.raw(value);
}
template<class Archive>
void item(Archive& a, bool& value) { // other bytes than 0 and 1 are no bool
    auto byte = static_cast<std::uint8_t>(value);
    a.raw(byte);
    value = byte != 0;
}
template<class Archive, class T>
void item(Archive& a, std::optional<T>& value) {
    bool there = value.has_value();
    item(a, there);
    if (there)
        item(a, value ? *value : value.emplace());
    else
        value.reset();
}
template<class Archive, class Tag, class Rep>
void item(Archive& a, Strong<Tag, Rep>& value) {
    a.raw(value.value);
}
template<class Archive>
void item(Archive& a, std::string& text) {
    auto size = static_cast<std::uint64_t>(text.size());
    a.raw(size);
    if constexpr (Archive::reads) {
        a.failed = a.failed || size > a.left();
        text.resize(a.failed ? 0 : size);
    }
    a.block(text.data(), text.size());
}
template<class Archive, class... Parts>
void items(Archive& a, Parts&... parts) {
    (item(a, parts), ...);
}
template<class Archive, class T>
void item(Archive& a, std::vector<T>& values);

template<class Archive>
void item(Archive& a, program::Variable& v) {
    items(a, v.name, v.ipu, v.category, v.dtype, v.shape, v.operation, v.layer, v.value, v.always_live,
          v.interleaved, v.stash_depth, v.copy_of, v.tile_bytes, v.streaming_bytes, v.role);
}
template<class Archive>
void item(Archive& a, program::VertexGroup& v) {
    items(a, v.codelet, v.count, v.tiles, v.code_bytes, v.estimated);
}
template<class Archive>
void item(Archive& a, program::ComputeSet& s) {
    items(a, s.name, s.ipu, s.operation, s.vertices, s.tile_cycles, s.state, s.shared);
}
template<class Archive>
void item(Archive& a, program::MovedVariable& m) {
    items(a, m.variable, m.bytes);
}
template<class Archive>
void item(Archive& a, program::Axis& x) {
    items(a, x.extent, x.block, x.stride, x.period, x.piece, x.piece_stride, x.skipped);
}
template<class Archive>
void item(Archive& a, program::Moves& m) {
    items(a, m.axes, m.first_tile, m.element_bytes, m.needs, m.first_need_tile);
}
template<class Archive>
void item(Archive& a, program::NeedList& l) {
    items(a, l.shape, l.differences);
}
template<class Archive>
void item(Archive& a, program::Exchange& e) {
    items(a, e.name, e.kind, e.ipu, e.peer, e.operation, e.ring_phase, e.sent, e.received, e.instructions,
          e.shared, e.cycles, e.moved, e.moves);
}
template<class Archive>
void item(Archive& a, StepWork& w) {
    items(a, w.role, w.verb, w.of);
}
template<class Archive>
void item(Archive& a, program::Step& s) {
    items(a, s.kind, s.name, s.work, s.ipu, s.peer, s.operation, s.children, s.repeats, s.part, s.compute_set,
          s.exchange, s.sync_cycles, s.exchange_cycles, s.compute_cycles, s.uses, s.made_by, s.on_io_tiles,
          s.code_bytes);
}
template<class Archive>
void item(Archive& a, ipu::ConvCost& c) {
    items(a, c.sync, c.rearrange, c.exchange_inputs, c.exchange_weights, c.partials, c.exchange_partials,
          c.reduce, c.slices, c.updates, c.temporary_bytes, c.interleaved_bytes);
}
template<class Archive>
void item(Archive& a, ipu::ConvPlan& p) {
    items(a, p.transform.expand_height, p.transform.expand_width, p.transform.flatten, p.transform.swap,
          p.transform.joint);
    items(a, p.grouping.vertex, p.grouping.units, p.grouping.conv_groups, p.grouping.in_channels,
          p.grouping.out_channels);
    items(a, p.splits.groups, p.splits.batch, p.splits.height, p.splits.width, p.splits.kernel_height,
          p.splits.in_channels, p.splits.out_channels, p.splits.serial_in, p.splits.serial_out,
          p.splits.width_group);
    item(a, p.cost);
}
template<class Archive>
void item(Archive& a, lowering::OperationPlan& p) {
    items(a, p.operation, p.product, p.plans, p.placed);
}
template<class Archive>
void item(Archive& a, LiveRange& r) {
    items(a, r.from, r.to);
}
template<class Archive>
void item(Archive& a, LivenessPoint& p) {
    items(a, p.always_live, p.not_always_live, p.max_tile);
}

template<class Archive>
void item(Archive& a, IpuMemory& m) {
    items(a, m.liveness, m.always_live, m.peak, m.peak_step, m.interleaved, m.overflowed, m.with_gaps,
          m.oversize_tiles);
}

template<class Archive, class T>
void item(Archive& a, std::vector<T>& values) {
    auto size = static_cast<std::uint64_t>(values.size());
    a.raw(size);
    if constexpr (Plain<T>) {
        if constexpr (Archive::reads) {
            a.failed = a.failed || size > a.left() / sizeof(T);
            values.assign(a.failed ? 0 : size, T{});
        }
        a.block(values.data(), values.size() * sizeof(T));
    } else if constexpr (Archive::reads) { // one by one: a size that lies takes no memory
        for (std::uint64_t i = 0; i < size && !a.failed; ++i)
            item(a, values.emplace_back());
    } else {
        for (T& value : values) {
            if (a.ended())
                return;
            item(a, value);
        }
    }
}

template<class Archive>
void contents(Archive& a, Executable& e) {
    program::Program& p = e.program;
    items(a, p.tiles, p.ipus, p.io_tiles, p.io_overlaps, p.io_wait, p.variables, p.compute_sets, p.exchanges,
          p.needs.lists, p.steps, p.root, p.rounds, p.micro_batches, e.plans);
    items(a, e.memory.needed, e.memory.addresses, e.memory.ipus);
}

std::string planning_key(const ipu::PlanningOptions& planning) {
    const auto numbers = [](const auto& list) {
        std::string text;
        for (const auto value : list)
            text += " " + std::to_string(static_cast<std::int32_t>(value));
        return text;
    };
    const auto figure = [](const char* format, double value) {
        char text[64];
        std::snprintf(text, sizeof text, format, value);
        return std::string(text);
    };
    std::string key = figure("proportion %.17g\n", planning.all.available_memory_proportion);
    key += planning.all.half_partials ? "half partials\n" : "";
    key += planning.all.gather_output ? "gathered\n" : "";
    key += planning.all.clear_pass_type ? "passes apart\n" : "";
    for (const ipu::PlanningRule& rule : planning.rules) {
        key += "rule of " + (rule.of ? to_string(*rule.of) : std::string("all")) + " in stages" +
               numbers(rule.part.stages) + " passes" + numbers(rule.passes) + " layers " + rule.part.layers;
        if (rule.available_memory_proportion)
            key += figure(" proportion %.17g", *rule.available_memory_proportion);
        if (rule.half_partials)
            key += *rule.half_partials ? " half partials" : " float partials";
        if (rule.gather_output)
            key += *rule.gather_output ? " gathered" : " not gathered";
        if (rule.clear_pass_type)
            key += *rule.clear_pass_type ? " passes apart" : " passes together";
        key += "\n";
    }
    return key;
}

} // namespace

std::string cache_key(const Executable& executable, const Options& options, const std::string& build) {
    std::string key = "build " + build + "\ngeneration " + options.target.generation + "\n";
    char text[64];
    for (const ipu::TargetFigure& figure : ipu::target_figures()) {
        std::snprintf(text, sizeof text, " %.17g\n", figure.get(options.target));
        key += figure.name + std::string(text);
    }
    key += planning_key(options.planning);
    const program::Schedule& schedule = options.schedule;
    key += "ipus " + std::to_string(schedule.ipus_per_replica) + "\naccumulation " +
           std::to_string(schedule.accumulation) + "\n";
    if (schedule.pipeline)
        key += "schedule " + to_string(*schedule.pipeline) + "\n";
    if (options.offload_activations)
        key += "stashes in streaming memory\n";
    if (const IoTiles& io = options.io_tiles; io.num_io_tiles > 0) {
        std::snprintf(text, sizeof text, " %.17g\n", io.available_memory_proportion);
        key += "I/O tiles " + std::to_string(io.num_io_tiles) + (io.place_ops_on_io_tiles ? " placed" : "") +
               text;
    }
    for (const std::int32_t ipu : schedule.stage_ipus)
        key += "stage on IPU " + std::to_string(ipu) + "\n";
    // Where a program's only IPU is makes no difference.
    for (std::int32_t i = 0; schedule.ipus() > 1 && i < schedule.ipus(); ++i)
        key += "on IPU " + std::to_string(options.attachment.at(i)) + "\n";
    key += "machines of " + std::to_string(options.attachment.ipus_per_machine) + " IPUs";
    key += "\ncode " + std::to_string(options.target.compile_ipu_code) + "\nrounds " +
           std::to_string(schedule.updates_per_execution()) + "\n" +
           print(executable.graph, graph::TensorText::None) + "values";
    // The text has no numbers of values, by which the program in the cache names them.
    const auto number = [&key](graph::ValueId id) { key += " " + std::to_string(id.value); };
    for (const graph::Feed& feed : executable.graph.feeds)
        number(feed.value);
    for (const graph::Variable& variable : executable.graph.variables)
        number(variable.value);
    for (const graph::Constant& constant : executable.graph.constants)
        number(constant.value);
    for (const graph::Operation& op : executable.graph.operations())
        std::for_each(op.outputs.begin(), op.outputs.end(), number);
    return key + "\n";
}

std::string cache_path(const std::string& directory, const std::string& key) {
    char name[64];
    std::snprintf(name, sizeof name, "%016llx%016llx.executable", static_cast<unsigned long long>(fnv1a(key)),
                  static_cast<unsigned long long>(fnv1a(key, 0x9E3779B97F4A7C15U)));
    return (fs::path(directory) / name).string();
}

namespace {

/// What stands before the contents.
void write_header(std::ostream& out, const std::string& key, std::uint64_t checksum, std::uint64_t size) {
    Writer header(out);
    header.block(magic, sizeof magic);
    std::string stored_key = key;
    items(header, checksum, stored_key, size);
}

void swap_compiled(Executable& a, Executable& b) {
    std::swap(a.program, b.program);
    std::swap(a.plans, b.plans);
    std::swap(a.memory, b.memory);
}

/// It is gone at once, and its room is given back in a thread of its own: for a file of gigabytes that was
/// just written the system takes longer than what is cancelled may go on.
void remove_soon(const std::string& path) {
    const int held = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::error_code ignored;
    fs::remove(path, ignored);
    if (held < 0)
        return;
    try {
        std::thread([held] { close(held); }).detach();
    } catch (const std::system_error&) { // no such thread
        close(held);
    }
}

CacheOutcome read_entry(std::istream& in, std::uint64_t bytes, const std::string& key, Executable& executable,
                        const CancelToken* cancel) {
    Reader reader(in, bytes, cancel);
    char begin[sizeof magic] = {};
    reader.block(begin, sizeof begin);
    std::uint64_t checksum = 0;
    std::string stored_key;
    std::uint64_t size = 0;
    items(reader, checksum, stored_key, size);
    if (reader.failed || std::memcmp(begin, magic, sizeof magic) != 0 || stored_key != key ||
        size != reader.left())
        return CacheOutcome::Damaged;
    reader.restart_checksum();
    Executable loaded;
    contents(reader, loaded);
    swap_compiled(executable, loaded);
    if (!reader.failed && reader.left() == 0 && reader.checksum() == checksum &&
        consistent(executable, cancel))
        return CacheOutcome::Hit;
    swap_compiled(executable, loaded);
    discard(std::move(loaded));
    return CacheOutcome::Damaged;
}

} // namespace

std::string cache_entry(const std::string& key, const std::string& contents) {
    std::ostringstream out;
    write_header(out, key, fnv1a(contents), contents.size());
    return std::move(out).str() + contents;
}

CacheOutcome read_cached(const std::string& entry, const std::string& key, Executable& executable) {
    std::istringstream in(entry);
    return read_entry(in, entry.size(), key, executable, nullptr);
}

CacheOutcome load_cached(const std::string& directory, const std::string& key, Executable& executable,
                         const CancelToken* cancel) {
    const std::string path = cache_path(directory, key);
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return CacheOutcome::Miss;
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(path, error);
    return error ? CacheOutcome::Damaged : read_entry(file, bytes, key, executable, cancel);
}

Result<void> store_cached(const std::string& directory, const std::string& key, const Executable& executable,
                          const CancelToken* cancel) {
    const std::string path = cache_path(directory, key);
    std::error_code error;
    fs::create_directories(directory, error);
    const std::string temporary = path + "." + std::to_string(getpid());
    std::ofstream file(temporary, std::ios::binary);
    write_header(file, key, 0, 0); // its place: checksum and size are known at the end
    Writer payload(file, cancel);
    contents(payload, const_cast<Executable&>(executable)); // a Writer changes nothing
    file.seekp(0);
    write_header(file, key, payload.checksum(), payload.size());
    file.close();
    const bool whole = file && !payload.ended();
    if (whole)
        fs::rename(temporary, path, error);
    if (whole && !error)
        return {};
    remove_soon(temporary);
    if (is_cancelled(cancel))
        return cancelled();
    return system_failure("the executable cannot be kept", directory, "choose a folder that can be written");
}

} // namespace tilescope::compile
