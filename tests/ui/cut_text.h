// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/yielding_split.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QGraphicsView>
#include <QHeaderView>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPointer>
#include <QTabBar>
#include <QTableView>
#include <QWidget>
#include <algorithm>
#include <vector>

namespace tilescope::tests {

/// A text that a widget draws: where it stands, and how much of that the widget lets one see.
struct DrawnText {
    QString text;
    QRectF place;
    QRectF seen;
};

/// What is painted on it is not seen; the texts in it are kept.
class TextRecorder : public QPaintDevice {
  public:
    explicit TextRecorder(const QWidget& like) : size_(like.size()), dpi_(like.logicalDpiX()) {
        engine_.texts = &texts;
    }
    QPaintEngine* paintEngine() const override { return &engine_; }
    std::vector<DrawnText> texts;

  protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
        case PdmWidth:
            return size_.width();
        case PdmHeight:
            return size_.height();
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY:
            return dpi_;
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return static_cast<int>(devicePixelRatioFScale());
        default:
            return 32;
        }
    }

  private:
    struct Engine : QPaintEngine {
        Engine() : QPaintEngine(AllFeatures) {}
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        Type type() const override { return User; }
        void updateState(const QPaintEngineState&) override {}
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
        void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
        void drawPath(const QPainterPath&) override {}
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
        void drawTextItem(const QPointF& at, const QTextItem& item) override {
            constexpr QChar joiner(0x2060); // keeps words together, and is not seen
            if (item.text().remove(joiner).trimmed().isEmpty())
                return;
            const QTransform way = painter()->deviceTransform();
            const QRectF place(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
            QRectF seen = way.mapRect(place);
            if (painter()->hasClipping())
                seen &= way.mapRect(painter()->clipBoundingRect());
            texts->push_back({item.text(), way.mapRect(place), seen});
        }
        std::vector<DrawnText>* texts = nullptr;
    };
    QSize size_;
    int dpi_;
    mutable Engine engine_;
};

/// What the widget draws itself, without its children.
inline std::vector<DrawnText> drawn_texts(QWidget& widget) {
    TextRecorder recorder(widget);
    widget.render(&recorder, {}, {}, {});
    return recorder.texts;
}

/// The part of `widget` that is not behind the edge of one that it is in; what scrolls can be scrolled to,
/// and what is folded unfolded.
inline QRectF reachable(const QWidget& widget) {
    QRect seen = widget.rect();
    for (const QWidget* in = &widget; in->parentWidget() != nullptr && !in->isWindow();) {
        const QWidget* out = in->parentWidget();
        const auto* area = qobject_cast<const QAbstractScrollArea*>(out->parentWidget());
        if (area != nullptr && area->viewport() == out)
            break;
        const auto* split = qobject_cast<const ui::YieldingSplit*>(out->parentWidget());
        if (split != nullptr && split->folded() && split->widget(1) == out)
            break;
        seen &= QRect(widget.mapFrom(out, QPoint()), out->size());
        in = out;
    }
    return seen;
}

/// Of the texts that `widget` draws: those that end beyond an edge, and those that lie upon another. In a
/// picture that one moves about in (`moved`) texts may end at its own edge, but at no other.
inline QStringList cut_in(QWidget& widget, bool moved = false) {
    constexpr double air = 1.5; ///< the boxes of letters are larger than what is drawn of them
    QStringList cut;
    std::vector<DrawnText> texts = drawn_texts(widget);
    const QRectF all = reachable(widget);
    if (moved) {
        for (DrawnText& text : texts)
            text.place &= QRectF(widget.rect());
        std::erase_if(texts, [](const DrawnText& text) { return text.place.isEmpty(); });
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const QRectF seen = texts[i].seen & all;
        const QRectF& place = texts[i].place;
        const double below = 0.2 * place.height(); // letters fill their line to a part
        if (seen.left() > place.left() + air || seen.right() < place.right() - air ||
            seen.top() > place.top() + below || seen.bottom() < place.bottom() - below)
            cut << QStringLiteral("“%1” is cut").arg(texts[i].text);
        for (std::size_t j = 0; j < i; ++j) {
            const QRectF both = texts[j].place & place;
            if (both.width() > air && both.height() > 2 * below)
                cut << QStringLiteral("“%1” lies upon “%2”").arg(texts[i].text, texts[j].text);
        }
    }
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
        QString whole = button->text();
        whole.remove(QLatin1Char('&'));
        if (!texts.empty() && std::none_of(texts.begin(), texts.end(), [&](const DrawnText& text) {
                return whole.startsWith(text.text) && text.text.size() == whole.section(u'\n', 0, 0).size();
            }))
            cut << QStringLiteral("“%1” is shortened to “%2”").arg(whole, texts.front().text);
    }
    return cut;
}

