// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "profile/tile_array.h"
#include "tests/core/profile/older_schema.h"
#include "tests/ui/cut_text.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/exchange/exchange_view.h"
#include "ui/session/format.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_matrix.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QMenu>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>
#include <memory>

namespace tilescope::ui {
namespace {

using namespace profile;
using Numbers = std::vector<std::int64_t>;

/// Two replicas of an IPU of eight tiles. An exchange that runs ten times, and takes so many cycles, brings
/// what tile 0 holds of a kernel, 40 bytes, to tiles 1, 2 and 3, and what tile 1 holds, as much, to 2 and 3;
/// another, of which it is not known who sends to whom, 40 bytes from tile 0 to tile 7; a reduce-scatter
/// between the replicas moves 60 bytes.
struct Variant {
    std::int64_t cycles = 120;
    std::int64_t element_bytes = 4;              ///< of the kernel: a tile holds ten
    std::int64_t partials = 40, partials_to = 7; ///< what goes from tile 0 to which
    bool old = false;                            ///< another exchange: 12 bytes from tile 5 to tile 6
};
Result<void> record_with(const std::string& path, const Variant& of) {
    auto recorder = Recorder::create(path, RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 2, 8, 1000, 1e9, 6});
    for (std::int64_t ipu = 0; ipu < 2; ++ipu)
        r.add(IpuRecord{ipu, ipu, "", ipu, 0});
    r.add(OperationRecord{5, "op", "matmul", -1, Phase::Forward});
    r.add(OperationRecord{6, "reduce", "all_reduce", -1, Phase::Update});
    r.add(DeviceProgramRecord{0, "training", 0, true});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    r.add(ProgramRecord{1, 0, 0, StepKind::Exchange, "bring", 5, -1, 0, 1, 0, 0, of.cycles, 0, 0, -1, 10});
    r.add(ProgramRecord{2, 0, 1, StepKind::Exchange, "partials", 5, -1, 1, 1, 1, 0, 110, 0, 0, -1, 1});
    r.add(ProgramRecord{3, 0, 2, StepKind::Exchange, "scatter", 6, -1, 2, 1, 2, 0, 50, 0, 0, -1, 1});
    const std::int64_t piece = 10 * of.element_bytes;
    r.add(ExchangeRecord{0, "op/exchange(kernel)", ExchangeKind::Internal, 5, 5 * piece, of.cycles, 0, -1});
    r.add_tile_values("exchange", 0, 0, "sent", Numbers{3 * piece, 2 * piece, 0, 0, 0, 0, 0, 0});
    r.add_tile_values("exchange", 0, 0, "received", Numbers{0, piece, 2 * piece, 2 * piece, 0, 0, 0, 0});
    r.add(VariableRecord{7, "kernel", MemoryCategory::Variables, -1, 5, -1, 0, DType::Float32, "[20]", 80});
    r.add(ExchangeVariableRecord{0, 0, 7, 5 * piece});
    r.add(ExchangeVariableRecord{1, 0, 8, of.partials});
    r.add(ExchangeMovesRecord{0, "[[20, 10, 1, 2, 10, 0]]", 0, of.element_bytes, 0, 1});
    r.add(TileNeedsRecord{0, "[20]", pack_tile_values(Numbers{0, 1, 1, 0, 0, 0, 10, 10, 0})});
    r.add(ExchangeRecord{1, "op/exchange(partials)", ExchangeKind::Internal, 5, of.partials, 110, 0, -1});
    Numbers partials(8, 0);
    partials[static_cast<std::size_t>(of.partials_to)] = of.partials;
    r.add_tile_values("exchange", 1, 0, "sent", Numbers{of.partials, 0, 0, 0, 0, 0, 0, 0});
    r.add_tile_values("exchange", 1, 0, "received", partials);
    if (of.old) {
        r.add(OperationRecord{7, "old", "concat", -1, Phase::Forward});
        r.add(ProgramRecord{4, 0, 3, StepKind::Exchange, "join", 7, -1, 3, 1, 3, 0, 30, 0, 0, -1, 1});
        r.add(ExchangeRecord{3, "old/exchange(joined)", ExchangeKind::Internal, 7, 12, 30, 0, -1});
        r.add_tile_values("exchange", 3, 0, "sent", Numbers{0, 0, 0, 0, 0, 12, 0, 0});
        r.add_tile_values("exchange", 3, 0, "received", Numbers{0, 0, 0, 0, 0, 0, 12, 0});
    }
    r.add(ExchangeRecord{2, "op/reduce-scatter", ExchangeKind::InterIpu, 6, 60, 50, 0, -1,
                         RingPhase::ReduceScatter});
    r.add_tile_values("exchange", 2, 0, "sent", Numbers{60, 0, 0, 0, 0, 0, 0, 0});
    r.add_tile_values("exchange", 2, 0, "received", Numbers{60, 0, 0, 0, 0, 0, 0, 0});
    r.add(LinkTrafficRecord{0, 1, LinkKind::AllReduce, 1, 60, 50});
    r.add(LinkTrafficRecord{1, 0, LinkKind::AllReduce, 1, 60, 50});
    return r.finish(RunStatus::Complete);
}

Result<void> record_exchanges(const std::string& path) {
    return record_with(path, {});
}

struct Shown : tests::ShownView<ExchangeView> {
    Shown() : ShownView(Record(&record_exchanges)) {
        view.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&view)); // else keys are no shortcuts
        map()->setFocus();
    }
    TileMap* map() { return view.findChild<TileMap*>(QStringLiteral("exchangeMap")); }
    TileMatrix* matrix() { return view.findChild<TileMatrix*>(); }
    /// What of the matrix is not empty, as it is copied.
    QString cells() {
        const QString all = matrix()->toText(QLatin1Char(','));
        return all.mid(all.indexOf(QLatin1Char('\n')) + 1);
    }
    void click(const QString& exchange, Qt::KeyboardModifiers modifiers = {}) {
        auto& table = *view.findChild<DataTable*>(QStringLiteral("exchangeList"))->view();
        for (int row = 0; row < table.model()->rowCount(); ++row)
            if (table.model()->index(row, 0).data().toString() == exchange) {
                const QRect cell = table.visualRect(table.model()->index(row, 0));
                QTest::mouseClick(table.viewport(), Qt::LeftButton, modifiers, cell.center());
                settle();
                return;
            }
        ADD_FAILURE() << exchange.toStdString();
    }
    /// Its tab is in front then: rows of variables are made for those who look at them.
    DataTable* bring(const char* name) {
        auto* table = view.findChild<DataTable*>(QLatin1String(name));
        for (auto* tabs : view.findChildren<QTabWidget*>())
            if (tabs->indexOf(table) >= 0)
                tabs->setCurrentWidget(table);
        return table;
    }
    QString table(const char* name) { return tests::shown_rows(*bring(name)->view(), QLatin1Char('\t')); }
    void press(int key) {
        QTest::keyClick(map(), static_cast<Qt::Key>(key));
        settle();
    }
};

