// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/view.h"

namespace tilescope::ui {

void View::setSources(const Sources& sources) {
    for (const auto& source : {sources_.current, sources_.base})
        if (source) {
            source->disconnect(this);
            source->forget(this);
        }
    const bool another = sources.current != sources_.current;
    sources_ = sources;
    startOver(another);
    for (const auto& source : {sources_.current, sources_.base})
        if (source && sources_.current)
            connect(source.get(), &ProfileSource::changed, this, &View::refresh, Qt::UniqueConnection);
    if (sources_.current)
        refresh();
}

void View::setSelection(SelectionModel* selection) {
    if (selection_ != nullptr)
        selection_->disconnect(this);
    selection_ = selection;
    if (selection_ == nullptr)
        return;
    connect(selection_, &SelectionModel::changed, this, &View::follow);
    follow(selection_->current());
}

} // namespace tilescope::ui
