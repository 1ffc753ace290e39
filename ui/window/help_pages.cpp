// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_pages.h"

#include "ui/session/whole_options.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>
#include <algorithm>

namespace tilescope::ui {
namespace {

HelpPage readPage(const QDir& folder, const QString& name, const QString& chapter) {
    HelpPage page{name, name, chapter, {}};
    QFile file(folder.filePath(name + QStringLiteral(".md")));
    if (!file.open(QIODevice::ReadOnly))
        return page;
    page.markdown = QString::fromUtf8(file.readAll());
    static const QRegularExpression heading(QStringLiteral("^# (.+)$"), QRegularExpression::MultilineOption);
    if (const auto match = heading.match(page.markdown); match.hasMatch())
        page.title = match.captured(1);
    return page;
}

bool isCode(const QTextBlock& block) {
    return block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage);
}

QString language(const QTextBlock& block) {
    return block.blockFormat().stringProperty(QTextFormat::BlockCodeLanguage);
}

/// Runs of a block in which the text has one format.
QList<QTextLayout::FormatRange> runs(const QTextBlock& block) {
    QList<QTextLayout::FormatRange> result;
    for (auto it = block.begin(); !it.atEnd(); ++it)
        result.append({it.fragment().position(), it.fragment().length(), it.fragment().charFormat()});
    return result;
}

void setHeading(const QTextBlock& block, const PageStyle& style) {
    const int level = block.blockFormat().headingLevel();
    QTextCursor cursor(block);
    QTextBlockFormat format;
    format.setTopMargin(level == 1 ? 0 : level == 2 ? 26 : 18);
    format.setBottomMargin(level == 1 ? 12 : 8);
    cursor.mergeBlockFormat(format);
    for (const auto& run : runs(block)) {
        QTextCharFormat text = run.format;
        text.clearProperty(QTextFormat::FontSizeAdjustment); // it would win over the size
        text.setFontPointSize(style.font.pointSizeF() * (level == 1 ? 2.0 : level == 2 ? 1.4 : 1.12));
        text.setFontWeight(QFont::DemiBold);
        text.setForeground(style.theme.text);
        cursor.setPosition(run.start);
        cursor.setPosition(run.start + run.length, QTextCursor::KeepAnchor);
        cursor.setCharFormat(text);
    }
}

void setParagraph(const QTextBlock& block, const PageStyle& style, bool in_table) {
    QTextCursor cursor(block);
    if (QTextList* list = block.textList();
        list != nullptr && list->format().style() == QTextListFormat::ListCircle) {
        QTextListFormat bullets = list->format();
        bullets.setStyle(QTextListFormat::ListDisc);
        list->setFormat(bullets);
    }
    const auto pieces = runs(block);
    const bool picture =
        std::any_of(pieces.begin(), pieces.end(), [](const auto& run) { return run.format.isImageFormat(); });
    QTextBlockFormat format;
    format.setLineHeight(picture ? 100 : in_table ? 120 : 138, QTextBlockFormat::ProportionalHeight);
    format.setTopMargin(0);
    format.setBottomMargin(in_table ? 0 : block.textList() != nullptr ? 4 : 10);
    cursor.mergeBlockFormat(format);
    for (const auto& run : pieces) {
        QTextCharFormat text;
        if (run.format.isImageFormat()) {
            text.setAnchor(true);
            text.setAnchorHref(run.format.toImageFormat().name());
        }
        if (run.format.fontFixedPitch()) {
            text.setFontFamilies({style.code_family});
            text.setFontPointSize(style.font.pointSizeF() * 0.95);
            text.setBackground(style.theme.grid);
        }
        if (run.format.isAnchor()) {
            text.setForeground(style.theme.accent);
            text.setFontUnderline(false);
        }
        cursor.setPosition(run.start);
        cursor.setPosition(run.start + run.length, QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(text);
    }
}

void setTable(QTextTable& table, const Theme& theme) {
    QTextTableFormat format = table.format();
    format.setBorder(0);
    format.setBorderCollapse(true);
    format.setCellPadding(6);
    format.setCellSpacing(0);
    format.setTopMargin(4);
    format.setBottomMargin(16);
    table.setFormat(format);
    for (int row = 0; row < table.rows(); ++row)
        for (int column = 0; column < table.columns(); ++column) {
            QTextTableCell cell = table.cellAt(row, column);
            // A table right after code has an empty line in its first cell (Qt 6.4's reader of Markdown).
            if (QTextCursor lead = cell.firstCursorPosition();
                lead.block().length() == 1 && lead.position() < cell.lastCursorPosition().position())
                lead.deleteChar();
            QTextTableCellFormat cell_format = cell.format().toTableCellFormat();
            cell_format.setBottomBorder(1);
            cell_format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            cell_format.setBottomBorderBrush(row == 0 ? theme.muted : theme.border);
            cell_format.setVerticalAlignment(QTextCharFormat::AlignTop);
            cell.setFormat(cell_format);
            if (row > 0)
                continue;
            QTextCursor head = cell.firstCursorPosition();
            head.setPosition(cell.lastCursorPosition().position(), QTextCursor::KeepAnchor);
            QTextCharFormat text;
            text.setForeground(theme.muted);
            text.setFontWeight(QFont::Medium);
            head.mergeCharFormat(text);
        }
}

/// A box around neighbouring blocks of code.
void setCode(QTextDocument& document, int first, int last, const PageStyle& style) {
    QTextCursor cursor(document.findBlockByNumber(last));
    const QTextBlock next = cursor.block().next();
    if (next.isValid() && QTextCursor(next).currentFrame() != document.rootFrame()) {
        cursor.movePosition(QTextCursor::EndOfBlock); // two frames need a block between them
        cursor.insertBlock({}, {});
    }
    cursor.setPosition(document.findBlockByNumber(first).position());
    const QTextBlock end = document.findBlockByNumber(last);
    cursor.setPosition(end.position() + end.length() - 1, QTextCursor::KeepAnchor);
    QTextCharFormat text;
    text.setFontFamilies({style.code_family});
    text.setFontPointSize(style.font.pointSizeF() * 0.95);
    text.setForeground(style.theme.text);
    text.setBackground(Qt::NoBrush);
    cursor.mergeCharFormat(text);
    QTextBlockFormat block;
    block.setLineHeight(130, QTextBlockFormat::ProportionalHeight);
    block.setTopMargin(0);
    block.setBottomMargin(0);
    block.setLeftMargin(0);
    block.setIndent(0);
    block.setNonBreakableLines(false); // long lines wrap rather than leave the page
    QTextFrameFormat frame;
    frame.setBackground(style.theme.window);
    frame.setBorder(1);
    frame.setBorderBrush(style.theme.border);
    frame.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    frame.setPadding(10);
    frame.setTopMargin(2);
    frame.setBottomMargin(12);
    QTextFrame* box = cursor.insertFrame(frame);
    for (auto it = box->begin(); !it.atEnd();
         ++it) // not before: the frame gives its ends formats of their own
        QTextCursor(it.currentBlock()).mergeBlockFormat(block);
}

} // namespace

QString plainText(const HelpPage& page) {
    QTextDocument document;
    document.setMarkdown(keepOptionsWhole(page.markdown));
    return document.toPlainText();
}

QList<HelpPage> readHelp(const QString& folder) {
    const QDir docs(folder);
    QList<HelpPage> pages{readPage(docs, QStringLiteral("index"), {})};
    QStringList left = docs.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
    left.removeAll(QStringLiteral("index.md"));
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)]+\\.md)\\)"));
    QString chapter;
    for (const QString& line : pages.front().markdown.split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("## ")))
            chapter = line.mid(3);
        if (const auto match = link.match(line); match.hasMatch() && left.removeAll(match.captured(1)) > 0)
            pages.append(readPage(docs, match.captured(1).chopped(3), chapter));
    }
    for (const QString& file : left)
        pages.append(readPage(docs, file.chopped(3), QStringLiteral("More")));
    return pages;
}

