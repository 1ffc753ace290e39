// SPDX-License-Identifier: GPL-3.0-or-later
#include "shown_memory.h"
#include "tests/ui/shown_text.h"
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"
#include "ui/tiles/tile_map.h"

#include <QAction>
#include <QApplication>
#include <QImage>
#include <QMenu>
#include <QMouseEvent>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

/// One tile with the kernels of four blocks of a stack (10, 20, 30 and 40 bytes), and 5 bytes of another.
Result<void> record_stack(const std::string& path) {
    auto recorder = Recorder::create(path, RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 1, 1, 1000, 1e9, 6});
    r.add(IpuRecord{0, 0, "", 0, 0});
    r.add(LayerRecord{0, "layer_0", "Dense"});
    for (std::int64_t i = 0; i < 5; ++i) {
        VariableRecord v;
        v.id = i;
        v.name = i < 4 ? "layer_" + std::to_string(i) + "/kernel" : "pooler/kernel";
        v.layer_id = i == 0 ? 0 : -1;
        v.bytes = i < 4 ? 10 * (i + 1) : 5;
        v.always_live = true;
        v.live_from = v.live_to = -1;
        r.add(v);
        r.add_tile_values("variable", v.id, 0, "bytes", Tiles{v.bytes});
    }
    r.add_tile_values("category:Variables", 0, 0, "always_live", Tiles{105});
    r.add_tile_values("category:Variables", 0, 0, "not_always_live", Tiles{0});
    r.add_tile_values("memory", 0, 0, "total", Tiles{105});
    r.add_tile_values("memory", 0, 0, "total_with_gaps", Tiles{105});
    return r.finish(RunStatus::Complete);
}

TEST(MemoryView, VariablesOfAStackAreOneRowUntilTheyAreWantedOneByOne) {
    tests::ShownView<MemoryView> shown(tests::ShownView<MemoryView>::Record(&record_stack), QSize(1200, 800));
    const auto rows = [&] {
        QStringList all;
        const QAbstractItemModel* model =
            shown.view.findChild<DataTable*>(QStringLiteral("tileVariables"))->view()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            all << model->index(row, 0).data().toString() + QStringLiteral(": ") +
                       model->index(row, 1).data().toString();
        return all;
    };
    EXPECT_EQ(rows(), (QStringList{QStringLiteral("layer_*/kernel × 4: 100 B"),
                                   QStringLiteral("pooler/kernel: 5 B")}));
    const auto choose = [&](std::int64_t variable) {
        Selection s = shown.selection.current();
        s.variable = variable;
        shown.selection.set(s);
        shown.settle();
        return shown.view.findChild<DataTable*>(QStringLiteral("tileVariables"))
            ->view()
            ->currentIndex()
            .row();
    };
    EXPECT_EQ(choose(1), 0) << "it is in the folded row";
    for (QAction* action : shown.view.actions())
        if (action->text() == QStringLiteral("Fold alike"))
            action->trigger();
    EXPECT_EQ(rows().size(), 5);
    EXPECT_TRUE(rows().contains(QStringLiteral("layer_3/kernel: 40 B")));
    MemoryView other;
    other.restoreState(shown.view.saveState());
    EXPECT_EQ(other.saveState(), shown.view.saveState());
}

TEST(MemoryView, EscLeavesTheFieldOfTheTiles) {
    ShownMemory shown;
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    auto* field = shown.view.findChild<QLineEdit*>(QStringLiteral("memoryTiles"));
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("1"));
    QTest::keyClick(field, Qt::Key_Escape);
    shown.settle();
    EXPECT_TRUE(shown.view.findChild<TileChart*>()->hasFocus());
    EXPECT_TRUE(shown.selection.current().tiles.empty()) << "what was typed was not taken";
    EXPECT_EQ(field->text(), QString());
}