// Tile 2 alone sends 24 bytes to the host.
TEST(ExchangeView, WhatOnlySendsShowsWhatIsSent) {
    tests::ShownView<ExchangeView> shown([](const std::string& path) {
        auto recorder = Recorder::create(path, RunRecord{});
        if (!recorder)
            return Result<void>(Failure(recorder.error()));
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 1, 4, 1000, 1e9, 6});
        r.add(IpuRecord{0, 0, "", 0, 0});
        r.add(DeviceProgramRecord{0, "training", 0, true});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        r.add(ProgramRecord{1, 0, 0, StepKind::StreamCopy, "fetch", -1, -1, 0, 1, 0, 0, 50, 0, 0, -1, 1});
        r.add(ExchangeRecord{0, "loss", ExchangeKind::Host, -1, 24, 50, 0, -1});
        r.add_tile_values("exchange", 0, 0, "sent", Numbers{0, 0, 24, 0});
        return r.finish(RunStatus::Complete);
    });
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Tile 2 of IPU 0 sends the most, 24 B")));
    const auto* shade = shown.view.findChild<QComboBox*>(QStringLiteral("exchangeShade"));
    EXPECT_EQ(shade->currentText(), QStringLiteral("sent"));
    auto* map = shown.view.findChild<TileMap*>(QStringLiteral("exchangeMap"));
    Q_EMIT map->tilesSelected({2});
    shown.settle();
    EXPECT_TRUE(map->accessibleDescription().contains(QStringLiteral("Tile 2: 24 B")))
        << map->accessibleDescription().toStdString();
}

