// SPDX-License-Identifier: GPL-3.0-or-later
#include "details_dock.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace tilescope::ui {
namespace {

constexpr QChar may_break(0x200b); // a space of no width

/// At a space in front of the unit of a number.
bool before_unit(const QString& html, qsizetype i) {
    static const std::set<QString> units{
        QStringLiteral("B"),  QStringLiteral("KiB"), QStringLiteral("MiB"), QStringLiteral("GiB"),
        QStringLiteral("ns"), QStringLiteral("µs"),  QStringLiteral("ms"),  QStringLiteral("s"),
        QStringLiteral("%"),  QStringLiteral("MHz"), QStringLiteral("GHz"), QStringLiteral("cycles")};
    if (html[i] != u' ' || i == 0 || !html[i - 1].isDigit())
        return false;
    qsizetype end = i + 1;
    while (end < html.size() && (html[end].isLetter() || html[end] == u'%'))
        ++end;
    return units.contains(html.mid(i + 1, end - i - 1));
}

/// Names may break behind their `/`, `_` and `.` rather than within a word; numbers do not break, nor from
/// their units.
QString breakable(const QString& html) {
    const auto part_of_name = [](QChar c) { return c.isLetterOrNumber(); };
    QString result;
    result.reserve(html.size() + html.size() / 8);
    bool in_tag = false;
    for (qsizetype i = 0; i < html.size(); ++i) {
        const QChar c = html[i];
        in_tag = c == u'<' || (in_tag && c != u'>');
        result += !in_tag && before_unit(html, i) ? QChar(QChar::Nbsp) : c;
        if (in_tag || i == 0 || i + 1 == html.size() || (c != u'/' && c != u'_' && c != u'.'))
            continue;
        const bool in_number = c == u'.' && html[i - 1].isDigit() && html[i + 1].isDigit();
        if (part_of_name(html[i - 1]) && part_of_name(html[i + 1]) && !in_number)
            result += may_break;
    }
    return result;
}

/// Wide enough for words of the size that they have.
class DetailsText : public QTextBrowser {
  public:
    DetailsText() {
        setOpenLinks(false);
        constexpr int margin = 10;
        document()->setDocumentMargin(margin);
    }
    QSize sizeHint() const override { return {letters(42), 400}; }
    QSize minimumSizeHint() const override { return {letters(30), 100}; }

  protected:
    QMimeData* createMimeDataFromSelection() const override {
        auto* copied = new QMimeData;
        copied->setText(textCursor().selection().toPlainText().remove(may_break));
        copied->setHtml(
            textCursor().selection().toHtml().remove(may_break).replace(QChar(QChar::Nbsp), u' '));
        return copied;
    }

  private:
    int letters(int count) const { return count * fontMetrics().averageCharWidth(); }
};

QToolButton* button(const char* name, const QString& icon, const QString& tip) {
    auto* made = new QToolButton;
    made->setObjectName(QLatin1String(name));
    made->setIcon(themeIcon(icon));
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setProperty("close", true);
    return made;
}

} // namespace

DetailsDock::DetailsDock(QWidget* parent)
    : QDockWidget(tr("Details"), parent), parts_(new QSplitter(Qt::Vertical)), upper_(new QWidget),
      pinned_head_(new QLabel), pinned_(new DetailsText), now_(new DetailsText), edge_(new QFrame(this)) {
    setObjectName(QStringLiteral("details"));
    setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable);
    setTitleBarWidget(makeHead());
    now_->setObjectName(QStringLiteral("detailsText"));
    now_->setAccessibleName(tr("Details"));
    pinned_->setObjectName(QStringLiteral("pinnedText"));
    pinned_->setAccessibleName(tr("Pinned details"));
    for (const QTextBrowser* text : {now_, pinned_})
        connect(text, &QTextBrowser::anchorClicked, this,
                [this](const QUrl& link) { Q_EMIT linkChosen(link.toString()); });
    pinned_head_->setForegroundRole(QPalette::PlaceholderText);
    auto* close = button("unpin", QStringLiteral("clear"), tr("Let go of what is pinned"));
    connect(close, &QToolButton::clicked, this, &DetailsDock::unpin);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(10, 4, 6, 0);
    head->addWidget(pinned_head_, 1);
    head->addWidget(close);
    auto* layout = new QVBoxLayout(upper_);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(pinned_, 1);
    upper_->setAutoFillBackground(true);
    upper_->setBackgroundRole(QPalette::Base);
    upper_->hide();
    parts_->addWidget(upper_);
    parts_->addWidget(now_);
    parts_->setChildrenCollapsible(false);
    auto* all = new QWidget;
    all_ = new QVBoxLayout(all);
    all_->setContentsMargins({});
    all_->setSpacing(0);
    all_->addWidget(parts_, 1);
    setWidget(all);
    edge_->setFrameShape(QFrame::VLine);
    edge_->setForegroundRole(QPalette::Mid);
    edge_->hide();
    auto* leave = new QShortcut(Qt::Key_Escape, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, this, [this] {
        if (isDrawer())
            Q_EMIT closed();
    });
    write();
}

