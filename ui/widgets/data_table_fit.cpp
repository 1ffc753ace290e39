// SPDX-License-Identifier: GPL-3.0-or-later
// How wide the columns of a table are, and how high its rows.
#include "bar_delegate.h"
#include "folding_proxy.h"
#include "frozen_table.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/table_text.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyle>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

/// Pixels of a text, or of any that is like it but for its digits: these are not equally wide in all fonts.
int widthOfAlike(const QFontMetrics& metrics, QString text) {
    const QString digits = QStringLiteral("0123456789");
    const QChar widest = *std::max_element(digits.begin(), digits.end(), [&](QChar a, QChar b) {
        return metrics.horizontalAdvance(a) < metrics.horizontalAdvance(b);
    });
    for (QChar& each : text)
        each = each.isDigit() ? widest : each;
    return metrics.horizontalAdvance(text);
}

/// What has a number is read in whole, with its unit; a text can be told by its beginning and end.
bool hasNumbers(const DataTableModel& model, int column) {
    const auto c = static_cast<std::size_t>(column);
    return std::any_of(model.rows().begin(), model.rows().end(),
                       [c](const TableRow& row) { return c < row.cells.size() && row.cells[c].numeric; });
}

} // namespace

/// Each column is as wide as its longest text, whatever is in view, but for one that takes what is left: to
/// measure every text, as the header's own mode does, takes too long. Where less is left than names need to
/// be told apart, the table scrolls, and names stay in sight.
void DataTable::fitColumns() {
    fits_ = view_->isVisible();
    if (!fits_)
        return fitHeight();
    constexpr int least = 150;                 // of the column of names
    constexpr double fair_of_names = 0.36;     // of the table, for those that are longer
    constexpr double fair_of_sentences = 0.54; // whose end is not told by their beginning
    constexpr int least_of_bar = 120;
    auto* header = view_->horizontalHeader();
    const int margin = style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, view_) + 1;
    const int beside = 2 * (margin + cell_padding) + 8;
    const auto widthOfLongest = [&](int c) {
        return widthOfAlike(view_->fontMetrics(), model_->longest(c)) + beside;
    };
    std::vector<int> needs(static_cast<std::size_t>(model_->columnCount()));
    for (int c = 0; c < model_->columnCount(); ++c)
        if (!view_->isColumnHidden(c))
            needs[static_cast<std::size_t>(c)] = std::max(
                {header->sectionSizeHint(c), widthOfLongest(c), model_->isBar(c) ? least_of_bar : 0});
    const auto needed = [&needs](int c) { return needs[static_cast<std::size_t>(c)]; };
    const auto dragged = [&](int c) { // 0: not
        return widths_.value(model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()).toInt();
    };
    fitting_ = true;
    int wide = model_->wideColumn();
    if (wide >= 0 && dragged(wide) > 0)
        wide = -1; // it is as wide as it was dragged
    if (wraps_) {  // or its coming would have all rows fitted twice
        const int least_high = proxy_->rowCount() * view_->verticalHeader()->defaultSectionSize();
        view_->setVerticalScrollBarPolicy(least_high > view_->viewport()->height() ? Qt::ScrollBarAlwaysOn
                                                                                   : Qt::ScrollBarAsNeeded);
    }
    const int width = view_->viewport()->width();
    if (wraps_) // else the header stretches the column that takes what is left in the room of before
        header->resize(width, header->height());
    int left = width;
    const QString longest = wide == 0 ? model_->longest(0) : QString();
    const bool sentences = longest.contains(u' ') && !longest.contains(u'/');
    const int names =
        std::max(least, static_cast<int>((sentences ? fair_of_sentences : fair_of_names) * left));
    for (int c = 0; c < model_->columnCount(); ++c) {
        if (c == wide || view_->isColumnHidden(c))
            continue;
        header->setSectionResizeMode(c, QHeaderView::Interactive);
        // One long text does not push all other columns out of sight, nor names the sentences beside them.
        const bool has_its_share = c == 0 ? wide > 0 : !wraps_;
        const int share = c == 0                   ? names
                          : hasNumbers(*model_, c) ? std::max(width / 4, widthOfLongest(c))
                                                   : width / 4;
        const int most = has_its_share ? std::max(share, header->sectionSizeHint(c)) : needed(c);
        header->resizeSection(c, dragged(c) > 0 ? dragged(c) : std::min(most, needed(c)));
        left -= header->sectionSize(c);
    }
    if (wraps_ && wide > 0 && dragged(0) == 0) { // names give way to sentences, as far as they wrap as well
        const int whole_parts = widestPart(*proxy_, 0, view_->fontMetrics()) + beside;
        const int least_of_names = std::clamp(whole_parts, least, std::max(least, width / 4));
        if (const int more = std::min(names - left, header->sectionSize(0) - least_of_names); more > 0) {
            header->resizeSection(0, header->sectionSize(0) - more);
            left += more;
        }
    }
    // What nobody takes is theirs whose texts are cut.
    int spare = left - (wide >= 0 ? std::max(needed(wide), names) : 0);
    for (int c = 0; spare > 0 && !wraps_ && c < model_->columnCount(); ++c) {
        if (c == wide || view_->isColumnHidden(c) || dragged(c) > 0)
            continue;
        const int more = std::min(spare, needed(c) - header->sectionSize(c));
        if (more <= 0)
            continue;
        header->resizeSection(c, header->sectionSize(c) + more);
        spare -= more;
        left -= more;
    }
    if (wide >= 0) {
        const int whole = wraps_     ? header->sectionSizeHint(wide)
                          : wide > 0 ? std::min(least, needed(wide))
                                     : std::min(names, needed(wide));
        header->setSectionResizeMode(wide, left >= whole ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (left < whole)
            header->resizeSection(wide, whole);
    }
    if (wraps_)
        wrapRows();
    fitting_ = false;
    if (view_->viewport()->width() != width) // the bar that scrolls rows came or went
        return fitColumns();
    fitHeight();
}

