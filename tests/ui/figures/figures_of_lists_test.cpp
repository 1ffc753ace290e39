// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insight_rules.h"
#include "figures_of_views.h"
#include "ui/compile/compile_view.h"
#include "ui/exchange/exchange_view.h"
#include "ui/insights/insights_view.h"
#include "ui/runs/runs_view.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <algorithm>
#include <set>

/// The views that list what a run exchanges, what stands out in it, what compiled it, and it among others.
namespace tilescope::ui {

TEST_P(FiguresOfViews, ExchangesAddUpToThoseOfTheReport) {
    const auto view = shown<ExchangeView>();
    choose(analyse::Basis::Execution); // which runs are per
    double replicas = 0;
    for (const Json& ipu : report.at("ipus"))
        replicas = std::max(replicas, ipu.at("replica").get<double>() + 1);
    auto* kinds = view->findChild<QComboBox*>(QStringLiteral("exchangeKind"));
    const auto cycles_of = [&](int kind) {
        kinds->setCurrentIndex(kind);
        Q_EMIT kinds->activated(kind);
        settle();
        double sum = 0; // of all IPUs of a replica, in an engine run
        const auto table = lines(*view, QStringLiteral("Exchange"), DataTableModel::SortRole);
        for (const QStringList& line : table.mid(1))
            sum += line[table[0].indexOf(QStringLiteral("Time"))].toDouble() *
                   line[table[0].indexOf(QStringLiteral("Runs"))].toDouble();
        return sum * replicas * real("/timing/executions");
    };
    EXPECT_EQ(cycles_of(1), real("/timing/by_phase/exchange"));
    EXPECT_GT(cycles_of(0), cycles_of(1));
    EXPECT_EQ(cycles_of(2) > 0, number("/timing/by_phase/inter_ipu") > 0);
    EXPECT_EQ(cycles_of(4) > 0, std::string(GetParam().name).ends_with("State")) << "streaming memory";
    view->setSources({});
}

TEST_P(FiguresOfViews, InsightsAreThoseOfTheReportWithTheirCosts) {
    const auto view = shown<InsightsView>();
    const auto table = lines(*view, QStringLiteral("Finding"));
    std::multiset<std::pair<QString, QString>> seen;
    for (const QStringList& line : table.mid(1))
        seen.emplace(line[0], line[1]);
    std::multiset<std::pair<QString, QString>> reported;
    for (const Json& insight : report.at("insights")) {
        const Json& cost = insight.at("cost");
        const auto what = [&]() -> QString {
            if (cost.is_null())
                return QStringLiteral("–");
            const double value = cost.at("value").get<double>();
            return cost.at("unit") == "bytes"
                       ? QStringLiteral("%1 more than %2")
                             .arg(formatBytes(value),
                                  QString::fromStdString(
                                      analyse::find_rule(insight.at("code"))->cost_is_over()))
                       : QStringLiteral("%1 per %2")
                             .arg(formatSeconds(value / real("/target/clock_hz")),
                                  QString::fromStdString(cost.at("per").get<std::string>()));
        };
        reported.emplace(QString::fromStdString(insight.at("title").get<std::string>()), what());
    }
    EXPECT_EQ(seen, reported);
    view->setSources({});
}

TEST_P(FiguresOfViews, RunsHasTheRunWithTheFiguresOfTheReport) {
    RunsView view;
    view.resize(1300, 900);
    view.readFolder(QString::fromStdString(folder_ / ""));
    view.show();
    QStringList cells;
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            cells = row(view, QStringLiteral("Workload"),
                        QString::fromStdString(report.at("run").at("workload").get<std::string>()));
            return !cells.isEmpty();
        },
        20'000));
    const double share = real("/memory/max_tile_bytes_with_gaps") / real("/target/bytes_per_tile");
    EXPECT_TRUE(cells.contains(formatSeconds(real("/timing/step_us") * 1e-6)));
    const Json& samples = report.at("timing").at("samples_per_s"); // a small graph has none
    EXPECT_TRUE(
        cells.contains(samples.is_null() ? QStringLiteral("–") : formatAmount(samples.get<double>())));
    EXPECT_TRUE(cells.contains(formatBytes(real("/memory/max_tile_bytes_with_gaps"))));
    EXPECT_TRUE(cells.contains(formatSeconds(real("/timing/compile_s"))));
    EXPECT_TRUE(!cells.filter(formatPercent(share)).isEmpty());
}

TEST_P(FiguresOfViews, CompileHasTheTimeOfTheReport) {
    const auto view = shown<CompileView>();
    const QString compiled = formatSeconds(real("/timing/compile_s"));
    const char* said = report.at("programs").size() > 1 ? "all programs of the run in %1" : "Compiled in %1";
    EXPECT_TRUE(tests::shows(*view, QLatin1String(said).arg(compiled)));
    view->setSources({});
}

} // namespace tilescope::ui
