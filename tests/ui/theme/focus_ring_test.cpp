// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/theme/sight.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStyleOptionButton>
#include <QTabBar>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// One of each kind of what can have the focus, below each other.
struct OneOfEach : testing::Test {
    OneOfEach() {
        for (QWidget* part : std::initializer_list<QWidget*>{combo, check, spin, button, chip, push, preset,
                                                             field, text, tabs, table, tree})
            column->addWidget(part);
        combo->addItem(QStringLiteral("one"));
        chip->setProperty("chip", true);
        preset->setDefault(true);
        for (const char* name : {"Tab", "Other"})
            tabs->addTab(QLatin1String(name));
        for (QToolButton* each : {button, chip}) {
            each->setText(QStringLiteral("Button"));
            each->setFocusPolicy(Qt::StrongFocus);
        }
        table->setMaximumHeight(80);
        tree->setMaximumHeight(80);
        text->setMaximumHeight(60);
    }
    ~OneOfEach() override { applyTheme(*qApp, ThemeMode::Light); }
    int inColour(const QWidget* part, const QColor& color) {
        const QImage image = window.grab(part->geometry()).toImage();
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == color ? 1 : 0;
        return count;
    }

    QWidget window;
    QVBoxLayout* column = new QVBoxLayout(&window);
    QComboBox* combo = new QComboBox;
    QCheckBox* check = new QCheckBox(QStringLiteral("Check"));
    QSpinBox* spin = new QSpinBox;
    QToolButton* button = new QToolButton;
    QToolButton* chip = new QToolButton;
    QPushButton* push = new QPushButton(QStringLiteral("Push"));
    QPushButton* preset = new QPushButton(QStringLiteral("Preset"));
    QLineEdit* field = new QLineEdit;
    QPlainTextEdit* text = new QPlainTextEdit;
    QTabBar* tabs = new QTabBar;
    QTableWidget* table = new QTableWidget(1, 1);
    QTreeWidget* tree = new QTreeWidget;
};

} // namespace

TEST_F(OneOfEach, HasARingOfTwoPixelsInEveryTheme) {
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark})
        for (const ThemeColours colours : {ThemeColours::Standard, ThemeColours::HighContrast}) {
            applyTheme(*qApp, mode, colours);
            const Theme& theme = Theme::current();
            for (QWidget* part : std::initializer_list<QWidget*>{combo, check, spin, button, chip, push,
                                                                 field, text, tabs, table, tree, preset}) {
                QWidget* other = part == combo ? static_cast<QWidget*>(check) : combo;
                const QColor ring = part == preset ? theme.text : theme.accent;
                other->setFocus();
                QTest::qWait(1);
                const int before = inColour(part, ring);
                const QSize size = part->size();
                part->setFocus();
                QTest::qWait(1);
                const int around = part == tabs ? tabs->tabRect(0).width() : part->width();
                EXPECT_GE(inColour(part, ring) - before, 2 * around)
                    << part->metaObject()->className() << " " << static_cast<int>(mode) << " "
                    << static_cast<int>(colours);
                EXPECT_EQ(part->size(), size) << "nothing moves for it";
            }
        }
}

TEST_F(OneOfEach, ABoxToTickHasAFrameThatStandsOutInEveryTheme) {
    window.show();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark})
        for (const ThemeColours colours : theme_colours)
            for (const bool on : {false, true}) {
                applyTheme(*qApp, mode, colours);
                check->setChecked(on);
                const Theme& theme = Theme::current();
                QStyleOptionButton option;
                option.initFrom(check);
                const QRect box =
                    check->style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, check);
                const QImage image = check->grab().toImage();
                const std::string where = std::to_string(static_cast<int>(mode)) + " " +
                                          std::to_string(static_cast<int>(colours)) + (on ? " on" : " off");
                for (int along = 1; along + 1 < box.width(); ++along)
                    for (const QPoint& at :
                         {QPoint(box.left() + along, box.top()), QPoint(box.left() + along, box.bottom()),
                          QPoint(box.left(), box.top() + along), QPoint(box.right(), box.top() + along)})
                        EXPECT_EQ(image.pixelColor(at), theme.muted) << where;
                for (const QColor& behind : {theme.window, theme.panel, theme.raised})
                    EXPECT_GE(tests::contrast(theme.muted, behind), 3) << where;
            }
}

TEST_F(OneOfEach, AFieldOfANumberHasTheFrameOfOtherFields) {
    window.show();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark})
        for (const ThemeColours colours : theme_colours) {
            applyTheme(*qApp, mode, colours);
            const QColor border = Theme::current().border;
            const QImage image = spin->grab().toImage();
            const QPoint middle = image.rect().center();
            for (const QPoint& at : {QPoint(0, middle.y()), QPoint(image.width() - 1, middle.y()),
                                     QPoint(middle.x(), 0), QPoint(middle.x(), image.height() - 1)})
                EXPECT_EQ(image.pixelColor(at), border)
                    << static_cast<int>(mode) << " " << static_cast<int>(colours);
        }
}

TEST_F(OneOfEach, TheRingFollowsItsPartAndTakesNoClicks) {
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    const QColor accent = Theme::current().accent;
    tabs->setFocus();
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
    EXPECT_EQ(tabs->currentIndex(), 1);
    QTest::qWait(1);
    const QImage image = tabs->grab().toImage();
    EXPECT_EQ(image.pixelColor(tabs->tabRect(1).center().x(), tabs->tabRect(1).top()), accent);
    EXPECT_NE(image.pixelColor(tabs->tabRect(0).center().x(), tabs->tabRect(0).top()), accent);
    table->setFocus();
    table->setMaximumHeight(120);
    window.resize(500, 900);
    QTest::qWait(10);
    EXPECT_EQ(table->grab().toImage().pixelColor(table->width() / 2, table->height() - 1), accent);
    EXPECT_NE(tabs->grab().toImage().pixelColor(tabs->tabRect(1).center().x(), tabs->tabRect(1).top()),
              accent)
        << "one at a time";
    delete table; // with the focus
    table = nullptr;
    QTest::qWait(1);
}

} // namespace tilescope::ui
