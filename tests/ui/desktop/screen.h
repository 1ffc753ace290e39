// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilescope::tests {

/// Something that is seen in the window, as a screen reader is told of it.
struct SeenPart {
    std::string role; ///< of AT-SPI: "label", "table cell", "page tab"
    std::string name;
    std::string words; ///< of a field: what stands in it; of a box: what is chosen; else what describes it
    int left = 0, top = 0, width = 0, height = 0; ///< in pixels of the screen
    bool selected = false, focused = false, enabled = false;
    bool says(const std::string& text) const {
        return name.find(text) != std::string::npos || words.find(text) != std::string::npos;
    }
};

/// A screen reader: asks a program over the bus of accessibility (AT-SPI) for all that it shows, with the
/// places where the pointer finds it.
class Screen {
  public:
    /// `session` is the address of a session bus; the program has to be started after this, on that bus.
    explicit Screen(const std::string& session);
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    bool works() const; ///< there is a bus for accessibility
    /// All that is seen, outer parts before the inner ones; of a table or tree the rows that are in view.
    /// What has very many parts, as a floor plan, is told as a whole. Empty until the program has a window.
    std::vector<SeenPart> parts() const;

  private:
    class Bus;
    std::unique_ptr<Bus> bus_;
};

} // namespace tilescope::tests