TEST(MemoryView, NamesTheFullestTileOfAllIpusAndGoesThere) {
    ShownMemory shown;
    EXPECT_TRUE(
        tests::shows(shown.view, QStringLiteral("IPU 1 tile 2 is the fullest of the run: 950 B of 1,000 B "
                                                "with gaps (95.0 %), 900 B live at its peak.")));
    QTest::keyClick(shown.view.findChild<TileChart*>(), Qt::Key_X);
    shown.settle();
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(shown.view.findChild<QLineEdit*>(QStringLiteral("memoryTiles"))->text(),
              QStringLiteral("IPU 1: 2"));
}

TEST(MemoryView, ListsWhatIsLiveAtTheTilesPeakAndAddsUpToItsBytes) {
    ShownMemory shown;
    shown.type(QStringLiteral("IPU 1: 2"));
    EXPECT_EQ(shown.variables(),
              (QStringList{QStringLiteral("input"), QStringLiteral("output"), QStringLiteral("weights")}));
    EXPECT_TRUE(tests::shows(
        shown.view,
        QStringLiteral(
            "Live on IPU 1 tile 2 at its peak step, 1 (step 1): 3 variables, which add up to 900 B")));
    QTest::keyClick(shown.view.findChild<TileChart*>(), Qt::Key_E);
    shown.settle();
    EXPECT_EQ(shown.variables().size(), 4); // "late" as well
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("their bytes are not live together")));
}

TEST(MemoryView, ShowsAllIpusOneAfterAnotherOrOne) {
    ShownMemory shown;
    ASSERT_EQ(shown.ipus()->count(), 3);
    EXPECT_EQ(shown.ipus()->currentText(), QStringLiteral("all 2"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Shown: all 2 IPUs, 1.56 KiB on 8 tiles")));
    shown.ipus()->setCurrentIndex(2);
    Q_EMIT shown.ipus()->activated(2);
    shown.settle();
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Shown: IPU 1, 1.17 KiB on 4 tiles")));
    Selection selection; // another view points at IPU 0
    selection.lookAt(0);
    selection.tiles = {3};
    shown.selection.set(selection);
    shown.settle();
    EXPECT_EQ(shown.ipus()->currentText(), QStringLiteral("IPU 0"));
    EXPECT_EQ(shown.selection.current().ipu, 0);
    EXPECT_EQ(shown.selection.current().tiles, selection.tiles);
}

// Tile 2 holds the most on IPU 1, the others as much on both, so that the first stands for them.
TEST(MemoryView, TilesOfAllIpusAreDrawnByTheirNumbers) {
    ShownMemory shown;
    auto* chart = shown.view.findChild<TileChart*>();
    const auto lines = [&] { return chart->toText(QLatin1Char(' ')).split(QLatin1Char('\n')); };
    ASSERT_EQ(lines().size(), 10) << "a head and eight tiles";
    chart->setFocus();
    QTest::keyClick(chart, Qt::Key_I);
    shown.settle();
    ASSERT_EQ(lines().size(), 6);
    EXPECT_TRUE(lines()[1].startsWith(QStringLiteral("0 0 100"))) << lines()[1].toStdString();
    EXPECT_TRUE(lines()[3].startsWith(QStringLiteral("1 2 "))) << lines()[3].toStdString();
    EXPECT_TRUE(chart->accessibleName().contains(QStringLiteral("4 bars, fullest IPU 1 tile 2")))
        << chart->accessibleName().toStdString();
    for (int right = 0; right < 3; ++right)
        QTest::keyClick(chart, Qt::Key_Right);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().tiles, Tiles{2});
    QTest::keyClick(chart, Qt::Key_I);
    shown.settle();
    EXPECT_EQ(lines().size(), 10);
    EXPECT_EQ(shown.selection.current().ipu, 1);
}

/// The bytes that a column of the table of variables begins with.
QStringList columnOf(const ShownMemory& shown, const QString& head) {
    const QAbstractItemModel* model =
        shown.view.findChild<DataTable*>(QStringLiteral("tileVariables"))->view()->model();
    QStringList cells;
    for (int column = 0; column < model->columnCount(); ++column)
        if (model->headerData(column, Qt::Horizontal).toString() == head)
            for (int row = 0; row < model->rowCount(); ++row)
                cells << model->index(row, column).data().toString();
    return cells;
}

TEST(MemoryView, OfAllIpusTheTablesAreOfTheFullestUntilOneIsChosen) {
    ShownMemory shown;
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Live on IPU 1 at its peak step")));
    EXPECT_EQ(shown.selection.current(), Selection{}) << "the user chose nothing";
    Selection chosen;
    chosen.lookAt(1);
    shown.selection.set(chosen);
    chosen.lookAt(0); // by hand
    shown.selection.set(chosen);
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Live on IPU 0 at its peak step")));
}

TEST(MemoryView, VariablesHaveTheirShareAndTheirOperation) {
    ShownMemory shown;
    shown.type(QStringLiteral("IPU 1: 2"));
    EXPECT_EQ(columnOf(shown, QStringLiteral("Of their memory")),
              (QStringList{QStringLiteral("50.0 %"), QStringLiteral("30.0 %"), QStringLiteral("10.0 %")}));
    EXPECT_EQ(columnOf(shown, QStringLiteral("Operation")), (QStringList{{}, {}, {}})) << "none made them";
}

// The kernel lives all the time, so that its bar fills the cell; a product does from where it is made on.
TEST(MemoryView, VariablesHaveTheirLivesAsBars) {
    ShownMemory shown;
    for (QAction* action : shown.view.actions())
        if (action->text() == QStringLiteral("Ever live"))
            action->trigger();
    QTableView* table = shown.view.findChild<DataTable*>(QStringLiteral("tileVariables"))->view();
    int column = 0;
    while (column < table->model()->columnCount() &&
           table->model()->headerData(column, Qt::Horizontal).toString() !=
               QStringLiteral("Life over the program"))
        ++column;
    ASSERT_LT(column, table->model()->columnCount());
    const QColor life = Theme::light().categories[0];
    std::map<bool, int> widths; // pixels of a life, by whether it is always live
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        const QModelIndex cell = table->model()->index(row, column);
        table->scrollTo(cell);
        const QImage image = table->viewport()->grab(table->visualRect(cell)).toImage();
        int wide = 0;
        for (int x = 0; x < image.width(); ++x)
            wide += image.pixelColor(x, image.height() / 2) == life ? 1 : 0;
        const bool always =
            cell.siblingAtColumn(table->model()->columnCount() - 1).data() == QStringLiteral("always");
        widths[always] = std::max(widths[always], wide);
    }
    EXPECT_GT(widths[true], 80);
    EXPECT_GT(widths[false], 0);
    EXPECT_LT(widths[false], widths[true]);
}

