// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_window.h"

#include "page_browser.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/session/whole_options.h"
#include "ui/theme/theme.h"
#include "ui/widgets/told_news.h"

#include <QAbstractTextDocumentLayout>
#include <QAction>
#include <QDesktopServices>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

constexpr int page_role = Qt::UserRole;
constexpr int hits_role = Qt::UserRole + 1;

QToolButton* buttonFor(QAction* action) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    return button;
}

} // namespace

HelpWindow::HelpWindow(QWidget* parent, const QString& folder)
    : QDialog(parent, Qt::Window), pages_(readHelp(folder)), search_(new QLineEdit), found_(new QLabel),
      contents_(new QListWidget), text_(new PageBrowser(folder)) {
    resize(1120, 760);
    search_->setPlaceholderText(tr("Search  ( / )"));
    search_->setClearButtonEnabled(true);
    found_->setForegroundRole(QPalette::PlaceholderText);
    contents_->setObjectName(QStringLiteral("contents"));
    contents_->setFocusPolicy(Qt::TabFocus);
    text_->setOpenLinks(false);
    makeActions();

    auto* tools = new QHBoxLayout;
    tools->setSpacing(2);
    tools->addWidget(buttonFor(back_));
    tools->addWidget(buttonFor(forward_));
    tools->addStretch();
    tools->addWidget(found_);
    auto* side = new QWidget;
    auto* side_layout = new QVBoxLayout(side);
    side_layout->setContentsMargins(12, 10, 12, 12);
    side_layout->setSpacing(8);
    side_layout->addLayout(tools);
    side_layout->addWidget(search_);
    side_layout->addWidget(contents_, 1);
    side->setObjectName(QStringLiteral("side"));
    side->setAttribute(Qt::WA_StyledBackground);
    auto* split = new QSplitter;
    split->setHandleWidth(1);
    split->addWidget(side);
    split->addWidget(text_);
    split->setSizes({250, 870});
    split->setStretchFactor(1, 1);
    split->setCollapsible(0, false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);

    connect(contents_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item != nullptr && item->data(page_role).isValid())
            showPage(item->data(page_role).toString());
    });
    connect(search_, &QLineEdit::textChanged, this, [this] {
        hit_ = -1;
        listPages();
        markHits();
    });
    connect(search_, &QLineEdit::returnPressed, this, [this] { goToHit(1); });
    connect(text_, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
    listPages();
    showPage(QStringLiteral("index"));
    text_->setFocus();
    readTexts();
}

/// A page is set in the colours of the theme; what is shown of it stays where it is.
void HelpWindow::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || shown_ < 0)
        return;
    listPages();
    setPage(pages_[shown_], [this, place = text_->verticalScrollBar()->value()] {
        text_->verticalScrollBar()->setValue(place);
    });
}

void HelpWindow::makeActions() {
    const auto add = [this](const QString& text, const QString& icon, const QList<QKeySequence>& keys,
                            auto done) {
        auto* action = new QAction(themeIcon(icon), text, this);
        action->setShortcuts(keys);
        action->setToolTip(
            QStringLiteral("%1 (%2)").arg(text, keys.front().toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, done);
        addAction(action);
        return action;
    };
    back_ = add(tr("Back"), QStringLiteral("earlier"), {QKeySequence(QStringLiteral("Alt+Left"))},
                [this] { go(-1); });
    forward_ = add(tr("Forward"), QStringLiteral("later"), {QKeySequence(QStringLiteral("Alt+Right"))},
                   [this] { go(1); });
    add(tr("Search"), QStringLiteral("search"), {QKeySequence::Find, Qt::Key_Slash}, [this] {
        search_->setFocus();
        search_->selectAll();
    });
    add(tr("Next hit"), QStringLiteral("down"), {Qt::Key_F3}, [this] { goToHit(1); });
    add(tr("Previous hit"), QStringLiteral("up"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)},
        [this] { goToHit(-1); });
}

QString HelpWindow::page() const {
    return shown_ < 0 ? QString() : pages_[shown_].name;
}

