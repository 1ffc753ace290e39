// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

namespace tilescope::ui {

/// What the bars of tiles are parted by: a button for each part, that shows or hides it. Before them stands
/// what colours mean that are of no part, as those of a difference.
class PartLegend : public QWidget {
    Q_OBJECT
  public:
    struct Entry {
        QString name;
        std::function<QColor(const Theme&)> color; ///< empty: nothing is drawn in a colour of its own
        QString tip = {};
        bool is_part = true; ///< can be hidden
        bool shown = true;
    };
    explicit PartLegend(QWidget* parent = nullptr);
    void setEntries(std::vector<Entry> entries);
    void setNote(const QString& note); ///< in place of entries

  Q_SIGNALS:
    void toggled(const QString& name, bool shown);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void rebuild();
    void add(const Entry& entry);
    std::vector<Entry> entries_;
    QString note_;
};

} // namespace tilescope::ui
