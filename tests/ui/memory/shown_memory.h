// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/recorder.h"
#include "tests/ui/view_test_support.h"
#include "ui/memory/memory_view.h"
#include "ui/tiles/tile_chart.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <QLineEdit>
#include <QTableView>
#include <map>

namespace tilescope::ui {

using namespace profile;
using Tiles = std::vector<std::int64_t>;

/// Two IPUs of four tiles of 1,000 bytes. On IPU 0 the weights are always live (100 bytes on each tile); on
/// IPU 1 tile 2 an input of 300 bytes lives in steps 0 to 1, an output of 500 in steps 1 to 2, beside 100 of
/// weights: 900 at its peak, step 1, and 950 with gaps.
inline Result<void> record_two_ipus(const std::string& path) {
    auto recorder = Recorder::create(path, RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::int64_t step = 0; step < 3; ++step)
        r.add(ProgramRecord{step + 1, 0, step, StepKind::Execute, "step " + std::to_string(step), -1, -1, -1,
                            1, step});
    const std::map<std::string, std::int64_t> second_tile_addresses{
        {"weights", 0}, {"input", 100}, {"output", 450}, {"late", 100}}; // 50 bytes are a gap
    std::int64_t id = 0;
    const auto hold = [&](const char* name, std::int64_t ipu, std::vector<std::int64_t> bytes,
                          std::int64_t from, std::int64_t to) {
        VariableRecord v;
        v.id = id++;
        v.name = name;
        v.category = from < 0 ? MemoryCategory::Variables : MemoryCategory::MessageBuffers;
        v.ipu = ipu;
        for (const std::int64_t b : bytes)
            v.bytes += b;
        v.always_live = from < 0;
        v.live_from = from;
        v.live_to = to;
        r.add(v);
        r.add_tile_values("variable", v.id, ipu, "bytes", bytes);
        if (second_tile_addresses.contains(name) && ipu == 1) {
            Tiles addresses(4, -1);
            addresses[2] = second_tile_addresses.at(name);
            r.add_tile_values("variable", v.id, ipu, "address", addresses);
        }
    };
    for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
        r.add(IpuRecord{ipu, ipu, "", 0, ipu});
        const bool second = ipu == 1;
        hold("weights", ipu, {100, 100, 100, 100}, -1, -1);
        r.add_tile_values("category:Variables", 0, ipu, "always_live", Tiles{100, 100, 100, 100});
        r.add_tile_values("category:Variables", 0, ipu, "not_always_live", Tiles{0, 0, 0, 0});
        if (second) {
            hold("input", 1, {0, 0, 300, 0}, 0, 1);
            hold("output", 1, {0, 0, 500, 0}, 1, 2);
            hold("late", 1, {0, 0, 40, 0}, 2, 2);
            r.add_tile_values("category:Message Buffers", 0, 1, "always_live", Tiles{0, 0, 0, 0});
            r.add_tile_values("category:Message Buffers", 0, 1, "not_always_live", Tiles{0, 0, 800, 0});
        }
        r.add_tile_values("memory", 0, ipu, "total", Tiles{100, 100, second ? 900 : 100, 100});
        r.add_tile_values("memory", 0, ipu, "total_with_gaps", Tiles{100, 100, second ? 950 : 110, 100});
        r.add(LivenessSpanRecord{ipu, 0, 3, 400, 0, 100});
    }
    return r.finish(RunStatus::Complete);
}

/// Memory with these, that has the keys.
struct ShownMemory : tests::ShownView<MemoryView> {
    ShownMemory() : ShownView(Record(&record_two_ipus)) {
        view.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&view)); // else keys are no shortcuts
        view.findChild<TileChart*>()->setFocus();
    }
    QStringList variables() {
        QStringList names;
        const QAbstractItemModel* model =
            view.findChild<DataTable*>(QStringLiteral("tileVariables"))->view()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            names << model->index(row, 0).data().toString();
        names.sort();
        return names;
    }
    QComboBox* ipus() { return view.findChild<QComboBox*>(QStringLiteral("memoryIpus")); }
    void type(const QString& text) {
        auto* field = view.findChild<QLineEdit*>(QStringLiteral("memoryTiles"));
        field->setText(text);
        QTest::keyClick(field, Qt::Key_Return);
        settle();
    }
};

} // namespace tilescope::ui
