// SPDX-License-Identifier: GPL-3.0-or-later
// What the heads of IPUs say of the time in view.
#include "tests/ui/trace/shown_trace.h"
#include "ui/session/format.h"

namespace tilescope::ui {
namespace {

struct Heads : ShownTrace {
    explicit Heads(const Told& run) : ShownTrace(run), told(run) {}
    void await() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return !remark(0).isEmpty(); }, 20000));
        settle();
    }
    QString remark(std::int64_t ipu) { return timeline().headRemark(ipu, false); }
    /// Counted from what the run was told to do.
    QString share(std::int64_t ipu, std::int64_t from, std::int64_t to) const {
        const auto first = static_cast<double>(from);
        const auto last = static_cast<double>(to);
        return formatPercent(told.cycles(ipu, TimeKind::Compute, first, last) / (last - first));
    }
    Told told;
};

TEST(TraceHeads, SayHowMuchOfTheTimeInViewEachIpuComputes) {
    Heads trace(pipelined());
    trace.show(5000, 9000);
    trace.await();
    EXPECT_NE(trace.share(0, 5000, 9000), trace.share(1, 5000, 9000));
    for (const std::int64_t ipu : {0, 1})
        EXPECT_EQ(trace.remark(ipu),
                  QStringLiteral("computes %1 of the time in view").arg(trace.share(ipu, 5000, 9000)));
    trace.timeline().show(3000, 4000);
    EXPECT_EQ(trace.remark(0), QString()) << "until that of what is in view now is known";
    trace.await();
    EXPECT_EQ(trace.remark(1),
              QStringLiteral("computes %1 of the time in view").arg(trace.share(1, 3000, 4000)));
}

TEST(TraceHeads, SayItOfARangeThatIsSelected) {
    Heads trace(pipelined());
    trace.show(5000, 9000);
    trace.await();
    trace.timeline().setRange(std::pair<std::int64_t, std::int64_t>(6000, 7000));
    Q_EMIT trace.timeline().rangeSelected(0, false, 6000, 7000);
    const QString wanted = QStringLiteral("computes %1 of the selected time");
    EXPECT_TRUE(QTest::qWaitFor([&] { return trace.remark(0) == wanted.arg(trace.share(0, 6000, 7000)); }));
    EXPECT_EQ(trace.remark(1), wanted.arg(trace.share(1, 6000, 7000)));
}

TEST(TraceHeads, OfIpusThatAreShownAgainSayItToo) {
    Heads trace(pipelined());
    trace.await();
    const std::vector<profile::IpuRecord> ipus{{0, 0, "a", 0, 0, 0}, {1, 1, "a", 0, 1, 1}};
    LaneChoice lanes = trace.view.lanes();
    lanes.show(1, false, ipus);
    trace.view.setLanes(lanes);
    trace.show(5000, 9000);
    trace.await();
    EXPECT_EQ(trace.remark(1), QString());
    lanes.show(1, true, ipus);
    trace.view.setLanes(lanes);
    EXPECT_TRUE(QTest::qWaitFor([&] {
        return trace.remark(1) ==
               QStringLiteral("computes %1 of the time in view").arg(trace.share(1, 5000, 9000));
    }));
}

} // namespace
} // namespace tilescope::ui
