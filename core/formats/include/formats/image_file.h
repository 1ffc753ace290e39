// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::formats {

struct Image {
    std::int64_t height = 0, width = 0, channels = 0;
    std::vector<std::uint8_t> values; ///< [height, width, channels]
};

/// Whether the name is that of a PNG or JPEG file.
bool is_image_file(const std::string& path);

/// The bytes of a PNG or JPEG file, by what they begin with; transparency on black. `channels`: 3 for red,
/// green and blue, 1 for grey, which the libraries work out of colours, 0 for what it has. Errors: BadInput
/// (`place`) for what is neither, damaged, or of more than 2^26 pixels.
Result<Image> decode_image(std::string_view bytes, std::int64_t channels, const std::string& place);

/// The same of a file.
Result<Image> read_image_file(const std::string& path, std::int64_t channels);

} // namespace tilescope::formats
