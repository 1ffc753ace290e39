// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "frame_fixture.h"
#include "tests/ui/cut_text.h"
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"
#include "ui/tiles/tile_map.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/run_status.h"
#include "ui/widgets/yielding_split.h"

#include <QDockWidget>
#include <QProcess>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTableView>
#include <QTextDocument>
#include <QTextEdit>
#include <numeric>
#include <vector>

namespace tilescope::ui {
namespace {

/// A run of a pipeline of two stages, another to compare it with, and one on eight IPUs, by the program
/// itself.
class LargerText : public testing::TestWithParam<const char*> {
  protected:
    static void SetUpTestSuite() {
        folder = std::make_unique<tests::TemporaryFolder>();
        for (const char* sample : {"keras_mnist_faster", "keras_mnist_pipelined", "keras_mnist_8ipu"}) {
            QProcess program;
            program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"),
                          {QStringLiteral("profile"),
                           QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(sample)),
                           QStringLiteral("-o"), path(sample), QStringLiteral("--estimate")});
            ASSERT_TRUE(program.waitForFinished(120'000));
            ASSERT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
        }
    }
    static void TearDownTestSuite() { folder.reset(); }
    static QString path(const char* sample) {
        return QString::fromStdString(*folder / (std::string(sample) + ".tilescope"));
    }

    void show(QSize size = {1440, 900}) {
        window.resize(size);
        window.show();
        ASSERT_TRUE(window.showView(QString::fromLatin1(GetParam())));
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 60000));
        const int rest_ms = QByteArray(GetParam()) == "trace" ? 300 : 50; // the totals come when it rests
        QTest::qWait(rest_ms);
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 60000));
        EXPECT_LE(window.width(), size.width());
        EXPECT_LE(window.height(), size.height());
        expectNothingCut();
        expectFiguresWhole();
    }
    /// In text that may take several lines, no line may end between a number and its unit, or within a range.
    void expectFiguresWhole() {
        static const QRegularExpression broken(
            QStringLiteral("\\d (%|ns|µs|ms|s|B|KiB|MiB|GiB|cycles|times|tiles|steps)\\b|\\d %|\\d–\\d"));
        const auto expect = [](const QString& text) {
            EXPECT_FALSE(broken.match(text).hasMatch()) << text.toStdString();
        };
        for (const QLabel* label : window.findChildren<QLabel*>()) {
            if (!label->isVisible() || !label->wordWrap())
                continue;
            QTextDocument text;
            text.setHtml(label->text());
            expect(label->textFormat() == Qt::RichText || Qt::mightBeRichText(label->text())
                       ? text.toRawText()
                       : label->text());
        }
        for (const QTextEdit* shown : window.findChildren<QTextEdit*>())
            if (shown->isVisible() && shown->isReadOnly())
                expect(shown->document()->toRawText());
    }
    void expectNothingCut() {
        QStringList cut;
        const auto none = [&] { // a moment after a text has changed it is laid out
            cut = tests::cut_texts(window, {QStringLiteral("GraphCanvas"), QStringLiteral("SystemCanvas"),
                                            QStringLiteral("TimelineWidget")});
            return cut.isEmpty();
        };
        EXPECT_TRUE(QTest::qWaitFor(none, 2000)) << cut.join(u'\n').toStdString();
    }

    static std::unique_ptr<tests::TemporaryFolder> folder;
    struct Font {
        Font() {
            QSettings().clear();
            applyFont(*qApp, {}, 150);
        }
        ~Font() { applyFont(*qApp, {}, 100); }
        Font(const Font&) = delete;
        Font& operator=(const Font&) = delete;
    } font; // before the window
    MainWindow window;
};

std::unique_ptr<tests::TemporaryFolder> LargerText::folder;

TEST_P(LargerText, IsNotCut) {
    window.openFile(path("keras_mnist_faster"));
    window.openFile(path("keras_mnist_pipelined"));
    window.setBase(0);
    show();
}

TEST_P(LargerText, OfManyIpusIsNotCut) {
    window.openFile(path("keras_mnist_8ipu"));
    show();
    for (const Legend* legend : window.findChildren<Legend*>()) {
        if (!legend->isVisible())
            continue;
        EXPECT_LE(legend->height(), 3 * (legend->fontMetrics().height() + 4))
            << "beside other parts it is given up to three lines, not a column";
    }
}

