// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_traffic.h"
#include "tests/app/command_fixture.h"

#include <map>
#include <ostream>

namespace tilescope::tests {
namespace {

using analyse::TileMoves;

struct Run {
    const char* sample;
    const char* setting = "fit.epochs=1";
    friend std::ostream& operator<<(std::ostream& out, const Run& run) { return out << run.sample; }
};

class ExchangeMoves : public CommandTest, public testing::WithParamInterface<Run> {
  protected:
    std::unique_ptr<profile::Profile> recorded() const {
        const std::string path = folder / "run.tilescope";
        printed({"profile", sample(GetParam().sample), "-o", path, "--estimate", "--progress", "none",
                 "--set", GetParam().setting});
        return std::move(*profile::Profile::open(path));
    }
};

// What the analysis follows from tile to tile adds up to what the compiler has priced for each tile.
TEST_P(ExchangeMoves, AddUpToWhatEachTileSendsAndReceives) {
    const auto file = recorded();
    const auto exchanges = file->exchanges().value();
    std::size_t followed = 0, partial_sums = 0;
    for (const auto& exchange : exchanges) {
        const auto traffic = analyse::exchange_traffic(*file, exchange.id);
        ASSERT_TRUE(traffic);
        const auto moves = analyse::tile_moves(*file, *traffic);
        ASSERT_TRUE(moves) << exchange.name << ": " << moves.error().line();
        EXPECT_NE(moves->known, TileMoves::Known::NotRecorded) << exchange.name;
        if (exchange.kind != profile::ExchangeKind::Internal || moves->known != TileMoves::Known::Exactly)
            continue;
        ++followed;
        partial_sums += exchange.name.ends_with("exchange(partials)") ? 1 : 0;
        std::vector<std::int64_t> sent(traffic->sent.size(), 0), received = sent;
        for (std::int64_t from = 0; from < moves->tiles; ++from)
            for (std::int64_t to = 0; to < moves->tiles; ++to) {
                sent[static_cast<std::size_t>(from)] += moves->at(from, to);
                received[static_cast<std::size_t>(to)] += moves->at(from, to);
            }
        EXPECT_EQ(sent, traffic->sent) << exchange.name;
        EXPECT_EQ(received, traffic->received) << exchange.name;
    }
    EXPECT_GT(followed, 10U);
    EXPECT_GT(partial_sums, 0U) << "products are cut along what they add up";
}

// The cycles that are priced are those of the busiest tile and the longest way: no schedule is shorter.
TEST_P(ExchangeMoves, NoScheduleOfTheMessagesIsShorterThanWhatTheyArePricedAt) {
    const auto file = recorded();
    const auto exchanges = file->exchanges().value();
    std::map<std::int64_t, std::int64_t> cycles;
    const auto program = file->program();
    for (const auto& step : *program)
        if (step.exchange_id >= 0)
            cycles[step.exchange_id] = step.exchange_cycles;
    std::size_t reached = 0, all = 0;
    for (const auto& exchange : exchanges) {
        const auto moves = analyse::tile_moves(*file, *analyse::exchange_traffic(*file, exchange.id));
        ASSERT_TRUE(moves);
        if (!moves->scheduled_cycles || exchange.name.ends_with("exchange(partials)"))
            continue; // partials are priced with a bound of their way
        EXPECT_GE(*moves->scheduled_cycles, cycles[exchange.id]) << exchange.name;
        ++all;
        reached += *moves->scheduled_cycles == cycles[exchange.id] ? 1 : 0;
    }
    EXPECT_GT(all, 10U);
    EXPECT_GT(reached, 0U);
}

TEST_P(ExchangeMoves, HaveVariablesWhoseBytesAreAllThatMoves) {
    const auto file = recorded();
    const auto exchanges = file->exchanges().value();
    const auto moved = analyse::moved_variables(*file);
    ASSERT_TRUE(moved);
    std::map<std::int64_t, std::int64_t> bytes;
    for (const auto& part : moved->parts) {
        EXPECT_FALSE(moved->variables.at(part.variable_id).name.empty()) << part.variable_id;
        bytes[part.exchange_id] += part.bytes;
    }
    for (const auto& exchange : exchanges)
        EXPECT_EQ(bytes[exchange.id], exchange.bytes) << exchange.name;
}

INSTANTIATE_TEST_SUITE_P(
    Samples, ExchangeMoves,
    testing::Values(Run{"keras_mnist"}, Run{"keras_mnist_replicated"},
                    Run{"keras_mnist_faster",
                        R"(ipu_config.io_tiles={"num_io_tiles": 62, "place_ops_on_io_tiles": true})"}),
    [](const auto& run) {
        return std::string(run.param.sample) +
               (std::string(run.param.setting) == Run{}.setting ? "" : "OnIoTiles");
    });

} // namespace
} // namespace tilescope::tests
