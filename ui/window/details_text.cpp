// SPDX-License-Identifier: GPL-3.0-or-later
#include "details_text.h"

#include "ui/session/format.h"
#include "ui/session/whole_options.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/table_text.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QTextTable>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr QChar may_break(0x200b); // a space of no width
/// Names may break behind their `/`, `_` and `.` rather than within a word; numbers do not break, nor from
/// their units.
QString breakable(const QString& told) {
    const QString html = keepFiguresWholeInHtml(told);
    const auto part_of_name = [](QChar c) { return c.isLetterOrNumber(); };
    QString result;
    result.reserve(html.size() + html.size() / 8);
    bool in_tag = false;
    for (qsizetype i = 0; i < html.size(); ++i) {
        const QChar c = html[i];
        in_tag = c == u'<' || (in_tag && c != u'>');
        result += c;
        if (in_tag || i == 0 || i + 1 == html.size() || (c != u'/' && c != u'_' && c != u'.'))
            continue;
        const bool in_number = c == u'.' && html[i - 1].isDigit() && html[i + 1].isDigit();
        if (part_of_name(html[i - 1]) && part_of_name(html[i + 1]) && !in_number)
            result += may_break;
    }
    return result;
}

/// Without what keeps its lines from breaking, or lets them.
QString plain(QString shown) {
    return withoutJoiners(shown.remove(may_break)).replace(QChar(QChar::Nbsp), u' ');
}

QStringList linesOf(const QTextTableCell& cell) {
    QTextCursor all = cell.firstCursorPosition();
    all.setPosition(cell.lastPosition(), QTextCursor::KeepAnchor);
    return plain(all.selection().toPlainText()).split(u'\n');
}

QString textOf(const QTextTable& table) {
    QString text;
    for (int row = 0; row < table.rows(); ++row) {
        QList<QStringList> cells;
        qsizetype lines = 0;
        for (int column = 0; column < table.columns(); ++column) {
            cells << linesOf(table.cellAt(row, column));
            lines = std::max(lines, cells.back().size());
        }
        for (qsizetype line = 0; line < lines; ++line) {
            QStringList shown;
            for (const QStringList& cell : cells)
                shown << cell.value(line);
            text += tableLine(shown, u'\t');
        }
    }
    return text;
}

} // namespace

DetailsText::DetailsText() {
    setOpenLinks(false);
    constexpr int margin = 10;
    document()->setDocumentMargin(margin);
}

void DetailsText::showDetails(const QString& html, const QString& hint) {
    html_ = html;
    hint_ = hint;
    write();
}

/// In the colours of the theme.
void DetailsText::write() {
    setHtml(Theme::of(this).filled(html_.isEmpty()
                                       ? inHtml(QStringLiteral("<p style='color:@muted'>%1</p>"), {hint_})
                                       : breakable(html_)));
}

void DetailsText::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        write();
}

QString DetailsText::toText() const {
    QString text;
    const QTextFrame* all = document()->rootFrame();
    for (auto part = all->begin(); part != all->end(); ++part) {
        if (const auto* table = qobject_cast<const QTextTable*>(part.currentFrame()))
            text += textOf(*table);
        else if (const QString line = plain(part.currentBlock().text()).trimmed(); !line.isEmpty())
            text += line + u'\n';
    }
    return text;
}

QSize DetailsText::sizeHint() const {
    return {letters(42), 400};
}

QSize DetailsText::minimumSizeHint() const {
    return {letters(30), 100};
}

int DetailsText::letters(int count) const {
    return count * fontMetrics().averageCharWidth();
}

void DetailsText::copy() {
    textCursor().hasSelection() ? QTextBrowser::copy() : copyAll();
}

void DetailsText::copyAll() {
    if (html_.isEmpty())
        return;
    QApplication::clipboard()->setText(toText());
    Q_EMIT allCopied();
}

QMimeData* DetailsText::createMimeDataFromSelection() const {
    auto* copied = new QMimeData;
    copied->setText(plain(textCursor().selection().toPlainText()));
    copied->setHtml(plain(textCursor().selection().toHtml()));
    return copied;
}

void DetailsText::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    QTextBrowser::keyPressEvent(event);
}

void DetailsText::contextMenuEvent(QContextMenuEvent* event) {
    QMenu* menu = createStandardContextMenu(event->pos());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("detailsMenu"));
    menu->addSeparator();
    menu->addAction(tr("Copy details"), this, &DetailsText::copyAll)->setEnabled(!html_.isEmpty());
    menu->popup(event->globalPos());
}

} // namespace tilescope::ui
