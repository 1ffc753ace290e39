// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "profile/recorder.h"
#include "profile/trim.h"
#include "tests/system_fixture.h"
#include "tests/ui/cut_text.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/session/format.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/legend.h"

#include <QAction>
#include <QComboBox>
#include <QImage>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTextDocumentFragment>
#include <QToolTip>

namespace tilescope::ui {
namespace {

using tests::shows;

struct Shown : tests::ShownView<ShardingView> {
    explicit Shown(const tests::SystemFixture& system = {2, 2, true}, QSize window = {1300, 900})
        : ShownView([&](const std::string& path) { return tests::record_system(path, system); }, window) {
        view.activateWindow();
        canvas().setFocus();
    }
    SystemCanvas& canvas() { return view.canvas(); }
    QPoint middleOf(std::size_t box) {
        return canvas().toWidget(canvas().layoutShown().boxes[box].rect).center().toPoint();
    }
    QPoint middleOfArrow(std::int64_t from, std::int64_t to) {
        const std::size_t arrow = arrowOf(from, to);
        return canvas().toWidget(canvas().layoutShown().arrows[arrow].path.pointAtPercent(0.4)).toPoint();
    }
    std::size_t arrowOf(std::int64_t from, std::int64_t to) {
        const auto& links = canvas().map().traffic.links;
        for (std::size_t l = 0; l < links.size(); ++l)
            if (links[l].ipu == from && links[l].peer == to)
                return l;
        ADD_FAILURE() << "no link";
        return 0;
    }
    void click(const QPoint& at) {
        QTest::mouseClick(canvas().viewport(), Qt::LeftButton, {}, at);
        settle();
    }
    QImage picture(std::size_t box) {
        return canvas()
            .viewport()
            ->grab(canvas().toWidget(canvas().layoutShown().boxes[box].rect).toRect())
            .toImage();
    }
    static QString tip() {
        return QTextDocumentFragment::fromHtml(QToolTip::text()).toPlainText().simplified();
    }
};

/// The longest run of a colour in any line of a picture, pixels.
int longestRun(const QImage& image, const QColor& color) {
    int longest = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0, run = 0; x < image.width(); ++x) {
            run = image.pixelColor(x, y) == color ? run + 1 : 0;
            longest = std::max(longest, run);
        }
    return longest;
}

TEST(ShardingView, MapsLayersMemoryAndCyclesOfEachIpu) {
    Shown shown;
    const SystemMap& map = shown.canvas().map();
    ASSERT_EQ(map.ipus.size(), 4U);
    for (std::int64_t i = 0; i < 4; ++i) {
        const MappedIpu& ipu = map.ipus[static_cast<std::size_t>(i)];
        const std::int64_t shard = i % 2;
        ASSERT_EQ(ipu.layers.size(), 2U); // replicas run the same
        EXPECT_EQ(ipu.layers[0].name, QStringLiteral("layer_%1").arg(2 * shard));
        EXPECT_EQ(ipu.layers[0].kind, QStringLiteral("Conv2D"));
        EXPECT_EQ(ipu.layers[0].cycles, 300 * (shard + 1));
        EXPECT_DOUBLE_EQ(ipu.layers[0].share.value_or(-1), 0.3 * static_cast<double>(shard + 1))
            << "of 1,000 cycles";
        EXPECT_EQ(ipu.fullest_tile, tests::system_tiles - 1);
        EXPECT_EQ(ipu.fullest_bytes, 1000 * (shard + 1) + 15);
        EXPECT_EQ(ipu.fullest_always_live, 600 * (shard + 1));
        EXPECT_EQ(ipu.total_bytes, 16 * 1000 * (shard + 1) + 120); // 0 + 1 + … + 15 = 120
        EXPECT_EQ(ipu.total_always_live, 16 * 600 * (shard + 1));
        EXPECT_EQ(ipu.phases.compute, 500 - i);
        EXPECT_EQ(ipu.phases.waiting, 100 + i);
    }
    EXPECT_EQ(map.traffic.bytes(profile::LinkKind::Copy), 4 * tests::system_copy_bytes(0));
    EXPECT_EQ(map.traffic.bytes(profile::LinkKind::AllReduce), 4 * tests::system_all_reduce_bytes);
}

TEST(ShardingView, TheHeadCountsTheStagesOfIpusThatHaveSeveral) {
    Shown shown({2, 1, true, 1, true});
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2 IPUs")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("3 stages")));
}

TEST(ShardingView, TheHeadTellsOfThePictureThatIsSeen) {
    Shown shown({2, 2, true}, {900, 700});
    auto* picture = shown.view.findChild<QComboBox*>(QStringLiteral("shardingPicture"));
    ASSERT_TRUE(picture->isVisible()) << "there is room for one";
    const auto boxes = [&] { return shows(shown.view, QStringLiteral("share of the IPU's time")); };
    const auto cells = [&] {
        return shows(shown.view,
                     QStringLiteral("cells: bytes from the IPU of the row to that of the column"));
    };
    EXPECT_TRUE(boxes());
    EXPECT_FALSE(cells());
    picture->setCurrentIndex(1);
    Q_EMIT picture->activated(1);
    EXPECT_FALSE(boxes());
    EXPECT_TRUE(cells());
    picture->setCurrentIndex(0);
    Q_EMIT picture->activated(0);
    EXPECT_TRUE(boxes());
}

TEST(ShardingView, TheHeadAddsUpTheTraffic) {
    Shown shown;
    EXPECT_TRUE(shows(shown.view, QStringLiteral("4 IPUs")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2 stages")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("× 2 replicas")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("3.91 KiB"))); // 4,000 bytes copied
    EXPECT_TRUE(shows(shown.view, QStringLiteral("16 KiB")));   // all-reduced
    EXPECT_TRUE(shows(shown.view, QStringLiteral("15.0 %")));   // 150 of 1,000 cycles between IPUs
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2.0 %")));    // 4,015 of 100,000 bytes
    EXPECT_TRUE(shows(shown.view, QStringLiteral("tile 15 of IPU 1, with gaps")));
}

TEST(ShardingView, GaugesAreAsLongAsTheirShares) {
    Shown shown({2, 1, false});
    shown.canvas().zoomBy(1 / shown.canvas().zoom()); // a pixel of the layout is one of the screen
    const Theme& theme = Theme::light();
    const QImage image = shown.picture(0);
    const double compute = longestRun(image, theme.compute);
    EXPECT_NEAR(compute / longestRun(image, theme.inter_ipu), 500.0 / 150, 0.2);
    EXPECT_NEAR(compute / longestRun(image, theme.exchange), 500.0 / 100, 0.3);
    const QImage other = shown.picture(1); // 1.2 % of its tiles' memory always live, 2.0 % in all
    EXPECT_NEAR(longestRun(other, liveBrush(theme, true).color()) / (2 * compute), 0.012, 0.006);
}

TEST(ShardingView, TheLegendHidesKindsOfTimeAndTraffic) {
    Shown shown({2, 1, false});
    shown.canvas().zoomBy(1 / shown.canvas().zoom());
    const Theme& theme = Theme::light();
    auto* legend = shown.view.findChild<Legend*>(QStringLiteral("shardingLegend"));
    ASSERT_NE(legend, nullptr);
    const auto click = [&](const char* name) {
        for (int i = 0; i < legend->partCount(); ++i)
            if (legend->part(i).name == QLatin1String(name))
                return QTest::mouseClick(legend, Qt::LeftButton, {}, legend->part(i).rect.center());
        ADD_FAILURE() << name;
    };
    const auto picture = [&] { return shown.canvas().viewport()->grab().toImage(); };
    const QColor copies = linkColor(theme, profile::LinkKind::Copy);
    const int compute = longestRun(picture(), theme.compute);
    const int exchange = longestRun(picture(), theme.exchange);
    const auto arrow = [&] { return picture().pixelColor(shown.middleOfArrow(0, 1)); };
    ASSERT_EQ(arrow(), copies);
    click("compute");
    click("copies");
    EXPECT_EQ(longestRun(picture(), theme.compute), 0);
    EXPECT_EQ(longestRun(picture(), theme.exchange), exchange) << "the others keep their length";
    EXPECT_NE(arrow(), copies);
    click("compute");
    EXPECT_EQ(longestRun(picture(), theme.compute), compute);
}

TEST(ShardingView, AClickOnAnIpuSelectsItForAllViews) {
    Shown shown;
    QSignalSpy details(&shown.view, &View::detailsChanged);
    shown.click(shown.middleOf(3));
    EXPECT_EQ(shown.selection.current().ipu, 3);
    EXPECT_EQ(shown.canvas().marks().box, 3U);
    ASSERT_FALSE(details.isEmpty());
    EXPECT_TRUE(details.last().first().toString().contains(QLatin1String("IPU 3")));
    Selection selection;
    selection.lookAt(1);
    shown.selection.set(selection);
    EXPECT_EQ(shown.canvas().marks().box, 1U);
    EXPECT_EQ(shown.selection.current(), selection); // it does not answer back
}

TEST(ShardingView, AnArrowAndItsRowSelectEachOther) {
    Shown shown;
    const std::size_t back = shown.arrowOf(1, 0);
    shown.click(shown.middleOfArrow(1, 0));
    EXPECT_EQ(shown.canvas().marks().arrow, back);
    QTableView& table = *shown.view.links().view();
    EXPECT_EQ(table.currentIndex().data(DataTableModel::KeyRole).toULongLong(), back);
    const QModelIndex first = table.model()->index(0, 0);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(first).center());
    EXPECT_EQ(shown.canvas().marks().arrow, first.data(DataTableModel::KeyRole).toULongLong());
    shown.canvas().setFocus();
    QTest::keyClick(&shown.canvas(), Qt::Key_Escape);
    EXPECT_EQ(shown.canvas().marks().arrow, SystemLayout::none);
}

TEST(ShardingView, TooltipsGiveTheExactNumbers) {
    Shown shown;
    QTest::mouseMove(shown.canvas().viewport(), shown.middleOf(1));
    for (const char* part : {"IPU 1", "Stage 1, replica 0", "101 of the system", "1.97 KiB of 97.7 KiB",
                             "tile 15", "600 cycles (600 ns), 60.0", "49.9"})
        EXPECT_TRUE(shown.tip().contains(QLatin1String(part))) << part << " in " << shown.tip().toStdString();
    QTest::mouseMove(shown.canvas().viewport(), shown.middleOfArrow(0, 1));
    EXPECT_EQ(shown.canvas().marks().hovered_arrow, shown.arrowOf(0, 1));
    for (const char* part :
         {"IPU 0 to IPU 1", "copy", "1,000 B (1,000)", "100 cycles (100 ns)", "per weight update"})
        EXPECT_TRUE(shown.tip().contains(QLatin1String(part))) << part << " in " << shown.tip().toStdString();
}

TEST(ShardingView, TheTableListsEveryLink) {
    Shown shown;
    const QStringList lines = tests::shown_rows(*shown.view.links().view(), QLatin1Char('\t'))
                                  .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 1 + 4 + 4); // a copy and an all-reduce of each IPU
    EXPECT_EQ(lines[0], QStringLiteral("Kind\tFrom IPU\tTo IPU\tExchanges\tBytes\tCycles\tTime\tIn use"));
    EXPECT_TRUE(lines.contains(QStringLiteral("copy\t0\t1\t2\t1,000 B\t100\t100 ns\t10.0 %")));
    EXPECT_TRUE(lines.contains(QStringLiteral("collective\t3\t1\t3\t4 KiB\t70\t70 ns\t7.0 %")));
}

TEST(ShardingView, KeysGoFromIpuToIpuAndZoom) {
    Shown shown;
    QTest::keyClick(&shown.canvas(), Qt::Key_Right);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    QTest::keyClick(&shown.canvas(), Qt::Key_End);
    EXPECT_EQ(shown.selection.current().ipu, 3);
    QTest::keyClick(&shown.canvas(), Qt::Key_Home);
    EXPECT_EQ(shown.selection.current().ipu, 0);
    const double zoom = shown.canvas().zoom();
    QTest::keyClick(&shown.canvas(), Qt::Key_Plus);
    EXPECT_GT(shown.canvas().zoom(), zoom);
    QTest::keyClick(&shown.canvas(), Qt::Key_0);
    EXPECT_EQ(shown.canvas().zoom(), zoom);
    QTest::keyClick(&shown.canvas(), Qt::Key_F);
    EXPECT_GT(shown.canvas().zoom(), zoom) << "the IPU alone";
    const QRectF box = shown.canvas().toWidget(shown.canvas().layoutShown().boxes[0].rect);
    EXPECT_TRUE(QRectF(shown.canvas().viewport()->rect()).contains(box.center()));
    QTest::keyClick(&shown.canvas(), Qt::Key_F);
    EXPECT_EQ(shown.canvas().zoom(), zoom) << "all again";
    EXPECT_FALSE(shown.canvas().compact());
    QTest::keyClick(&shown.canvas(), Qt::Key_C);
    EXPECT_TRUE(shown.canvas().compact());
}

TEST(ShardingView, ManyIpusBeginAsSmallBoxesThatKeysScrollTo) {
    Shown shown({4, 16, true});
    EXPECT_TRUE(shown.canvas().compact());
    EXPECT_TRUE(shows(shown.view, QStringLiteral("64 IPUs")));
    ASSERT_EQ(shown.canvas().layoutShown().boxes.size(), 64U);
    QTest::keyClick(&shown.canvas(), Qt::Key_End);
    EXPECT_EQ(shown.selection.current().ipu, 63);
    const QRectF last = shown.canvas().toWidget(shown.canvas().layoutShown().boxes[63].rect);
    EXPECT_TRUE(QRectF(shown.canvas().viewport()->rect()).contains(last));
}

TEST(ShardingView, SaysOfHowManyLinksTheBytesStandBesideThem) {
    const auto said = [](Shown& shown) {
        QString all;
        for (const tests::DrawnText& text : tests::drawn_texts(*shown.canvas().viewport()))
            if (text.text.contains(QStringLiteral("links have their bytes")))
                all = text.text;
        return all;
    };
    Shown many({4, 8, true});
    const auto links = std::ssize(many.canvas().map().traffic.links);
    const QString words = said(many);
    const auto labelled = std::ssize(many.canvas().labelsShown());
    EXPECT_GT(labelled, 0);
    EXPECT_LT(labelled, links);
    EXPECT_TRUE(words.startsWith(QStringLiteral("%1 of %2 links").arg(labelled).arg(links)))
        << words.toStdString();
    Shown few({2, 1, false});
    EXPECT_EQ(said(few), QString()) << "all have them";
    Shown some({8, 2, true}, {1100, 800}); // a ring of two replicas beside columns of two stages
    std::set<std::size_t> without;
    for (std::size_t a = 0; a < some.canvas().layoutShown().arrows.size(); ++a)
        without.insert(a);
    for (const LinkLabel& label : some.canvas().labelsShown())
        without.erase(label.arrow);
    ASSERT_FALSE(without.empty());
    for (const std::size_t a : without) {
        const profile::LinkTrafficRecord& link = some.canvas().map().traffic.links[a];
        EXPECT_TRUE(said(some).contains(QStringLiteral("%1 → %2").arg(link.ipu).arg(link.peer)))
            << said(some).toStdString();
        EXPECT_TRUE(said(some).contains(formatBytes(some.canvas().map().traffic.of(link).bytes)));
    }
}

TEST(ShardingView, TheLayersOfTheChosenIpuAreATableAndEnterLeadsToItsMemory) {
    Shown shown;
    QString view;
    QObject::connect(&shown.view, &View::viewRequested, &shown.view, [&](const QString& id) { view = id; });
    QTest::keyClick(&shown.canvas(), Qt::Key_Home);
    QTest::keyClick(&shown.canvas(), Qt::Key_Right);
    const MappedIpu* ipu = shown.canvas().map().ipu(shown.selection.current().ipu);
    ASSERT_NE(ipu, nullptr);
    ASSERT_FALSE(ipu->layers.empty());
    const QStringList lines =
        shown.view.layers().toText(QLatin1Char('\t')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), static_cast<qsizetype>(ipu->layers.size()) + 1);
    EXPECT_TRUE(lines[1].startsWith(ipu->layers[0].name)) << lines[1].toStdString();
    QTest::keyClick(&shown.canvas(), Qt::Key_Return);
    EXPECT_EQ(view, QStringLiteral("memory"));
    auto& links = *shown.view.links().view();
    links.setCurrentIndex(links.model()->index(0, 0));
    QTest::keyClick(&links, Qt::Key_Return);
    shown.settle();
    EXPECT_EQ(view, QStringLiteral("exchange"));
}

