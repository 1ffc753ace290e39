// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_actions.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QSaveFile>
#include <QWidget>

namespace tilescope::ui {

void addChartActions(QWidget* chart, const QString& title, std::function<QString(QChar)> text) {
    chart->setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [chart](const QString& name, std::function<void()> done) {
        auto* action = new QAction(name, chart);
        QObject::connect(action, &QAction::triggered, chart, std::move(done));
        chart->addAction(action);
    };
    add(QObject::tr("Copy chart as picture"),
        [chart] { QApplication::clipboard()->setPixmap(chart->grab()); });
    add(QObject::tr("Copy figures"), [text] { QApplication::clipboard()->setText(text(QLatin1Char('\t'))); });
    add(QObject::tr("Export figures as CSV…"), [chart, title, text] {
        const QString path = QFileDialog::getSaveFileName(
            chart, QObject::tr("Export figures"), title + QStringLiteral(".csv"), QObject::tr("CSV (*.csv)"));
        QSaveFile file(path);
        if (!path.isEmpty() && file.open(QIODevice::WriteOnly)) {
            file.write(text(QLatin1Char(',')).toUtf8());
            file.commit();
        }
    });
}

} // namespace tilescope::ui
