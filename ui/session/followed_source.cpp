// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/followed_source.h"

namespace tilescope::ui {

bool FollowedSource::set(std::shared_ptr<ProfileSource> source, const std::function<void()>& changed) {
    if (source == source_)
        return false;
    if (source_) {
        source_->disconnect(owner_);
        source_->forget(owner_);
    }
    source_ = std::move(source);
    if (source_)
        QObject::connect(source_.get(), &ProfileSource::changed, owner_, changed);
    return true;
}

} // namespace tilescope::ui