// first -> second, on two IPUs.
TEST(ShardingView, ALinkNamesTheLayersThatItIsCutBetween) {
    tests::ShownView<ShardingView> shown([](const std::string& path) {
        auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
        recorder->set(profile::TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu)
            recorder->add(profile::IpuRecord{ipu, ipu, "", 0, ipu});
        recorder->add(profile::LayerRecord{0, "first", "Dense", "", 0});
        recorder->add(profile::LayerRecord{1, "second", "Dense", "", 0});
        recorder->add(profile::TensorRecord{0, "between", DType::Float32, "[4]", 16});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
            profile::OperationRecord op{ipu, "op", "matmul", ipu, profile::Phase::Forward, ipu};
            (ipu == 0 ? op.outputs : op.inputs) = {0};
            recorder->add(op);
        }
        recorder->add(profile::LinkTrafficRecord{0, 1, profile::LinkKind::Copy, 1, 16, 10});
        return recorder->finish(profile::RunStatus::OutOfMemory);
    });
    const QString rows = tests::shown_rows(*shown.view.links().view(), QLatin1Char('\t'));
    EXPECT_TRUE(rows.contains(QStringLiteral("\tfirst → second\n"))) << rows.toStdString();
    QSignalSpy details(&shown.view, &View::detailsChanged);
    auto& links = *shown.view.links().view();
    links.setCurrentIndex(links.model()->index(0, 0));
    ASSERT_FALSE(details.isEmpty());
    EXPECT_TRUE(details.last().first().toString().contains(QStringLiteral("first → second")));
}

