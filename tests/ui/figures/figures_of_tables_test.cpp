// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures_of_views.h"
#include "ui/compare/compare_view.h"
#include "ui/liveness/liveness_view.h"
#include "ui/operations/operations_view.h"
#include "ui/query/query_view.h"
#include "ui/widgets/data_table.h"

#include <cmath>

/// The views that are tables: of two runs, of operations, of what is live, and of any question.
namespace tilescope::ui {
namespace {

/// Cycles of operations in one engine run, as the file has them for everybody.
std::map<QString, double> operation_costs(const QString& path) {
    std::map<QString, double> costs;
    const auto file = *profile::Profile::open(path.toStdString());
    const auto result = file->query(
        "SELECT name, sum(sync_cycles + exchange_cycles + compute_cycles) FROM operation_cost GROUP BY name");
    EXPECT_TRUE(result);
    for (const auto& row : result->rows)
        costs[QString::fromStdString(row.at(0).text.value_or(""))] = std::stod(row.at(1).text.value_or("0"));
    return costs;
}

} // namespace

TEST_P(FiguresOfViews, CompareHasTheFiguresOfBothReports) {
    open_base();
    const auto view = shown<CompareView>();
    const QStringList step = row(*view, QStringLiteral("Figure"), QStringLiteral("step time"));
    ASSERT_EQ(step.size(), 4);
    EXPECT_EQ(step[1], formatSeconds(base_report.at("timing").at("step_us").get<double>() * 1e-6));
    EXPECT_EQ(step[2], formatSeconds(real("/timing/step_us") * 1e-6));
    const Json& rate = report.at("timing").at("samples_per_s"); // a small graph has none
    const QStringList compute = row(*view, QStringLiteral("Figure"),
                                    rate.is_null() ? QStringLiteral("compute per step (cycles)")
                                                   : QStringLiteral("compute per sample (cycles)"));
    ASSERT_EQ(compute.size(), 4);
    const double of_step = rate.is_null() ? 1 : rate.get<double>() * real("/timing/step_us") * 1e-6;
    EXPECT_EQ(compute[2],
              formatNumber(real("/timing/by_phase/compute") / std::round(real("/timing/steps") * of_step)));
    const bool alike = base_report.at("timing").at("layers_per") == report.at("timing").at("layers_per");
    EXPECT_TRUE(tests::shows(*view, alike ? per() : QStringLiteral("per micro-batch")));
    view->setSources({});
}

TEST_P(FiguresOfViews, CompareHasTheLayersOfBothReportsPerWhatIsChosen) {
    open_base();
    const auto view = shown<CompareView>();
    for (const auto& chosen : choices()) {
        choose(chosen);
        const analyse::Basis basis = common(chosen);
        SCOPED_TRACE("chosen " + (chosen ? analyse::key(*chosen) : "none") + ", common " +
                     analyse::key(basis));
        EXPECT_TRUE(tests::shows(*view, QString::fromStdString(analyse::per(basis))));
        int compared = 0;
        for (const auto& [of, column] : {std::pair(&base_report, 1), std::pair(&report, 2)}) {
            const double ratio =
                count(*of, of->at("timing").at("layers_per")) / count(*of, analyse::key(basis));
            for (const Json& layer : of->at("layers")) {
                const QString name = QString::fromStdString(layer.at("name").get<std::string>());
                if (name.isEmpty())
                    continue;
                const QStringList cells = row(*view, QStringLiteral("Layer"), name);
                ASSERT_EQ(cells.size(), 7) << name.toStdString();
                EXPECT_NEAR(parsed(cells[column]), layer.at("cycles").get<double>() * ratio,
                            6 * std::max(ratio, 1.0))
                    << name.toStdString();
                EXPECT_EQ(cells[column + 3], formatBytes(layer.at("memory_bytes").get<double>()))
                    << name.toStdString();
                ++compared;
            }
        }
        EXPECT_GT(compared, 0);
    }
    view->setSources({});
}

TEST_P(FiguresOfViews, OperationsAddUpToTheLayersOfTheReport) {
    const auto view = shown<OperationsView>();
    for (const auto& [basis, ratio] : bases()) {
        choose(basis);
        SCOPED_TRACE(analyse::per(basis));
        EXPECT_TRUE(tests::shows(*view, QString::fromStdString(analyse::per(basis))));
        const auto table = lines(*view, QStringLiteral("Operation"), DataTableModel::SortRole);
        ASSERT_GT(table.size(), 1);
        for (const Json& layer : report.at("layers")) {
            const QString name = QString::fromStdString(layer.at("name").get<std::string>());
            if (name.isEmpty())
                continue;
            std::map<QString, double> sums;
            int operations = 0;
            for (const QStringList& line : table.mid(1))
                if (line[table[0].indexOf(QStringLiteral("Layer"))] == name) {
                    ++operations;
                    for (const char* head :
                         {"Time", "Share", "Compute", "Exchange", "Inter-IPU", "Sync", "FLOPs"})
                        sums[QLatin1String(head)] += // what is absent sorts below 0
                            std::max(0.0, line[table[0].indexOf(QLatin1String(head))].toDouble());
                }
            const double rounded = 3.0 * operations + 6 * std::max(ratio, 1.0);
            const Json& phases = layer.at("by_phase");
            for (const auto& [head, figure] :
                 {std::pair("Time", &layer.at("cycles")), std::pair("Compute", &phases.at("compute")),
                  std::pair("Exchange", &phases.at("exchange")),
                  std::pair("Inter-IPU", &phases.at("inter_ipu")), std::pair("Sync", &phases.at("sync")),
                  std::pair("FLOPs", &layer.at("flops"))})
                EXPECT_NEAR(sums[QLatin1String(head)], figure->get<double>() * ratio, rounded)
                    << name.toStdString() << ' ' << head;
            if (layer.at("ipus").size() == 1 && !layer.at("share").is_null()) {
                EXPECT_NEAR(sums[QStringLiteral("Share")], layer.at("share").get<double>(), 1e-6)
                    << name.toStdString();
            }
        }
    }
    view->setSources({});
}

TEST_P(FiguresOfViews, OperationsOfBothRunsArePerTheSame) {
    open_base();
    const auto view = shown<OperationsView>();
    const auto now = operation_costs(path_);
    const auto before = operation_costs(base->path());
    for (const auto& chosen : choices()) {
        choose(chosen);
        const std::string basis = analyse::key(common(chosen));
        SCOPED_TRACE("chosen " + (chosen ? analyse::key(*chosen) : "none") + ", common " + basis);
        int compared = 0;
        const auto told = lines(*view, QStringLiteral("Operation")).mid(1);
        const auto cycles = lines(*view, QStringLiteral("Operation"), DataTableModel::SortRole).mid(1);
        ASSERT_EQ(cycles.size(), told.size());
        for (qsizetype l = 0; l < told.size(); ++l) {
            const QStringList& line = told[l];
            const QString& name = line[0];
            EXPECT_NEAR(cycles[l][1].toDouble(), now.at(name) / count(report, basis), 3)
                << name.toStdString();
            const QString& cell = cycles[l][line.size() - 3]; // then the difference and the change
            if (const auto found = before.find(name); found != before.end()) {
                EXPECT_NEAR(cell.toDouble(), found->second / count(base_report, basis), 3)
                    << name.toStdString();
                ++compared;
            } else {
                EXPECT_EQ(line.back(), QStringLiteral("new")) << name.toStdString();
            }
        }
        EXPECT_TRUE(compared > 0 || report.at("layers") != base_report.at("layers"));
    }
    view->setSources({});
}

/// The step at which most is live, and the sums that layers have there.
TEST_P(FiguresOfViews, LivenessHasWhatIsLiveAtThePeakOfEachLayer) {
    const auto view = shown<LivenessView>();
    const auto& variables = *view->findChild<DataTable*>(QStringLiteral("liveVariables"));
    std::map<QString, double> at_peak;
    double always = 0;
    Selection chosen = selection.current();
    chosen.lookAt(report.at("ipus").back().at("id").get<std::int64_t>());
    selection.set(chosen); // else it shows the IPU of the fullest tile
    for (const Json& ipu : report.at("ipus")) {
        Selection s = selection.current();
        s.lookAt(ipu.at("id").get<std::int64_t>());
        selection.set(s);
        settle();
        EXPECT_TRUE(tests::shows(*view, QStringLiteral("on IPU %1").arg(s.ipu)));
        const auto table = lines(variables, QStringLiteral("Variable"), DataTableModel::SortRole);
        const auto read = lines(variables, QStringLiteral("Variable"));
        double live = 0;
        for (int line = 1; line < table.size(); ++line) {
            const double bytes = table[line][table[0].indexOf(QStringLiteral("Bytes"))].toDouble();
            live += bytes;
            if (read[line][table[0].indexOf(QStringLiteral("From step"))] == QStringLiteral("always"))
                always += bytes;
            if (ipu.at("replica") == 0)
                at_peak[table[line][table[0].indexOf(QStringLiteral("Layer"))]] += bytes;
        }
        EXPECT_LE(live, ipu.at("memory_bytes").get<double>()) << "each tile at its own peak";
        EXPECT_TRUE(tests::shows(*view, QStringLiteral("together %1").arg(formatBytes(live))));
    }
    EXPECT_EQ(always, real("/memory/always_live_bytes"));
    for (const Json& layer : report.at("layers"))
        EXPECT_EQ(at_peak[QString::fromStdString(layer.at("name").get<std::string>())],
                  layer.at("memory_bytes").get<double>())
            << layer.at("name");
    view->setSources({});
}

TEST_P(FiguresOfViews, QueryAnswersWithTheFiguresOfTheReport) {
    const auto view = shown<QueryView>();
    const auto answer = [&](const QString& sql) {
        auto* editor = view->findChild<SqlEditor*>();
        editor->setPlainText(sql);
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
        settle();
        const auto* table = view->findChild<DataTable*>(QStringLiteral("answer"));
        EXPECT_NE(table, nullptr) << sql.toStdString();
        return table == nullptr ? -1 : parsed(table->view()->model()->index(0, 0).data().toString());
    };
    EXPECT_EQ(answer(QStringLiteral("SELECT sum(cycles) FROM execution")), real("/timing/cycles_total"));
    const QString kind = QString::fromStdString(report.at("timing").at("kind").get<std::string>());
    for (const char* phase : {"compute", "exchange", "sync", "inter_ipu", "host", "waiting"})
        EXPECT_EQ(answer(QStringLiteral("SELECT sum(%1) FROM execution_ipu i JOIN execution e ON e.id = "
                                        "i.execution_id WHERE e.kind = '%2'")
                             .arg(QLatin1String(phase), kind)),
                  report.at("timing").at("by_phase").at(phase).get<double>())
            << phase;
    EXPECT_EQ(answer(QStringLiteral("SELECT sum(always_live_bytes + not_always_live_bytes) "
                                    "FROM category_memory")),
              real("/memory/total_bytes"));
    std::int64_t parameters = 0;
    for (const Json& layer : report.at("layers"))
        parameters += layer.at("parameters").get<std::int64_t>();
    EXPECT_EQ(answer(QStringLiteral("SELECT coalesce(sum(parameters), 0) FROM layer")),
              static_cast<double>(parameters));
    view->setSources({});
}

} // namespace tilescope::ui