PageStyle PageStyle::now(const Theme& theme, const QFont& font) {
    return {theme, font, QFontDatabase::systemFont(QFontDatabase::FixedFont).family()};
}

std::unique_ptr<QTextDocument> typeset(const QString& markdown, const PageStyle& style) {
    auto whole = std::make_unique<QTextDocument>();
    QTextDocument& document = *whole;
    document.setDefaultFont(style.font);
    document.setUndoRedoEnabled(false);
    document.setMarkdown(keepOptionsWhole(markdown));
    QTextCursor all(&document);
    all.beginEditBlock(); // laid out once, at the end
    QList<QTextTable*> tables;
    for (QTextFrame* frame : document.rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame))
            tables.append(table);
    QList<std::pair<int, int>> code; // first and last block
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (isCode(block)) {
            const bool goes_on = !code.isEmpty() && code.back().second == block.blockNumber() - 1 &&
                                 language(block) == language(block.previous());
            if (goes_on)
                code.back().second = block.blockNumber();
            else
                code.append({block.blockNumber(), block.blockNumber()});
        } else if (block.blockFormat().headingLevel() > 0)
            setHeading(block, style);
        else
            setParagraph(block, style, QTextCursor(block).currentTable() != nullptr);
    }
    for (auto range = code.rbegin(); range != code.rend(); ++range) // from the end: a frame adds blocks
        setCode(document, range->first, range->second, style);
    for (QTextTable* table : tables)
        setTable(*table, style.theme);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        if (block.length() > 1 || cursor.currentTable() != nullptr ||
            cursor.currentFrame() != document.rootFrame())
            continue;
        QTextBlockFormat nothing; // what a frame leaves before and behind itself
        nothing.setLineHeight(1, QTextBlockFormat::FixedHeight);
        cursor.setBlockFormat(nothing);
    }
    all.endEditBlock();
    return whole;
}

} // namespace tilescope::ui