// An operation of 300 cycles on IPU 0, then one of 100 on IPU 1 that waits for what goes over in 200.
TEST(ShardingView, OfAProgramThatNeverRanTimeIsPlanned) {
    tests::ShownView<ShardingView> shown([](const std::string& path) {
        auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
        profile::Recorder& r = *recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu)
            r.add(profile::IpuRecord{ipu, ipu, "", 0, ipu});
        r.add(profile::OperationRecord{0, "first", "matmul", -1, profile::Phase::Forward, 0});
        r.add(profile::OperationRecord{1, "second", "matmul", -1, profile::Phase::Forward, 1});
        r.add(profile::DeviceProgramRecord{0, "predict", 0, false});
        r.add(profile::ExchangeRecord{0, "over", profile::ExchangeKind::InterIpu, 0, 64, 200, 0, 1});
        using profile::StepKind;
        r.add(profile::ProgramRecord{0, -1, 0, StepKind::Sequence, "main", -1, -1, -1, 1});
        r.add(profile::ProgramRecord{1, 0, 0, StepKind::Execute, "first/run", 0, -1, -1, 1, 0, 0, 0, 300, 0,
                                     -1, 1});
        r.add(
            profile::ProgramRecord{2, 0, 1, StepKind::Exchange, "over", 0, -1, 0, 1, 1, 0, 200, 0, 0, 1, 1});
        r.add(profile::ProgramRecord{3, 0, 2, StepKind::Execute, "second/run", 1, -1, -1, 1, 2, 0, 0, 100, 1,
                                     -1, 1});
        return r.finish(profile::RunStatus::OutOfMemory);
    });
    const SystemMap& map = shown.view.findChild<SystemCanvas*>()->map();
    EXPECT_TRUE(map.planned);
    ASSERT_EQ(map.ipus.size(), 2U);
    EXPECT_EQ(map.ipus[0].phases.compute, 300);
    EXPECT_EQ(map.ipus[1].phases.compute, 100);
    EXPECT_EQ(map.ipus[0].phases.total(), 600) << "it waits for the last";
    EXPECT_EQ(map.ipus[1].phases.total(), 600);
    EXPECT_EQ(map.phases.inter_ipu, 400);
    ASSERT_FALSE(map.ipus[1].layers.empty());
    EXPECT_DOUBLE_EQ(map.ipus[1].layers[0].share.value_or(0), 100.0 / 600);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("share of the IPU's planned time")));
}

