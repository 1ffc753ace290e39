// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/subject_menu.h"

#include "ui/session/subject_link.h"
#include "ui/session/view.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

namespace tilescope::ui {
namespace {

constexpr const char* export_property = "export";

/// What the pointer is over: of what scrolls, its viewport, while the widget itself gets the keys.
QWidget* pictureOf(QWidget* part) {
    auto* scrolls = qobject_cast<QAbstractScrollArea*>(part);
    return scrolls == nullptr ? part : scrolls->viewport();
}

class MenuOffer : public QObject {
  public:
    MenuOffer(QWidget* part, std::function<void(const QPoint&)> choose, std::function<QPoint()> cursor,
              std::function<void(const QPoint&)> show)
        : QObject(part), part_(pictureOf(part)), choose_(std::move(choose)), cursor_(std::move(cursor)),
          show_(std::move(show)) {
        part->installEventFilter(this);
        if (part_ != part)
            part_->installEventFilter(this);
    }
    bool eventFilter(QObject* of, QEvent* event) override {
        if (event->type() == QEvent::ContextMenu) {
            const auto* wanted = static_cast<QContextMenuEvent*>(event);
            if (wanted->reason() == QContextMenuEvent::Keyboard) {
                byKey();
                return true;
            }
            choose(wanted->pos());
            show_(wanted->globalPos());
            return true;
        }
        if (event->type() == QEvent::KeyPress) {
            const auto* key = static_cast<QKeyEvent*>(event);
            if (key->key() == Qt::Key_Menu ||
                (key->key() == Qt::Key_F10 && key->modifiers() == Qt::ShiftModifier)) {
                byKey();
                return true;
            }
        }
        return QObject::eventFilter(of, event);
    }

  private:
    /// A platform may tell of the key and ask for the menu, too.
    void byKey() {
        if (QApplication::activePopupWidget() == nullptr)
            show_(part_->mapToGlobal(cursor_()));
    }
    void choose(const QPoint& at) {
        if (choose_)
            return choose_(at);
        const QPointF place(at);
        const QPointF global(part_->mapToGlobal(at));
        QMouseEvent press(QEvent::MouseButtonPress, place, global, Qt::LeftButton, Qt::LeftButton, {});
        QMouseEvent release(QEvent::MouseButtonRelease, place, global, Qt::LeftButton, {}, {});
        QCoreApplication::sendEvent(part_, &press);
        QCoreApplication::sendEvent(part_, &release);
    }

    QWidget* part_;
    std::function<void(const QPoint&)> choose_;
    std::function<QPoint()> cursor_;
    std::function<void(const QPoint&)> show_;
};

} // namespace

SubjectMenu::SubjectMenu(View& view) : view_(view), menu_(new QMenu(&view)) {
    menu_->setObjectName(QStringLiteral("subjectMenu"));
    menu_->setAttribute(Qt::WA_DeleteOnClose);
}

void SubjectMenu::goTo(const QStringList& views, const QString& link) {
    addPlaces(*menu_, view_, views, link);
}

void SubjectMenu::goTo(const QStringList& views, const std::function<void(const QString&)>& go) {
    addPlaces(*menu_, view_, views, go);
}

void addPlaces(QMenu& menu, View& view, const QStringList& ids, const QString& link) {
    addPlaces(menu, view, ids, [&view, link](const QString& id) { view.goTo(id, link); });
}

void addPlaces(QMenu& menu, View& view, const QStringList& ids,
               const std::function<void(const QString&)>& go_to) {
    QMenu* places = menu.addMenu(View::tr("&Go to"));
    const auto all = view.window()->findChildren<View*>();
    for (const QString& id : ids)
        for (const View* other : all)
            if (other->id() == id && other != &view) {
                const auto* go = view.window()->findChild<QAction*>(goActionOf(id));
                const QString keys = go == nullptr || go->shortcuts().isEmpty()
                                         ? QString()
                                         : go->shortcuts().last().toString(QKeySequence::NativeText);
                places->addAction(keys.isEmpty() ? other->title() : other->title() + QLatin1Char('\t') + keys,
                                  &view, [go_to, id] { go_to(id); });
            }
    places->menuAction()->setVisible(!places->isEmpty());
}

void SubjectMenu::add(const QString& text, std::function<void()> done, bool possible) {
    auto* action = new QAction(text, menu_);
    action->setEnabled(possible);
    QObject::connect(action, &QAction::triggered, &view_, std::move(done));
    done_ << action;
}

void SubjectMenu::add(QAction* action) {
    done_ << action;
}

void SubjectMenu::copy(const QString& what, const QString& text) {
    if (text.isEmpty())
        return;
    auto* action = new QAction(what, menu_);
    QObject::connect(action, &QAction::triggered, &view_,
                     [text] { QApplication::clipboard()->setText(text); });
    copied_ << action;
}

void SubjectMenu::save(QAction* action) {
    saved_ << action;
}

void SubjectMenu::save(const QWidget& picture) {
    for (QAction* action : picture.actions())
        if (action->property(export_property).toBool())
            saved_ << action;
}

void markExport(QAction* action) {
    action->setProperty(export_property, true);
}

void SubjectMenu::popup(const QPoint& global) {
    for (const QList<QAction*>& section : {done_, copied_, saved_}) {
        menu_->addSeparator();
        menu_->addActions(section);
    }
    menu_->addSeparator();
    menu_->addAction(View::tr("Help"), &view_,
                     [view = &view_] { Q_EMIT view->helpRequested(QStringLiteral("views"), view->title()); });
    menu_->popup(global);
}

QString markdownTable(const QStringList& heads, const QList<QStringList>& rows) {
    const auto line = [](QStringList words) {
        words.replaceInStrings(QStringLiteral("|"), QStringLiteral("\\|"));
        return QStringLiteral("| %1 |\n").arg(words.join(QStringLiteral(" | ")));
    };
    QString lines = line(heads) + line(QStringList(heads.size(), QStringLiteral("---")));
    for (const QStringList& row : rows)
        lines += line(row);
    return lines;
}

QString markdownRow(const QStringList& heads, const QStringList& cells) {
    return markdownTable(heads, {cells});
}

void offerMenu(QWidget* part, std::function<void(const QPoint&)> choose, std::function<QPoint()> cursor,
               std::function<void(const QPoint&)> show) {
    new MenuOffer(part, std::move(choose), std::move(cursor), std::move(show));
}

void offerSubject(View& view, QWidget* picture, std::function<void(const QPoint&)> choose,
                  std::function<QPoint()> cursor, std::function<PictureSubject()> subject) {
    offerMenu(picture, std::move(choose), std::move(cursor),
              [&view, picture, subject = std::move(subject)](const QPoint& global) {
                  const PictureSubject chosen = subject();
                  SubjectMenu menu(view);
                  if (!chosen.name.isEmpty()) {
                      menu.goTo(chosen.link.isEmpty() ? chosen.views : viewsShowing(chosen.link),
                                chosen.link);
                      menu.copy(View::tr("Copy name"), chosen.name);
                  }
                  menu.save(*picture);
                  menu.popup(global);
              });
}

} // namespace tilescope::ui
