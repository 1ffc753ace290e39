// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "ui/compare/compare_tables.h"
#include "ui/compare/compare_view.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/painted_parts.h"

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tilescope::ui {
namespace {

using tests::shows;

struct Shown {
    /// `base` may be empty: none is open.
    explicit Shown(const std::string& base, const std::string& now)
        : base_source(base.empty() ? nullptr : ProfileSource::open(QString::fromStdString(base))),
          source(ProfileSource::open(QString::fromStdString(now))) {
        view.resize(1300, 900);
        view.setSelection(&selection);
        view.setSources({source, base_source});
        view.show();
        settle();
    }
    ~Shown() { view.setSources({}); }

    void settle() {
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor([this] { return source->pending() == 0; }, 20'000));
        }
    }
    /// The cells of the row that begins with `name`, in the table whose first column is `column`.
    QStringList row(const char* column, const char* name) const {
        for (const QTableView* table : view.findChildren<QTableView*>()) {
            const QAbstractItemModel& model = *table->model();
            for (int r = 0; model.headerData(0, Qt::Horizontal).toString() == QLatin1String(column) &&
                            r < model.rowCount();
                 ++r)
                if (model.index(r, 0).data().toString() == QLatin1String(name)) {
                    QStringList cells;
                    for (int c = 0; c < model.columnCount(); ++c)
                        cells << model.index(r, c).data().toString();
                    return cells;
                }
        }
        return {};
    }
    void choose(analyse::Basis basis) {
        Selection s = selection.current();
        s.basis = basis;
        selection.set(s);
        settle();
    }
    QTableView& table(const char* column) const {
        for (QTableView* table : view.findChildren<QTableView*>())
            if (table->model()->headerData(0, Qt::Horizontal).toString() == QLatin1String(column))
                return *table;
        throw std::invalid_argument(column);
    }
    QTabWidget& tabs() const { return *view.findChild<QTabWidget*>(QStringLiteral("compareParts")); }
    /// The tab whose name begins so; of those with rows their number follows.
    void showTab(const char* name) const {
        for (int i = 0; i < tabs().count(); ++i)
            if (tabs().tabText(i).startsWith(QLatin1String(name)))
                return tabs().setCurrentIndex(i);
        ADD_FAILURE() << "no tab " << name;
    }
    void showMemory() const { showTab("Memory"); }
    QComboBox& ipus() { return *view.findChild<QComboBox*>(QStringLiteral("compareIpus")); }

    SelectionModel selection;
    std::shared_ptr<ProfileSource> base_source, source;
    CompareView view;
};

struct CompareViewTest : testing::Test {
    std::string record(const char* name, const tests::SystemFixture& system) {
        std::string path = folder / (std::string(name) + ".tilescope");
        EXPECT_TRUE(tests::record_system(path, system));
        return path;
    }
    tests::TemporaryFolder folder;
};

} // namespace

TEST_F(CompareViewTest, ComparesAllIpusAndNamesThoseWithTheFullestTile) {
    Shown shown(record("base", {2, 1, true}), record("now", {4, 1, true}));
    EXPECT_EQ(shown.ipus().currentText(), QStringLiteral("All IPUs"));
    EXPECT_EQ(shown.ipus().count(), 5) << "all, and each of the four";
    // The system's fullest tile is on its last IPU.
    shown.showMemory();
    EXPECT_TRUE(shows(shown.view, QStringLiteral("IPU 3, base IPU 1")));
    for (const char* layer : {"layer_0", "layer_1", "layer_2", "layer_3"})
        EXPECT_EQ(shown.row("Layer", layer).size(), 7) << layer;
    // Both train; a turn of the program is a weight update: 300 cycles times the shard's number.
    EXPECT_EQ(shown.row("Layer", "layer_2").value(2), QStringLiteral("600"));
    EXPECT_EQ(shown.row("Operation", "layer_2/op").value(2), QStringLiteral("600"));
    shown.showTab("Layers");
    EXPECT_TRUE(shows(shown.view, QStringLiteral("per weight update, one replica")));
}

TEST_F(CompareViewTest, BetterAndWorseAreWordsToo) {
    // Of four shards the last holds more on its fullest tile than the last of two.
    const std::string two = record("base", {2, 1, true});
    const std::string four = record("now", {4, 1, true});
    const QString larger = Shown(two, four).row("Figure", "fullest tile").value(3);
    EXPECT_TRUE(larger.startsWith(QStringLiteral("▲ +"))) << larger.toStdString();
    EXPECT_TRUE(larger.endsWith(QStringLiteral("% more"))) << larger.toStdString();
    const QString smaller = Shown(four, two).row("Figure", "fullest tile").value(3);
    EXPECT_TRUE(smaller.startsWith(QStringLiteral("▼ −"))) << smaller.toStdString();
    EXPECT_TRUE(smaller.endsWith(QStringLiteral("% less"))) << smaller.toStdString();
    const QStringList step = Shown(four, two).row("Figure", "step time");
    EXPECT_TRUE(step.value(3).endsWith(QStringLiteral("er")) || step.value(3) == QStringLiteral("="))
        << "faster or slower: " << step.value(3).toStdString();
    EXPECT_FALSE(Shown(four, two).row("Figure", "throughput (samples/s)").isEmpty());
    for (const char* layer : {"layer_0", "layer_1"})
        EXPECT_EQ(Shown(two, two).row("Layer", layer).value(3), QStringLiteral("=")) << layer;
}

TEST_F(CompareViewTest, FollowsTheIpuThatIsChosenInAnotherView) {
    Shown shown(record("base", {2, 2, true}), record("now", {2, 2, true}));
    Selection selection = shown.selection.current();
    selection.lookAt(1);
    shown.selection.set(selection);
    shown.settle();
    EXPECT_EQ(shown.ipus().currentText(), QStringLiteral("IPU 1"));
    shown.showTab("Layers");
    EXPECT_TRUE(shows(shown.view, QStringLiteral("per weight update, IPU 1")));
    shown.showMemory();
    EXPECT_TRUE(shows(shown.view, QStringLiteral("peak, IPU 1")));
    EXPECT_TRUE(shown.row("Layer", "layer_0").isEmpty()) << "it runs on IPU 0";
    EXPECT_EQ(shown.row("Layer", "layer_2").value(2), QStringLiteral("600"));
    // And other views follow the one that is chosen here.
    shown.ipus().setCurrentIndex(1);
    Q_EMIT shown.ipus().activated(1);
    shown.settle();
    EXPECT_EQ(shown.selection.current().ipu, 0);
    EXPECT_FALSE(shown.row("Layer", "layer_0").isEmpty());
}

TEST_F(CompareViewTest, WhatIsLetGoOfInAnotherViewIsNotChosenAnew) {
    Shown shown(record("base", {2, 2, true}), record("now", {2, 2, true}));
    Selection one;
    one.lookAt(2);
    shown.selection.set(one);
    shown.settle();
    EXPECT_EQ(shown.ipus().currentText(), QStringLiteral("IPU 2"));
    shown.selection.set({});
    shown.settle();
    EXPECT_EQ(shown.selection.current(), Selection{});
    EXPECT_EQ(shown.ipus().currentText(), QStringLiteral("All IPUs"));
}

TEST_F(CompareViewTest, OfOneIpuThereIsNothingToFollow) {
    Shown shown(record("base", {1, 1, true}), record("now", {1, 1, true}));
    Selection tile;
    tile.lookAt(0, {1});
    shown.selection.set(tile);
    EXPECT_EQ(shown.source->pending(), 0) << "nothing is compared anew";
    shown.showTab("Layers");
    EXPECT_FALSE(shows(shown.view, QStringLiteral("IPU 0")));
}

TEST_F(CompareViewTest, TheBarOfTheBridgeThatIsChosenIsTheSameOneAfterwards) {
    const std::string base = record("base", {2, 1, true});
    const std::string now = record("now", {3, 1, true});
    Shown shown(base, now);
    auto* bridge = shown.view.findChild<QWidget*>(QStringLiteral("compareBridge"));
    const auto chosen = [&] {
        const auto* parts = dynamic_cast<PaintedParts*>(bridge);
        for (int i = 0; i < parts->partCount(); ++i)
            if (parts->part(i).selected)
                return parts->part(i).name;
        return QString();
    };
    const auto show = [&](const std::string& path) {
        shown.view.setSources({});
        shown.source = ProfileSource::open(QString::fromStdString(path));
        shown.view.setSources({shown.source, shown.base_source});
        shown.settle();
    };
    QTest::keyClick(bridge, Qt::Key_End);
    ASSERT_EQ(chosen(), QStringLiteral("now"));
    show(now);
    EXPECT_EQ(chosen(), QStringLiteral("now")) << "it was read anew";
    show(record("other", {3, 1, true}));
    EXPECT_EQ(chosen(), QString()) << "that is another one";
}

TEST_F(CompareViewTest, BothRunsArePerWhatIsChosen) {
    Shown shown(record("base", {2, 1, false}), record("now", {2, 2, false}));
    // A turn of the program is a weight update, and an engine run has one; two replicas share a step's batch.
    shown.showTab("Layers");
    shown.choose(analyse::Basis::Execution);
    EXPECT_TRUE(shows(shown.view, QStringLiteral("per execution, one replica")));
    EXPECT_EQ(shown.row("Layer", "layer_2").mid(1, 3),
              (QStringList{QStringLiteral("600"), QStringLiteral("600"), QStringLiteral("=")}));
    shown.choose(analyse::Basis::MicroBatch);
    EXPECT_TRUE(shows(shown.view, QStringLiteral("per micro-batch, one replica")));
}

TEST_F(CompareViewTest, ARowIsTheSelectionOfAllViewsAndOneOfAnotherViewIsFollowed) {
    Shown shown(record("base", {2, 1, false}), record("now", {2, 1, false}));
    QTableView& operations = shown.table("Operation");
    const auto choose = [&](int row) {
        operations.selectionModel()->setCurrentIndex(operations.model()->index(row, 0),
                                                     QItemSelectionModel::SelectCurrent |
                                                         QItemSelectionModel::Rows);
        return operations.model()->index(row, 0).data().toString();
    };
    for (int row = 0; row < operations.model()->rowCount(); ++row) {
        const QString name = choose(row);
        const std::int64_t id = shown.selection.current().operation;
        EXPECT_EQ(name, QStringLiteral("layer_%1/op").arg(id));
        EXPECT_EQ(shown.selection.current().layer, id);
    }
    Selection other = shown.selection.current();
    other.layer = 1;
    shown.selection.set(other);
    const QTableView& layers = shown.table("Layer");
    EXPECT_EQ(layers.currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("layer_1"));
}

TEST_F(CompareViewTest, EnterInTheCausesLeadsToWhereTheyShow) {
    Shown shown(record("base", {2, 1, false}), record("now", {3, 1, false}));
    auto* causes = shown.view.findChild<DataTable*>(QStringLiteral("compareCauses"))->view();
    QSignalSpy places(&shown.view, &View::viewRequested);
    shown.view.activateWindow();
    shown.view.setFocus();
    EXPECT_EQ(shown.view.focusProxy(), causes);
    const int rows = causes->model()->rowCount();
    ASSERT_GT(rows, 0);
    for (int row = 0; row < rows; ++row) {
        causes->setCurrentIndex(causes->model()->index(row, 0));
        QTest::keyClick(causes, Qt::Key_Return);
        const bool bytes = causes->model()->index(row, 2).data().toString() != QStringLiteral("–");
        const bool of_layer = causes->model()->index(row, 0).data(DataTableModel::KeyRole).toLongLong() >= 0;
        EXPECT_EQ(places.last()[0].toString(), bytes      ? QStringLiteral("memory")
                                               : of_layer ? QStringLiteral("operations")
                                                          : QStringLiteral("trace"));
    }
    EXPECT_EQ(places.size(), rows);
}

// Each IPU has two layers of one operation: the new run has two of them more.
TEST_F(CompareViewTest, DetailsAreOfWhatIsChosenElseOfWhatOneRunAloneHas) {
    Shown shown(record("base", {2, 1, false}), record("now", {3, 1, false}));
    const tests::ToldDetails told(shown.view);
    Selection s = shown.selection.current();
    s.operation = 1;
    s.layer = 1;
    shown.selection.set(s);
    EXPECT_EQ(told.title(), QStringLiteral("layer_1/op"));
    EXPECT_TRUE(told.value("Cycles").endsWith(QStringLiteral("\n=")))
        << "it does in both what it did: " << told.value("Cycles").toStdString();
    EXPECT_EQ(told.value("Cycles").count(QStringLiteral("per weight update")) +
                  told.value("Cycles").count(QStringLiteral("per step")),
              2);
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='operation:1:-1'>layer_1/op</a>")));
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='layer:1:-1'>layer_1</a>")));
    s.operation = -1;
    s.layer = 5;
    shown.selection.set(s);
    EXPECT_EQ(told.title(), QStringLiteral("layer_5"));
    EXPECT_TRUE(told.value("Cycles").contains(QStringLiteral("base –")))
        << told.value("Cycles").toStdString();
    EXPECT_TRUE(told.value("Its time, because").startsWith(u'+'))
        << told.value("Its time, because").toStdString();
    s.operation = s.layer = -1;
    shown.selection.set(s);
    EXPECT_EQ(told.title(), QStringLiteral("now against base"));
    EXPECT_EQ(told.value("Added operations"), QStringLiteral("layer_4/op\nlayer_5/op"));
    EXPECT_EQ(told.value("Removed operations"), QString());
}

TEST_F(CompareViewTest, DetailsOfAPartOfTheBridgeNameAllItsLayers) {
    Shown shown(record("base", {1, 1, true}), record("now", {2, 1, true}));
    const tests::ToldDetails told(shown.view);
    auto* bridge = shown.view.findChild<QWidget*>(QStringLiteral("compareBridge"));
    const QStringList lines =
        bridge->accessibleDescription().split(QLatin1Char('\n'), Qt::SkipEmptyParts); // head, base, parts
    bridge->setFocus();
    QTest::keyClick(bridge, Qt::Key_Down);
    QTest::keyClick(bridge, Qt::Key_Down);
    ASSERT_GT(lines.size(), 3);
    EXPECT_EQ(told.title(), lines[2].section(u'\t', 0, 0)) << told.plain().toStdString();
    EXPECT_TRUE(told.value("Change").endsWith(QStringLiteral(" per weight update")))
        << told.value("Change").toStdString();
    const Selection at_bridge = shown.selection.current();
    QTableView& layers = shown.table("Layer");
    const QModelIndex other = layers.model()->index(layers.currentIndex().row() == 0 ? 1 : 0, 0);
    layers.setCurrentIndex(other);
    EXPECT_TRUE(told.title().startsWith(other.data().toString())) << "what was chosen last";
    QTest::keyClick(bridge, Qt::Key_Up);
    QTest::keyClick(bridge, Qt::Key_Down);
    EXPECT_EQ(told.title(), lines[2].section(u'\t', 0, 0));
    Selection elsewhere = at_bridge; // in another view, and back
    elsewhere.layer = other.data(DataTableModel::KeyRole).toLongLong();
    shown.selection.set(elsewhere);
    shown.selection.set(at_bridge);
    EXPECT_NE(told.title(), lines[2].section(u'\t', 0, 0)) << "the layer is what was chosen last";
}

TEST_F(CompareViewTest, TheBridgeLeadsFromTheTimeOfTheBaseToThatOfTheNewRun) {
    // An engine run takes 1,000 cycles of a nanosecond on one IPU or on two, and is one weight update.
    Shown shown(record("base", {1, 1, true}), record("now", {2, 1, true}));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("now takes as long as base: 1 µs per weight update.")));
    const QString text =
        shown.view.findChild<QWidget*>(QStringLiteral("compareBridge"))->accessibleDescription();
    const QStringList lines = text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_GT(lines.size(), 3) << text.toStdString();
    EXPECT_TRUE(lines[1].startsWith(QStringLiteral("base\t1\t"))) << text.toStdString();
    EXPECT_TRUE(lines.last().startsWith(QStringLiteral("now\t1\t"))) << text.toStdString();
    double sum = 0;
    for (qsizetype i = 2; i + 1 < lines.size(); ++i)
        sum += lines[i].section(QLatin1Char('\t'), 1, 1).toDouble();
    EXPECT_NEAR(sum, 0, 1e-9) << "of the phases, and of the time that the fixture has in none";
}