TEST(MemoryView, WhatIsAlwaysLiveIsShownAndListedAlone) {
    ShownMemory shown;
    shown.type(QStringLiteral("IPU 1: 2"));
    auto* chart = shown.view.findChild<TileChart*>();
    QTest::keyClick(chart, Qt::Key_L);
    shown.settle();
    EXPECT_EQ(shown.variables(), QStringList{QStringLiteral("weights")});
    EXPECT_TRUE(
        tests::shows(shown.view, QStringLiteral("Always live on IPU 1 tile 2: 1 variable, which add")));
    EXPECT_TRUE(chart->toText(QLatin1Char(',')).contains(QStringLiteral("1,2,100,950")));
    QTest::keyClick(chart, Qt::Key_L);
    shown.settle();
    EXPECT_EQ(shown.variables().size(), 3);
    EXPECT_TRUE(chart->toText(QLatin1Char(',')).contains(QStringLiteral("1,2,100,800,950")));
}

TEST(MemoryView, PointerAddsTakesOutAndExtends) {
    ShownMemory shown;
    auto* chart = shown.view.findChild<TileChart*>();
    const auto press = [&](int tile, Qt::KeyboardModifiers keys, Qt::MouseButton button = Qt::LeftButton) {
        shown.view.findChild<TileChart*>()->setSelectedTiles({tile}); // to ask where it is
        const QPoint at = chart->cursorPlace() + QPoint(3, 0);
        Selection s = shown.selection.current();
        std::vector<std::int64_t> chosen;
        for (const std::int64_t of_ipu : s.tiles)
            chosen.push_back(4 * s.ipu + of_ipu);
        chart->setSelectedTiles(chosen);
        QTest::mouseClick(chart, button, keys, at);
        return std::pair(shown.selection.current().ipu, shown.selection.current().tiles);
    };
    EXPECT_EQ(press(4, {}), std::pair(std::int64_t{1}, Tiles{0}));
    EXPECT_EQ(press(6, Qt::ControlModifier), std::pair(std::int64_t{1}, (Tiles{0, 2})));
    EXPECT_EQ(press(4, Qt::ControlModifier), std::pair(std::int64_t{1}, Tiles{2}));
    EXPECT_EQ(press(4, Qt::ShiftModifier), std::pair(std::int64_t{1}, (Tiles{0, 1, 2})));
    EXPECT_EQ(press(7, {}, Qt::BackButton), std::pair(std::int64_t{1}, (Tiles{0, 1, 2})));
    EXPECT_EQ(press(1, Qt::ControlModifier), std::pair(std::int64_t{0}, Tiles{1})) << "of another IPU";

    auto* map = shown.view.findChild<TileMap*>();
    const auto click = [&](int tile, Qt::KeyboardModifiers keys, Qt::MouseButton button = Qt::LeftButton) {
        QTest::mouseClick(map, button, keys, map->part(tile).rect.center());
        return std::pair(shown.selection.current().ipu, shown.selection.current().tiles);
    };
    EXPECT_EQ(click(4, {}), std::pair(std::int64_t{1}, Tiles{0}));
    EXPECT_EQ(click(5, Qt::ControlModifier), std::pair(std::int64_t{1}, (Tiles{0, 1})));
    EXPECT_EQ(click(4, Qt::ControlModifier), std::pair(std::int64_t{1}, Tiles{1}));
    EXPECT_EQ(click(6, {}), std::pair(std::int64_t{1}, Tiles{2}));
    EXPECT_EQ(click(7, Qt::ShiftModifier), std::pair(std::int64_t{1}, (Tiles{2, 3})));
    EXPECT_EQ(click(4, {}, Qt::ForwardButton), std::pair(std::int64_t{1}, (Tiles{2, 3})));
}

