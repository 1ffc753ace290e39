// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/whole_text.h"

#include "ui/theme/whole_figures.h"
#include "ui/widgets/data_table.h"

#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// As high as the text, up to a few lines, then it scrolls: so it does in a small window.
class WholeText : public QScrollArea {
  public:
    explicit WholeText(QLabel& label) : label_(label) {
        setWidget(&label);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
        hide();
    }
    QSize sizeHint() const override {
        constexpr int most_lines = 5;
        const int lines = std::min(label_.heightForWidth(width()), linesHigh(most_lines));
        return {label_.sizeHint().width(), lines};
    }
    QSize minimumSizeHint() const override { return {0, std::min(sizeHint().height(), linesHigh(2))}; }

  protected:
    void resizeEvent(QResizeEvent* event) override {
        QScrollArea::resizeEvent(event);
        if (event->oldSize().width() != event->size().width())
            updateGeometry();
    }

  private:
    int linesHigh(int lines) const {
        const QMargins around = label_.contentsMargins();
        return lines * label_.fontMetrics().lineSpacing() + around.top() + around.bottom();
    }
    QLabel& label_;
};

} // namespace

void showWholeText(DataTable& table, int column) {
    auto* label = new QLabel;
    label->setObjectName(QStringLiteral("wholeText"));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(12, 6, 12, 8);
    auto* scroll = new WholeText(*label);
    static_cast<QVBoxLayout*>(table.layout())->addWidget(scroll);
    const auto tell = [view = table.view(), label, scroll, column] {
        const QAbstractItemModel& rows = *view->model();
        const int row = view->currentIndex().isValid() ? view->currentIndex().row() : 0;
        QString text;
        if (row < rows.rowCount())
            text = QStringLiteral("%1: %2").arg(rows.index(row, 0).data().toString(),
                                                rows.index(row, column).data().toString());
        label->setText(keepFiguresWhole(text));
        scroll->updateGeometry();
        scroll->setVisible(!text.isEmpty() && !rows.index(row, column).data().toString().isEmpty());
    };
    const auto* rows = table.view()->model();
    QObject::connect(table.view()->selectionModel(), &QItemSelectionModel::currentRowChanged, label, tell);
    QObject::connect(rows, &QAbstractItemModel::modelReset, label, tell);
    QObject::connect(rows, &QAbstractItemModel::layoutChanged, label, tell);
    QObject::connect(rows, &QAbstractItemModel::rowsInserted, label, tell);
}

} // namespace tilescope::ui