TEST_F(CompareViewTest, HeadsOfFilesThatWereSwappedAreNotSeenAnyMore) {
    Shown shown(record("base", {2, 1, true}), record("now", {4, 1, true}));
    QList<QPointer<QToolButton>> old;
    for (QToolButton* head : shown.view.findChildren<QToolButton*>(QStringLiteral("compareHead")))
        if (head->isVisible())
            old << head;
    ASSERT_EQ(old.size(), 2);
    shown.view.setSources({shown.base_source, shown.source});
    for (const QPointer<QToolButton>& head : old)
        EXPECT_TRUE(head == nullptr || head->isHidden()) << "until it is deleted";
    shown.settle();
}

TEST_F(CompareViewTest, WithoutABaseItSaysHowToGetOne) {
    Shown shown({}, record("now", {1, 1, false}));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Nothing to compare with yet")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("tilescope-gui --compare BASE NEW")));
    QSignalSpy wanted(&shown.view, &View::comparedFileWanted);
    shown.view.findChild<QPushButton*>(QStringLiteral("chooseBase"))->click();
    EXPECT_EQ(wanted.count(), 1);
    EXPECT_FALSE(shown.view.offersDetails());
}

// What is open, what it was compared with before, and the runs of its workload beside it, each once.
TEST_F(CompareViewTest, WithoutABaseItOffersSome) {
    for (const char* name : {"open", "before", "beside"})
        record(name, {1, 1, false});
    Shown shown({}, record("now", {2, 1, false}));
    const auto path = [this](const char* name) {
        return QString::fromStdString(folder / name + ".tilescope");
    };
    shown.view.offer(
        {path("now"), path("open")},
        {{path("gone"), path("now")}, {path("before"), path("now")}, {path("open"), path("before")}});
    auto* list = shown.view.findChild<QTreeWidget*>(QStringLiteral("baseOffers"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return list->topLevelItemCount() == 3; }, 20000))
        << list->topLevelItemCount();
    EXPECT_TRUE(list->isVisible());
    QStringList names, remarks;
    for (int row = 0; row < 3; ++row) {
        names << list->topLevelItem(row)->text(0);
        remarks << list->topLevelItem(row)->text(1);
    }
    EXPECT_EQ(names,
              (QStringList{QStringLiteral("open"), QStringLiteral("before"), QStringLiteral("beside")}));
    EXPECT_EQ(remarks.mid(0, 2), (QStringList{QStringLiteral("open"), QStringLiteral("its base before")}));
    EXPECT_TRUE(remarks[2].startsWith(QStringLiteral("of the same workload, "))) << remarks[2].toStdString();
    QSignalSpy wanted(&shown.view, &View::comparisonRequested);
    Q_EMIT list->itemActivated(list->topLevelItem(2), 0);
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted[0][0].toStringList(), (QStringList{path("beside"), path("now")}));
}

