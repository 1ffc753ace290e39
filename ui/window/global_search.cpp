// SPDX-License-Identifier: GPL-3.0-or-later
#include "global_search.h"

#include "base/try.h"
#include "hit_list.h"
#include "profile/profile.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/told_news.h"

#include <QButtonGroup>
#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <limits>
#include <numeric>
#include <utility>

namespace tilescope::ui {
namespace {
constexpr std::size_t most_of_each = 12;
constexpr std::size_t most_of_one = 500;
constexpr int all_kinds = -2; ///< id of the button; -1 would be given another

QString usage() {
    return GlobalSearch::tr("Enter goes there, Shift+Enter only selects it, Ctrl+Enter lists all of its "
                            "kind; arrows show it behind this list.");
}
} // namespace

FileSearch::FileSearch(const QString& path, QObject* parent) : QObject(parent) {
    inBackground(
        this,
        [path]() -> Result<Index> {
            TRY(const auto file, profile::Profile::follow(path.toStdString()));
            TRY(auto index, SearchIndex::read(*file));
            return std::make_shared<const SearchIndex>(std::move(index));
        },
        [this](const Result<Index>& index) {
            index_ = index;
            if (waiting_)
                std::exchange(waiting_, {})();
        });
}

void FileSearch::find(const QString& typed, std::optional<HitKind> only, std::size_t most,
                      std::function<void(Result<SearchAnswer>)> done) {
    if (!index_) {
        waiting_ = [this, typed, only, most, done] { find(typed, only, most, done); };
        return;
    }
    if (!*index_)
        return done(Failure(index_->error()));
    inBackground(
        this, [index = **index_, typed, only, most] { return index->find(typed, only, most); },
        [this, number = ++newest_, done = std::move(done)](SearchAnswer answer) {
            if (number == newest_)
                done(std::move(answer));
        });
}

GlobalSearch::GlobalSearch(FileSearch* search, QWidget* parent)
    : QDialog(parent, Qt::Popup), search_(search), input_(new QLineEdit(this)),
      kinds_(new QButtonGroup(this)), hits_(new HitList(this)), list_(new QTreeView(this)),
      note_(new QLabel(this)) {
    setObjectName(QStringLiteral("search"));
    setAttribute(Qt::WA_DeleteOnClose);
    input_->setPlaceholderText(
        tr("Operations, variables, passes, findings, log …; “tile 45”, “IPU 3 tile 45”, “step 7614”"));
    input_->setAccessibleName(tr("Search everything"));
    input_->setClearButtonEnabled(true);
    input_->installEventFilter(this);
    auto* kinds = new FlowLayout(2, 2);
    for (int kind = all_kinds; kind < static_cast<int>(hit_kinds); ++kind) {
        if (kind == -1)
            continue;
        auto* button = new QToolButton;
        button->setText(kind == all_kinds ? tr("all") : hitKindName(static_cast<HitKind>(kind)));
        button->setCheckable(true);
        button->setChecked(kind == all_kinds);
        kinds_->addButton(button, kind);
        kinds->addWidget(button);
    }
    list_->setModel(hits_);
    list_->setHeaderHidden(true);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    note_->setForegroundRole(QPalette::PlaceholderText);
    note_->setTextFormat(Qt::PlainText); // it repeats what is typed
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 8);
    layout->addWidget(input_);
    layout->addLayout(kinds);
    layout->addWidget(list_);
    layout->addWidget(note_);
    resize(760, 460);
    connect(input_, &QLineEdit::textChanged, this, [this] {
        all_ = false;
        ask();
    });
    connect(kinds_, &QButtonGroup::idClicked, this, [this] {
        all_ = false;
        input_->setFocus();
        ask();
    });
    list_->setMouseTracking(true);
    list_->viewport()->setMouseTracking(true);
    connect(list_, &QTreeView::entered, this, [this](const QModelIndex& row) {
        list_->setCurrentIndex(row);
        preview();
    });
    connect(list_, &QTreeView::clicked, this, [this](const QModelIndex& row) {
        if (const auto kind = hits_->wantsAll(row.row()))
            askAll(*kind);
    });
    connect(list_, &QTreeView::activated, this, [this] { choose(true); });
    note_->setText(usage());
    input_->setFocus();
}