const QString& HelpWindow::textOf(const HelpPage& page) {
    auto text = texts_.find(page.name);
    if (text == texts_.end())
        text = texts_.emplace(page.name, plainText(page)).first;
    return text->second;
}

/// Reads all pages beside the window, so that the first search finds them read.
void HelpWindow::readTexts() {
    inBackground(
        this,
        [pages = pages_] {
            std::map<QString, QString> texts;
            for (const HelpPage& page : pages)
                texts.emplace(page.name, plainText(page));
            return texts;
        },
        [this](std::map<QString, QString> texts) { texts_.merge(texts); });
}

/// The contents: every page under its chapter, or those that have what is searched.
void HelpWindow::listPages() {
    const QSignalBlocker quiet(contents_);
    const QString wanted = keepOptionsWhole(search_->text().trimmed());
    contents_->clear();
    QString chapter;
    int hits = 0;
    for (const HelpPage& page : pages_) {
        const auto here =
            wanted.isEmpty() ? 0 : static_cast<int>(textOf(page).count(wanted, Qt::CaseInsensitive));
        if (!wanted.isEmpty() && here == 0)
            continue;
        hits += here;
        if (wanted.isEmpty() && page.chapter != chapter) {
            chapter = page.chapter;
            auto* head = new QListWidgetItem(chapter, contents_);
            head->setFlags(Qt::NoItemFlags);
            head->setForeground(Theme::of(this).muted);
            QFont font = contents_->font();
            font.setPointSizeF(font.pointSizeF() * 0.9);
            head->setFont(font);
            head->setSizeHint({0, fontMetrics().height() + 22});
            head->setTextAlignment(Qt::AlignLeft | Qt::AlignBottom);
        }
        auto* item = new QListWidgetItem(
            here > 0 ? QStringLiteral("%1  ·  %2").arg(page.title).arg(here) : page.title, contents_);
        item->setData(page_role, page.name);
        item->setData(hits_role, here);
        if (page.name == this->page())
            contents_->setCurrentItem(item);
    }
    tellNews(*found_, wanted.isEmpty() ? QString()
                      : hits == 0      ? tr("nothing found")
                                       : formatCounted(hits, tr("hit"), tr("hits")));
}

/// The page is set on another thread, as long ones take long, and then shown; the one before stays till then.
void HelpWindow::setPage(const HelpPage& page, std::function<void()> then) {
    const auto set = [markdown = page.markdown, style = PageStyle::now(Theme::of(this), text_->font()),
                      thread = thread()] {
        auto document = typeset(markdown, style);
        document->setDocumentMargin(PageBrowser::margin);
        document->moveToThread(thread);
        return document;
    };
    inBackground(
        this, set, [this, turn = ++turn_, then = std::move(then)](std::unique_ptr<QTextDocument> document) {
            if (turn != turn_) // another one is wanted by now
                return;
            const QPointer<QTextDocument> before = text_->document();
            text_->startOver();
            text_->setExtraSelections({}); // they are places in the page before
            document->setParent(text_);
            QTextDocument* shown = document.release();
            shown->setLayoutEnabled(false); // it would be laid out for no width, and then for its own
            text_->setDocument(shown);      // deletes the one that it made itself
            shown->setLayoutEnabled(true);
            delete before;
            set_turn_ = turn;
            markHits();
            then();
        });
}

void HelpWindow::showPage(const QString& name, const QString& heading) {
    showPage(name, [this, heading] { goToHeading(heading); });
}

void HelpWindow::showPage(const QString& name, const std::function<void()>& then) {
    const auto found =
        std::find_if(pages_.begin(), pages_.end(), [&](const HelpPage& page) { return page.name == name; });
    if (found == pages_.end())
        return;
    const auto index = static_cast<int>(found - pages_.begin());
    if (index == shown_ && atRest())
        return then();
    shown_ = index;
    hit_ = -1;
    setWindowTitle(tr("%1 – Help").arg(found->title));
    setPage(*found, then);
    if (place_ < 0 || visited_[place_] != name) {
        visited_ = visited_.mid(0, place_ + 1);
        visited_ << name;
        place_ = static_cast<int>(visited_.size()) - 1;
    }
    back_->setEnabled(place_ > 0);
    forward_->setEnabled(place_ + 1 < visited_.size());
    const QSignalBlocker quiet(contents_);
    contents_->setCurrentItem(nullptr);
    for (int row = 0; row < contents_->count(); ++row)
        if (contents_->item(row)->data(page_role).toString() == name)
            contents_->setCurrentRow(row);
}

