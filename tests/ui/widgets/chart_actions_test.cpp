// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/temporary_folder.h"
#include "ui/widgets/chart_actions.h"

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QPaintEngine>
#include <QPainter>
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

TEST_F(Pictures, AreNotTakenByWhomeverCancels) {
    save([](QFileDialog& dialog) { dialog.reject(); });
    EXPECT_TRUE(widget.on.empty());
}

} // namespace
} // namespace tilescope::ui