TEST(MemoryView, EnterOnATileGoesOnAndTheMenuLeadsElsewhere) {
    ShownMemory shown;
    QSignalSpy went(&shown.view, &View::viewRequested);
    auto* chart = shown.view.findChild<TileChart*>();
    auto* map = shown.view.findChild<TileMap*>();
    QTest::keyClick(chart, Qt::Key_Return);
    EXPECT_TRUE(went.isEmpty()) << "nothing is chosen";
    QTest::keyClick(chart, Qt::Key_X);
    shown.settle();
    for (QWidget* picture : {static_cast<QWidget*>(chart), static_cast<QWidget*>(map)}) {
        went.clear();
        QTest::keyClick(picture, Qt::Key_Return);
        ASSERT_EQ(went.size(), 1);
        EXPECT_EQ(went.first().first().toString(), QStringLiteral("liveness"));
        QTest::keyClick(picture, Qt::Key_F10, Qt::ShiftModifier);
        auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("subjectMenu"));
        ASSERT_NE(menu, nullptr);
        QStringList words;
        for (const QAction* action : menu->actions())
            words << action->text();
        EXPECT_TRUE(words.contains(QStringLiteral("&Go to")));
        EXPECT_TRUE(words.contains(QStringLiteral("Open as SQL")));
        const QPointer<QMenu> open(menu);
        menu->close();
        EXPECT_TRUE(QTest::qWaitFor([&] { return open.isNull(); }, 5000));
    }
}

