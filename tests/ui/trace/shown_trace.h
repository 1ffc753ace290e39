// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/trace/told_run.h"
#include "tests/ui/view_test_support.h"
#include "ui/theme/theme.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_view.h"

#include <QImage>
#include <QLabel>
#include <QScrollBar>
#include <QTextDocumentFragment>
#include <algorithm>
#include <array>

namespace tilescope::ui {

/// Trace with a told run, or a made-up one, that has come to rest; and what is seen of it.
struct ShownTrace : tests::ShownView<TraceView> {
    /// The totals that come when the view rests take room, and with it the pixels of a cycle.
    void rest() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return view.totals().isVisible(); }, 20000));
        settle();
    }
    explicit ShownTrace(const Told& told)
        : ShownTrace(Record([told](const std::string& path) { return told.record(path); })) {}
    explicit ShownTrace(const tests::FixtureSize& size)
        : ShownTrace(Record([size](const std::string& path) { return tests::record_fixture(path, size); })) {}
    explicit ShownTrace(const Record& record) : ShownView(record) {
        timeline().setAnimated(false);
        view.activateWindow();
        timeline().setFocus();
        rest();
        LaneChoice all = view.lanes(); // also of several IPUs, which have few lanes at first
        all.hidden_kinds = LaneChoice().hidden_kinds;
        view.setLanes(all);
        rest();
    }
    TimelineWidget& timeline() { return view.timeline(); }
    std::size_t lane(LaneKind kind, std::size_t group = 0) {
        const auto& lanes = timeline().groups().at(group).lanes;
        for (std::size_t i = 0; i < lanes.size(); ++i)
            if (lanes[i].kind == kind)
                return i;
        ADD_FAILURE() << "no such lane";
        return 0;
    }
    void show(double from, double to) {
        timeline().show(from, to);
        settle();
    }
    QPoint at(double cycle, LaneKind kind, std::size_t group = 0) {
        const QRect rect = timeline().laneRect(group, lane(kind, group));
        return {rect.left() + static_cast<int>(timeline().view().x(cycle)), rect.center().y()};
    }
    void click(const QPoint& where) {
        QTest::mouseClick(timeline().viewport(), Qt::LeftButton, {}, where);
        settle();
    }
    /// What is said under the pointer; asked twice, since the first time asks the file.
    QString tip(const QPoint& where) {
        (void)timeline().description(where);
        settle();
        return QTextDocumentFragment::fromHtml(timeline().description(where)).toPlainText();
    }
    QString label(const char* name) {
        return tests::as_read(view.findChild<QLabel*>(QLatin1String(name))->text());
    }
    /// Where a lane is painted; scrolls to it.
    QRect seen(LaneKind kind, std::size_t group = 0) {
        QScrollBar* bar = timeline().verticalScrollBar();
        bar->setValue(bar->value() + timeline().laneRect(group, lane(kind, group)).top() - 200);
        return timeline().laneRect(group, lane(kind, group)).adjusted(0, 1, 0, -1);
    }
    /// The share of the pixels of a lane of phases, or tiles, by kind of time; the rest is empty.
    std::array<double, analyse::time_kinds.size()> painted(std::size_t group,
                                                           LaneKind kind = LaneKind::Phases) {
        const Theme& theme = Theme::of(&timeline());
        const std::array<QColor, 5> colors{theme.compute, theme.exchange, theme.inter_ipu, theme.sync,
                                           theme.host};
        const QRect rect = seen(kind, group);
        const QImage picture = timeline().viewport()->grab(rect).toImage();
        std::array<double, analyse::time_kinds.size()> shares{};
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) {
                const auto found =
                    std::find(colors.begin(), colors.end(), QColor(picture.pixelColor(x, y).rgb()));
                ++shares[static_cast<std::size_t>(found -
                                                  colors.begin())]; // what has none of them is waiting
            }
        for (double& share : shares)
            share /= picture.width() * picture.height();
        return shares;
    }
};

} // namespace tilescope::ui