TEST(ExchangeView, BeginsWithTheDearestExchangeAndNamesTheTileThatReceivesMost) {
    Shown shown;
    // 40, 80 and 80 bytes on eight tiles: a mean of 25.
    EXPECT_TRUE(tests::shows(
        shown.view,
        QStringLiteral("Tile 2 of IPU 0 receives the most, 80 B: 3.20 times the mean of all; 3 tiles")));
    shown.press(Qt::Key_X);
    EXPECT_EQ(shown.selection.current().tiles, (Numbers{2}));
    EXPECT_TRUE(
        shown.view.findChild<TileMap*>()->accessibleDescription().contains(QStringLiteral("Tile 2: 80 B")));
}

TEST(ExchangeView, TellsHowLongEachTileExchangesAndWaitsForTheSlowest) {
    Shown shown;
    // Tile 0 sends 120 bytes and is the slowest; tile 1 sends 80, tiles 2 and 3 receive 80, four do nothing.
    const QString rows = shown.table("exchangeTiles");
    const QStringList lines = rows.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 5) << rows.toStdString(); // with the heads
    EXPECT_TRUE(lines[1].endsWith(QStringLiteral("\t120 ns\t0 s"))) << lines[1].toStdString();
    EXPECT_TRUE(lines[2].endsWith(QStringLiteral("\t80 ns\t40 ns"))) << lines[2].toStdString();
    // Three wait 40 cycles, four all of the 120.
    EXPECT_TRUE(
        tests::shows(shown.view, QStringLiteral("the other tiles wait 85.7 ns for tile 0 on average")));
    shown.press(Qt::Key_Period);
    shown.press(Qt::Key_Period);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("op/reduce-scatter")));
    EXPECT_TRUE(shown.matrix()->accessibleName().contains(
        QStringLiteral("Bytes from tiles of IPU 0 (rows) to tiles of other replicas (columns), one run")))
        << shown.matrix()->accessibleName().toStdString();
}

TEST(ExchangeView, TheMenuOfItsPicturesGoesOnToTheNextExchange) {
    Shown shown;
    shown.press(Qt::Key_X);
    QTest::keyClick(shown.map(), Qt::Key_Menu);
    auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("subjectMenu"));
    ASSERT_NE(menu, nullptr);
    const auto choose = [&](const QString& name) {
        for (QAction* action : menu->actions())
            if (action->text() == name)
                return action->trigger();
        ADD_FAILURE() << name.toStdString();
    };
    choose(QStringLiteral("Copy the tiles"));
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("2"));
    choose(QStringLiteral("Next exchange"));
    menu->close();
    shown.settle();
    EXPECT_EQ(shown.selection.current().program, 2);
}

TEST(ExchangeView, GoesToTheNextExchangeAndFollowsOtherViews) {
    Shown shown;
    shown.press(Qt::Key_Period);
    EXPECT_EQ(shown.selection.current().program, 2);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("op/exchange(partials)")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Tile 7 of IPU 0 receives the most")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("1 tile receives something.")));
    shown.press(Qt::Key_Comma);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Tile 2 of IPU 0 receives the most")));
    Selection s; // another view points at a step
    s.program = 3;
    shown.selection.set(s);
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("op/reduce-scatter")));
    EXPECT_TRUE(shown.table("exchangeRounds").contains(QStringLiteral("1\tIPU 0\tIPU 1\t0\t60 B")))
        << shown.table("exchangeRounds").toStdString();
}

