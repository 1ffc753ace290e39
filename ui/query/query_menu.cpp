// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the charts of an answer.
#include "ui/query/answer_bars.h"
#include "ui/query/answer_chart.h"
#include "ui/query/query_view.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"

#include <QAction>

namespace tilescope::ui {

/// Of the first column that names something.
QStringList QueryView::viewsOfRow() const {
    for (const std::string& column : shown_.columns)
        if (const auto subject = subjectOf(column); subject && *subject != Subject::Ipu)
            return viewsShowing(linkTo(*subject, 0));
    return {};
}

void QueryView::makeMenu() {
    chart_->offerMenus([this](QWidget& picture, const QPoint& global) {
        SubjectMenu menu(*this);
        if (const auto row = chart_->chosenRow()) {
            const QStringList views = viewsOfRow();
            menu.goTo(views);
            if (views.isEmpty())
                menu.add(tr("Show what the row names"), [this, row = *row] { goToSubject(row); });
            menu.copy(tr("Copy name"), chart_->chosenName());
        }
        menu.save(picture);
        menu.popup(global);
    });
}

} // namespace tilescope::ui
