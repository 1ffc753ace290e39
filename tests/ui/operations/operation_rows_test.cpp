// SPDX-License-Identifier: GPL-3.0-or-later
// What rows say that stand for several operations.
#include "profile/recorder.h"
#include "tests/ui/cut_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/operations/operations_view.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/legend.h"

#include <QComboBox>
#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {

// Three layers, of which the last is on another IPU, each with a product forward and one backward.
TEST(Operations, ARowOfSeveralSaysOnHowManyIpusAndInHowManyPhasesTheyAre) {
    tests::ShownView<OperationsView> shown([](const std::string& path) {
        auto recorder = profile::Recorder::create(path, profile::RunRecord{});
        if (!recorder)
            return Result<void>(Failure(recorder.error()));
        profile::Recorder& r = **recorder;
        profile::TargetRecord target{"pod4", "ipu2", 2, 4, 1000, 1e9, 6};
        target.half_flops_per_cycle = 128;
        target.float_flops_per_cycle = 32;
        target.exchange_bytes_per_cycle = 4;
        r.set(target);
        r.add(profile::DeviceProgramRecord{0, "predict", 0, false});
        r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
        for (std::int64_t i = 0; i < 2; ++i)
            r.add(profile::IpuRecord{i, i, "", 0, i});
        for (std::int64_t layer = 0; layer < 3; ++layer) {
            const std::string name = "layer_" + std::to_string(layer);
            r.add(profile::LayerRecord{layer, name, "Dense"});
            for (const auto phase : {profile::Phase::Forward, profile::Phase::Backward}) {
                const bool back = phase == profile::Phase::Backward;
                const std::int64_t id = 2 * layer + (back ? 1 : 0);
                const std::int64_t ipu = layer / 2;
                r.add(profile::OperationRecord{id, name + (back ? "/back" : "/MatMul"), "matmul", layer,
                                               phase, ipu, -1, 1000});
                r.add(profile::ProgramRecord{id + 1, 0, id, profile::StepKind::Execute, "run", id, -1, -1, 1,
                                             0, 20, 0, 300, ipu, -1, 4});
            }
        }
        return r.finish(profile::RunStatus::OutOfMemory); // it was never run
    });
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    const auto rows = [&] { // each with its name, phase and IPU
        QStringList all;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            QStringList read;
            for (int c = 0; c < table->model()->columnCount(); ++c)
                if (const QString head = table->model()->headerData(c, Qt::Horizontal).toString();
                    c == 0 || head == QStringLiteral("Phase") || head == QStringLiteral("IPU"))
                    read << table->model()->index(row, c).data().toString();
            all << read.join(QLatin1Char('|'));
        }
        all.sort();
        return all.join(QLatin1Char('\n')).toStdString();
    };
    EXPECT_EQ(rows(), "layer_*/MatMul × 3|forward|2 IPUs\nlayer_*/back × 3|backward|2 IPUs");
    auto* grouping = shown.view.findChild<QComboBox*>(QStringLiteral("operationGrouping"));
    grouping->setCurrentIndex(grouping->findText(QStringLiteral("by layer")));
    Q_EMIT grouping->activated(grouping->currentIndex());
    shown.settle();
    EXPECT_EQ(rows(), "layer_0 × 2|2 phases|0\nlayer_1 × 2|2 phases|0\nlayer_2 × 2|2 phases|1");
    QStringList legend;
    for (const auto& each :
         tests::drawn_texts(*shown.view.findChild<Legend*>(QStringLiteral("rooflineLegend"))))
        legend << each.text;
    EXPECT_EQ(legend, QStringList{QStringLiteral("several phases")});
}

// As what goes from one to the other takes both.
TEST(Operations, ARowOfOneThatTwoIpusRunSaysSoSinceItsShareIsOfBoth) {
    tests::ShownView<OperationsView> shown([](const std::string& path) {
        auto recorder = profile::Recorder::create(path, profile::RunRecord{});
        if (!recorder)
            return Result<void>(Failure(recorder.error()));
        profile::Recorder& r = **recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
        r.add(profile::DeviceProgramRecord{0, "predict", 0, false});
        r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
        for (std::int64_t i = 0; i < 2; ++i)
            r.add(profile::IpuRecord{i, i, "", 0, i});
        for (const auto& [id, name] : {std::pair<std::int64_t, const char*>{0, "alone"}, {1, "both"}})
            r.add(profile::OperationRecord{id, name, "reshape", -1, profile::Phase::Forward, 0});
        for (const auto& [operation, peer] : {std::pair<std::int64_t, std::int64_t>{0, -1}, {1, 1}})
            r.add(profile::ProgramRecord{operation + 1, 0, operation, profile::StepKind::Execute, "run",
                                         operation, -1, -1, 1, 0, 0, 0, 300, 0, peer, 4});
        return r.finish(profile::RunStatus::OutOfMemory); // it was never run
    });
    const auto* rows = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view()->model();
    const auto cell = [&](const QString& name, const QString& head) {
        for (int row = 0; row < rows->rowCount(); ++row)
            for (int c = 0; rows->index(row, 0).data().toString() == name && c < rows->columnCount(); ++c)
                if (rows->headerData(c, Qt::Horizontal).toString() == head)
                    return rows->index(row, c).data().toString();
        return QString();
    };
    EXPECT_EQ(cell(QStringLiteral("alone"), QStringLiteral("IPU")), QStringLiteral("0"));
    EXPECT_EQ(cell(QStringLiteral("both"), QStringLiteral("IPU")), QStringLiteral("2 IPUs"));
}

} // namespace tilescope::ui