/// One IPU of two tiles of 100 bytes, on the second of which 150 lie.
Result<void> record_too_large(const std::string& path) {
    auto recorder = Recorder::create(path, RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 1, 2, 100, 1e9, 6});
    r.add(IpuRecord{0, 0, "", 0, 0});
    r.add_tile_values("category:Variables", 0, 0, "always_live", Tiles{50, 150});
    r.add_tile_values("category:Variables", 0, 0, "not_always_live", Tiles{0, 0});
    r.add_tile_values("memory", 0, 0, "total", Tiles{50, 150});
    r.add_tile_values("memory", 0, 0, "total_with_gaps", Tiles{50, 150});
    return r.finish(RunStatus::OutOfMemory);
}

TEST(MemoryView, OfWhatDoesNotFitTheWorstTileIsChosenAndTheExcessIsShaded) {
    tests::ShownView<MemoryView> shown(tests::ShownView<MemoryView>::Record(&record_too_large),
                                       QSize(1200, 800));
    EXPECT_EQ(shown.selection.current().tiles, Tiles{1});
    auto* chart = shown.view.findChild<TileChart*>();
    QTest::keyClick(chart, Qt::Key_Escape);
    shown.settle();
    shown.view.setSources({shown.source, nullptr});
    shown.settle();
    EXPECT_TRUE(shown.selection.current().tiles.empty()) << "it was let go of";
    const auto shaded = [&] { // above the first bar, which fits
        const QImage picture = chart->grab().toImage();
        const QColor panel = chart->palette().color(QPalette::Window);
        int rows = 0;
        for (int y = 0; y < picture.height(); ++y) {
            const QColor at = picture.pixelColor(picture.width() / 3, y);
            rows += at != panel && at.red() > at.blue() + 8 && at.lightness() > 160 ? 1 : 0;
        }
        return rows;
    };
    EXPECT_GT(shaded(), 30);
    chart->setLimit(1000);
    EXPECT_EQ(shaded(), 0) << "nothing is beyond it";
}

/// On the host: nothing was laid out.
Result<void> record_cpu(const std::string& path) {
    RunRecord run;
    run.device = RunDevice::Cpu;
    run.workload_path = "cnn.json";
    auto recorder = Recorder::create(path, run);
    if (!recorder)
        return Failure(recorder.error());
    return (*recorder)->finish(RunStatus::Complete);
}

TEST(MemoryView, OfARunOnTheCpuItSaysSoAndOffersOneOnAnIpu) {
    tests::ShownView<MemoryView> shown(tests::ShownView<MemoryView>::Record(&record_cpu), QSize(1200, 800));
    EXPECT_TRUE(
        tests::shows(shown.view, QStringLiteral("This run used the CPU: no tiles, exchanges or program "
                                                "steps were simulated.")));
    QSignalSpy wanted(&shown.view, &View::runAgainRequested);
    auto* offer = shown.view.findChild<QPushButton*>(QStringLiteral("pageOffer"));
    ASSERT_TRUE(offer->isVisible());
    offer->click();
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(wanted.first().at(0).toStringList(), QStringList{QStringLiteral("device=ipu")});
}

TEST(MemoryView, TilesAreTypedAndWhatIsWrongIsSaid) {
    ShownMemory shown;
    shown.type(QStringLiteral("1-2"));
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{1, 2}));
    shown.type(QStringLiteral("9"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("tile 9: an IPU has tiles 0 to 3")));
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{1, 2}));
    shown.type(QStringLiteral("IPU 1: fullest 2")); // 950 on tile 2, then the first of those with 100
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{0, 2}));
}

TEST(MemoryView, ChartAndMapAreUsedByKeys) {
    ShownMemory shown;
    auto* chart = shown.view.findChild<TileChart*>();
    QTest::keyClick(chart, Qt::Key_Right); // the first tile
    QTest::keyClick(chart, Qt::Key_Right);
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{1}));
    QTest::keyClick(chart, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{1, 2}));
    QTest::keyClick(chart, Qt::Key_End);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{3}));
    auto* map = shown.view.findChild<TileMap*>();
    QTest::keyClick(map, Qt::Key_Up); // rows of two
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{1}));
    QTest::keyClick(map, Qt::Key_Escape);
    EXPECT_TRUE(shown.selection.current().tiles.empty());
}

