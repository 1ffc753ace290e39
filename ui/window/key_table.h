// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeWidget>

namespace tilescope::ui {

class KeyBindings;

/// Every command with its keys, and which others they would do as well. Enter or a double click asks for
/// others, Delete takes them away.
class KeyTable : public QTreeWidget {
    Q_OBJECT
  public:
    explicit KeyTable(KeyBindings& keys, QWidget* parent = nullptr);
    void refresh();
    /// Shows the commands whose name or keys have the text in them; false: there are none.
    bool setFilter(const QString& text);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void ask(QTreeWidgetItem* item);
    KeyBindings& keys_;
};

} // namespace tilescope::ui