TEST(ExchangeView, WhatIsReadAnewIsNotSummedUpYet) {
    Shown shown;
    QAction* sum = nullptr;
    for (QAction* action : shown.view.findChildren<QAction*>())
        if (action->shortcuts().contains(QKeySequence(Qt::SHIFT | Qt::Key_S)))
            sum = action;
    ASSERT_NE(sum, nullptr);
    shown.view.setSources({}); // rows are those of the file before until another is read
    sum->trigger();
    shown.view.setSources({shown.source});
    sum->trigger();
    shown.settle();
    sum->trigger();
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("all 3 exchanges of the list together")));
}

TEST(ExchangeView, AddsUpAllExchangesOrThoseThatAreChosen) {
    Shown shown;
    QTest::keyClick(shown.map(), Qt::Key_S, Qt::ShiftModifier);
    shown.settle();
    // Ten times 40 bytes, and 60 from tile 0 to that of the other IPU; who sends the 40 others is not known.
    EXPECT_EQ(shown.cells(), QStringLiteral("0,0,0,0,60\n0,0,1,1,400\n0,0,2,2,400\n0,0,3,3,400\n"
                                            "1,1,2,2,400\n1,1,3,3,400\n"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("all 3 exchanges of the list together")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("of 2.01 KiB of them it is known")));
    EXPECT_TRUE(shown.table("exchangeTiles").contains(QStringLiteral("7\t40 B\t0 B")));

    shown.click(QStringLiteral("op/exchange(partials)"));
    EXPECT_FALSE(tests::shows(shown.view, QStringLiteral("exchanges together")));
    shown.click(QStringLiteral("op/reduce-scatter"), Qt::ControlModifier);
    EXPECT_EQ(shown.cells(), QStringLiteral("0,0,0,0,60\n"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("2 exchanges together")));
    EXPECT_FALSE(shown.table("exchangeVariables").contains(QStringLiteral("kernel")))
        << "which neither of them moves: " << shown.table("exchangeVariables").toStdString();
    shown.click(QStringLiteral("op/exchange(kernel)"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Tile 2 of IPU 0 receives the most, 80 B")));
}

TEST(ExchangeView, InTheDifferenceTheListHasBaseAndNew) {
    Shown shown;
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(record_with(folder / "older.tilescope", {150}));
    const auto base = ProfileSource::open(QString::fromStdString(folder / "older.tilescope"));
    shown.view.setSources({shown.source, base, true});
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
            return shown.source->pending() == 0 && base->pending() == 0 &&
                   shown.table("exchangeList").contains(QStringLiteral("unchanged"));
        },
        20000));
    const QStringList lines = shown.table("exchangeList").split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines[1],
              QStringLiteral("op/exchange(kernel)\twithin the IPU\t0\t1.50 µs\t1.20 µs\t−300 ns\t−20.0 %\t"
                             "1.95 KiB\t1.95 KiB\t="))
        << lines[1].toStdString();
    EXPECT_TRUE(lines[2].startsWith(QStringLiteral("2 unchanged")));
    shown.view.setSources({shown.source, base, false});
    shown.settle();
    EXPECT_TRUE(shown.table("exchangeList").contains(QStringLiteral("Time in all")));
    shown.view.setSources({});
}

