// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QPoint>
#include <QStringList>
#include <functional>
#include <utility>

class QAction;
class QMenu;
class QWidget;

namespace tilescope::ui {

class View;

/// The menu of what is selected in a view. Its sections stand in the same order in all views: the other views
/// that show it, what can be done with it here, copies, exports, help.
class SubjectMenu {
  public:
    explicit SubjectMenu(View& view);
    /// By id, those that the window has, with their keys. `link`: what is the subject there (View::goTo).
    void goTo(const QStringList& views, const QString& link = {});
    /// The same, by another way.
    void goTo(const QStringList& views, const std::function<void(const QString& view)>& go);
    void add(const QString& text, std::function<void()> done, bool possible = true);
    void add(QAction* action); ///< of the view, with its keys
    void copy(const QString& what, const QString& text);
    void save(QAction* action);        ///< a picture or figures in a file
    void save(const QWidget& picture); ///< all of its exports
    void popup(const QPoint& global);

  private:
    View& view_;
    QMenu* menu_; ///< ends itself
    QList<QAction*> done_, copied_, saved_;
};

/// Says of an action of a picture that it takes what is shown elsewhere, as to the clipboard or a file: menus
/// of the picture have it, whatever its key is.
void markExport(QAction* action);

/// Adds "Go to" with the views of these ids that the window has, and their keys, but for `view` itself; it
/// shows them with what a link names as the subject (View::goTo). Nothing where there is none.
void addPlaces(QMenu& menu, View& view, const QStringList& ids, const QString& link = {});

void addPlaces(QMenu& menu, View& view, const QStringList& ids,
               const std::function<void(const QString& view)>& go);

/// What is chosen in a picture, for its menu.
struct PictureSubject {
    QString name;           ///< "": nothing is
    QString link = {};      ///< linkTo(); "": the selection has it, if anything does
    QStringList views = {}; ///< that show it, where there is no link
};

/// Object name of the window's action that shows a view: menus have its keys.
inline QString goActionOf(const QString& view) {
    return QStringLiteral("go.") + view;
}

/// Rows with their heads, as Markdown has tables.
QString markdownTable(const QStringList& heads, const QList<QStringList>& rows);
/// One row of a table with its heads.
QString markdownRow(const QStringList& heads, const QStringList& cells);

/// Calls `show` with a place on the screen whenever a menu is asked for in `part`: at the pointer, once
/// `choose` has selected what is there (as a left click does, where it is empty), or by the Menu key or
/// Shift+F10, at `cursor`, both in `part`.
void offerMenu(QWidget* part, std::function<void(const QPoint& at)> choose, std::function<QPoint()> cursor,
               std::function<void(const QPoint& global)> show);

/// The same for a picture with a cursor: it selects what is at a point (chooseFor), and says where its cursor
/// is (cursorPlace). `show` gets the picture, too.
template<class Picture>
void offerMenuOf(Picture* picture, std::function<void(QWidget& picture, const QPoint& global)> show) {
    offerMenu(
        picture, [picture](const QPoint& at) { picture->chooseFor(at); },
        [picture] { return picture->cursorPlace(); },
        [picture, show = std::move(show)](const QPoint& global) { show(*picture, global); });
}

/// The menu of a picture, as offerMenu() does it: the views that show what is chosen in it, its name, and the
/// actions of the picture.
void offerSubject(View& view, QWidget* picture, std::function<void(const QPoint& at)> choose,
                  std::function<QPoint()> cursor, std::function<PictureSubject()> subject);

/// The same for a picture with chooseFor() and cursorPlace().
template<class Picture>
void offerSubjectOf(View& view, Picture* picture, std::function<PictureSubject()> subject) {
    offerSubject(
        view, picture, [picture](const QPoint& at) { picture->chooseFor(at); },
        [picture] { return picture->cursorPlace(); }, std::move(subject));
}

} // namespace tilescope::ui
