// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline.h"
#include "analyse/summary.h"
#include "build_paths.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/compare/compare_view.h"
#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/session/format.h"
#include "ui/sharding/sharding_view.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/data_table.h"

#include <QProcess>
#include <QTableView>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

/// Every view of a run shows the figures that its report has. The runs are made by the program itself.
namespace tilescope::ui {
namespace {

using Json = nlohmann::ordered_json;

QByteArray tilescope(const QStringList& arguments) {
    QProcess program;
    program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"), arguments);
    EXPECT_TRUE(program.waitForFinished(120'000));
    EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    return program.readAllStandardOutput();
}

struct Way {
    const char* name;
    const char* sample;
    int steps; ///< of one engine run; 0: as the sample says
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << way.name;
}

class FiguresOfViews : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        path_ = record(GetParam(), "run");
        source = *ProfileSource::open(path_);
        report = Json::parse(
            tilescope({QStringLiteral("report"), path_, QStringLiteral("--format"), QStringLiteral("json")})
                .toStdString());
    }

    QString record(const Way& way, const char* name) const {
        const QString path = QString::fromStdString(folder_ / (std::string(name) + ".tilescope"));
        QStringList arguments{
            QStringLiteral("profile"),
            QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(way.sample)),
            QStringLiteral("-o"), path, QStringLiteral("--estimate")};
        if (way.steps > 0) {
            for (const QString& change : {QStringLiteral("data.train.samples=%1").arg(64 * way.steps),
                                          QStringLiteral("fit.steps_per_epoch=%1").arg(way.steps),
                                          QStringLiteral("compile.steps_per_execution=%1").arg(way.steps),
                                          QStringLiteral("data.evaluate.samples=64")})
                arguments << QStringLiteral("--set") << change;
            arguments << QStringLiteral("--epochs") << QStringLiteral("1");
        }
        tilescope(arguments);
        return path;
    }

    /// A view of the run, its questions answered.
    template<class V>
    std::unique_ptr<V> shown(std::shared_ptr<ProfileSource> base = nullptr) {
        auto view = std::make_unique<V>();
        view->resize(1300, 900);
        view->setSelection(&selection);
        view->setSources({source, std::move(base)});
        view->setVisible(true);
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor([this] { return source->pending() == 0; }, 60'000));
        }
        return view;
    }

    /// The row of a table whose first cell is `name`, as a person reads it.
    static QStringList row(const QWidget& view, const QString& first_column, const QString& name) {
        for (const QTableView* table : view.findChildren<QTableView*>()) {
            const QAbstractItemModel& model = *table->model();
            if (model.headerData(0, Qt::Horizontal).toString() != first_column)
                continue;
            for (int r = 0; r < model.rowCount(); ++r)
                if (model.index(r, 0).data().toString() == name) {
                    QStringList cells;
                    for (int c = 0; c < model.columnCount(); ++c)
                        cells << model.index(r, c).data().toString();
                    return cells;
                }
        }
        return {};
    }

    std::int64_t number(const char* place) const {
        return report.at(Json::json_pointer(place)).get<std::int64_t>();
    }
    double real(const char* place) const { return report.at(Json::json_pointer(place)).get<double>(); }
    QString per() const {
        return QStringLiteral("per ") +
               QString::fromStdString(report.at("timing").at("layers_per").get<std::string>())
                   .replace(QLatin1Char('_'), QLatin1Char(' '));
    }