TEST(ExchangeView, AgainstAnotherClockTheDifferenceIsOfCycles) {
    Shown shown;
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(record_with(folder / "older.tilescope", {150}));
    profile::run_sql(folder / "older.tilescope", "UPDATE target SET clock_hz = clock_hz / 2");
    const auto base = ProfileSource::open(QString::fromStdString(folder / "older.tilescope"));
    shown.view.setSources({shown.source, base, true});
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            return shown.table("exchangeList")
                .contains(QStringLiteral("\t1,500 cycles\t1,200 cycles\t−300 cycles\t−20.0 %"));
        },
        20000))
        << shown.table("exchangeList").toStdString();
    shown.view.setSources({});
}

TEST(ExchangeView, TheDifferenceOpensOnWhatChangedMost) {
    Shown shown;
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("op/exchange(kernel)"))) << "most cycles in all";
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(record_with(folder / "older.tilescope", {120, 4, 100, 6})); // other partials, nothing else
    ASSERT_TRUE(record_with(folder / "same.tilescope", {}));
    const auto open = [&](const char* name, const char* begins) {
        const auto base = ProfileSource::open(QString::fromStdString(folder / name));
        shown.view.setSources({shown.source, base, true});
        EXPECT_TRUE(QTest::qWaitFor(
            [&] {
                return shown.source->pending() == 0 && base->pending() == 0 &&
                       tests::shows(shown.view, QLatin1String(begins));
            },
            20000))
            << begins << " of " << name;
    };
    open("older.tilescope", "op/exchange(partials): within the IPU, one run of each");
    open("same.tilescope", "op/exchange(kernel): within the IPU, one run of each");
    shown.view.setSources({shown.source});
    shown.settle();
    shown.click(QStringLiteral("op/reduce-scatter"));
    open("older.tilescope", "op/reduce-scatter: over links, one run of each"); // it was chosen, and stays
    shown.view.setSources({});
}

/// The exchanges against those of a run in which each element of the kernel has two bytes, 100 bytes of
/// partials go to tile 6, and another operation joins something.
struct Against : Shown {
    Against() {
        EXPECT_TRUE(record_with(folder_of_base / "older.tilescope", {150, 2, 100, 6, true}));
        base = ProfileSource::open(QString::fromStdString(folder_of_base / "older.tilescope"));
        view.setSources({source, base, true});
        wait();
    }
    ~Against() { view.setSources({}); }
    void wait() {
        for (int round = 0; round < 4; ++round) {
            QTest::qWait(10);
            ASSERT_TRUE(
                QTest::qWaitFor([&] { return source->pending() == 0 && base->pending() == 0; }, 20000));
        }
    }
    void choose(const char* exchange, Qt::KeyboardModifiers modifiers = {}) {
        click(QLatin1String(exchange), modifiers);
        wait();
    }
    bool says(const char* words) { return tests::shows(view, QString::fromUtf8(words)); }
    tests::TemporaryFolder folder_of_base;
    std::shared_ptr<ProfileSource> base;
};