void DetailsDock::setNote(QWidget* note) {
    all_->addWidget(note);
}

void DetailsDock::setDrawer(QWidget* over) {
    over_ = over;
    if (over != nullptr)
        setParent(over->parentWidget());
    floats_->setVisible(over == nullptr);
    edge_->setVisible(over != nullptr);
    setAutoFillBackground(over != nullptr);
    fitDrawer();
}

void DetailsDock::fitDrawer() {
    if (over_ == nullptr)
        return;
    QRect place = over_->geometry();
    place.setLeft(place.right() + 1 - std::min(sizeHint().width(), place.width() / 2));
    setGeometry(place);
    raise();
}

void DetailsDock::resizeEvent(QResizeEvent* event) {
    QDockWidget::resizeEvent(event);
    edge_->setGeometry(0, 0, 1, height());
    edge_->raise();
}

QWidget* DetailsDock::makeHead() {
    auto* title = new QLabel(tr("Details"));
    title->setForegroundRole(QPalette::PlaceholderText);
    pin_ = button("pinDetails", QStringLiteral("pin"), tr("Keep this while I look at others (Ctrl+Shift+D)"));
    floats_ = button("floatDetails", QStringLiteral("float"), tr("Float, or back into the window"));
    auto* close = button("closeDetails", QStringLiteral("clear"), tr("Hide in this view (Ctrl+D)"));
    connect(pin_, &QToolButton::clicked, this, &DetailsDock::pin);
    connect(floats_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close, &QToolButton::clicked, this, &DetailsDock::closed);
    auto* head = new QWidget;
    head->setObjectName(QStringLiteral("detailsHead"));
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(10, 3, 6, 3);
    layout->setSpacing(2);
    layout->addWidget(title, 1);
    for (QToolButton* each : {pin_, floats_, close})
        layout->addWidget(each);
    return head;
}

/// What is told anew of the same, as of a run that goes on, stays scrolled as it is.
void DetailsDock::setDetails(const QString& html, const QString& of, bool offers) {
    const auto head = [](const QString& told) { return told.section(QStringLiteral("</h3>"), 0, 0); };
    const bool same = of == of_ && head(html) == head(html_);
    html_ = html;
    of_ = of;
    now_->setVisible(offers);
    const int scrolled = now_->verticalScrollBar()->value();
    write();
    if (same)
        now_->verticalScrollBar()->setValue(scrolled);
}

void DetailsDock::write() {
    now_->setHtml(Theme::of(this).filled(html_.isEmpty()
                                             ? inHtml(QStringLiteral("<p style='color:@muted'>%1</p>"),
                                                      {tr("Select something to see its details.")})
                                             : breakable(html_)));
    pin_->setEnabled(!html_.isEmpty());
}

void DetailsDock::writePinned() {
    upper_->setVisible(pinned());
    pinned_head_->setText(tr("Pinned, of %1").arg(pinned_of_));
    pinned_->setHtml(Theme::of(this).filled(breakable(pinned_html_)));
}

void DetailsDock::pin() {
    if (html_.isEmpty())
        return;
    pinned_html_ = html_;
    pinned_of_ = of_;
    writePinned();
}

void DetailsDock::unpin() {
    pinned_html_.clear();
    writePinned();
}

QJsonObject DetailsDock::savePinned() const {
    if (!pinned())
        return {};
    return {{QStringLiteral("html"), pinned_html_}, {QStringLiteral("of"), pinned_of_}};
}

void DetailsDock::restorePinned(const QJsonObject& saved) {
    pinned_html_ = saved[QStringLiteral("html")].toString();
    pinned_of_ = saved[QStringLiteral("of")].toString();
    writePinned();
}

void DetailsDock::changeEvent(QEvent* event) {
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        write();
        writePinned();
    }
}

} // namespace tilescope::ui
