// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "frame_fixture.h"
#include "ui/trace/trace_view.h"

#include <QAbstractItemModel>
#include <QFile>
#include <QTabWidget>
#include <QTableView>
#include <QTreeWidget>

namespace tilescope::ui {

/// A window that compares, and a third profile.
class Comparing : public Frame {
  protected:
    Comparing() { EXPECT_TRUE(tests::record_fixture(folder / "third.tilescope", {16, 4, 1, 1, 1})); }
    QStringList heads() const {
        QStringList texts;
        for (const QToolButton* head : window->findChildren<QToolButton*>(QStringLiteral("compareHead")))
            if (head->isVisible())
                texts << head->text();
        return texts;
    }
    QToolButton& head(int which) const {
        return *window->findChildren<QToolButton*>(QStringLiteral("compareHead"))[which];
    }
    TraceView& trace() const { return *window->findChild<TraceView*>(); }
    QString line() const {
        const auto* banner = window->findChild<QWidget*>(QStringLiteral("banner"));
        return banner->isVisible() ? banner->findChild<QLabel*>(QStringLiteral("bannerText"))->text()
                                   : QString();
    }
    QStringList comparisons() const {
        QStringList rows;
        const auto* list = window->findChild<QTreeWidget*>(QStringLiteral("Recent comparisons"));
        for (int row = 0; row < list->topLevelItemCount(); ++row)
            rows << list->topLevelItem(row)->text(0) + QStringLiteral(" ") + list->topLevelItem(row)->text(1);
        return rows;
    }
    void settleAll() {
        for (int round = 0; round < 4; ++round) {
            QTest::qWait(20);
            settle();
        }
    }
    void write(const char* name, const QByteArray& document) {
        QFile file(path(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(document);
    }
    /// Cells of the tables below the widgets of a name, of the last of them, with | between.
    QStringList rows(const char* name) const {
        const QTableView* table = nullptr;
        for (const QWidget* part : window->findChildren<QWidget*>(QLatin1String(name)))
            table = part->findChild<QTableView*>();
        QStringList texts;
        EXPECT_NE(table, nullptr) << name;
        for (int row = 0; table != nullptr && row < table->model()->rowCount(); ++row) {
            QStringList cells;
            for (int column = 0; column < table->model()->columnCount(); ++column)
                cells << table->model()->index(row, column).data().toString();
            texts << cells.join(QLatin1Char('|'));
        }
        return texts;
    }
    /// The row of a layer or an operation among the matches, with the focus.
    QTableView* choose(const QString& name) const {
        auto* table = window->findChild<QWidget*>(QStringLiteral("matches"))->findChild<QTableView*>();
        for (int row = 0; row < table->model()->rowCount(); ++row)
            for (const int column : {0, 1})
                if (table->model()->index(row, column).data().toString() == name) {
                    table->setFocus();
                    QTest::keyClick(table, Qt::Key_Home); // no modifier of the key before is held
                    table->setCurrentIndex(table->model()->index(row, 0));
                    return table;
                }
        ADD_FAILURE() << name.toStdString();
        return table;
    }
    void showMatches() const {
        auto* tabs = window->findChild<QTabWidget*>(QStringLiteral("compareParts"));
        for (int tab = 0; tab < tabs->count(); ++tab)
            if (tabs->tabText(tab) == QStringLiteral("Matches"))
                return tabs->setCurrentIndex(tab);
        FAIL() << "there are no matches";
    }
    /// What is matched, as it is seen.
    QStringList matched() const {
        showMatches();
        return rows("matches");
    }
};

} // namespace tilescope::ui
