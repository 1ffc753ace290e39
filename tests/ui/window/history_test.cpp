// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/history.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

Place at(const char* view, std::int64_t operation = -1) {
    Place place{QLatin1String(view), {}};
    place.selection.operation = operation;
    return place;
}

TEST(History, GoesBackAndForwardThroughViewsAndSelections) {
    History history;
    EXPECT_FALSE(history.canGo(-1));
    history.visit(at("summary"), 0);
    history.visit(at("memory"), 1000);
    history.visit(at("memory", 3), 2000);
    EXPECT_EQ(history.go(-1, 3000), at("memory"));
    EXPECT_EQ(history.go(-1, 4000), at("summary"));
    EXPECT_FALSE(history.canGo(-1));
    EXPECT_EQ(history.go(1, 5000), at("memory"));
    history.visit(at("trace"), 6000); // what was ahead is gone
    EXPECT_FALSE(history.canGo(1));
    EXPECT_EQ(history.go(-1, 7000), at("memory"));
}

TEST(History, WhatChangesInQuickSuccessionIsOnePlace) {
    History history;
    history.visit(at("summary"), 0);
    for (std::int64_t i = 0; i < 5; ++i)
        history.visit(at("program", i), 5000 + i * 100);
    EXPECT_EQ(history.go(-1, 9000), at("summary"));
    EXPECT_EQ(history.go(1, 10000), at("program", 4));
    history.visit(at("program", 4), 20000); // one is there already
    EXPECT_EQ(history.go(-1, 21000), at("summary"));
}

TEST(History, ViewsThatAreGoneThroughQuicklyAreAllThere) {
    History history;
    history.visit(at("summary"), 0);
    history.visit(at("pipeline"), 100);
    history.visit(at("pipeline", 2), 200);
    history.visit(at("trace", 2), 300);
    EXPECT_EQ(history.go(-1, 400), at("pipeline", 2));
    EXPECT_EQ(history.go(-1, 500), at("summary"));
}

TEST(History, WhatAViewAdjustsAfterGoingBackLosesNothing) {
    History history;
    history.visit(at("summary"), 0);
    history.visit(at("memory"), 1000);
    history.visit(at("trace"), 2000);
    (void)history.go(-1, 3000);
    history.visit(at("memory", 1), 3200);
    EXPECT_EQ(history.go(1, 5000), at("trace"));
    EXPECT_EQ(history.go(-1, 6000), at("memory", 1));
}

TEST(History, KeepsTheLastPlaces) {
    History history;
    for (std::int64_t i = 0; i < 1000; ++i)
        history.visit(at("program", i), i * 1000);
    std::size_t back = 0;
    while (history.canGo(-1)) {
        (void)history.go(-1, 0);
        ++back;
    }
    EXPECT_EQ(back, History::most - 1);
}

} // namespace
} // namespace tilescope::ui
