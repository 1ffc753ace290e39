// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/graph_cost.h"
#include "analyse/memory_parts.h"
#include "analyse/pipeline.h"
#include "analyse/summary.h"
#include "figures_of_views.h"
#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_view.h"
#include "ui/live/live_view.h"
#include "ui/memory/memory_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/program/program_view.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/summary/summary_view.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/share_bar.h"

#include <QTreeView>
#include <cmath>

namespace tilescope::ui {

/// What the boxes of each layer come to, by its name.
static std::map<std::string, analyse::GraphCost> costs_of_layers(const OperationGraph& graph) {
    std::map<std::string, std::vector<const analyse::GraphCost*>> parts;
    for (const GraphNode& node : graph.nodes)
        if (const profile::LayerRecord* layer = graph.layer(node.layer))
            parts[layer->name].push_back(&node.cost);
    std::map<std::string, analyse::GraphCost> costs;
    for (const auto& [layer, of_layer] : parts)
        costs[layer] = analyse::together(of_layer);
    return costs;
}

TEST_P(FiguresOfViews, SummaryHasStepThroughputMemoryPhasesAndLayers) {
    const auto view = shown<SummaryView>();
    EXPECT_TRUE(tests::shows(*view, formatSeconds(real("/timing/step_us") * 1e-6)));
    const Json& samples = report.at("timing").at("samples_per_s"); // a small graph has none
    EXPECT_TRUE(tests::shows(*view, samples.is_null()
                                        ? QStringLiteral("how many samples a step takes is not known")
                                        : formatAmount(samples.get<double>())));
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
    const auto costs = costs_of_layers(graph);
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
    for (const GraphNode& node : graph.nodes) // though what comes from another IPU takes time on both
        if (node.kind == GraphNode::Kind::Operation) {
            EXPECT_EQ(node.place.ipu, graph.operation(node.id)->ipu) << node.name.toStdString();
        }
    // No more memory than the run has.
    EXPECT_LE(graph.total.bytes.at_peak, number("/memory/total_bytes"));
    EXPECT_GT(graph.total.bytes.at_peak, 0);
}

TEST_P(FiguresOfViews, ShardingHasTheFullestTileAndTheLayersOfTheReport) {
    const auto view = shown<ShardingView>();
    const SystemMap& map = view->canvas().map();
    ASSERT_EQ(map.ipus.size(), report.at("ipus").size());
    EXPECT_EQ(map.fullest->bytes, number("/memory/max_tile_bytes_with_gaps"));
    EXPECT_EQ(map.phases.total(), number("/timing/by_phase/compute") + number("/timing/by_phase/exchange") +
                                      number("/timing/by_phase/sync") + number("/timing/by_phase/inter_ipu") +
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

TEST_P(FiguresOfViews, LiveHasStepTimeRateAndPhasesOfTheReport) {
    const auto view = shown<LiveView>();
    EXPECT_TRUE(tests::shows(*view, formatSeconds(real("/timing/step_us") * 1e-6)));
    const Json& samples = report.at("timing").at("samples_per_s"); // a small graph has none
    EXPECT_EQ(tests::shows(*view, QStringLiteral("samples/s")), !samples.is_null());
    if (!samples.is_null()) {
        EXPECT_TRUE(
            tests::shows(*view, QStringLiteral("%1 samples/s").arg(formatAmount(samples.get<double>()))));
    }
    const auto* bar = view->findChild<ShareBar*>();
    ASSERT_NE(bar, nullptr);
    std::map<QString, double> shares;
    for (const ShareBar::Part& part : bar->parts())
        shares[part.name] = part.value;
    const profile::PhaseCycles all = phases();
    for (const auto& [name, cycles] : {std::pair{"compute", all.compute}, std::pair{"exchange", all.exchange},
                                       std::pair{"sync", all.sync}, std::pair{"inter-IPU", all.inter_ipu},
                                       std::pair{"host", all.host}, std::pair{"waiting", all.waiting}})
        EXPECT_DOUBLE_EQ(shares[QLatin1String(name)],
                         static_cast<double>(cycles) / static_cast<double>(all.total()))
            << name;
    QStringList devices;
    for (const QTableView* table : view->findChildren<QTableView*>())
        for (int r = 0; r < table->model()->rowCount(); ++r)
            devices << table->model()->index(r, table->model()->columnCount() - 1).data().toString();
    for (const Json& ipu : report.at("ipus"))
        EXPECT_TRUE(devices.contains(formatPercent(ipu.at("utilisation").get<double>()))) << ipu.at("id");
}

/// Of the first engine run, on each IPU: engine runs are alike.
TEST_P(FiguresOfViews, TraceHasThePhasesAndLayersOfTheReport) {
    const auto file = *profile::Profile::open(path_.toStdString());
    const auto kind = *analyse::main_kind(*file);
    const auto executions = *file->executions();
    const auto first = std::find_if(executions.begin(), executions.end(),
                                    [&](const auto& execution) { return execution.kind == kind; });
    ASSERT_NE(first, executions.end());
    const auto view = shown<TraceView>();
    profile::PhaseCycles all;
    const auto known = *file->layers();
    std::map<QString, std::int64_t> layers;
    for (const Json& ipu : report.at("ipus")) {
        const auto id = ipu.at("id").get<std::int64_t>();
        const std::int64_t from = first->start_cycle;
        const std::int64_t to = from + first->cycles;
        view->timeline().setRange(std::pair(from, to));
        Q_EMIT view->timeline().rangeSelected(id, false, from, to);
        ASSERT_TRUE(QTest::qWaitFor([&] { return !view->totals().computing(); }, 60'000));
        const analyse::RangeTotals& totals = view->totals().totals();
        all += totals.phases;
        EXPECT_DOUBLE_EQ(static_cast<double>(totals.phases.compute) /
                             static_cast<double>(totals.phases.total()),
                         ipu.at("utilisation").get<double>())
            << "IPU " << id;
        if (ipu.at("replica") != 0)
            continue;
        for (const analyse::TimeTotal& row : totals.layers)
            if (row.of == analyse::TimeTotal::Of::Step)
                for (const auto& layer : known)
                    if (layer.id == row.id)
                        layers[QString::fromStdString(layer.name)] += row.cycles.total();
    }
    const std::int64_t runs = number("/timing/executions");
    const profile::PhaseCycles reported = phases();
    EXPECT_EQ(all.compute * runs, reported.compute);
    EXPECT_EQ(all.exchange * runs, reported.exchange);
    EXPECT_EQ(all.sync * runs, reported.sync);
    EXPECT_EQ(all.inter_ipu * runs, reported.inter_ipu);
    EXPECT_EQ(all.host * runs, reported.host);
    EXPECT_EQ(all.waiting * runs, reported.waiting);
    const double of_execution = bases().back().second;
    for (const Json& layer : report.at("layers"))
        if (const QString name = QString::fromStdString(layer.at("name").get<std::string>());
            !name.isEmpty()) {
            EXPECT_NEAR(static_cast<double>(layers[name]), layer.at("cycles").get<double>() * of_execution,
                        3 * of_execution)
                << name.toStdString();
        }
}

TEST_P(FiguresOfViews, ProgramHasTheTimeAndTheLayersOfTheReport) {
    const auto view = shown<ProgramView>();
    ProgramModel& model = view->model();
    EXPECT_EQ(static_cast<double>(model.tree().cycles_per_execution),
              std::floor(real("/timing/elapsed/execution/cycles")));
    std::int64_t stages = 0;
    for (const Json& ipu : report.at("ipus"))
        stages += ipu.at("replica") == 0 && ipu.at("stage") >= 0 ? 1 : 0;
    std::int64_t grouped = 0;
    for (const ProgramStep& step : model.tree().steps)
        if (step.stage_ipu >= 0) {
            ++grouped;
            EXPECT_EQ(step.time.runs, number("/timing/steps") / number("/timing/executions") /
                                          static_cast<std::int64_t>(report.at("ipus").size() /
                                                                    static_cast<std::size_t>(stages)))
                << "once for each micro-batch of a replica";
            EXPECT_LE(step.time.elapsed, model.tree().cycles_per_execution);
            EXPECT_TRUE(view->tree().isExpanded(model.indexOf(step.parent))) << "stages are seen at first";
        }
    EXPECT_EQ(grouped, stages);
    for (const auto& [basis, ratio] : bases()) {
        choose(basis);
        const double us = report.at("timing").at("elapsed").at(analyse::key(basis)).at("us").get<double>();
        EXPECT_TRUE(tests::shows(
            *view, QStringLiteral("%1 elapsed %2")
                       .arg(formatSeconds(us * 1e-6), QString::fromStdString(analyse::per(basis)))))
            << analyse::per(basis);
        std::map<std::int64_t, double> cycles; // by layer
        for (const ProgramStep& step : model.tree().steps)
            if (step.leaf())
                cycles[step.layer] += model.perBasis(step.time.ipu_time.total());
        for (const Json& layer : report.at("layers"))
            for (const auto& [id, name] : model.tree().layers)
                if (name == QString::fromStdString(layer.at("name").get<std::string>())) {
                    EXPECT_NEAR(cycles[id], layer.at("cycles").get<double>() * ratio, 3 * ratio + 1e-6)
                        << name.toStdString() << ' ' << analyse::per(basis);
                }
    }
}

TEST_P(FiguresOfViews, MemoryHasTheFullestTileAndTheCategoriesOfTheReport) {
    const auto view = shown<MemoryView>();
    EXPECT_TRUE(tests::shows(*view, QStringLiteral("IPU %1 tile %2 is the fullest of the run: %3 of")
                                        .arg(number("/memory/max_tile_with_gaps_ipu"))
                                        .arg(number("/memory/max_tile_with_gaps"))
                                        .arg(formatBytes(real("/memory/max_tile_bytes_with_gaps")))));
    EXPECT_TRUE(tests::shows(*view, QStringLiteral(", %1 on").arg(formatBytes(real("/memory/total_bytes")))));
    const auto memory = *analyse::memory_parts(**profile::Profile::open(path_.toStdString()), {});
    std::map<std::string, std::int64_t> shown_bytes;
    for (const auto& category : memory.parts)
        for (const std::int64_t bytes : category.bytes)
            shown_bytes[category.name()] += bytes;
    for (const auto& [name, bytes] : report.at("memory").at("by_category").items()) {
        EXPECT_EQ(shown_bytes[name], bytes.get<std::int64_t>()) << name;
    }
}

TEST_P(FiguresOfViews, SqlViewsHaveTheMemoryOfTheReport) {
    const auto file = *profile::Profile::open(path_.toStdString());
    const auto numbers = [&](const std::string& sql) {
        std::map<std::string, std::int64_t> found;
        const auto result = file->query(sql);
        EXPECT_TRUE(result) << sql;
        for (const auto& row : result->rows)
            found[row.at(0).text.value_or("")] = std::stoll(row.at(1).text.value_or("-1"));
        return found;
    };
    const auto of_category = numbers("SELECT category, sum(always_live_bytes + not_always_live_bytes) FROM "
                                     "category_memory GROUP BY category");
    for (const auto& [name, bytes] : report.at("memory").at("by_category").items())
        EXPECT_EQ(of_category.at(name), bytes.get<std::int64_t>()) << name;
    const auto of_ipu = numbers("SELECT ipu, sum(always_live_bytes + not_always_live_bytes) FROM "
                                "category_memory GROUP BY ipu");
    for (const Json& ipu : report.at("ipus"))
        EXPECT_EQ(of_ipu.at(std::to_string(ipu.at("id").get<int>())),
                  ipu.at("memory_bytes").get<std::int64_t>());
    const std::string of_replica = " FROM layer_memory m JOIN ipu i ON i.id = m.ipu WHERE i.replica = 0 "
                                   "GROUP BY layer_id";
    auto always = numbers("SELECT name, sum(always_live_bytes)" + of_replica);
    auto at_peak = numbers("SELECT name, sum(live_at_peak_bytes)" + of_replica);
    for (const Json& layer : report.at("layers"))
        if (const std::string name = layer.at("name"); !name.empty()) {
            EXPECT_EQ(always[name], layer.at("always_live_bytes").get<std::int64_t>()) << name;
            EXPECT_EQ(at_peak[name], layer.at("memory_bytes").get<std::int64_t>()) << name;
        }
}

TEST_P(FiguresOfViews, EveryViewOfLayersFollowsTheChosenBasis) {
    const auto summary = shown<SummaryView>();
    const auto graph = shown<GraphView>();
    const auto sharding = shown<ShardingView>();
    for (const auto& [basis, ratio] : bases()) {
        choose(basis);
        const QString per = QString::fromStdString(analyse::per(basis));
        const OperationGraph& shown_graph = *graph->canvas().graph();
        auto costs = costs_of_layers(shown_graph);
        for (const Json& layer : report.at("layers")) {
            const std::string name = layer.at("name");
            const double cycles = layer.at("cycles").get<double>() * ratio;
            const double rounded = 6 * std::max(ratio, 1.0); // of each phase, in report and view
            const QStringList cells = row(*summary, QStringLiteral("Layer"), QString::fromStdString(name));
            if (name.empty())
                continue;
            ASSERT_GT(cells.size(), 3) << name;
            EXPECT_NEAR(parsed(cells[3]), cycles, rounded) << name;
            if (costs.contains(name)) {
                EXPECT_NEAR(static_cast<double>(shownCycles(shown_graph, nullptr, costs[name])), cycles,
                            rounded)
                    << name;
            }
            for (const MappedIpu& ipu : sharding->canvas().map().ipus)
                for (const MappedLayer& mapped : ipu.layers)
                    if (mapped.name == QString::fromStdString(name) && layer.at("ipus").size() == 1) {
                        EXPECT_NEAR(static_cast<double>(mapped.cycles), cycles, rounded) << name;
                    }
        }
        EXPECT_TRUE(report.at("layers").empty() || tests::shows(*summary, per));
        EXPECT_TRUE(tests::shows(*graph, per));
        EXPECT_TRUE(tests::shows(*sharding, per));
    }
    for (View* view : std::initializer_list<View*>{summary.get(), graph.get(), sharding.get()})
        view->setSources({});
}

INSTANTIATE_TEST_SUITE_P(
    Ways, FiguresOfViews,
    testing::Values(Way{"Plain", "keras_mnist_faster", 20}, Way{"Sharded", "tutorial_sharding", 0},
                    Way{"Replicated", "keras_mnist_replicated", 20},
                    Way{"Pipelined", "keras_mnist_pipelined", 24},
                    Way{"ReplicatedPipeline", "keras_mnist_8ipu", 64},
                    Way{"OffloadedState",
                        "keras_mnist_pipelined",
                        24,
                        {"compile.optimizer.name=adam", "pipeline.offload_weight_update_variables=true"}},
                    Way{"SharedState",
                        "keras_mnist_8ipu",
                        64,
                        {"compile.optimizer.name=adam", "pipeline.offload_weight_update_variables=true",
                         "pipeline.replicated_optimizer_state_sharding=true"}}),
    [](const auto& way) { return std::string(way.param.name); });

} // namespace tilescope::ui