TEST(ExchangeView, InTheDifferenceThePicturesShowWhatIsMoreAndWhatIsLess) {
    Against shown;
    EXPECT_TRUE(
        shown.says("What tile 2 of IPU 0 receives has changed the most: +40 B, 80 B instead of 40 B in "
                   "older. Tiles that receive more: 3, less: 0."));
    EXPECT_EQ(shown.cells(), QStringLiteral("0,0,1,1,20,40,20\n0,0,2,2,20,40,20\n0,0,3,3,20,40,20\n"
                                            "1,1,2,2,20,40,20\n1,1,3,3,20,40,20\n"));
    EXPECT_TRUE(
        shown.table("exchangeTiles").contains(QStringLiteral("1\t20 B\t40 B\t+20 B\t40 B\t80 B\t+40 B")))
        << shown.table("exchangeTiles").toStdString();
    shown.press(Qt::Key_X);
    EXPECT_EQ(shown.selection.current().tiles, (Numbers{2}));
    EXPECT_TRUE(shown.map()->accessibleDescription().contains(QStringLiteral("+40 B")))
        << shown.map()->accessibleDescription().toStdString();
    shown.matrix()->setFocus();
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(shown.matrix(), Qt::Key_Right);
    EXPECT_EQ(shown.matrix()->accessibleDescription(),
              QStringLiteral("tile 0 → tile 2: +20 B; 40 B instead of 20 B"));

    // Of whose partners it is not known; tile 7 has now what was of tile 6.
    shown.choose("op/exchange(partials)");
    EXPECT_TRUE(
        shown.says("tile 6 of IPU 0 receives has changed the most: −100 B, 0 B instead of 100 B in older. "
                   "Tiles that receive more: 1, less: 1."));
    EXPECT_FALSE(shown.matrix()->isVisible());
    EXPECT_TRUE(shown.map()->toText(QLatin1Char(',')).contains(QStringLiteral(",-100\n")));

    // The base alone has it.
    shown.choose("old/exchange(joined)");
    EXPECT_TRUE(shown.says("older alone has it"));
    EXPECT_TRUE(shown.says("tile 6 of IPU 0 receives has changed the most: −12 B, 0 B instead of 12 B"));

    shown.view.setSources({shown.source, shown.base, false});
    shown.wait();
    EXPECT_TRUE(shown.says("Tile 2 of IPU 0 receives the most, 80 B")) << "the dearest of the new run";
    EXPECT_TRUE(shown.table("exchangeTiles").contains(QStringLiteral("1\t40 B\t80 B")));
}

TEST(ExchangeView, InTheDifferenceSeveralAreAddedUpOnBothSides) {
    Against shown;
    shown.choose("op/exchange(kernel)");
    shown.choose("op/exchange(partials)", Qt::ControlModifier);
    // Ten times 20 bytes more of the kernel.
    EXPECT_EQ(shown.cells(), QStringLiteral("0,0,1,1,200,400,200\n0,0,2,2,200,400,200\n0,0,3,3,200,400,200\n"
                                            "1,1,2,2,200,400,200\n1,1,3,3,200,400,200\n"));
    EXPECT_TRUE(shown.says("2 exchanges together"));
    EXPECT_TRUE(shown.says("1.99 KiB instead of 1.07 KiB; of 1.95 KiB and 1,000 B of them it is known"));
    EXPECT_TRUE(shown.table("exchangeTiles").contains(QStringLiteral("6\t100 B\t0 B\t−100 B")));

    QTest::keyClick(shown.map(), Qt::Key_S, Qt::ShiftModifier);
    shown.wait();
    EXPECT_TRUE(shown.says("4 exchanges together")) << "with the one that has not changed, and the base's";
    EXPECT_TRUE(shown.table("exchangeTiles").contains(QStringLiteral("6\t112 B\t0 B\t−112 B")))
        << shown.table("exchangeTiles").toStdString();
    EXPECT_TRUE(shown.table("exchangeTiles").contains(QStringLiteral("0\t60 B\t60 B\t=")));
}

