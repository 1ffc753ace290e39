// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insight_rules.h"

#include "analyse/changes_to_try.h"
#include "base/text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

namespace tilescope::analyse {
namespace {

using Found = std::vector<Insight>;
using Kind = SubjectKind;

template<class A, class B>
double ratio(A part, B whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

using RuleCost = std::optional<InsightCost>;

Insight made(const Rule& rule, std::string detail, std::vector<InsightFigure> figures, InsightSubject subject,
             RuleCost cost = {}) {
    if (cost && cost->planned)
        detail += " These cycles are planned: no engine run has ended.";
    return {rule.code,          rule.severity,      rule.title,     std::move(detail),
            std::move(figures), std::move(subject), std::move(cost)};
}

RuleCost cycles_cost(double cycles, const Evidence& e) {
    return e.elapsed > 0 && cycles > 0 ? RuleCost({cycles, FigureUnit::Cycles, e.per, e.planned})
                                       : std::nullopt;
}
/// A share of the time that passes.
RuleCost time_cost(double share, const Evidence& e) {
    return cycles_cost(share * e.elapsed, e);
}
RuleCost bytes_cost(double bytes) {
    return InsightCost{bytes, FigureUnit::Bytes, {}, false};
}

InsightSubject setting(const char* name) {
    return {Kind::Setting, {}, -1, name};
}

/// What a share of all phases is a share of, in the words of the headline.
std::string of_the_time(const Evidence& e) {
    return e.ipus.size() > 1 ? " of all IPU time" : " of the time";
}

/// Cycles in which IPUs work, exchange or wait for each other's tiles: neither the host's nor idle.
std::int64_t device_cycles(const profile::PhaseCycles& phases) {
    return phases.compute + phases.exchange + phases.sync + phases.inter_ipu;
}

// --- the result ---

Found training_diverged(const Rule& rule, const Evidence& e) {
    if (e.divergence.empty())
        return {};
    return {made(rule, "The run says: " + e.divergence + ". Its cycles and memory hold, its result does not.",
                 {{"steps", static_cast<double>(e.steps), FigureUnit::Count}},
                 setting("compile.optimizer.learning_rate"))};
}

// --- the host ---

Found host_bound(const Rule& rule, const Evidence& e) {
    if (!e.phases || e.steps_per_execution != 1)
        return {};
    const double host = ratio(e.phases->host, e.phases->total());
    if (static_cast<double>(e.executions) <= rule.threshold("executions") ||
        host <= rule.threshold("host_share"))
        return {};
    return {made(rule,
                 "Each of the " + count_text(e.steps) + " steps is an engine run of its own; " +
                     share_text(host) + of_the_time(e) +
                     " goes to the host. Set steps_per_execution to the number of steps in an epoch.",
                 {{"host_share", host, FigureUnit::Share},
                  {"executions", static_cast<double>(e.executions), FigureUnit::Count}},
                 setting("compile.steps_per_execution"), time_cost(host, e))};
}

/// The host takes much, but not because each step is an engine run: what its time goes to, and where to look.
Found host_time_of_steps(const Rule& rule, const Evidence& e) {
    const double host = e.phases ? ratio(e.phases->host, e.phases->total()) : 0;
    if (host <= rule.threshold("host_share") || !host_bound(*find_rule(host_bound_rule), e).empty())
        return {};
    std::string detail = share_text(host) + of_the_time(e) + " goes to the host";
    std::vector<InsightFigure> figures{{"host_share", host, FigureUnit::Share},
                                       {"executions", static_cast<double>(e.executions), FigureUnit::Count}};
    if (const double whole = e.host.total(); whole > 0) {
        const HostPart& largest = largest_part(e.host);
        const bool shared = largest.cycles == &HostTime::launch || largest.cycles == &HostTime::answers;
        detail += ": " + host_text(e.host) + "." +
                  (!e.small_graph ? std::string(" ") + largest.look
                   : shared       ? " One engine run that does more, as a loop of steps does, shares them."
                                  : "");
        for (const HostPart& part : host_parts)
            figures.push_back({part.figure, e.host.*part.cycles / whole, FigureUnit::Share});
    } else {
        detail += ".";
    }
    return {made(rule, std::move(detail), std::move(figures), {}, time_cost(host, e))};
}

Found global_step_on_ipu(const Rule& rule, const Evidence& e) {
    if (!e.phases || !e.counter_on_ipu)
        return {};
    const double host = ratio(e.phases->host, e.phases->total());
    return {made(rule,
                 "global_step is raised by a program of its own: before each of the " +
                     count_text(e.executions) + " engine runs the training program is loaded again, and " +
                     share_text(host) + of_the_time(e) +
                     " goes to the host. Keep the counter on the CPU (compile.global_step = \"cpu\").",
                 {{"host_share", host, FigureUnit::Share},
                  {"executions", static_cast<double>(e.executions), FigureUnit::Count}},
                 setting("compile.global_step"), time_cost(host, e))};
}

// --- memory ---

/// "Tile 7", or "Tile 7 of IPU 2" where there are several.
std::string name_of(const Evidence::Tile& tile, const Evidence& e) {
    return "Tile " + std::to_string(tile.tile) +
           (e.ipus.size() > 1 ? " of IPU " + std::to_string(tile.ipu) : std::string());
}
InsightSubject subject(const Evidence::Tile& tile) {
    return {Kind::Tile, {tile.ipu}, tile.tile, {}};
}
std::vector<InsightFigure> memory_figures(const Evidence::Tile& tile, const Evidence& e) {
    return {{"tile_bytes", static_cast<double>(tile.bytes), FigureUnit::Bytes},
            {"bytes_per_tile", static_cast<double>(e.bytes_per_tile), FigureUnit::Bytes}};
}

/// "kernel (12.0 KiB), bias (1.00 KiB) and y (512 B)": of what is live when the tile is fullest.
std::string largest_text(const Diagnosis& d) {
    constexpr std::size_t most = 3;
    std::string names;
    const std::size_t count = std::min(most, d.largest.size());
    for (std::size_t i = 0; i < count; ++i)
        names += (i == 0          ? ""
                  : i + 1 < count ? ", "
                                  : " and ") +
                 d.largest[i].variable.name + " (" + bytes_text(static_cast<double>(d.largest[i].bytes)) +
                 ")";
    return names;
}

/// Which of the changes that were compiled fits.
std::string remedies_text(const Diagnosis& d) {
    const auto& tried = d.tried;
    if (tried.empty())
        return {};
    const profile::RemedyRecord& first = tried.front(); // what fits stands first
    if (!first.fits)
        return tried.size() == 1
                   ? " The one change that was compiled does not fit either."
                   : " None of the " + count_text(std::ssize(tried)) + " changes that were compiled fits.";
    return " " + remedy_text(first, d.cut_by_hand) + (cuts_anew(first, d.cut_by_hand) ? "," : "") +
           " was compiled, and fits.";
}

/// Why it is too large: how many tiles are, when most is live on the worst one, and what.
std::string causes_text(const Diagnosis& d) {
    std::string text = " " + over_text(d);
    if (!d.largest.empty())
        text += " Largest then: " + largest_text(d) + ".";
    return text + remedies_text(d);
}

Found out_of_memory(const Rule& rule, const Evidence& e) {
    if (e.highest && !e.shortage.empty())
        return {made(rule, "The run says: " + e.shortage + ". Every tile has room for what is on it.",
                     memory_figures(*e.highest, e), {})};
    if (!e.highest || ratio(e.highest->bytes, e.bytes_per_tile) <= rule.threshold("tile_share"))
        return {};
    auto figures = memory_figures(*e.highest, e);
    if (e.diagnosis) {
        figures.push_back({"tiles_over", static_cast<double>(e.diagnosis->tiles_over), FigureUnit::Count});
        figures.push_back({"live_bytes", static_cast<double>(e.diagnosis->live_bytes), FigureUnit::Bytes});
    }
    return {made(rule,
                 name_of(*e.highest, e) + " needs " + bytes_text(static_cast<double>(e.highest->bytes)) +
                     ", gaps included, and has " + bytes_text(static_cast<double>(e.bytes_per_tile)) + ": " +
                     bytes_text(static_cast<double>(e.highest->bytes - e.bytes_per_tile)) + " too little." +
                     (e.diagnosis ? causes_text(*e.diagnosis) : std::string()),
                 std::move(figures), subject(*e.highest),
                 bytes_cost(static_cast<double>(e.highest->bytes - e.bytes_per_tile)))};
}

Found tile_nearly_full(const Rule& rule, const Evidence& e) {
    if (!e.highest || e.highest->bytes > e.bytes_per_tile)
        return {};
    const double share = ratio(e.highest->bytes, e.bytes_per_tile);
    if (share <= rule.threshold("tile_share"))
        return {};
    return {made(rule,
                 name_of(*e.highest, e) + " needs " + share_text(share) + " of its memory, gaps included: " +
                     bytes_text(static_cast<double>(e.bytes_per_tile - e.highest->bytes)) + " are left.",
                 memory_figures(*e.highest, e), subject(*e.highest),
                 bytes_cost(static_cast<double>(e.highest->bytes) -
                            rule.threshold("tile_share") * static_cast<double>(e.bytes_per_tile)))};
}

Found tile_imbalance(const Rule& rule, const Evidence& e) {
    if (!e.fullest)
        return {};
    const double mean = ratio(e.total_bytes, e.tiles_per_ipu * static_cast<std::int64_t>(e.ipus.size()));
    const double times = ratio(e.fullest->bytes, mean);
    if (times <= rule.threshold("times_the_mean") ||
        ratio(e.fullest->bytes, e.bytes_per_tile) <= rule.threshold("tile_share"))
        return {};
    auto figures = memory_figures(*e.fullest, e);
    figures.push_back({"mean_tile_bytes", mean, FigureUnit::Bytes});
    figures.push_back({"times_the_mean", times, FigureUnit::Times});
    return {made(rule,
                 name_of(*e.fullest, e) + " holds " + bytes_text(static_cast<double>(e.fullest->bytes)) +
                     ", the mean tile " + bytes_text(mean) + ".",
                 std::move(figures), subject(*e.fullest),
                 bytes_cost(static_cast<double>(e.fullest->bytes) - mean))};
}

Found code_size(const Rule& rule, const Evidence& e) {
    const double share = e.highest ? ratio(e.highest_code, e.bytes_per_tile) : 0;
    if (share <= rule.threshold("code_share"))
        return {};
    return {
        made(rule,
             share_text(share) + " of the memory of " +
                 (e.ipus.size() > 1 ? "IPU " + std::to_string(e.highest->ipu) + " tile " : "tile ") +
                 std::to_string(e.highest->tile) +
                 ", the fullest, is code: " + bytes_text(static_cast<double>(e.highest_code)) +
                 ". Each step that differs from the others has code of its own; Memory shows of which kind "
                 "it is, Program the steps.",
             {{"code_share", share, FigureUnit::Share},
              {"code_bytes", static_cast<double>(e.highest_code), FigureUnit::Bytes},
              {"tile_bytes", static_cast<double>(e.highest->bytes), FigureUnit::Bytes}},
             subject(*e.highest),
             bytes_cost(static_cast<double>(e.highest_code) -
                        rule.threshold("code_share") * static_cast<double>(e.bytes_per_tile)))};
}

// --- the device's time ---

Found part_of_device(const Rule& rule, const Evidence& e, std::int64_t profile::PhaseCycles::*part,
                     const char* figure, const std::string& rest) {
    if (!e.phases)
        return {};
    const double share = ratio((*e.phases).*part, device_cycles(*e.phases));
    const double of_all = ratio((*e.phases).*part, e.phases->total());
    if (share <= rule.threshold(figure) || of_all <= rule.threshold("time_share"))
        return {};
    return {made(rule,
                 share_text(of_all) + of_the_time(e) + ", " + share_text(share) +
                     " of what is neither the host's nor idle, " + rest,
                 {{figure, share, FigureUnit::Share}, {"time_share", of_all, FigureUnit::Share}}, {},
                 time_cost(of_all, e))};
}
constexpr Threshold share_of_all_time{"time_share", 0.1, FigureUnit::Share,
                                      "of less than a tenth little is to be had"};

Found exchange_bound(const Rule& rule, const Evidence& e) {
    return part_of_device(
        rule, e, &profile::PhaseCycles::exchange, "exchange_share",
        "moves data between the tiles of an IPU. Operations sorted by exchange show where.");
}

Found inter_ipu_bound(const Rule& rule, const Evidence& e) {
    const bool replicated =
        std::any_of(e.ipus.begin(), e.ipus.end(), [](const auto& ipu) { return ipu.replica > 0; });
    return part_of_device(rule, e, &profile::PhaseCycles::inter_ipu, "inter_ipu_share",
                          replicated ? "moves data between IPUs: activations between shards or stages, "
                                       "gradients between replicas. More gradient accumulation makes the "
                                       "second rarer."
                                     : "moves data between IPUs: what one shard or stage needs of another.");
}

Found sync_bound(const Rule& rule, const Evidence& e) {
    const bool has_batch = !e.small_graph && e.batch_size > 0;
    return part_of_device(rule, e, &profile::PhaseCycles::sync, "sync_share",
                          has_batch ? "is sync: the steps are short. A larger batch makes them longer."
                                    : "is sync: the steps are short. Fewer and longer ones would sync less.");
}

/// Steps so short that each could do more in little more time: a batch twice as large would at most halve
/// the time of a sample.
Found small_batch(const Rule& rule, const Evidence& e) {
    if (e.small_graph || e.batch_size <= 0 || !e.peak_share || e.sync_cycles <= 0)
        return {};
    const double times = ratio(e.set_cycles, e.sync_cycles);
    if (*e.peak_share >= rule.threshold("peak_share") || times >= rule.threshold("times_the_sync"))
        return {};
    return {made(rule,
                 "The mean compute set takes " + amount_text(e.set_cycles) + " cycles, " + times_text(times) +
                     " as long as a sync, and the tiles compute at " + share_text(*e.peak_share) +
                     " of their peak. A batch larger than " + count_text(e.batch_size) +
                     " gives each step more to do: twice as large, it halves the time of a sample at most.",
                 {{"peak_share", *e.peak_share, FigureUnit::Share},
                  {"times_the_sync", times, FigureUnit::Times},
                  {"set_cycles", e.set_cycles, FigureUnit::Cycles},
                  {"batch_size", static_cast<double>(e.batch_size), FigureUnit::Count}},
                 setting("fit.batch_size"), cycles_cost(e.busy / 2, e))};
}

/// Of IPU time what each IPU of a replica takes in the mean.
double per_ipu(double ipu_time, const Evidence& e) {
    const auto count =
        std::count_if(e.ipus.begin(), e.ipus.end(), [](const auto& ipu) { return ipu.replica == 0; });
    return ipu_time / static_cast<double>(std::max<std::ptrdiff_t>(count, 1));
}

/// Operations or compute sets.
template<class Alike>
std::string text_of(const Alike& of) {
    return of.count == 1 ? of.name : of.name + " × " + count_text(of.count);
}

Found poor_balance(const Rule& rule, const Evidence& e) {
    Found found;
    for (const Evidence::ComputeSets& of : e.compute_sets) {
        const double lost = ratio(of.lost, e.elapsed);
        if (of.balance() >= rule.threshold("balance") || lost <= rule.threshold("lost_share"))
            continue;
        found.push_back(made(rule,
                             text_of(of) + " takes " + share_text(ratio(of.cycles, e.elapsed)) +
                                 " of the time" +
                                 (e.ipus.size() > 1 ? " of IPU " + std::to_string(of.ipu) : std::string()) +
                                 ", and the mean tile works " + share_text(of.balance()) +
                                 " as long as the slowest: " + share_text(lost) + " of the time is lost.",
                             {{"balance", of.balance(), FigureUnit::Share},
                              {"lost_share", lost, FigureUnit::Share},
                              {"compute_sets", static_cast<double>(of.count), FigureUnit::Count}},
                             {Kind::Operation, {of.ipu}, of.operation, of.name}, cycles_cost(of.lost, e)));
    }
    return found;
}

/// Of all operations; what brings most is what it points at.
Found rearrangement_cost(const Rule& rule, const Evidence& e) {
    const double share = ratio(e.arranging, e.operation_cycles);
    if (share <= rule.threshold("arranging_share"))
        return {};
    const auto most =
        std::max_element(e.operations.begin(), e.operations.end(),
                         [](const auto& a, const auto& b) { return a.arranging < b.arranging; });
    return {
        made(rule,
             share_text(share) +
                 " of the cycles of operations only bring operands to where they are used, or lay them out "
                 "anew there. " +
                 text_of(*most) + " has most: " + share_text(ratio(most->arranging, e.arranging)) +
                 " of it, " + share_text(ratio(most->arranging, most->cycles)) + " of its own time.",
             {{"arranging_share", share, FigureUnit::Share},
              {"arranging_cycles", e.arranging, FigureUnit::Cycles},
              {"of_the_operation", ratio(most->arranging, most->cycles), FigureUnit::Share},
              {"operations", static_cast<double>(most->count), FigureUnit::Count}},
             {Kind::Operation, {most->ipu}, most->operation, most->name},
             cycles_cost(per_ipu(e.arranging, e), e))};
}

Found exchange_bound_operation(const Rule& rule, const Evidence& e) {
    Found found;
    for (const Evidence::Operations& of : e.operations) {
        const double exchange = ratio(of.exchange, of.cycles);
        const double share = ratio(of.cycles, e.operation_cycles);
        if (exchange <= rule.threshold("exchange_share") || share <= rule.threshold("operation_share"))
            continue;
        found.push_back(
            made(rule,
                 text_of(of) + " takes " + share_text(share) + " of the cycles of operations, and " +
                     share_text(exchange) +
                     " of that is exchange within the IPU. Its plan and its runners-up, with what "
                     "each exchanges, stand in Operations.",
                 {{"exchange_share", exchange, FigureUnit::Share},
                  {"operation_share", share, FigureUnit::Share},
                  {"operations", static_cast<double>(of.count), FigureUnit::Count}},
                 {Kind::Operation, {of.ipu}, of.operation, of.name}, cycles_cost(exchange * of.longest, e)));
    }
    return found;
}

// --- several IPUs ---

/// What a better cut would be only a compilation can tell: cycles of layers know neither code nor memory.
Found stage_imbalance(const Rule& rule, const Evidence& e) {
    if (e.stages.size() < 2)
        return {};
    const auto most = std::max_element(e.stages.begin(), e.stages.end());
    const double mean =
        ratio(std::accumulate(e.stages.begin(), e.stages.end(), std::int64_t{0}), e.stages.size());
    const double times = ratio(*most, mean);
    const double cycles = e.uneven_cycles * e.updates;
    const double lost = ratio(cycles, e.elapsed);
    if (lost <= rule.threshold("lost_share"))
        return {};
    const std::int64_t place = most - e.stages.begin();
    const bool of_ipus = !e.first_stages.empty();
    const std::int64_t stage = of_ipus ? e.first_stages[static_cast<std::size_t>(place)] : place;
    return {made(rule,
                 (of_ipus ? "The IPU of stage " : "Stage ") + std::to_string(stage) + " works " +
                     share_text(times - 1) + " longer than the mean " + (of_ipus ? "IPU" : "stage") +
                     ", and the others wait for it: even stages would gain at most " + share_text(lost) +
                     " of the time. Where the stages begin is "
                     "pipeline.stages; whether another cut is faster and fits into memory shows when it is "
                     "compiled (--estimate).",
                 {{"longest_stage_cycles", static_cast<double>(*most), FigureUnit::Cycles},
                  {"mean_stage_cycles", mean, FigureUnit::Cycles},
                  {"times_the_mean", times, FigureUnit::Times},
                  {"lost_share", lost, FigureUnit::Share}},
                 {Kind::Stage, {}, stage, "pipeline.stages"}, cycles_cost(cycles, e))};
}

Found idle_ipus(const Rule& rule, const Evidence& e) {
    std::vector<std::int64_t> idle;
    std::string names;
    for (const Evidence::Ipu& ipu : e.ipus)
        if (ipu.cycles > 0 && ipu.compute == 0) {
            idle.push_back(ipu.id);
            names += (names.empty() ? "" : ", ") + std::to_string(ipu.id);
        }
    if (idle.empty() || e.ipus.size() < 2)
        return {};
    const auto count = static_cast<double>(idle.size());
    return {made(rule, "IPU " + names + " computes nothing: give it layers, or use fewer IPUs.",
                 {{"idle_ipus", count, FigureUnit::Count}}, {Kind::Ipus, std::move(idle), -1, {}},
                 time_cost(ratio(count, e.ipus.size()), e))};
}

/// A model of one replica on more IPUs than its memory needs could be replicated.
Found spare_ipus(const Rule& rule, const Evidence& e) {
    const auto count = static_cast<std::int64_t>(e.ipus.size());
    const bool replicated =
        std::any_of(e.ipus.begin(), e.ipus.end(), [](const auto& ipu) { return ipu.replica > 0; });
    if (count < 2 || replicated || e.small_graph || e.total_bytes == 0 || e.tiles_per_ipu == 0)
        return {};
    const auto memory = static_cast<double>(e.tiles_per_ipu * e.bytes_per_tile); // of an IPU
    const auto bytes = static_cast<double>(e.total_bytes);
    std::int64_t needed = 1;
    while (needed < count && bytes > rule.threshold("ipu_share") * memory * static_cast<double>(needed))
        needed *= 2;
    if (needed >= count)
        return {};
    const double filled = bytes / memory / static_cast<double>(needed);
    return {made(rule,
                 "Its " + bytes_text(bytes) + " would fill " + share_text(filled) + " of " +
                     std::to_string(needed) + (needed == 1 ? " IPU; on " : " IPUs; on ") +
                     std::to_string(count) + " as many as " + std::to_string(count / needed) +
                     " replicas could train.",
                 {{"total_bytes", bytes, FigureUnit::Bytes},
                  {"needed_ipus", static_cast<double>(needed), FigureUnit::Count},
                  {"ipu_share", filled, FigureUnit::Share}},
                 setting("ipu_config.auto_select_ipus"), time_cost(1 - ratio(needed, count), e))};
}

} // namespace

double Rule::threshold(const std::string& name) const {
    const auto found = std::find_if(thresholds.begin(), thresholds.end(),
                                    [&](const Threshold& each) { return name == each.name; });
    if (found == thresholds.end()) { // a mistake in the table below
        std::fprintf(stderr, "the rule %s has no threshold %s\n", code, name.c_str());
        std::abort();
    }
    return found->value;
}

std::string Rule::cost_is_over() const {
    const auto found = std::find_if(thresholds.begin(), thresholds.end(), [&](const Threshold& each) {
        return std::strcmp(cost_over, each.name) == 0;
    });
    return found == thresholds.end() ? std::string(cost_over) : share_text(found->value) + " of the tile";
}

const Rule* find_rule(const std::string& code) {
    const auto& rules = insight_rules();
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return code == rule.code; });
    return found == rules.end() ? nullptr : &*found;
}

