// SPDX-License-Identifier: GPL-3.0-or-later
#include "saved_queries.h"
#include "ui/query/query_view.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

/// What stands at the left, or, in a narrow window, in a menu: saved and documented queries, and tables.
namespace tilescope::ui {
namespace {

QLabel* heading(const QString& words) {
    auto* label = new QLabel(words);
    QFont bold = label->font();
    bold.setWeight(QFont::DemiBold);
    label->setFont(bold);
    label->setContentsMargins(10, 8, 10, 2);
    return label;
}

} // namespace

QWidget* QueryView::makeSide() {
    saved_ = new SavedQueries;
    tables_ = new QTreeWidget;
    tables_->setObjectName(QStringLiteral("tables"));
    tables_->setAccessibleName(tr("Tables and columns"));
    tables_->setHeaderHidden(true);
    tables_->setColumnCount(2);
    tables_->header()->setStretchLastSection(false); // counts and types are whole, names take the rest
    tables_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tables_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    tables_->setTextElideMode(Qt::ElideMiddle);
    side_ = new QWidget;
    auto* column = new QVBoxLayout(side_);
    column->setContentsMargins({});
    column->setSpacing(2);
    column->addWidget(heading(tr("Queries")));
    column->addWidget(saved_, 1);
    column->addWidget(heading(tr("Tables")));
    column->addWidget(tables_, 2);
    connect(saved_, &SavedQueries::activated, this, &QueryView::run);
    connect(saved_, &SavedQueries::picked, this, [this](const QString& sql) { editor_->setPlainText(sql); });
    connect(saved_, &SavedQueries::message, this, &View::message);
    connect(saved_, &SavedQueries::made, this, &View::made);
    connect(tables_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (item->parent() == nullptr)
            showTableRows(item->text(0));
        else
            editor_->insertPlainText(item->text(0));
    });
    return side_;
}

void QueryView::makeSideMenu() {
    auto* menu = new QMenu(side_menu_);
    menu->setToolTipsVisible(true);
    side_menu_->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        saved_->addTo(*menu);
        menu->addSeparator();
        QMenu* tables = menu->addMenu(tr("First rows of a table"));
        tables->setEnabled(tables_->topLevelItemCount() > 0);
        for (int i = 0; i < tables_->topLevelItemCount(); ++i) {
            const QString name = tables_->topLevelItem(i)->text(0);
            tables->addAction(name, this, [this, name] { showTableRows(name); });
        }
    });
}

void QueryView::arrangeSide() {
    constexpr int lines = 68; // across the window: fewer leave an answer too little
    const bool narrow = window()->width() < lines * fontMetrics().height();
    const bool focus = narrow && side_->isAncestorOf(QApplication::focusWidget());
    side_->setVisible(!narrow);
    side_menu_->setVisible(narrow);
    if (nothing_ != nullptr)
        nothing_->setText(
            tr("<p>Write a question and press <b>Run</b> (Ctrl+Return).</p>") +
            (narrow ? tr("<p>Or choose one from <b>Queries</b>, which puts it into the editor.</p>")
                    : tr("<p>Or choose one at the left: a click puts it into the editor, Enter asks "
                         "it.<br>Enter "
                         "on a table shows its first rows.</p>")));
    if (focus)
        side_menu_->setFocus();
}

void QueryView::showTableRows(const QString& table) {
    run(QStringLiteral("SELECT * FROM %1 LIMIT 100").arg(table));
}

void QueryView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    arrangeSide();
}

void QueryView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::FontChange && side_menu_ != nullptr)
        arrangeSide();
}

} // namespace tilescope::ui
