// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <map>
#include <optional>

class QCompleter;
class QStringListModel;

namespace tilescope::ui {

/// A text of SQL with completion: keywords, tables and functions, behind "table." the table's columns.
/// Aliases
/// ("FROM variable v") stand for their tables.
class SqlEditor : public QPlainTextEdit {
    Q_OBJECT
  public:
    using Columns = std::map<QString, QStringList>; ///< by table
    explicit SqlEditor(QWidget* parent = nullptr);
    void setTables(Columns columns);
    /// What can be written at the cursor, sorted.
    QStringList completions() const;
    QCompleter* completer() const { return completer_; }
    /// Underlines the word or sign that is wrong, `at` letters from the beginning. nullopt: nothing is wrong
    /// any more, as after the next letter typed, or it is not known where.
    void markError(std::optional<qsizetype> at);

  Q_SIGNALS:
    void runRequested(); ///< Ctrl+Return

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QString wordBefore() const;  ///< letters, digits and _ up to the cursor
    QString tableBefore() const; ///< of "v." right before that word: its table; empty: there is none
    void complete(bool asked);
    void insert(const QString& completion);

    Columns columns_;
    QCompleter* completer_;
    QStringListModel* words_;
};

} // namespace tilescope::ui
