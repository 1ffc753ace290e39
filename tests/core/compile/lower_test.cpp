// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

#include <map>

namespace tilescope::compile {
namespace {

Executable lowered(const std::string& text, const Options& options = options_for(1)) {
    return executable_after("plan, map and lower", text, options);
}

} // namespace

// On one tile nothing is exchanged: what is fed comes over between two syncs with the host, the operation
// runs, and what is fetched goes back between two others.
TEST(Lower, FeedsComeBeforeTheOperationsAndFetchesGoAfterThem) {
    EXPECT_EQ(outline(lowered(R"(graph "g" {
  feed %x : float32 [4]
  feed %z : float32 [4]
  %y = add(%x, %z)
  fetch "result" = %y
})")
                          .program),
              "stream_copy infeed/begin\n"
              "stream_copy x\n"
              "stream_copy z\n"
              "stream_copy infeed/end\n"
              "execute y/add\n"
              "stream_copy outfeed/begin\n"
              "stream_copy result\n"
              "stream_copy outfeed/end\n");
}

// What an operator is decides its vertex, not how its name ends.
TEST(Lower, TheVertexOfAGradientIsThatOfGradientsOnly) {
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [4]
  feed %dy : float32 [4]
  %dx = relu_gradient(%x, %dy)
  %same = stop_gradient(%dx)
  fetch "dx" = %dx
  fetch "same" = %same
})");
    std::map<std::string, std::string> codelets;
    for (const program::ComputeSet& set : e.program.compute_sets)
        codelets[set.name] = set.vertices.at(0).codelet;
    EXPECT_EQ(codelets["dx/relu_gradient"], "NonLinearityGrad1D<relu_gradient,float32>");
    EXPECT_EQ(codelets["same/stop_gradient"], "UnaryOp1D<stop_gradient,float32>");
}

// The columns of a product lie in blocks, and parts of them need not end where a block does: nothing is moved
// to be split, and what reads a part runs on the tiles that hold it.
TEST(Lower, PartsLieWhereTheWholeDoes) {
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [7, 64]
  feed %w : float32 [64, 100]
  %y = matmul(%x, %w)
  %part:0, %part:1, %part:2 = split(%y) {axis: 1, sizes: [37, 33, 30]}
  %a = exp(%part:0)
  %b = exp(%part:1)
  %c = exp(%part:2)
  fetch "a" = %a
  fetch "b" = %b
  fetch "c" = %c
})",
                                 options_for(64));
    const std::string steps = outline(e.program);
    EXPECT_EQ(steps.find("exchange part"), std::string::npos) << steps;
    for (const char* operation : {"execute a/exp", "execute b/exp", "execute c/exp"})
        EXPECT_NE(steps.find(operation), std::string::npos) << steps;
    EXPECT_EQ(steps.find("exchange a/exchange"), std::string::npos) << steps;
}

TEST(Lower, EveryFetchIsSentBackWithAllOfItsBytes) {
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [100]
  %y = exp(%x)
  %sum = reduce_sum(%y) {axes: [0]}
  fetch "y" = %y
  fetch "sum" = %sum
})",
                                 options_for(4));
    std::map<std::string, std::int64_t> bytes;
    for (const program::Exchange& exchange : e.program.exchanges)
        if (exchange.kind == ExchangeKind::Host)
            bytes[exchange.name] += exchange.bytes();
    EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{{"x", 400}, {"y", 400}, {"sum", 4}}));
}

// What the host reads of the device's comes over before it computes, and what it makes comes back.
TEST(Lower, HostAndDeviceSendEachOtherWhatTheyMake) {
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [4]
  %y = exp(%x)
  %z = negate(%y) on "/device:CPU:0"
  %w = exp(%z)
  fetch "result" = %w
})");
    EXPECT_EQ(outline(e.program), "stream_copy infeed/begin\n"
                                  "stream_copy x\n"
                                  "stream_copy infeed/end\n"
                                  "execute y/exp\n"
                                  "stream_copy z/outfeed/begin\n"
                                  "stream_copy y\n"
                                  "stream_copy z/outfeed/end\n"
                                  "stream_copy w/infeed/begin\n"
                                  "stream_copy z\n"
                                  "stream_copy w/infeed/end\n"
                                  "execute w/exp\n"
                                  "stream_copy outfeed/begin\n"
                                  "stream_copy result\n"
                                  "stream_copy outfeed/end\n");
    for (const program::Exchange& exchange : e.program.exchanges)
        EXPECT_EQ(exchange.bytes(), 16) << exchange.name;
}

// The host sends in linear order, a product wants its operand in blocks: what comes goes into a buffer first.
// 4,000 bytes at 15.2 a cycle. Four replicas on two machines, of which three are on one: a third of it.
TEST(Lower, ReplicasOnAMachineShareItsWayToTheHost) {
    const auto cycles_of_feed = [](std::int32_t replicas, const ipu::IpuIds& ipus) {
        Options options = options_for(1);
        options.schedule.replicas = replicas;
        options.schedule.steps_per_execution = replicas;
        options.attachment.ipus = ipus;
        const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [1000]
  %y = exp(%x)
  fetch "result" = %y
})",
                                     options);
        for (const program::StepId id : e.program.leaves())
            if (const program::Step& step = e.program.step(id); step.name == "x")
                return step.exchange_cycles - options.target.exchange_setup_cycles;
        return std::int64_t{-1};
    };
    EXPECT_EQ(cycles_of_feed(1, {0}), 264);
    EXPECT_EQ(cycles_of_feed(2, {0, 4}), 264);
    EXPECT_EQ(cycles_of_feed(2, {0, 1}), 527);
    EXPECT_EQ(cycles_of_feed(4, {0, 1, 2, 4}), 790);
}

