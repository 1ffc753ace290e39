// SPDX-License-Identifier: GPL-3.0-or-later
#include "counterpart_dialog.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace tilescope::ui {

CounterpartDialog::CounterpartDialog(const QString& question, QList<Candidate> candidates, QWidget* parent)
    : QDialog(parent), candidates_(std::move(candidates)), typed_(new QLineEdit), names_(new QListWidget) {
    setObjectName(QStringLiteral("counterpart"));
    setWindowTitle(tr("Counterpart"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* asked = new QLabel(question);
    asked->setWordWrap(true);
    typed_->setPlaceholderText(tr("Filter"));
    typed_->setAccessibleName(tr("Filter of the names"));
    typed_->setClearButtonEnabled(true);
    typed_->installEventFilter(this);
    names_->setAccessibleName(tr("Names"));
    names_->setTextElideMode(Qt::ElideMiddle);
    names_->setUniformItemSizes(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(asked);
    layout->addWidget(typed_);
    layout->addWidget(names_, 1);
    layout->addWidget(buttons);
    constexpr int wide = 560, high = 480;
    resize(wide, high);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        if (const QListWidgetItem* item = names_->currentItem()) {
            Q_EMIT nameChosen(item->data(Qt::UserRole).toString());
            accept();
        }
    });
    QPushButton* ok = buttons->button(QDialogButtonBox::Ok);
    connect(names_, &QListWidget::itemActivated, ok, &QPushButton::click);
    connect(names_, &QListWidget::currentItemChanged, this,
            [ok](const QListWidgetItem* item) { ok->setEnabled(item != nullptr); });
    connect(typed_, &QLineEdit::textChanged, this, &CounterpartDialog::list);
    list({});
    typed_->setFocus();
}

void CounterpartDialog::list(const QString& typed) {
    names_->clear();
    for (const Candidate& candidate : candidates_) {
        if (!candidate.name.contains(typed.trimmed(), Qt::CaseInsensitive))
            continue;
        auto* item = new QListWidgetItem(
            candidate.remark.isEmpty() ? candidate.name : tr("%1 (%2)").arg(candidate.name, candidate.remark),
            names_);
        item->setData(Qt::UserRole, candidate.name);
        item->setToolTip(item->text());
    }
    names_->setCurrentRow(0);
}

/// The arrows go through the names while one types.
bool CounterpartDialog::eventFilter(QObject* of, QEvent* event) {
    if (of == typed_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int step = key->key() == Qt::Key_Down ? 1 : key->key() == Qt::Key_Up ? -1 : 0;
        const int row = names_->currentRow() + step;
        if (step != 0 && row >= 0 && row < names_->count()) {
            names_->setCurrentRow(row);
            return true;
        }
    }
    return QDialog::eventFilter(of, event);
}

} // namespace tilescope::ui