TEST_F(CompareViewTest, SaysWhichRunDidNotCompleteBeforeAnyFigure) {
    const std::string path = folder / "cancelled.tilescope";
    profile::RunRecord run;
    run.name = "system";
    run.workload = R"({"name":"system","fit":{"batch_size":8}})";
    auto recorder = *profile::Recorder::create(path, run);
    ASSERT_TRUE(recorder->finish(profile::RunStatus::Cancelled));
    Shown shown(record("base", {1, 1, false}), path);
    EXPECT_TRUE(shows(shown.view, QStringLiteral("cancelled is cancelled")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("cancelled has no compilation")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("not compared: cancelled has no compilation")));
    EXPECT_TRUE(shown.row("Layer", "layer_0").isEmpty()) << "it was not removed: it never was made";
    EXPECT_EQ(shown.row("Figure", "cycles of all steps").value(2), QStringLiteral("–"));
}

TEST_F(CompareViewTest, FollowsAFileThatGrows) {
    const std::string base = record("base", {1, 1, false});
    const std::string path = folder / "growing.tilescope";
    profile::RunRecord run;
    run.name = "growing";
    run.device = profile::RunDevice::Ipu;
    run.batch_size = 8;
    auto recorder = *profile::Recorder::create(path, run);
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 16, 1000, 1e9, 6});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    const auto execute = [&](std::int64_t id) {
        tests::record_rows(*recorder, {{id, profile::ExecutionKind::Train, 0, id, 1, 500 * id, 500}},
                           {{id, 0, 400, 0, 0, 0, 100, 0}});
        recorder->flush();
    };
    execute(0);
    Shown shown(base, path);
    EXPECT_EQ(shown.row("Figure", "cycles of all steps").value(2), QStringLiteral("500"));
    execute(1);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return shown.row("Figure", "cycles of all steps").value(2) == QStringLiteral("1,000"); },
        20'000));
    EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
}

