// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/summary/insight_list.h"

#include <QLabel>
#include <QPointer>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

analyse::Summary finds(const std::string& title) {
    analyse::Summary summary;
    analyse::Insight insight;
    insight.code = "host_bound";
    insight.title = title;
    summary.insights = {insight};
    return summary;
}

} // namespace

TEST(InsightList, WhatStaysTheSameWhileAFileGrowsIsNotDrawnAnew) {
    InsightList list;
    list.resize(400, 200);
    list.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&list));
    list.setInsights(finds("Much of the time goes to the host"), {});
    const QPointer<QLabel> first = list.findChild<QLabel*>();
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(first->isVisible()) << "at once";
    first->setSelection(0, 4);
    list.setInsights(finds("Much of the time goes to the host"), {});
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(first->hasSelectedText());
    list.setInsights(finds("Tiles are nearly full"), {});
    EXPECT_TRUE(list.findChild<QLabel*>()->text().contains(QStringLiteral("Tiles are nearly full")));
    list.setInsights({}, {});
    EXPECT_EQ(list.findChild<QLabel*>()->text(), QStringLiteral("Nothing stands out."));
    EXPECT_EQ(list.findChildren<QLabel*>().size(), 1);
}

} // namespace tilescope::ui