void HelpWindow::goToHeading(const QString& heading) {
    for (QTextBlock block = text_->document()->begin(); !heading.isEmpty() && block.isValid();
         block = block.next())
        if (block.blockFormat().headingLevel() > 0 &&
            block.text().compare(heading, Qt::CaseInsensitive) == 0) {
            text_->setTextCursor(QTextCursor(block));
            const qreal top = text_->document()->documentLayout()->blockBoundingRect(block).top();
            text_->verticalScrollBar()->setValue(static_cast<int>(top) - 12);
            break;
        }
}

void HelpWindow::markHits() {
    const Theme& theme = Theme::of(this);
    QList<QTextEdit::ExtraSelection> marks;
    const QString wanted = keepOptionsWhole(search_->text().trimmed());
    QTextCursor cursor(text_->document());
    while (!wanted.isEmpty()) {
        cursor = text_->document()->find(wanted, cursor);
        if (cursor.isNull())
            break;
        QTextEdit::ExtraSelection mark;
        mark.cursor = cursor;
        const bool current = marks.size() == hit_;
        mark.format.setBackground(current ? theme.accent : theme.accent_soft);
        mark.format.setForeground(current ? QColor(Qt::white) : theme.text);
        marks << mark;
    }
    text_->setExtraSelections(marks);
}

void HelpWindow::goToHit(int step) {
    const auto hits = static_cast<int>(text_->extraSelections().size());
    const int next = hit_ < 0 && step < 0 ? hits - 1 : hit_ + step;
    if (next >= 0 && next < hits) {
        hit_ = next;
        markHits();
        QTextCursor at = text_->extraSelections()[hit_].cursor;
        at.clearSelection();
        text_->setTextCursor(at);
        text_->ensureCursorVisible();
        return;
    }
    const int rows = contents_->count();
    for (int i = 1; i <= rows && !search_->text().isEmpty(); ++i) { // the next page that has some
        const int row = ((std::max(contents_->currentRow(), 0) + step * i) % rows + rows) % rows;
        const QListWidgetItem* item = contents_->item(row);
        if (item->data(hits_role).toInt() == 0)
            continue;
        return showPage(item->data(page_role).toString(), [this, step] {
            hit_ = -1;
            if (!text_->extraSelections().isEmpty())
                goToHit(step);
        });
    }
}

void HelpWindow::follow(const QUrl& link) {
    if (link.isRelative() && link.path().endsWith(QLatin1String(".md")))
        showPage(link.path().chopped(3));
    else if (link.isRelative() && link.path().endsWith(QLatin1String(".png")))
        showPicture(text_->pathOf(link));
    else if (!link.isRelative())
        QDesktopServices::openUrl(link);
}

/// As large as it was made, in a window of its own.
void HelpWindow::showPicture(const QString& path) {
    auto* dialog = new QDialog(this, Qt::Window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("picture"));
    dialog->setWindowTitle(tr("%1 – Help").arg(QFileInfo(path).completeBaseName()));
    auto* picture = new QLabel;
    picture->setPixmap(QPixmap(path));
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAlignment(Qt::AlignCenter);
    scroll->setWidget(picture);
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins({});
    layout->addWidget(scroll);
    dialog->resize((picture->sizeHint() + QSize(2, 2)).boundedTo(screen()->availableSize()));
    dialog->show();
}

void HelpWindow::go(int step) {
    if (place_ + step < 0 || place_ + step >= visited_.size())
        return;
    place_ += step;
    showPage(visited_[place_]);
}

} // namespace tilescope::ui