void DataTable::fitNewRows() {
    wrapped_in_.clear();
    fitColumns();
}

void DataTable::wrapRows() {
    std::vector<int> widths;
    for (int c = 0; c < model_->columnCount(); ++c)
        widths.push_back(view_->columnWidth(c));
    if (std::exchange(wrapped_in_, widths) != widths)
        view_->resizeRowsToContents();
}

void DataTable::showAllRows() {
    all_rows_ = true;
    view_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                QWidget* page = parentWidget();
                while (page != nullptr && qobject_cast<QScrollArea*>(page) == nullptr)
                    page = page->parentWidget();
                auto* scrolls = static_cast<QScrollArea*>(page);
                if (!row.isValid() || choosing_ || scrolls == nullptr || scrolls->widget() == nullptr)
                    return;
                const QRect at = view_->visualRect(row);
                const QPoint within = view_->viewport()->mapTo(scrolls->widget(), at.center());
                scrolls->ensureVisible(scrolls->horizontalScrollBar()->value(), within.y(), 0,
                                       2 * at.height());
            });
    fitHeight();
}

/// Of the rows that the filter hides, too: typing moves nothing that stands below.
void DataTable::fitHeight() {
    if (!all_rows_)
        return;
    const int rows = model_->rowCount() * view_->verticalHeader()->defaultSectionSize();
    view_->setFixedHeight(view_->horizontalHeader()->sizeHint().height() + rows + 2 * view_->frameWidth() +
                          view_->horizontalScrollBar()->sizeHint().height());
}

/// The one that takes what is left goes on doing so, until it is dragged itself.
void DataTable::takeWidths() {
    const auto* header = view_->horizontalHeader();
    for (int c = 0; c < model_->columnCount(); ++c)
        if (!view_->isColumnHidden(c) && header->sectionResizeMode(c) != QHeaderView::Stretch)
            widths_[model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()] =
                header->sectionSize(c);
}

void DataTable::setWidths(const QVariantMap& widths) {
    widths_ = widths;
    for (int c = 0; c < model_->columnCount(); ++c)
        view_->setColumnHidden(c, off_.contains(c) || isHiddenByHand(c));
    fitColumns();
}

void DataTable::wrapTexts() {
    wraps_ = true;
    view_->setWordWrap(true);
    view_->setTextElideMode(Qt::ElideNone);
    fitColumns();
}

} // namespace tilescope::ui