/// Letters as they are at first, in the smallest window that the views are made for.
TEST_P(LargerText, InASmallWindowIsNotCut) {
    applyFont(*qApp, {}, 100);
    window.openFile(path("keras_mnist_8ipu"));
    show({1000, 700});
    auto* details = window.findChild<QDockWidget*>(QStringLiteral("details"));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier); // shown or hidden: the other of both, too
    SCOPED_TRACE(details->isVisible() ? "with details" : "without details");
    show({1000, 700});
    for (YieldingSplit* split : window.findChildren<YieldingSplit*>()) {
        if (!split->isVisible() || !split->folded())
            continue;
        for (QAbstractItemView* rows : split->widget(1)->findChildren<QAbstractItemView*>())
            if (rows->isVisible()) {
                rows->setFocus();
                break;
            }
        SCOPED_TRACE("unfolded");
        QTest::qWait(50);
        EXPECT_FALSE(split->folded());
        expectNothingCut();
    }
}

/// In the smallest window a list shows some rows whole, and the flame of the compilation all of its three.
class LargerTextInASmallWindow : public LargerText {};

TEST_P(LargerTextInASmallWindow, LeavesRowsWhole) {
    window.openFile(path("keras_mnist_pipelined"));
    window.resize(1000, 700);
    window.show();
    ASSERT_TRUE(window.showView(QString::fromLatin1(GetParam())));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 60000));
    QTest::qWait(50);
    if (const auto* area = window.findChild<QScrollArea*>(QStringLiteral("compileChartArea"));
        area->isVisible()) {
        EXPECT_GE(area->viewport()->height(), area->widget()->minimumHeight());
        return;
    }
    const auto* rows = window.findChild<DataTable*>(QStringLiteral("findings"))->view();
    ASSERT_TRUE(rows->isVisible());
    ASSERT_GE(rows->model()->rowCount(), 3) << "else this tests nothing";
    EXPECT_LE(rows->visualRect(rows->model()->index(2, 0)).bottom(), rows->viewport()->height());
}

INSTANTIATE_TEST_SUITE_P(OfSome, LargerTextInASmallWindow, testing::Values("insights", "compile"),
                         [](const auto& view) { return std::string(view.param); });

TEST(LargerFloorPlan, NamesOfSixteenIpusDoNotLieUponEachOther) {
    applyFont(*qApp, {}, 150);
    TileMap map;
    map.resize(390, 250);
    map.setTitle(QStringLiteral("Floor plan, C600 geometry, with gaps, all 16 IPUs"));
    constexpr std::int64_t tiles = 1472;
    std::vector<std::int64_t> ipus(16);
    std::iota(ipus.begin(), ipus.end(), 0);
    map.setValues(std::vector<std::int64_t>(16 * tiles, 1000), 2000, ipus);
    const QStringList cut = tests::cut_texts(map);
    EXPECT_TRUE(cut.isEmpty()) << cut.join(u'\n').toStdString();
    applyFont(*qApp, {}, 100);
}

TEST(LargerIcons, DotsOfRunsAreDrawnAtTheSizeThatIsAskedForInTheColourOfTheTheme) {
    const QIcon dot = statusIcon(profile::RunStatus::Complete); // it is kept while the theme changes
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        applyTheme(*qApp, mode);
        for (const int side : {16, 56}) {
            const QImage picture = dot.pixmap(QSize(side, side)).toImage();
            int wide = 0;
            for (int x = 0; x < picture.width(); ++x)
                wide += qAlpha(picture.pixel(x, picture.height() / 2)) > 128 ? 1 : 0;
            EXPECT_NEAR(wide, side / 2.0, 1);
            EXPECT_EQ(picture.pixelColor(picture.rect().center()), Theme::current().good);
        }
    }
    applyTheme(*qApp, ThemeMode::Light);
}

INSTANTIATE_TEST_SUITE_P(OfEachView, LargerText,
                         testing::Values("summary", "insights", "memory", "liveness", "graph", "program",
                                         "operations", "trace", "pipeline", "sharding", "exchange", "compile",
                                         "query", "live", "compare", "runs"),
                         [](const auto& view) { return std::string(view.param); });

} // namespace
} // namespace tilescope::ui