TEST(Lower, WhatLiesOtherwiseThanTheHostSendsItIsRearrangedOnTheDevice) {
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [16, 64]
  variable %w : float32 [64, 64] = 0.5
  %y = matmul(%x, %w)
  fetch "y" = %y
})",
                                 options_for(16));
    const std::string steps = outline(e.program);
    EXPECT_NE(steps.find("stream_copy infeed/end\nexchange x/rearrange\n"), std::string::npos) << steps;
    EXPECT_NE(steps.find("exchange y/rearrange\nstream_copy outfeed/begin\n"), std::string::npos) << steps;
    std::map<std::string, std::int64_t> buffers;
    for (const program::Variable& variable : e.program.variables)
        if (variable.category == MemoryCategory::MessageBuffers)
            buffers[variable.name] = variable.total_bytes();
    EXPECT_EQ(buffers,
              (std::map<std::string, std::int64_t>{{"x/stream", 16 * 64 * 4}, {"y/stream", 16 * 64 * 4}}));
}

// The exponentials are made beside x, the state stays where it is: it is copied after each step.
TEST(Lower, StateThatWasMadeElsewhereIsWrittenBack) {
    EXPECT_EQ(outline(lowered(R"(graph "g" {
  feed %x : float32 [4]
  variable %state : float32 [4] = 0
  %new = exp(%x)
  next %state = %new
  fetch "new" = %new
})")
                          .program),
              "stream_copy infeed/begin\n"
              "stream_copy x\n"
              "stream_copy infeed/end\n"
              "execute new/exp\n"
              "execute new/WriteVariable\n"
              "stream_copy outfeed/begin\n"
              "stream_copy new\n"
              "stream_copy outfeed/end\n");
}

TEST(Lower, StateThatIsUpdatedInPlaceIsNot) {
    EXPECT_EQ(outline(lowered(R"(graph "g" {
  feed %g : float32 [4]
  variable %w : float32 [4] = 0
  %new = sgd_update(%w, %g) {learning_rate: 0.1} update
  next %w = %new
  fetch "g" = %g
})")
                          .program),
              "stream_copy infeed/begin\n"
              "stream_copy g\n"
              "stream_copy infeed/end\n"
              "execute new/Update\n"
              "stream_copy outfeed/begin\n"
              "stream_copy g\n"
              "stream_copy outfeed/end\n");
}

// Before the sum starts anew, it goes to the host; what else is fetched goes there with each micro-batch.
TEST(Lower, WhatIsAddedUpForTheHostGoesThereOnceForEachUpdate) {
    Options options = options_for(1);
    options.schedule.accumulation = 2;
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [4]
  %y = exp(%x)
  %total = accumulated(%y) update
  fetch "x" = %x
  fetch "total" = %total
})",
                                 options);
    EXPECT_EQ(outline(e.program), "stream_copy infeed/begin\n"
                                  "stream_copy x\n"
                                  "stream_copy infeed/end\n"
                                  "execute y/exp\n"
                                  "execute total/accumulate/Accumulate\n"
                                  "stream_copy outfeed/begin\n"
                                  "stream_copy x\n"
                                  "stream_copy outfeed/end\n"
                                  "stream_copy outfeed/begin\n"
                                  "stream_copy total\n"
                                  "stream_copy outfeed/end\n"
                                  "execute total/ZeroAccumulator\n");
}

// Both micro-batches are fed, added up and sent back; the update and the zeros follow once.
TEST(Lower, WhatMicroBatchesAddUpStartsAnewAfterEachUpdate) {
    Options options = options_for(1);
    options.schedule.accumulation = 2;
    options.schedule.steps_per_execution = 6;
    const Executable e = lowered(R"(graph "g" {
  feed %g : float32 [4]
  variable %w : float32 [4] = 0
  variable %zeros : float32 [4] = 0 frozen
  %sum = accumulate(%zeros, %g) backward
  %new = sgd_update(%w, %sum) {learning_rate: 0.1} update
  next %w = %new
  fetch "g" = %g
})",
                                 options);
    EXPECT_EQ(outline(e.program), "stream_copy infeed/begin\n"
                                  "stream_copy g\n"
                                  "stream_copy infeed/end\n"
                                  "execute sum/Accumulate\n"
                                  "stream_copy outfeed/begin\n"
                                  "stream_copy g\n"
                                  "stream_copy outfeed/end\n"
                                  "execute new/Update\n"
                                  "execute new/ZeroAccumulator\n");
    std::vector<std::int64_t> repeats;
    for (const program::Step& step : e.program.steps)
        if (step.kind == StepKind::Repeat)
            repeats.push_back(step.repeats);
    EXPECT_EQ(repeats, (std::vector<std::int64_t>{3, 2})); // updates, micro-batches of each
}

} // namespace tilescope::compile