TEST(MemoryView, GoesOnToTheFullestTileOfTheNextIpu) {
    ShownMemory shown;
    auto* chart = shown.view.findChild<TileChart*>();
    QTest::keyClick(chart, Qt::Key_X);
    QTest::keyClick(chart, Qt::Key_X, Qt::ShiftModifier);
    EXPECT_EQ(shown.selection.current().ipu, 0);
    EXPECT_EQ(shown.selection.current().tiles, (std::vector<std::int64_t>{2})); // 110 with gaps
    QTest::keyClick(chart, Qt::Key_X, Qt::ShiftModifier);
    EXPECT_EQ(shown.selection.current().ipu, 1);
}

TEST(MemoryView, TabsTellWhatTheChosenTilesHold) {
    ShownMemory shown;
    shown.type(QStringLiteral("IPU 1: 1-2"));
    auto* tabs = shown.view.findChild<QTabWidget*>();
    ASSERT_NE(tabs, nullptr);
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("tileVariables"));
    EXPECT_TRUE(tests::shown_rows(*table->view(), QLatin1Char('\t'))
                    .contains(QStringLiteral("tile 1\ttile 2\tDifference")));
    QTest::keyClick(shown.view.findChild<TileChart*>(), Qt::Key_PageUp, Qt::ControlModifier);
    shown.settle();
    EXPECT_EQ(tabs->currentIndex(), 0);
    auto* tree = shown.view.findChild<QTreeWidget*>(QStringLiteral("tileCategories"));
    ASSERT_EQ(tree->topLevelItemCount(), 1);
    EXPECT_EQ(tree->topLevelItem(0)->text(1), QStringLiteral("100 B"));
    EXPECT_EQ(tree->topLevelItem(0)->text(2), QStringLiteral("950 B"));
    EXPECT_EQ(tree->topLevelItem(0)->text(3), QStringLiteral("+850 B"));
}

TEST(MemoryView, OneTileIsAMapOfAddressesThatOneGoesThrough) {
    ShownMemory shown;
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(5);
    auto* strip = tabs->currentWidget();
    EXPECT_TRUE(strip->accessibleName().startsWith(QStringLiteral("Choose one tile")));
    shown.type(QStringLiteral("IPU 1: 2"));
    EXPECT_EQ(
        strip->accessibleName(),
        QStringLiteral("Addresses of IPU 1 tile 2 at step 1 of 3 (step 1): 900 B in 3 variables, 50 B in 1 "
                       "gaps"));
    QTest::keyClick(strip, Qt::Key_Right);
    shown.settle();
    EXPECT_TRUE(strip->accessibleName().contains(QStringLiteral("at step 2 of 3 (step 2): 640 B")));
    EXPECT_EQ(shown.selection.current().program, 3); // for all views
    QTest::keyClick(strip, Qt::Key_P);
    EXPECT_TRUE(strip->accessibleName().contains(QStringLiteral("at step 1 of 3")));
    QTest::keyClick(strip, Qt::Key_Down);
    QTest::keyClick(strip, Qt::Key_Down);
    EXPECT_EQ(shown.selection.current().variable, 2); // weights, then input
    QTest::keyClick(strip, Qt::Key_Down);
    EXPECT_EQ(shown.selection.current().variable, 2);
    EXPECT_TRUE(strip->accessibleDescription().startsWith(QStringLiteral("Gap 0x00190 to 0x001c2, 50 B: ")))
        << strip->accessibleDescription().toStdString();
    QTest::keyClick(strip, Qt::Key_Down);
    EXPECT_EQ(shown.selection.current().variable, 3) << "the output above it";
    EXPECT_TRUE(strip->accessibleDescription().isEmpty());
    QTest::keyClick(strip, Qt::Key_Up);
    EXPECT_FALSE(strip->accessibleDescription().isEmpty()) << "the gap again";
    QTest::keyClick(strip, Qt::Key_Up);
    EXPECT_EQ(shown.selection.current().variable, 2);
}

