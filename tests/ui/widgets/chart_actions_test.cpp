// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/temporary_folder.h"
#include "ui/session/format.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace tilescope::ui {
namespace {

/// Remembers what it was painted on.
class Painted : public QWidget {
  public:
    std::vector<QPaintEngine::Type> on;

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        on.push_back(painter.paintEngine()->type());
        painter.fillRect(rect(), Qt::red);
    }
};

class Pictures : public testing::Test {
  protected:
    Pictures() { widget.resize(40, 20); }
    QString path(const char* name) const { return QString::fromStdString(folder / name); }
    /// Asks where to, and does that with the dialog that is open then.
    void save(const std::function<void(QFileDialog&)>& answer) {
        QTimer when; // the dialog runs a loop of its own
        QObject::connect(&when, &QTimer::timeout, [&] {
            if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                EXPECT_TRUE(widget.on.empty()) << "nothing is painted before it is known for what";
                answer(*dialog);
            }
        });
        when.start(5);
        savePictureAs(widget, QStringLiteral("Chart"));
    }
    static void take(QFileDialog& dialog, const QString& path) {
        dialog.selectFile(path);
        static_cast<QDialog&>(dialog).accept();
    }

    tests::TemporaryFolder folder;
    Painted widget;
};

TEST_F(Pictures, AreTakenInTheKindThatIsAskedForAlone) {
    save([&](QFileDialog& dialog) { take(dialog, path("a.svg")); });
    EXPECT_EQ(widget.on, std::vector{QPaintEngine::SVG});
    QFile svg(path("a.svg"));
    ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
    EXPECT_TRUE(svg.readAll().contains("</svg>"));
    widget.on.clear();
    save([&](QFileDialog& dialog) { take(dialog, path("a.png")); });
    EXPECT_EQ(widget.on, std::vector{QPaintEngine::Raster});
    EXPECT_EQ(QImage(path("a.png")).size(), QSize(80, 40)) << "twice its size";
}

TEST_F(Pictures, AKeySavesAllRowsOfTheTableInFocusAndTheFiguresOfAChart) {
    QTimer when;
    QObject::connect(&when, &QTimer::timeout, [&] {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget()))
            take(*dialog, path("a.csv"));
    });
    when.start(5);
    const auto saved = [&](QWidget& focus) {
        focus.window()->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(focus.window()));
        focus.setFocus();
        QFile::remove(path("a.csv"));
        QTest::keyClick(&focus, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        QFile csv(path("a.csv"));
        EXPECT_TRUE(csv.open(QIODevice::ReadOnly));
        return QString::fromUtf8(csv.readAll());
    };
    DataTable table(QStringLiteral("Layers"), {{QStringLiteral("Layer")}, {QStringLiteral("Bytes")}});
    table.setRows({{0, {textCell(QStringLiteral("dense, 1")), bytesCell(std::int64_t{1234567})}},
                   {1, {textCell(QStringLiteral("dense")), bytesCell(std::int64_t{10})}}});
    table.show();
    table.view()->selectRow(0);
    EXPECT_EQ(saved(*table.view()), QStringLiteral("Layer,Bytes (bytes)\n\"dense, 1\",1234567\ndense,10\n"))
        << "exact, and not only the chosen row";
    QWidget chart;
    makeChart(&chart, QStringLiteral("Chart"), QSize(40, 20),
              [](QChar separator) { return QStringLiteral("a") + separator + QStringLiteral("b\n"); });
    chart.show();
    EXPECT_EQ(saved(chart), QStringLiteral("a,b\n"));
}

TEST_F(Pictures, AreNotTakenByWhomeverCancels) {
    save([](QFileDialog& dialog) { dialog.reject(); });
    EXPECT_TRUE(widget.on.empty());
}

} // namespace
} // namespace tilescope::ui
