// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/profile_source.h"

#include <functional>
#include <memory>

namespace tilescope::ui {

/// The file that a part of the window shows: a member of it, which is told when the file grows and waits for
/// no answer of a file that it shows no more.
class FollowedSource {
  public:
    explicit FollowedSource(QObject* owner) : owner_(owner) {}
    FollowedSource(const FollowedSource&) = delete;
    FollowedSource& operator=(const FollowedSource&) = delete;
    ~FollowedSource() { set(nullptr, {}); }

    /// Null: none. False, and nothing is done, where it is the same as before. `changed` is called as the
    /// file grows.
    bool set(std::shared_ptr<ProfileSource> source, const std::function<void()>& changed);

    explicit operator bool() const { return source_ != nullptr; }
    ProfileSource* operator->() const { return source_.get(); }

  private:
    QObject* owner_;
    std::shared_ptr<ProfileSource> source_;
};

} // namespace tilescope::ui
