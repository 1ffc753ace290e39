// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/whole_text.h"

#include "ui/widgets/data_table.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tilescope::ui {

void showWholeText(DataTable& table, int column) {
    auto* label = new QLabel;
    label->setObjectName(QStringLiteral("wholeText"));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(12, 6, 12, 8);
    label->hide();
    static_cast<QVBoxLayout*>(table.layout())->addWidget(label);
    const auto tell = [view = table.view(), label, column] {
        const QAbstractItemModel& rows = *view->model();
        const int row = view->currentIndex().isValid() ? view->currentIndex().row() : 0;
        QString text;
        if (row < rows.rowCount())
            text = QStringLiteral("%1: %2").arg(rows.index(row, 0).data().toString(),
                                                rows.index(row, column).data().toString());
        label->setText(text);
        label->setVisible(!text.isEmpty() && !rows.index(row, column).data().toString().isEmpty());
    };
    const auto* rows = table.view()->model();
    QObject::connect(table.view()->selectionModel(), &QItemSelectionModel::currentRowChanged, label, tell);
    QObject::connect(rows, &QAbstractItemModel::modelReset, label, tell);
    QObject::connect(rows, &QAbstractItemModel::layoutChanged, label, tell);
    QObject::connect(rows, &QAbstractItemModel::rowsInserted, label, tell);
}

} // namespace tilescope::ui
