// SPDX-License-Identifier: GPL-3.0-or-later
#include "undo_list.h"

#include <QUndoCommand>
#include <QUndoStack>
#include <utility>

namespace tilescope::ui {
namespace {

class Made : public QUndoCommand {
  public:
    Made(const QString& what, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(what), redo_(std::move(redo)), undo_(std::move(undo)) {}
    void redo() override {
        if (std::exchange(again_, true))
            redo_();
    }
    void undo() override { undo_(); }

  private:
    std::function<void()> redo_, undo_;
    bool again_ = false; ///< pushing it on the stack calls redo(), and it is done already
};

} // namespace

UndoList::UndoList(QObject* owner) : stack_(new QUndoStack(owner)) {
    constexpr int most = 200;
    stack_->setUndoLimit(most);
}

void UndoList::add(const QString& what, std::function<void()> redo, std::function<void()> undo) {
    if (!moving_)
        stack_->push(new Made(what, std::move(redo), std::move(undo)));
}

bool UndoList::canUndo() const {
    return stack_->canUndo();
}

bool UndoList::canRedo() const {
    return stack_->canRedo();
}

QString UndoList::undo() {
    QString what = stack_->undoText();
    moving_ = true;
    stack_->undo();
    moving_ = false;
    return what;
}

QString UndoList::redo() {
    QString what = stack_->redoText();
    moving_ = true;
    stack_->redo();
    moving_ = false;
    return what;
}

} // namespace tilescope::ui