TEST_F(CompareViewTest, TheBridgeIsGoneOverByKeysAndToldToScreenReaders) {
    Shown shown(record("base", {1, 1, true}), record("now", {2, 1, true}));
    auto* bridge = shown.view.findChild<QWidget*>(QStringLiteral("compareBridge"));
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    ASSERT_NE(bridge->focusPolicy(), Qt::NoFocus);
    bridge->setFocus();
    QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(bridge);
    ASSERT_GT(whole->childCount(), 2);
    const QStringList lines =
        bridge->accessibleDescription().split(QLatin1Char('\n'), Qt::SkipEmptyParts).mid(1);
    ASSERT_EQ(whole->childCount(), lines.size());
    for (int row = 0; row < whole->childCount(); ++row) {
        QTest::keyClick(bridge, Qt::Key_Down);
        ASSERT_EQ(whole->focusChild(), whole->child(row)) << row;
        EXPECT_EQ(whole->child(row)->text(QAccessible::Name), lines[row].section(QLatin1Char('\t'), 0, 0));
        EXPECT_FALSE(whole->child(row)->text(QAccessible::Value).isEmpty());
    }
    QTest::keyClick(bridge, Qt::Key_Down);
    EXPECT_EQ(whole->focusChild(), whole->child(whole->childCount() - 1)) << "the last";
    QTest::keyClick(bridge, Qt::Key_Home);
    EXPECT_EQ(whole->focusChild(), whole->child(0));
    QSignalSpy asked(&shown.view, &View::viewRequested);
    for (int row = 1; row < whole->childCount() && asked.isEmpty(); ++row) {
        QTest::keyClick(bridge, Qt::Key_Down);
        QTest::keyClick(bridge, Qt::Key_Return); // the first that has a layer
    }
    ASSERT_FALSE(asked.isEmpty());
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("operations"));
    EXPECT_GE(shown.selection.current().layer, 0);
}