TEST(ShardingView, TheReplicasStandOneBesideTheOther) {
    Shown shown;
    const auto* replicas = shown.view.findChild<DataTable*>(QStringLiteral("replicas"));
    const QStringList lines =
        tests::shown_rows(*replicas->view(), QLatin1Char('\t')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 1 + 2);
    // Of IPUs 2 and 3, as of 0 and 1: tile 15 of the second is the fullest, each tile peak is 1,000 or 2,000
    // bytes and the number of the tile; each of the two sends 4 KiB.
    const QStringList cells = lines[2].split(QLatin1Char('\t'));
    EXPECT_EQ(cells[0], QStringLiteral("1"));
    EXPECT_EQ(cells[1], QStringLiteral("2, 3"));
    EXPECT_EQ(cells[2], QStringLiteral("tile 15 of IPU 3: 1.97 KiB"));
    EXPECT_EQ(cells[3], QStringLiteral("2.0 %"));
    EXPECT_EQ(cells[4], formatBytes(16 * 3000 + 2 * 120));
    EXPECT_EQ(cells[8], QStringLiteral("8 KiB"));
    Shown alone({2, 1, true});
    auto* tabs = alone.view.findChild<QTabWidget*>(QStringLiteral("shardingTabs"));
    EXPECT_FALSE(tabs->isTabVisible(2)) << "one replica is the whole";
}