const std::vector<Rule>& insight_rules() {
    static const std::vector<Rule> rules = {
        {out_of_memory_rule,
         Severity::Error,
         "The program does not fit",
         {{"tile_share", 1, FigureUnit::Share, "what the tile has"}},
         out_of_memory,
         "what the tile has"},
        {"training_diverged", Severity::Error, "The training diverged", {}, training_diverged},
        {host_bound_rule,
         Severity::Warning,
         "The host holds up the IPU",
         {{"executions", 10, FigureUnit::Count, "so few engine runs are a try, not a training"},
          {"host_share", 0.3, FigureUnit::Share,
           "without the host, the run would be over in 70 % of the time or less"}},
         host_bound},
        {host_time_rule,
         Severity::Warning,
         "Much of the time goes to the host",
         {{"host_share", 0.3, FigureUnit::Share,
           "without the host, the run would be over in 70 % of the time or less"}},
         host_time_of_steps},
        {"global_step_on_ipu",
         Severity::Warning,
         "The step counter swaps the program out of the IPU",
         {},
         global_step_on_ipu},
        {"tile_nearly_full",
         Severity::Warning,
         "A tile is nearly full",
         {{"tile_share", 0.9, FigureUnit::Share, "a slightly larger batch or layer no longer fits"}},
         tile_nearly_full,
         "tile_share"},
        {"tile_imbalance",
         Severity::Warning,
         "Memory is unevenly spread over the tiles",
         {{"times_the_mean", 3, FigureUnit::Times,
           "the model could be about three times as large, were it spread evenly"},
          {"tile_share", 0.25, FigureUnit::Share, "below it, memory does not limit the model yet"}},
         tile_imbalance,
         "the mean tile"},
        {exchange_rule,
         Severity::Warning,
         "Exchange takes longer than all else that IPUs do",
         {{"exchange_share", 0.5, FigureUnit::Share,
           "more time goes to moving data than to computing with it"},
          share_of_all_time},
         exchange_bound},
        {inter_ipu_rule,
         Severity::Warning,
         "Much of the time goes to copies between IPUs",
         {{"inter_ipu_share", 0.25, FigureUnit::Share, "of four IPUs, the time of one goes to the links"},
          share_of_all_time},
         inter_ipu_bound},
        {stage_imbalance_rule,
         Severity::Warning,
         "The stages of the pipeline are out of balance",
         {{"lost_share", 0.07, FigureUnit::Share,
           "stages begin at layers: the most even cut of the MNIST sample loses 6.0 %"}},
         stage_imbalance},
        {"idle_ipus", Severity::Warning, "IPUs have nothing to do", {}, idle_ipus},
        {"sync_bound",
         Severity::Info,
         "Much of the time goes to synchronisation",
         {{"sync_share", 0.3, FigureUnit::Share,
           "a sync takes a fixed time, which longer steps would not notice"},
          share_of_all_time},
         sync_bound},
        {"small_batch",
         Severity::Info,
         "The batch is too small for the tiles",
         {{"peak_share", 0.05, FigureUnit::Share, "a twentieth of what the tiles could compute", true},
          {"times_the_sync", 10, FigureUnit::Times,
           "a sync before each compute set would take a tenth of its time", true}},
         small_batch},
        {"code_size",
         Severity::Info,
         "Much of the fullest tile is code",
         {{"code_share", 0.2, FigureUnit::Share, "a fifth of the tile cannot hold values"}},
         code_size,
         "code_share"},
        {"poor_balance",
         Severity::Info,
         "Few tiles do the work of a compute set",
         {{"balance", 0.5, FigureUnit::Share, "half of the tiles' time is spent waiting", true},
          {"lost_share", 0.01, FigureUnit::Share, "what loses less is not worth the search"}},
         poor_balance},
        {"rearrangement_cost",
         Severity::Info,
         "Much of the time goes to arranging operands",
         {{"arranging_share", 0.2, FigureUnit::Share, "a fifth of the time computes nothing"}},
         rearrangement_cost},
        {exchange_of_operation_rule,
         Severity::Info,
         "An operation moves data longer than it computes",
         {{"exchange_share", 0.5, FigureUnit::Share,
           "more of its time goes to moving data than to computing with it"},
          {"operation_share", 0.05, FigureUnit::Share, "what takes less is not worth the search"}},
         exchange_bound_operation},
        {"spare_ipus",
         Severity::Info,
         "The model takes more IPUs than its memory needs",
         {{"ipu_share", 0.9, FigureUnit::Share,
           "code and gaps differ from one cut to another: a tenth is kept free", true}},
         spare_ipus},
    };
    return rules;
}

} // namespace tilescope::analyse