TEST_F(CompareViewTest, HeadsMayGoWhileTheirMenuIsOpenAndStayWhereTheFilesStay) {
    Shown shown(record("base", {1, 1, false}), record("now", {2, 1, false}));
    const auto other = ProfileSource::open(QString::fromStdString(record("other", {3, 1, false})));
    const std::vector all{shown.base_source, shown.source, other};
    shown.view.setSources({shown.source, shown.base_source, false, all});
    shown.settle();
    const auto head = [&] {
        return shown.view.findChildren<QToolButton*>(QStringLiteral("compareHead")).value(2);
    };
    const auto ask = [&](QWidget* of) {
        QContextMenuEvent asked(QContextMenuEvent::Mouse, {5, 5}, of->mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(of, &asked);
    };
    const auto change = [&, first = QPointer(head())] {
        EXPECT_NE(QApplication::activePopupWidget(), nullptr);
        shown.view.setSources({shown.source, shown.base_source, false, all}); // the same once more
        shown.settle();
        EXPECT_EQ(first, head());
        EXPECT_NE(QApplication::activePopupWidget(), nullptr) << "and so does its menu";
        shown.view.setSources({shown.source, shown.base_source});
        shown.settle();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        EXPECT_EQ(first, nullptr);
        EXPECT_EQ(QApplication::activePopupWidget(), nullptr) << "it goes with what it is of";
    };
    QTimer::singleShot(50, &shown.view, change); // a menu that is executed holds up what follows
    ask(head());
    QTest::qWait(200);
    shown.view.setSources({});
}

TEST(CompareTables, PlansAreFoundBelowTheirLayersAndLikeOnesAreOne) {
    analyse::Comparison comparison;
    analyse::Cause layer{"dense", {}, -30.0};
    layer.parts = {{"dense/MatMul", "AMP 1x1, was AMP nx1", -40.0, {}, {}, analyse::CauseKind::Plan},
                   {"dense/Relu", "no plan", 10.0, {}, {}, analyse::CauseKind::Size}};
    comparison.causes = {layer, {"other/MatMul", "SLIC, was AMP", 25.0, {}, {}, analyse::CauseKind::Plan}};
    comparison.settings = {{"fit.batch_size", "batch", analyse::FigureUnit::None, "8", "16"}};
    const auto plans = planRows({comparison}, {QStringLiteral("new")}, {{"dense/MatMul", 7}}, 1e9);
    ASSERT_EQ(plans.size(), 2U);
    EXPECT_EQ(plans[0].key, 7) << "an operation of the new run";
    EXPECT_EQ(plans[0].cells[0].shown(), QStringLiteral("dense/MatMul"));
    EXPECT_EQ(plans[0].cells[1].shown(), QStringLiteral("▼ −40 ns faster"));
    EXPECT_EQ(plans[0].cells[3].shown(), QStringLiteral("AMP 1x1, was AMP nx1"));
    EXPECT_EQ(plans[1].key, -1);
    EXPECT_EQ(plans[1].cells[1].shown(), QStringLiteral("▲ +25 ns slower"));
    const auto settings = settingRows({comparison}, {QStringLiteral("new")});
    ASSERT_EQ(settings.size(), 1U);
    EXPECT_EQ(settings[0].cells[0].shown(), QStringLiteral("batch"));
    EXPECT_EQ(settings[0].cells[1].shown(), QStringLiteral("8"));
    EXPECT_EQ(settings[0].cells[2].shown(), QStringLiteral("16"));
}

TEST_F(CompareViewTest, ReviewLeadsToTheMatches) {
    Shown shown(record("base", {2, 1, false}), record("now", {3, 1, false}));
    auto* matched = shown.view.findChild<QLabel*>(QStringLiteral("compareMatched"));
    // Of three layers and their operations in the new run two are in the base.
    EXPECT_TRUE(matched->text().startsWith(QStringLiteral("Matched: "))) << matched->text().toStdString();
    EXPECT_EQ(shown.tabs().currentIndex(), 0) << "causes come first";
    Q_EMIT matched->linkActivated(QStringLiteral("review"));
    EXPECT_EQ(shown.tabs().tabText(shown.tabs().currentIndex()), QStringLiteral("Matches"));
}

TEST_F(CompareViewTest, ALowBridgeScrollsAndItsBarsStayApart) {
    Shown shown(record("base", {1, 1, true}), record("now", {2, 1, true}));
    auto* bridge = shown.view.findChild<QWidget*>(QStringLiteral("compareBridge"));
    for (QSplitter* split : shown.view.findChildren<QSplitter*>())
        if (split->orientation() == Qt::Vertical)
            split->setSizes({1, 1000});
    shown.settle();
    EXPECT_GE(bridge->height(), bridge->minimumSizeHint().height());
    const auto bars = bridge->accessibleDescription().count(QLatin1Char('\n')) - 1;
    EXPECT_GE(bridge->height(), (bars + 1) * bridge->fontMetrics().height());
    EXPECT_GT(bridge->height(), bridge->parentWidget()->height()) << "there is something to scroll";
}

} // namespace tilescope::ui