std::optional<HitKind> GlobalSearch::only() const {
    const int kind = kinds_->checkedId();
    return kind < 0 ? std::nullopt : std::optional(static_cast<HitKind>(kind));
}

void GlobalSearch::ask() {
    if (input_->text().trimmed().isEmpty())
        return show(SearchAnswer{});
    if (search_ == nullptr) {
        close();
        return;
    }
    const std::size_t most = all_     ? std::numeric_limits<std::size_t>::max()
                             : only() ? most_of_one
                                      : most_of_each;
    search_->find(input_->text(), only(), most,
                  [alive = QPointer(this)](Result<SearchAnswer> answer) { // it may be closed by then
                      if (alive != nullptr)
                          alive->show(std::move(answer));
                  });
    if (hits_->rowCount() == 0)
        note_->setText(tr("Searching…"));
}

void GlobalSearch::askAll(HitKind kind) {
    kinds_->button(static_cast<int>(kind))->setChecked(true);
    all_ = true;
    ask();
}

/// Of the kind of the chosen row, or again the best of all kinds.
void GlobalSearch::toggleAll() {
    if (all_) {
        kinds_->button(all_kinds)->setChecked(true);
        all_ = false;
        ask();
    } else if (const auto kind = hits_->kind(list_->currentIndex().row())) {
        askAll(*kind);
    }
}

void GlobalSearch::show(Result<SearchAnswer> answer) {
    if (!answer) {
        if (answer.error().kind != ErrorKind::Cancelled)
            note_->setText(text(answer.error().line()));
        return;
    }
    hits_->setAnswer(std::move(*answer));
    list_->setCurrentIndex(hits_->index(0, 0));
    showCounts();
}

void GlobalSearch::showCounts() {
    const SearchAnswer& answer = hits_->answer();
    for (int kind = 0; kind < static_cast<int>(hit_kinds); ++kind) {
        const std::int64_t count = answer.counts[static_cast<std::size_t>(kind)];
        const QString name = hitKindName(static_cast<HitKind>(kind));
        kinds_->button(kind)->setText(count == 0 ? name
                                                 : QStringLiteral("%1 %2").arg(name, formatCount(count)));
    }
    const std::int64_t all = std::accumulate(answer.counts.begin(), answer.counts.end(), std::int64_t{0});
    const bool typed = !input_->text().trimmed().isEmpty();
    tellNews(*note_, !typed     ? usage()
                     : all == 0 ? tr("Nothing matches “%1”.").arg(input_->text())
                     : all_     ? tr("%1 of %2 hits; Ctrl+Enter leads back to all kinds.")
                                  .arg(formatCount(std::ssize(answer.hits)), formatCount(all))
                     : all > std::ssize(answer.hits)
                         ? tr("%1 of %2 hits; Ctrl+Enter, or the last row of a kind, lists all of it.")
                               .arg(formatCount(std::ssize(answer.hits)), formatCount(all))
                         : formatCounted(all, tr("hit"), tr("hits")));
}

void GlobalSearch::preview() {
    if (const SearchHit* now = hits_->hit(list_->currentIndex().row()))
        Q_EMIT previewed(*now);
}

void GlobalSearch::choose(bool go) {
    const int row = list_->currentIndex().row();
    if (const auto kind = hits_->wantsAll(row))
        return askAll(*kind);
    if (hits_->hit(row) == nullptr)
        return;
    const SearchHit chosen_hit = *hits_->hit(row);
    accept();
    Q_EMIT chosen(chosen_hit, go);
}

bool GlobalSearch::eventFilter(QObject* object, QEvent* event) {
    if (object != input_ || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(object, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
        QCoreApplication::sendEvent(list_, event);
        preview();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if ((key->modifiers() & Qt::ControlModifier) != 0) {
            toggleAll();
            return true;
        }
        choose((key->modifiers() & Qt::ShiftModifier) == 0);
        return true;
    default:
        return QDialog::eventFilter(object, event);
    }
}

} // namespace tilescope::ui