    tests::TemporaryFolder folder_;
    QString path_;
    SelectionModel selection;
    std::shared_ptr<ProfileSource> source;
    Json report;
};

TEST_P(FiguresOfViews, SummaryHasStepThroughputMemoryPhasesAndLayers) {
    const auto view = shown<SummaryView>();
    EXPECT_TRUE(tests::shows(*view, formatSeconds(real("/timing/step_us") * 1e-6)));
    EXPECT_TRUE(tests::shows(*view, formatCount(std::llround(real("/timing/samples_per_s")))));
    EXPECT_TRUE(tests::shows(*view, formatBytes(real("/memory/max_tile_bytes_with_gaps"))));
    for (const Json& layer : report.at("layers")) {
        const QString name = QString::fromStdString(layer.at("name").get<std::string>());
        const QStringList cells =
            row(*view, QStringLiteral("Layer"), name.isEmpty() ? QStringLiteral("(no layer)") : name);
        ASSERT_FALSE(cells.isEmpty()) << name.toStdString();
        EXPECT_TRUE(cells.contains(formatCount(layer.at("cycles").get<std::int64_t>())))
            << name.toStdString();
        EXPECT_TRUE(layer.at("share").is_null() ||
                    cells.contains(formatPercent(layer.at("share").get<double>())))
            << name.toStdString();
        EXPECT_TRUE(cells.contains(formatBytes(layer.at("memory_bytes").get<double>())))
            << name.toStdString();
    }
    EXPECT_TRUE(report.at("layers").empty() || tests::shows(*view, per())) << per().toStdString();
}

TEST_P(FiguresOfViews, GraphHasTheLayersOfTheReport) {
    const auto view = shown<GraphView>();
    ASSERT_TRUE(view->canvas().graph());
    const OperationGraph& graph = *view->canvas().graph();
    EXPECT_TRUE(tests::shows(*view, per()));
    std::map<std::string, GraphCost> costs; // by layer
    for (const GraphNode& node : graph.nodes)
        if (const profile::LayerRecord* layer = graph.layer(node.layer))
            costs[layer->name] += node.cost;
    for (const Json& layer : report.at("layers")) {
        const auto found = costs.find(layer.at("name").get<std::string>());
        if (found == costs.end())
            continue;
        EXPECT_NEAR(static_cast<double>(shownCycles(graph, nullptr, found->second)),
                    layer.at("cycles").get<double>(), 3)
            << found->first;
        if (!layer.at("share").is_null()) {
            EXPECT_DOUBLE_EQ(graph.costs.share(found->second.time).value_or(-1),
                             layer.at("share").get<double>())
                << found->first;
        }
    }
    // No more memory than the run has.
    EXPECT_LE(graph.total.bytes.at_peak, number("/memory/total_bytes"));
    EXPECT_GT(graph.total.bytes.at_peak, 0);
}

TEST_P(FiguresOfViews, ShardingHasTheFullestTileAndTheLayersOfTheReport) {
    const auto view = shown<ShardingView>();
    const SystemMap& map = view->shown();
    ASSERT_EQ(map.ipus.size(), report.at("ipus").size());
    EXPECT_EQ(map.fullest()->fullest_bytes, number("/memory/max_tile_bytes"));
    EXPECT_EQ(map.phases().total(), number("/timing/by_phase/compute") + number("/timing/by_phase/exchange") +
                                        number("/timing/by_phase/sync") +
                                        number("/timing/by_phase/inter_ipu") +
                                        number("/timing/by_phase/host") + number("/timing/by_phase/waiting"));
    for (const MappedIpu& ipu : map.ipus) {
        double shares = 0;
        for (const MappedLayer& layer : ipu.layers) {
            shares += layer.share.value_or(0);
            for (const Json& row : report.at("layers"))
                if (QString::fromStdString(row.at("name").get<std::string>()) == layer.name &&
                    row.at("ipus").size() == 1) {
                    EXPECT_EQ(layer.cycles, row.at("cycles").get<std::int64_t>()) << layer.name.toStdString();
                }
        }
        EXPECT_LE(shares, 1) << "of the time of IPU " << ipu.record.id;
    }
}

TEST_P(FiguresOfViews, PipelineHasTheTimeOfTheWeightUpdate) {
    if (report.at("ipus").at(0).at("stage") == -1)
        GTEST_SKIP() << "no pipeline";
    const auto slots = source->path();
    const auto file = *profile::Profile::open(slots.toStdString());
    const auto update = analyse::pipeline_update(*file->pipeline_slots());
    // All of an update but its part of launching the engine run.
    const double elapsed = real("/timing/elapsed/weight_update/cycles");
    EXPECT_LE(static_cast<double>(update.cycles), elapsed);
    const auto view = shown<PipelineView>();
    EXPECT_TRUE(tests::shows(*view, formatCycles(update.cycles)) ||
                tests::shows(*view, formatTime(update.cycles, real("/target/clock_hz"))));
}

TEST_P(FiguresOfViews, CompareHasTheFiguresOfBothReports) {
    const Way other{"Base", "keras_mnist_faster", 20};
    const QString base_path = record(other, "base");
    const Json base = Json::parse(
        tilescope({QStringLiteral("report"), base_path, QStringLiteral("--format"), QStringLiteral("json")})
            .toStdString());
    auto base_source = *ProfileSource::open(base_path);
    const auto view = shown<CompareView>(base_source);
    const QStringList step = row(*view, QStringLiteral("Figure"), QStringLiteral("step time"));
    ASSERT_EQ(step.size(), 4);
    EXPECT_EQ(step[1], formatSeconds(base.at("timing").at("step_us").get<double>() * 1e-6));
    EXPECT_EQ(step[2], formatSeconds(real("/timing/step_us") * 1e-6));
    const QStringList compute = row(*view, QStringLiteral("Figure"), QStringLiteral("compute per sample"));
    ASSERT_EQ(compute.size(), 4);
    const double samples =
        real("/timing/steps") * real("/timing/samples_per_s") * real("/timing/step_us") * 1e-6;
    EXPECT_EQ(compute[2], formatNumber(real("/timing/by_phase/compute") / std::round(samples)));
    const bool alike = base.at("timing").at("layers_per") == report.at("timing").at("layers_per");
    EXPECT_TRUE(tests::shows(*view, alike ? per() : QStringLiteral("per micro-batch")));
    view->setSources({});
}

INSTANTIATE_TEST_SUITE_P(Ways, FiguresOfViews,
                         testing::Values(Way{"Plain", "keras_mnist_faster", 20},
                                         Way{"Sharded", "tutorial_sharding", 0},
                                         Way{"Replicated", "keras_mnist_replicated", 20},
                                         Way{"Pipelined", "keras_mnist_pipelined", 24},
                                         Way{"ReplicatedPipeline", "keras_mnist_8ipu", 64}),
                         [](const auto& way) { return std::string(way.param.name); });

} // namespace
} // namespace tilescope::ui