TEST(ExchangeView, ShowsWhoSendsToWhom) {
    Shown shown;
    ASSERT_TRUE(shown.matrix()->isVisible());
    const QString sent = shown.matrix()->toText(QLatin1Char(','));
    EXPECT_EQ(sent.mid(sent.indexOf(QLatin1Char('\n')) + 1),
              QStringLiteral("0,0,1,1,40\n0,0,2,2,40\n0,0,3,3,40\n1,1,2,2,40\n1,1,3,3,40\n"));
    shown.view.resize(1400, 900);
    shown.settle();
    QStringList beside;
    for (const tests::DrawnText& text : tests::drawn_texts(*shown.matrix()))
        beside << text.text;
    for (const char* fact : {"tile 2: 80 B, 3.20 × the mean", "tile 0: 120 B, 4.80 × the mean",
                             "send to tile 2", "2 of 8 tiles", "3 of 8 tiles"})
        EXPECT_TRUE(beside.contains(QString::fromUtf8(fact)))
            << fact << " is not beside the matrix: " << beside.join(u'\n').toStdString();
    EXPECT_TRUE(tests::cut_texts(*shown.matrix()).isEmpty());
    shown.matrix()->setFocus();
    QTest::keyClick(shown.matrix(), Qt::Key_Right); // from tile 0 to tile 0
    for (int i = 0; i < 2; ++i)
        QTest::keyClick(shown.matrix(), Qt::Key_Right);
    EXPECT_EQ(shown.matrix()->accessibleDescription(), QStringLiteral("tile 0 → tile 2: 40 B"));
    QTest::keyClick(shown.matrix(), Qt::Key_Return);
    shown.settle();
    EXPECT_EQ(shown.selection.current().tiles, (Numbers{2})) << "the receiver";
    auto* shade = shown.view.findChild<QComboBox*>(QStringLiteral("exchangeShade"));
    shade->setCurrentIndex(3); // sent to the chosen tiles
    const QString partners = shown.map()->toText(QLatin1Char(','));
    EXPECT_TRUE(partners.contains(QStringLiteral(",40\n")));
    EXPECT_EQ(partners.count(QStringLiteral(",40\n")), 2) << "tiles 0 and 1 send to tile 2";
    shown.press(Qt::Key_Period);
    EXPECT_FALSE(shown.matrix()->isVisible());
    EXPECT_TRUE(shown.matrix()->accessibleDescription().contains(QStringLiteral("does not follow")));
}

TEST(ExchangeView, NamesTheVariablesThatCauseIt) {
    Shown shown;
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("it moves kernel")));
    EXPECT_TRUE(shown.table("exchangeVariables").contains(QStringLiteral("kernel\t0\t")))
        << shown.table("exchangeVariables").toStdString();
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("exchangeVariables"));
    Q_EMIT table->keyChosen(7);
    shown.settle();
    EXPECT_EQ(shown.selection.current().variable, 7);
    EXPECT_EQ(shown.selection.current().program, 1) << "the exchange of it that takes longest";
}

TEST(ExchangeView, DetailsOfAnExchangeAndOfAChosenTileLeadOn) {
    Shown shown;
    const tests::ToldDetails told(shown.view);
    shown.click(QStringLiteral("op/exchange(partials)"));
    shown.click(QStringLiteral("op/exchange(kernel)"));
    EXPECT_EQ(told.title(), QStringLiteral("op/exchange(kernel)"));
    EXPECT_EQ(told.value("Kind"), QStringLiteral("within the IPU"));
    EXPECT_EQ(told.value("Time of one run"), formatCyclesAndTime(std::int64_t{120}, 1e9));
    EXPECT_TRUE(told.value("Time in all").startsWith(formatCyclesAndTime(std::int64_t{1200}, 1e9)))
        << told.value("Time in all").toStdString();
    EXPECT_EQ(told.value("Bytes of one run"), QStringLiteral("200 B"));
    EXPECT_TRUE(told.value("Bytes in all").startsWith(formatBytes(2000)));
    EXPECT_EQ(told.value("Moves"), QStringLiteral("100.0 % kernel"));
    EXPECT_EQ(told.value("Base"), QString());
    for (const char* link : {"operation:5:-1'>op<", "step:1:-1", "variable:7:0'>kernel<"})
        EXPECT_TRUE(told.html().contains(QLatin1String(link))) << link << told.html().toStdString();
    const auto choose = [&](std::int64_t tile) {
        Q_EMIT shown.map()->tilesSelected({tile});
        shown.settle();
    };
    choose(2);
    EXPECT_EQ(told.value("Receives"), QStringLiteral("80 B"));
    EXPECT_EQ(told.value("Sends"), QStringLiteral("0 B"));
    EXPECT_EQ(told.value("From"), QStringLiteral("tile 0, 40 B\ntile 1, 40 B"));
    EXPECT_EQ(told.value("To"), QString());
    EXPECT_TRUE(told.value("Waits for").startsWith(QStringLiteral("tile 0, ")))
        << told.value("Waits for").toStdString();
    EXPECT_TRUE(told.html().contains(QStringLiteral("tile:0:0")));
    choose(0);
    EXPECT_EQ(told.value("To"), QStringLiteral("tile 1, 40 B\ntile 2, 40 B\ntile 3, 40 B"));
    EXPECT_EQ(told.value("Waits for"), QStringLiteral("none: no tile takes longer"));
    shown.click(QStringLiteral("op/exchange(partials)"));
    EXPECT_EQ(told.value("From"), QString()) << "it is not followed who sends to whom";
    EXPECT_EQ(told.value("Sends"), QStringLiteral("40 B"));
}

