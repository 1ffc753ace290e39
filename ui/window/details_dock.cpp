// SPDX-License-Identifier: GPL-3.0-or-later
#include "details_dock.h"

#include "details_text.h"
#include "ui/theme/theme.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

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
    for (const DetailsText* text : {now_, pinned_}) {
        connect(text, &DetailsText::anchorClicked, this,
                [this](const QUrl& link) { Q_EMIT linkChosen(link.toString()); });
        connect(text, &DetailsText::allCopied, this, &DetailsDock::copied);
    }
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
    copy_ = button("copyDetails", QStringLiteral("copy"),
                   tr("Copy what is said here, a line of each row (Ctrl+C where this panel has the focus)"));
    pin_ = button("pinDetails", QStringLiteral("pin"), tr("Keep this while I look at others (Ctrl+Shift+D)"));
    floats_ = button("floatDetails", QStringLiteral("float"), tr("Float, or back into the window"));
    auto* close = button("closeDetails", QStringLiteral("clear"), tr("Hide in this view (Ctrl+D)"));
    connect(copy_, &QToolButton::clicked, this, &DetailsDock::copy);
    connect(pin_, &QToolButton::clicked, this, &DetailsDock::pin);
    connect(floats_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close, &QToolButton::clicked, this, &DetailsDock::closed);
    auto* head = new QWidget;
    head->setObjectName(QStringLiteral("detailsHead"));
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(10, 3, 6, 3);
    layout->setSpacing(2);
    layout->addWidget(title, 1);
    for (QToolButton* each : {copy_, pin_, floats_, close})
        layout->addWidget(each);
    return head;
}

/// What is told anew of the same, as of a run that goes on, stays scrolled as it is.
void DetailsDock::setDetails(const QString& html, const QString& hint, const QString& of, bool offers) {
    const auto head = [](const QString& told) { return told.section(QStringLiteral("</h3>"), 0, 0); };
    const bool same = of == of_ && head(html) == head(html_);
    html_ = html;
    hint_ = hint;
    of_ = of;
    now_->setVisible(offers);
    const int scrolled = now_->verticalScrollBar()->value();
    write();
    if (same)
        now_->verticalScrollBar()->setValue(scrolled);
}

void DetailsDock::write() {
    now_->showDetails(html_, hint_);
    pin_->setEnabled(!html_.isEmpty());
    copy_->setEnabled(!html_.isEmpty() || pinned());
}

void DetailsDock::writePinned() {
    upper_->setVisible(pinned());
    pinned_head_->setText(tr("Pinned, of %1").arg(pinned_of_));
    pinned_->showDetails(pinned_html_, {});
    copy_->setEnabled(!html_.isEmpty() || pinned());
}

void DetailsDock::pin() {
    if (html_.isEmpty())
        return;
    pinned_html_ = html_;
    pinned_of_ = of_;
    writePinned();
}

bool DetailsDock::copy() {
    if (html_.isEmpty() && !pinned())
        return false;
    (html_.isEmpty() ? pinned_ : now_)->copyAll();
    return true;
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

} // namespace tilescope::ui