TEST(ShardingView, AFileOfSomeIpusSaysSoAndHasTheirBoxesAlone) {
    tests::ShownView<ShardingView> shown(
        [](const std::string& path) -> Result<void> {
            TRY(tests::record_system(path + ".whole", {8, 1, true}));
            return profile::trim(path + ".whole", path, {.ipus = {3, 5}});
        },
        {1300, 900});
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2 of 8 IPUs")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("The file was trimmed to 2 of 8 IPUs")));
    const SystemCanvas& canvas = shown.view.canvas();
    ASSERT_EQ(canvas.layoutShown().boxes.size(), 2U);
    EXPECT_EQ(canvas.layoutShown().boxes[0].rect.top(), canvas.layoutShown().boxes[1].rect.top());
    for (const IpuBox& box : canvas.layoutShown().boxes)
        EXPECT_TRUE(QRectF(canvas.viewport()->rect()).contains(canvas.toWidget(box.rect)));
    EXPECT_FALSE(shown.view.findChild<QWidget*>(QStringLiteral("shardingMatrix"))->isVisible())
        << "no link is in the file";
}

TEST(ShardingView, OneIpuIsABoxAndASentence) {
    Shown shown({1, 1, false});
    EXPECT_EQ(shown.canvas().layoutShown().boxes.size(), 1U);
    EXPECT_TRUE(shows(shown.view, QStringLiteral("One IPU runs the whole model")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("1 IPU")));
    EXPECT_FALSE(shown.view.links().isVisible());
}