TEST(ExchangeView, DetailsOfSeveralNameThoseThatTakeMost) {
    Shown shown;
    const tests::ToldDetails told(shown.view);
    shown.click(QStringLiteral("op/exchange(kernel)"));
    shown.click(QStringLiteral("op/exchange(partials)"), Qt::ControlModifier);
    EXPECT_EQ(told.value("Exchanges"), QStringLiteral("2"));
    EXPECT_EQ(told.value("Take most"),
              QStringLiteral("op/exchange(kernel), 1.20 µs\nop/exchange(partials), 110 ns"));
}

TEST(ExchangeView, DetailsInTheDifferenceStandAgainstTheBase) {
    Against shown;
    const tests::ToldDetails told(shown.view);
    shown.choose("op/exchange(partials)");
    shown.choose("op/exchange(kernel)");
    EXPECT_TRUE(told.value("Base").startsWith(QStringLiteral("1.50 µs, ") + formatBytes(1000)))
        << told.value("Base").toStdString();
    Q_EMIT shown.map()->tilesSelected({2});
    shown.wait();
    EXPECT_EQ(told.value("Receives"), QStringLiteral("80 B, 40 B in the base"));
    shown.choose("old/exchange(joined)");
    EXPECT_EQ(told.title(), QStringLiteral("old/exchange(joined)"));
    EXPECT_EQ(told.value("Now"), QStringLiteral("removed: the base alone has it"));
    EXPECT_EQ(told.value("Operation"), QString()) << "ids are those of the new run";
    EXPECT_TRUE(told.value("Base").startsWith(QStringLiteral("30 ns, 12 B ")))
        << told.value("Base").toStdString();
}

TEST(ExchangeView, ARowOfTheFileBeforeLeadsNowhere) {
    Shown shown;
    auto* table = shown.bring("exchangeVariables");
    const auto leads = [&] {
        {
            const QSignalBlocker quiet(table); // the row is looked at, not chosen
            table->view()->setCurrentIndex(table->view()->model()->index(0, 0));
        }
        EXPECT_TRUE(table->view()->currentIndex().isValid());
        QTest::keyClick(table->view(), Qt::Key_F10, Qt::ShiftModifier);
        const std::unique_ptr<QMenu> menu(shown.view.findChild<QMenu*>(QStringLiteral("rowMenu")));
        const auto actions = menu->actions();
        return std::ranges::any_of(
            actions, [](const QAction* action) { return action->text() == QStringLiteral("&Go to"); });
    };
    EXPECT_TRUE(leads());
    shown.view.setSources({}); // rows are those of the file before until another is read
    EXPECT_FALSE(leads());
}

TEST(ExchangeView, ListsOneKindAlone) {
    Shown shown;
    EXPECT_TRUE(shown.table("exchangeList").contains(QStringLiteral("kernel")));
    auto* kind = shown.view.findChild<QComboBox*>(QStringLiteral("exchangeKind"));
    kind->setCurrentIndex(2); // over links
    Q_EMIT kind->activated(2);
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("60 B over links")));
    EXPECT_FALSE(shown.table("exchangeList").contains(QStringLiteral("kernel")));
}

} // namespace
} // namespace tilescope::ui
