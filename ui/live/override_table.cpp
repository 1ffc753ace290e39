// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/override_table.h"

#include "base/nearest_name.h"
#include "ui/live/workload_settings.h"
#include "ui/theme/theme.h"

#include <QCompleter>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

namespace tilescope::ui {
namespace {

enum OverrideColumn { key_column, value_column, columns };
constexpr int most_rows_shown = 6;

const WorkloadSetting* settingOf(const QString& key) {
    const auto& all = workloadSettings();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.key == key; });
    return found == all.end() ? nullptr : &*found;
}

/// Whether a key lies below a setting that takes names of its own, as `model.shards.conv2d_1` does.
bool below(const QString& key) {
    const auto& all = workloadSettings();
    return std::any_of(all.begin(), all.end(), [&](const WorkloadSetting& s) {
        return (s.kind.contains(QLatin1String("object")) || s.kind.contains(QLatin1String("array"))) &&
               key.startsWith(s.key + QLatin1Char('.'));
    });
}

/// Completes keys; in an empty value it says what the setting is otherwise.
class OverrideDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                          const QModelIndex& index) const override {
        auto* edit = new QLineEdit(parent);
        edit->setFrame(false);
        if (index.column() == key_column) {
            QStringList keys;
            for (const WorkloadSetting& setting : workloadSettings())
                keys.append(setting.key);
            auto* completer = new QCompleter(keys, edit);
            completer->setFilterMode(Qt::MatchContains);
            completer->setCaseSensitivity(Qt::CaseInsensitive);
            edit->setCompleter(completer);
        }
        return edit;
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        if (!index.data().toString().isEmpty())
            return;
        const WorkloadSetting* setting = settingOf(index.siblingAtColumn(key_column).data().toString());
        const QString hint = index.column() == key_column ? OverrideTable::tr("a setting, as fit.batch_size")
                             : setting != nullptr         ? setting->fallback
                                                          : QString();
        painter->setPen(Theme::of(option.widget).muted);
        painter->drawText(option.rect.adjusted(4, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, hint);
    }
};

} // namespace

OverrideTable::OverrideTable(QWidget* parent) : QTableWidget(1, columns, parent) {
    setObjectName(QStringLiteral("overrides"));
    setAccessibleName(tr("Settings other than the workload's"));
    setHorizontalHeaderLabels({tr("Setting"), tr("Value")});
    horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    verticalHeader()->hide();
    setItemDelegate(new OverrideDelegate(this));
    setEditTriggers(QAbstractItemView::AllEditTriggers);
    setTabKeyNavigation(false);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    for (QHeaderView* header :
         {horizontalHeader(), verticalHeader()}) // which learn of another font after the table
        connect(header, &QHeaderView::geometriesChanged, this, [this] { updateGeometry(); });
    connect(this, &QTableWidget::cellChanged, this, [this] {
        if (tidying_)
            return;
        tidy();
        Q_EMIT edited();
    });
    tidy();
}

QStringList OverrideTable::overrides() const {
    QStringList all;
    for (int row = 0; row < rowCount(); ++row) {
        const QString key = item(row, key_column)->text().trimmed();
        if (!key.isEmpty())
            all.append(key + QLatin1Char('=') + item(row, value_column)->text().trimmed());
    }
    return all;
}

void OverrideTable::setOverrides(const QStringList& overrides) {
    tidying_ = true;
    setRowCount(0);
    for (const QString& one : overrides) {
        const int row = rowCount();
        insertRow(row);
        setItem(row, key_column, new QTableWidgetItem(one.section(QLatin1Char('='), 0, 0)));
        setItem(row, value_column, new QTableWidgetItem(one.section(QLatin1Char('='), 1)));
    }
    tidying_ = false;
    tidy();
    Q_EMIT edited();
}

void OverrideTable::setOverride(const QString& one) {
    QStringList all = overrides();
    all.removeIf([&](const QString& other) {
        return other.section(QLatin1Char('='), 0, 0) == one.section(QLatin1Char('='), 0, 0);
    });
    setOverrides(all << one);
}

QString OverrideTable::problem() const {
    for (const QString& one : overrides()) {
        const QString key = one.section(QLatin1Char('='), 0, 0);
        const WorkloadSetting* setting = settingOf(key);
        if (setting == nullptr && !below(key)) {
            std::vector<std::string> names;
            for (const WorkloadSetting& known : workloadSettings())
                names.push_back(known.key.toStdString());
            const std::string near = nearest_name(key.toStdString(), names);
            return near.empty() ? tr("“%1” is no setting of a workload.").arg(key)
                                : tr("“%1” is no setting of a workload; did you mean %2?")
                                      .arg(key, QString::fromStdString(near));
        }
        const QString value = one.section(QLatin1Char('='), 1);
        if (value.isEmpty())
            return tr("%1 has no value yet.").arg(key);
        if (QString wrong = setting == nullptr ? QString() : setting->problemOf(value); !wrong.isEmpty())
            return wrong;
    }
    return {};
}

void OverrideTable::tidy() {
    tidying_ = true;
    const auto empty = [this](int row) {
        return (item(row, key_column) == nullptr || item(row, key_column)->text().trimmed().isEmpty()) &&
               (item(row, value_column) == nullptr || item(row, value_column)->text().trimmed().isEmpty());
    };
    for (int row = rowCount() - 2; row >= 0; --row)
        if (empty(row))
            removeRow(row);
    if (rowCount() == 0 || !empty(rowCount() - 1))
        insertRow(rowCount());
    for (int row = 0; row < rowCount(); ++row) {
        for (const int column : {key_column, value_column})
            if (item(row, column) == nullptr)
                setItem(row, column, new QTableWidgetItem);
        const QString key = item(row, key_column)->text().trimmed();
        const WorkloadSetting* setting = settingOf(key);
        const bool unknown = !key.isEmpty() && setting == nullptr && !below(key);
        const QString value = item(row, value_column)->text().trimmed();
        const bool cannot_be = setting != nullptr && !value.isEmpty() && !setting->problemOf(value).isEmpty();
        const QBrush bad(Theme::of(this).bad);
        item(row, key_column)->setForeground(unknown ? bad : QBrush());
        item(row, value_column)->setForeground(cannot_be ? bad : QBrush());
        const QString tip =
            setting == nullptr
                ? QString()
                : tr("%1: %2. %3").arg(setting->key, setting->kind, setting->description) +
                      (setting->fallback.isEmpty() ? QString() : tr(" Default: %1.").arg(setting->fallback));
        for (const int column : {key_column, value_column})
            item(row, column)->setToolTip(tip);
    }
    tidying_ = false;
    updateGeometry();
}

QSize OverrideTable::sizeHint() const {
    const int row = verticalHeader()->defaultSectionSize();
    return {300, horizontalHeader()->sizeHint().height() + row * std::min(rowCount(), most_rows_shown) + 4};
}

void OverrideTable::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Delete || currentRow() < 0)
        return QTableWidget::keyPressEvent(event);
    removeRow(currentRow());
    tidy();
    Q_EMIT edited();
}

} // namespace tilescope::ui
