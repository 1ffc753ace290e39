// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>
#include <QString>
#include <functional>

class QMenu;

namespace tilescope::ui {

/// The queries that the reader has kept under a name, with a note, and those of the documentation.
class SavedQueries : public QListWidget {
    Q_OBJECT
  public:
    explicit SavedQueries(QWidget* parent = nullptr);
    void save(const QString& sql); ///< asks for a name and a note
    void editChosen();             ///< the name and the note of the one that is chosen
    void removeChosen();
    void addTo(QMenu& menu); ///< all of them; what is chosen there is picked

  Q_SIGNALS:
    void picked(const QString& sql);    ///< by a click
    void activated(const QString& sql); ///< to be run
    void message(const QString& text);
    void made(const QString& what, const std::function<void()>& redo, const std::function<void()>& undo);

  private:
    struct Query {
        QString name;
        QString sql;
        QString note;
    };
    void fill();
    const QListWidgetItem* own(); ///< that is chosen; null, and said: it is none of the reader's
    void ask(const Query& query);
    void keep(const Query& query);
    void forget(const QString& name);
    static Query queryOf(const QListWidgetItem& item);
};

} // namespace tilescope::ui
