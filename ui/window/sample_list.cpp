// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/sample_list.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QStyledItemDelegate>

namespace tilescope::ui {
namespace {

enum Role { PathRole = Qt::UserRole, DescriptionRole };

QString firstSentence(const QString& text) {
    const qsizetype end = text.indexOf(QLatin1String(". "));
    return end < 0 ? text : text.left(end + 1);
}

/// The name, and under it as many lines as the description needs.
class SampleRow : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyleOptionViewItem row = option;
        initStyleOption(&row, index);
        row.text.clear();
        const QWidget* list = option.widget;
        list->style()->drawControl(QStyle::CE_ItemViewItem, &row, painter, list);
        const QRect inner = option.rect.adjusted(margin, padding, -margin, -padding);
        painter->save();
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(inner, Qt::AlignLeft | Qt::AlignTop, index.data(Qt::DisplayRole).toString());
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(inner.adjusted(0, option.fontMetrics.lineSpacing(), 0, 0),
                          Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                          index.data(DescriptionRole).toString());
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* list = qobject_cast<const QListWidget*>(option.widget);
        const int width = list->viewport()->width() - 2 * margin;
        const QString description = index.data(DescriptionRole).toString();
        const int below =
            description.isEmpty()
                ? 0
                : option.fontMetrics.boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap, description)
                      .height();
        return {width, option.fontMetrics.lineSpacing() + below + 2 * padding};
    }

  private:
    static constexpr int margin = 6;
    static constexpr int padding = 5;
};

} // namespace

SampleList::SampleList(const QStringList& samples, QWidget* parent) : QListWidget(parent) {
    setObjectName(tr("Samples"));
    setAccessibleName(tr("Samples"));
    setProperty("list", true);
    setItemDelegate(new SampleRow(this));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    for (const QString& path : samples) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QJsonObject workload = QJsonDocument::fromJson(file.readAll()).object();
        if (!workload.contains(QStringLiteral("model"))) // budgets and the like lie there, too
            continue;
        const QString description = workload[QStringLiteral("description")].toString();
        auto* item = new QListWidgetItem(QFileInfo(path).completeBaseName(), this);
        item->setData(PathRole, path);
        item->setData(DescriptionRole, firstSentence(description));
        item->setToolTip(description);
        item->setData(Qt::AccessibleTextRole, QStringLiteral("%1: %2").arg(item->text(), description));
    }
    if (count() == 0)
        setAccessibleDescription(tr("No samples are installed beside the program."));
    connect(this, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { Q_EMIT sampleChosen(item->data(PathRole).toString()); });
}

void SampleList::resizeEvent(QResizeEvent* event) {
    QListWidget::resizeEvent(event);
    scheduleDelayedItemsLayout(); // descriptions break elsewhere
}

void SampleList::paintEvent(QPaintEvent* event) {
    QListWidget::paintEvent(event);
    if (count() > 0)
        return;
    QPainter painter(viewport());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect().adjusted(6, 5, -6, -5),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, accessibleDescription());
}

} // namespace tilescope::ui