/// Heads of columns that are wider than their column.
inline QStringList cut_heads(const QHeaderView& header) {
    QStringList cut;
    for (int i = 0; i < header.count(); ++i) {
        const QString head = header.model()->headerData(i, header.orientation()).toString();
        int widest = 0;
        for (const QString& line : head.split(u'\n'))
            widest = std::max(widest, header.fontMetrics().horizontalAdvance(line));
        if (!header.isSectionHidden(i) && header.orientation() == Qt::Horizontal &&
            widest > header.sectionSize(i))
            cut << QStringLiteral("head “%1” of %2 px is %3 px wide")
                       .arg(head)
                       .arg(header.sectionSize(i))
                       .arg(widest);
    }
    return cut;
}

/// Tabs that end beyond their bar. As many files may be open as one likes: arrows bring their tabs into it.
inline QStringList cut_tabs(const QTabBar& bar) {
    QStringList cut;
    for (int i = 0; i < bar.count() && bar.objectName() != QLatin1String("files"); ++i)
        if (bar.isTabVisible(i) && !bar.rect().contains(bar.tabRect(i)))
            cut << QStringLiteral("tab “%1” is cut").arg(bar.tabText(i));
    return cut;
}

/// Texts of a table in lines that are longer than their column, where what is in it wraps.
inline QStringList cut_lines(const QTableView& table) {
    QStringList cut;
    for (int row = 0; table.wordWrap() && row < table.model()->rowCount(); ++row)
        for (int column = 0; column < table.model()->columnCount(); ++column) {
            if (table.isColumnHidden(column))
                continue;
            const QModelIndex index = table.model()->index(row, column);
            const int beside = 8;
            const QRect room(0, 0, table.columnWidth(column) - beside, 1000);
            const QString text = index.data().toString();
            const QRect needed = table.fontMetrics().boundingRect(room, Qt::TextWordWrap, text);
            if (needed.width() > room.width() || needed.height() > table.rowHeight(row))
                cut << QStringLiteral("“%1” is cut").arg(text);
        }
    return cut;
}

/// What a reader cannot read of `shown` and what is in it. In pictures that one moves about in (`canvases`,
/// by name of class) texts, and rows of tables, end where their frame does.
inline QStringList cut_texts(QWidget& shown, const QStringList& canvases = {}) {
    const auto moved = [&](const QObject* widget) {
        return widget != nullptr && canvases.contains(QLatin1String(widget->metaObject()->className())
                                                          .mid(QLatin1String("tilescope::ui::").size()));
    };
    QStringList cut;
    QList<QPointer<QWidget>> all{&shown}; // to draw one may lay out others, and parts of them go
    for (QWidget* child : shown.findChildren<QWidget*>())
        all << child;
    for (const QPointer<QWidget>& widget : all) {
        if (widget == nullptr || !widget->isVisible() || widget->width() <= 1 || widget->height() <= 1)
            continue;
        QStringList found;
        const auto* area = qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
        if (const auto* header = qobject_cast<const QHeaderView*>(widget.data()))
            found = cut_heads(*header);
        else if (const auto* table = qobject_cast<const QTableView*>(widget.data()))
            found = cut_lines(*table);
        else if (area != nullptr) {
            const bool paints = moved(area) || qobject_cast<const QGraphicsView*>(area) != nullptr;
            if (paints && area->viewport() == widget)
                found = cut_in(*widget, moved(area));
        } else if (qobject_cast<QAbstractScrollArea*>(widget.data()) == nullptr)
            found = cut_in(*widget, moved(widget.data()));
        if (const auto* bar = qobject_cast<const QTabBar*>(widget.data()))
            found += cut_tabs(*bar);
        for (const QString& text : found)
            cut << QStringLiteral("%1 %2: %3")
                       .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(), text);
    }
    return cut;
}

} // namespace tilescope::tests
