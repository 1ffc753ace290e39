// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_book.h"

#include <functional>

namespace tilescope::profile {

std::pair<std::int64_t, bool> TextBook::add(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i].id >= 0; i = (i + 1) & (slots_.size() - 1))
        if (slots_[i].hash == hash && std::string_view(texts_.data() + slots_[i].at, slots_[i].size) == text)
            return {slots_[i].id, false};
    slots_[i] = {hash, texts_.size(), static_cast<std::uint32_t>(text.size()), count_++};
    const std::int64_t id = slots_[i].id;
    texts_.insert(texts_.end(), text.begin(), text.end());
    if (2 * static_cast<std::size_t>(count_) > slots_.size())
        grow();
    return {id, true};
}

void TextBook::grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (const Slot& slot : slots_) {
        if (slot.id < 0)
            continue;
        std::size_t i = slot.hash & (larger.size() - 1);
        while (larger[i].id >= 0)
            i = (i + 1) & (larger.size() - 1);
        larger[i] = slot;
    }
    slots_ = std::move(larger);
}

} // namespace tilescope::profile
