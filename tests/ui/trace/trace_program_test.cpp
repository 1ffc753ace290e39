// SPDX-License-Identifier: GPL-3.0-or-later
/// The program, which a picture waits for only where it has names.
#include "profile/profile.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/trace/trace_lanes.h"

#include <QLineEdit>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TimelineSlice first_step(const TraceTables& tables, const TraceWindow& window) {
    for (const TimelineLane& lane : trace_lanes(tables, window))
        if (lane.kind == LaneKind::Program)
            return lane.slices.at(0);
    ADD_FAILURE() << "no lane of program steps";
    return {};
}

} // namespace

TEST(TraceProgram, IsReadForAPictureWithNamesOfIt) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    const auto file = profile::Profile::open(folder / "run.tilescope");
    ASSERT_TRUE(file);
    const auto tables = TraceTables::read(**file);
    ASSERT_TRUE(tables);
    EXPECT_FALSE(tables->knowsProgram());
    const auto [from, to] = tables->range;

    TraceWindow window{0, from, to, to - from, {}};
    window.slices = (*file)->trace(0, from, to, to - from).value();
    ASSERT_FALSE(window.slices.empty());
    ASSERT_TRUE(read_names(*tables, **file, window.slices));
    EXPECT_FALSE(tables->knowsProgram()) << "several layers, which have no name";
    EXPECT_TRUE(first_step(*tables, window).label.isEmpty());

    window.resolution = 1;
    window.slices = (*file)->trace(0, from, to, 1).value();
    ASSERT_TRUE(read_names(*tables, **file, window.slices));
    ASSERT_TRUE(tables->knowsProgram());
    EXPECT_FALSE(first_step(*tables, window).label.isEmpty());
}

TEST(TraceProgram, IsThereUntilThatOfTheGrownFileIsRead) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    const auto file = profile::Profile::open(folder / "run.tilescope");
    const auto before = TraceTables::read(**file);
    auto grown = TraceTables::read(**file);
    ASSERT_TRUE(before && grown && before->program(**file));
    const QString name = before->program().operationName(0);
    EXPECT_FALSE(name.isEmpty());
    EXPECT_TRUE(grown->program().operationName(0).isEmpty());
    grown->keepProgramOf(*before);
    EXPECT_EQ(grown->program().operationName(0), name);
    EXPECT_EQ(&grown->program(), &before->program());
    ASSERT_TRUE(grown->program(**file));
    EXPECT_EQ(grown->program().operationName(0), name);
    EXPECT_NE(&grown->program(), &before->program());
}

TEST(TraceProgram, WhatIsSearchedForBeforeItIsReadIsFound) {
    ShownTrace shown(tests::small_fixture);
    const QString name = QStringLiteral("infeed");
    auto* field = shown.view.findChild<QLineEdit*>(QStringLiteral("traceSearch"));
    field->setText(name);
    shown.settle();
    const std::size_t hits = shown.view.hits().size();
    EXPECT_GT(hits, 0U);
    field->setText(name + QStringLiteral(" ")); // of a word that is still to come
    shown.settle();
    EXPECT_EQ(shown.view.hits().size(), hits);
    field->clear();
    shown.view.setSources({});
    shown.view.setSources({shown.source, nullptr});
    field->setText(name);
    EXPECT_TRUE(shown.view.hits().empty());
    shown.settle();
    EXPECT_EQ(shown.view.hits().size(), hits);
}

} // namespace tilescope::ui