TEST(ShardingView, ComparesWithABase) {
    Shown shown;
    tests::ShownView<ShardingView> half([](const std::string& path) {
        return tests::record_system(path, {2, 1, true, 2});
    });
    // It asks the base for its loops, then the run, then the base again.
    const auto read = [&] {
        for (int i = 0; i < 3; ++i) {
            half.settle();
            shown.settle();
        }
    };
    shown.view.setSources({shown.source, half.source});
    read();
    const QString text = tests::shown_rows(*shown.view.links().view(), QLatin1Char('\t'));
    EXPECT_TRUE(
        text.contains(QStringLiteral("copy\t0\t1\t2\t1,000 B\t100\t100 ns\t10.0 %\t1.95 KiB\t−50.0 %")));
    EXPECT_TRUE(text.contains(QStringLiteral("copy\t2\t3\t2\t1,000 B\t100\t100 ns\t10.0 %\t–\tnew")));
    const SystemMap& map = shown.canvas().map();
    EXPECT_EQ(map.ipus.size(), 4U);
    ASSERT_NE(map.before(map.ipus[1]), nullptr);
    EXPECT_EQ(map.before(map.ipus[1])->fullest_bytes, 2015);
    EXPECT_EQ(map.before(map.ipus[2]), nullptr) << "the base has one replica";
    EXPECT_EQ(map.ipus[1].layers[0].share_before, map.ipus[1].layers[0].share);
    EXPECT_EQ(map.ipus[1].layers[0].moved, QString());
    EXPECT_TRUE(shows(shown.view, QStringLiteral("thinner bars: ")));
    EXPECT_FALSE(shows(shown.view, QStringLiteral("Moved: ")));
    EXPECT_TRUE(ipuText(map, map.ipus[1]).contains(QStringLiteral("(2.0\u00a0%); =")));

    // The other way around what only the base sends is gone.
    half.view.setSources({half.source, shown.source});
    read();
    const QString gone = tests::shown_rows(*half.view.links().view(), QLatin1Char('\t'));
    EXPECT_TRUE(gone.contains(QStringLiteral("copy\t2\t3\t–\t–\t–\t–\t–\t1,000 B\tgone")))
        << gone.toStdString();
}

// What the base calls layer_0, on IPU 0, is layer_2 now, on IPU 1.
TEST(ShardingView, LayersThatLieElsewhereThanInTheBaseAreNamed) {
    Shown shown({2, 1, true});
    tests::ShownView<ShardingView> base([](const std::string& path) {
        return tests::record_system(path, {2, 1, true});
    });
    Sources sources{shown.source, base.source};
    sources.by_hand = {{analyse::PartKind::Layer, "layer_0", "layer_2"}};
    shown.view.setSources(sources);
    for (int i = 0; i < 2; ++i) {
        shown.settle();
        base.settle();
    }
    shown.settle();
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Moved: layer_2: IPU 0 → 1")));
    EXPECT_EQ(shown.canvas().map().ipus[1].layers[0].moved, QStringLiteral("IPU 0 → 1"));
    EXPECT_EQ(shown.canvas().map().ipus[1].layers[0].share_before, std::nullopt);
}

} // namespace
} // namespace tilescope::ui
