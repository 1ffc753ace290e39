// SPDX-License-Identifier: GPL-3.0-or-later
#include "takes_letters.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace tilescope::ui {

bool takesLetters(const QWidget* focus) {
    const auto* edit = qobject_cast<const QTextEdit*>(focus);
    const auto* plain = qobject_cast<const QPlainTextEdit*>(focus);
    const auto* box = qobject_cast<const QComboBox*>(focus);
    return qobject_cast<const QLineEdit*>(focus) != nullptr || (edit != nullptr && !edit->isReadOnly()) ||
           (plain != nullptr && !plain->isReadOnly()) || (box != nullptr && box->isEditable()) ||
           qobject_cast<const QAbstractSpinBox*>(focus) != nullptr;
}

} // namespace tilescope::ui
