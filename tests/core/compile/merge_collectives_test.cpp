// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {
namespace {

/// Two variables of 400 bytes each, and one of 40; what makes the sums %a, %b and %c of their gradients %g,
/// %h and %i stands before each update.
std::string three_updates(const std::string& first, const std::string& second, const std::string& third) {
    const bool merged = first.find("merged") != std::string::npos;
    return R"(graph "g" {
  feed %x : float32 [100]
  feed %y : float32 [10]
  variable %u : float32 [100] = 1.0
  variable %v : float32 [100] = 1.0
  variable %w : float32 [10] = 1.0
  %loss = reduce_sum(%x)
  %g = multiply(%x, %u) backward
  %h = multiply(%x, %v) backward
  %i = multiply(%y, %w) backward
)" + first +
           "  %u/new = sgd_update(%u, " + (merged ? "%a/merged" : "%a") + ") {learning_rate: 0.1} update\n" +
           second + "  %v/new = sgd_update(%v, %b) {learning_rate: 0.1} update\n" + third +
           R"(  %w/new = sgd_update(%w, %c) {learning_rate: 0.1} update
  next %u = %u/new
  next %v = %v/new
  next %w = %w/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
}

const std::string single = three_updates("  %a = all_reduce(%g) {replicas: 2, scale: 1.0} update\n",
                                         "  %b = all_reduce(%h) {replicas: 2, scale: 1.0} update\n",
                                         "  %c = all_reduce(%i) {replicas: 2, scale: 1.0} update\n");

Options merging(std::int64_t bytes) {
    Options options = options_for(1);
    options.schedule.replicas = 2;
    options.schedule.steps_per_execution = 2;
    options.most_merged.all_reduce = bytes;
    return options;
}

/// Exchanges over the links, and what they move.
std::pair<int, std::int64_t> over_links(const Executable& e) {
    std::pair<int, std::int64_t> result;
    for (const program::Exchange& exchange : e.program.exchanges)
        if (exchange.kind == ExchangeKind::InterIpu) {
            ++result.first;
            result.second += exchange.bytes();
        }
    return result;
}

} // namespace

TEST(MergeCollectives, NoneAreMergedByDefault) {
    EXPECT_EQ(after("merge collectives", single, merging(0)), normal(single));
}

TEST(MergeCollectives, SumsOfOneTypeBecomeOneOfUpToSoManyBytes) {
    EXPECT_EQ(
        after("merge collectives", single, merging(840)),
        normal(three_updates(
            "  %a/merged, %b, %c = all_reduce(%g, %h, %i) {replicas: 2, scale: 1.0} update\n", "", "")));
    EXPECT_EQ(after("merge collectives", single, merging(800)),
              normal(three_updates("  %a/merged, %b = all_reduce(%g, %h) {replicas: 2, scale: 1.0} update\n",
                                   "", "  %c = all_reduce(%i) {replicas: 2, scale: 1.0} update\n")));
    EXPECT_EQ(after("merge collectives", single, merging(399)), normal(single));
}

TEST(MergeCollectives, SumsOfAnotherScaleStayByThemselves) {
    const std::string text = three_updates("  %a = all_reduce(%g) {replicas: 2, scale: 1.0} update\n",
                                           "  %b = all_reduce(%h) {replicas: 2, scale: 0.5} update\n",
                                           "  %c = all_reduce(%i) {replicas: 2, scale: 0.25} update\n");
    EXPECT_EQ(after("merge collectives", text, merging(1 << 20)), normal(text));
}

// Each IPU sums what lies on it, and what the update itself makes is not there before it.
TEST(MergeCollectives, SumsOfAnotherIpuAndOfWhatTheUpdateMakesStayByThemselves) {
    const std::string elsewhere =
        three_updates("  %a = all_reduce(%g) {replicas: 2, scale: 1.0} update shard 0\n",
                      "  %b = all_reduce(%h) {replicas: 2, scale: 1.0} update shard 1\n",
                      "  %c = all_reduce(%i) {replicas: 2, scale: 1.0} update shard 2\n");
    EXPECT_EQ(after("merge collectives", elsewhere, merging(1 << 20)), normal(elsewhere));
    const std::string later = three_updates("  %a = all_reduce(%g) {replicas: 2, scale: 1.0} update\n",
                                            "  %twice = add(%h, %h) update\n"
                                            "  %b = all_reduce(%twice) {replicas: 2, scale: 1.0} update\n",
                                            "  %thrice = add(%i, %i) update\n"
                                            "  %c = all_reduce(%thrice) {replicas: 2, scale: 1.0} update\n");
    EXPECT_EQ(after("merge collectives", later, merging(1 << 20)), normal(later));
}

// Around a ring of two each phase moves half of the 840 bytes, in two exchanges instead of six.
TEST(MergeCollectives, AsManyBytesGoInFewerExchanges) {
    std::string gradients = single; // the compiler sums them itself
    for (const char* sum : {"  %a = all_reduce(%g) {replicas: 2, scale: 1.0} update\n",
                            "  %b = all_reduce(%h) {replicas: 2, scale: 1.0} update\n",
                            "  %c = all_reduce(%i) {replicas: 2, scale: 1.0} update\n"})
        gradients.erase(gradients.find(sum), std::string(sum).size());
    for (const auto& [sum, gradient] : {std::pair("%a)", "%g)"), {"%b)", "%h)"}, {"%c)", "%i)"}})
        gradients.replace(gradients.find(sum), 3, gradient);
    const Executable apart = executable_after("route exchanges", gradients, merging(0));
    const Executable merged = executable_after("route exchanges", gradients, merging(1 << 20));
    EXPECT_EQ(over_links(apart), std::make_pair(6, std::int64_t{840}));
    EXPECT_EQ(over_links(merged), std::make_pair(2, std::int64_t{840}));
    EXPECT_LT(merged.program.cycles(), apart.program.cycles());
}