TEST(MemoryView, WhatAppearsAtAStepStandsOutForAMoment) {
    ShownMemory shown;
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(5);
    auto* strip = tabs->currentWidget();
    shown.type(QStringLiteral("IPU 1: 2"));
    const auto accents = [&] {
        const QImage image = strip->grab().toImage();
        const QColor accent = Theme::of(strip).accent;
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == accent ? 1 : 0;
        return count;
    };
    const auto flashes = [&] { // at the step at which the peak is, from the one before it
        QTest::keyClick(strip, Qt::Key_Home);
        QTest::qWait(350);
        const int before = accents();
        QTest::keyClick(strip, Qt::Key_P);
        const int now = accents();
        EXPECT_TRUE(QTest::qWaitFor([&] { return accents() - before < 100; }, 2000)) << "it passes";
        return now - before > 1000;
    };
    EXPECT_TRUE(flashes());
    setMotionReduced(true);
    EXPECT_FALSE(flashes());
    setMotionReduced(false);
}

TEST(MemoryView, AClickOnTheVariableThatIsSelectedLetsGoOfAGap) {
    ShownMemory shown;
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(5);
    auto* strip = tabs->currentWidget();
    shown.type(QStringLiteral("IPU 1: 2"));
    for (int i = 0; i < 3; ++i) // weights, input, the gap
        QTest::keyClick(strip, Qt::Key_Down);
    ASSERT_EQ(shown.selection.current().variable, 2);
    ASSERT_TRUE(strip->accessibleDescription().startsWith(QStringLiteral("Gap")));
    const auto at = [&](const QString& what) { // where the tip tells of it
        for (int y = 0; y < strip->height(); y += 2)
            for (int x = 0; x < strip->width(); x += 4) {
                const QPointF point(x, y);
                QMouseEvent move(QEvent::MouseMove, point, strip->mapToGlobal(point), Qt::NoButton,
                                 Qt::NoButton, {});
                QApplication::sendEvent(strip, &move);
                if (QToolTip::text().startsWith(QStringLiteral("<b>%1</b>").arg(what)))
                    return point.toPoint();
            }
        ADD_FAILURE() << what.toStdString();
        return QPoint();
    };
    QTest::mouseClick(strip, Qt::LeftButton, {}, at(QStringLiteral("input")));
    EXPECT_EQ(shown.selection.current().variable, 2);
    EXPECT_EQ(strip->accessibleDescription(), QString());
    QTest::keyClick(strip, Qt::Key_Down);
    EXPECT_TRUE(strip->accessibleDescription().startsWith(QStringLiteral("Gap"))) << "on from the variable";
}

TEST(MemoryView, BarsArePartedByLivenessOrChosenVariables) {
    ShownMemory shown;
    shown.type(QStringLiteral("IPU 1: 2"));
    auto* by = shown.view.findChild<QComboBox*>(QStringLiteral("memoryParts"));
    by->setCurrentIndex(3);
    shown.settle();
    EXPECT_EQ(shown.view.findChild<Legend*>(QStringLiteral("memoryLegend"))->part(0).name,
              QStringLiteral("Choose variables in the table below and press V."));
    Selection s = shown.selection.current();
    s.variable = 3; // "output"
    shown.selection.set(s);
    QTest::keyClick(shown.view.findChild<TileChart*>(), Qt::Key_V);
    shown.settle();
    EXPECT_TRUE(shown.view.findChild<TileChart*>()
                    ->toText(QLatin1Char(','))
                    .contains(QStringLiteral("1,2,500,950"))); // IPU, tile, output, with gaps
}

TEST(MemoryView, NoTwoCategoriesHaveOneColour) {
    for (const Theme* theme : {&Theme::light(), &Theme::night()})
        for (const MemoryCategory a : memoryCategories())
            for (const MemoryCategory b : memoryCategories())
                EXPECT_EQ(ThemeColor::category(a).in(*theme) == ThemeColor::category(b).in(*theme), a == b);
}

} // namespace
} // namespace tilescope::ui