namespace {

/// The same with shares of each variable: what makes the sums stands before each update, what gathers its
/// result behind.
std::string shared_updates(const std::string& scatter, const std::string& gather) {
    const bool scatters = scatter.find("merged") != std::string::npos;
    const bool gathers = gather.find("merged") != std::string::npos;
    std::string text = R"(graph "g" {
  feed %x : float32 [100]
  feed %y : float32 [10]
  variable %u : float32 [100] = 1.0
  variable %w : float32 [10] = 1.0
  %loss = reduce_sum(%x)
  %g = multiply(%x, %u) backward
  %h = multiply(%y, %w) backward
)";
    if (scatters)
        text += scatter;
    for (const char* v : {"u", "w"}) {
        const std::string name = std::string("%") + v;
        const std::string gradient = name == "%u" ? "%g" : "%h";
        const std::string sum = scatters && name == "%u" ? "%u/sum/merged" : name + "/sum";
        if (!scatters)
            text += "  " + sum + " = reduce_scatter(" + gradient + ", " + name +
                    ") {replicas: 2, scale: 1.0} update\n";
        text += "  " + name + "/share = take_share(" + name + ") {replicas: 2} update\n  " + name +
                "/new = sgd_update(" + name + "/share, " + sum + ") {learning_rate: 0.1, shares: 2} update\n";
        if (!gathers)
            text +=
                "  " + name + "/whole = all_gather(" + name + ", " + name + "/new) {replicas: 2} update\n";
    }
    return text + gather + "  next %u = " + (gathers ? "%w/whole/merged" : "%u/whole") +
           "\n  next %w = " + (gathers ? "%w/last" : "%w/whole") +
           "\n  fetch \"loss\" = %loss loss\n  train %loss \"sgd\"\n}";
}

Options merging_shares(std::int64_t scattered, std::int64_t gathered) {
    Options options = merging(0);
    options.most_merged = {0, scattered, gathered};
    return options;
}

const std::string one_scatter =
    "  %u/sum/merged, %w/sum = reduce_scatter(%g, %h, %u, %w) {replicas: 2, scale: 1.0} update\n";
const std::string one_gather =
    "  %w/whole/merged, %w/last = all_gather(%u, %w, %u/new, %w/new) {replicas: 2} update\n";

} // namespace

TEST(MergeCollectives, ReduceScattersComeToTheFirstAndAllGathersToTheLast) {
    const std::string apart = shared_updates("", "");
    const auto merged = [&](std::int64_t scattered, std::int64_t gathered) {
        return after("merge collectives", apart, merging_shares(scattered, gathered));
    };
    EXPECT_EQ(merged(440, 0), normal(shared_updates(one_scatter, "")));
    EXPECT_EQ(merged(0, 440), normal(shared_updates("", one_gather)));
    EXPECT_EQ(merged(440, 440), normal(shared_updates(one_scatter, one_gather)));
    EXPECT_EQ(merged(439, 439), normal(apart));
}

// What is read of a gathered variable is gathered where it is read; LAMB's direction so stays by itself.
TEST(MergeCollectives, AnAllGatherThatSomethingReadsStaysWhereItIs) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [100]
  variable %u : float32 [100] = 1.0
  variable %v : float32 [100] = 1.0
  %loss = reduce_sum(%x)
  %u/whole = all_gather(%u, %x) {replicas: 2} update
  %twice = add(%u/whole, %u/whole) update
  %v/whole = all_gather(%v, %twice) {replicas: 2} update
  next %u = %u/whole
  next %v = %v/whole
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
    EXPECT_EQ(after("merge collectives", text, merging_shares(1 << 20, 1 << 20)), normal(text));
}

// Two variables of 400 bytes with momenta in streaming memory, of which each of two replicas has half: each
// phase moves 200 bytes of either, in one exchange instead of two.
TEST(MergeCollectives, AsManyBytesOfSharesGoInFewerExchanges) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [100]
  variable %u : float32 [100] = 1.0
  variable %w : float32 [100] = 1.0
  %a = multiply(%x, %u)
  %b = multiply(%a, %w)
  %loss = reduce_sum(%b)
  fetch "loss" = %loss loss
  train %loss "sgd" {momentum: 0.9}
})";
    const auto compiled = [&](std::int64_t bytes) {
        Options options = merging_shares(bytes, bytes);
        options.offload_state = options.shard_state = true;
        return executable_after("route exchanges", text, options);
    };
    const Executable apart = compiled(0);
    const Executable merged = compiled(1 << 20);
    EXPECT_EQ(over_links(apart), std::make_pair(4, std::int64_t{800}));
    EXPECT_EQ(over_links(merged), std::make_pair(2, std::int64_t{800}));
    EXPECT_LT(merged.program.cycles(), apart.program.cycles());
}

} // namespace tilescope::compile
