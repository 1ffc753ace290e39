// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/image_file.h"

#include "base/lower_case.h"
#include "base/try.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <png.h>
#include <turbojpeg.h>

namespace tilescope::formats {
namespace {

constexpr std::int64_t most_pixels = 1 << 26;

Failure damaged_image(const std::string& path, const std::string& what) {
    return bad_input("is no image that can be read: " + what, path, "save it again as PNG or JPEG");
}

Result<Image> room(const std::string& path, std::int64_t height, std::int64_t width, std::int64_t channels) {
    if (height < 1 || width < 1 || height > most_pixels / width)
        return damaged_image(path, std::to_string(height) + " x " + std::to_string(width) + " pixels");
    return Image{height, width, channels,
                 std::vector<std::uint8_t>(static_cast<std::size_t>(height * width * channels))};
}

Result<Image> read_png(const std::string& path, std::string_view bytes, std::int64_t channels) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    const std::unique_ptr<png_image, void (*)(png_image*)> freed(&png, png_image_free);
    if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
        return damaged_image(path, png.message);
    if (channels == 0)
        channels = (png.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
    png.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    TRY(Image image, room(path, png.height, png.width, channels));
    const png_color black{0, 0, 0};
    if (png_image_finish_read(&png, &black, image.values.data(), 0, nullptr) == 0)
        return damaged_image(path, png.message);
    return image;
}

Result<Image> read_jpeg(const std::string& path, std::string_view bytes, std::int64_t channels) {
    const std::unique_ptr<void, int (*)(tjhandle)> reader(tjInitDecompress(), tjDestroy);
    int width = 0;
    int height = 0;
    int sampling = 0;
    int colours = 0;
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    const auto size =
        static_cast<unsigned long>(bytes.size()); // NOLINT(google-runtime-int): the library's type
    if (!reader || tjDecompressHeader3(reader.get(), data, size, &width, &height, &sampling, &colours) != 0)
        return damaged_image(path, reader ? tjGetErrorStr2(reader.get()) : "there is no memory for it");
    if (channels == 0)
        channels = colours == TJCS_GRAY ? 1 : 3;
    TRY(Image image, room(path, height, width, channels));
    if (tjDecompress2(reader.get(), data, size, image.values.data(), width, 0, height,
                      channels == 1 ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0)
        return damaged_image(path, tjGetErrorStr2(reader.get()));
    return image;
}

} // namespace

bool is_image_file(const std::string& path) {
    const std::string ending = lower_case(std::filesystem::path(path).extension().string());
    return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Result<Image> decode_image(std::string_view bytes, std::int64_t channels, const std::string& place) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"))
        return read_png(place, bytes, channels);
    if (bytes.starts_with("\xFF\xD8"))
        return read_jpeg(place, bytes, channels);
    return damaged_image(place, "it begins as neither PNG nor JPEG does");
}

Result<Image> read_image_file(const std::string& path, std::int64_t channels) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return bad_input("the file cannot be opened", path, "check the path");
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return decode_image(bytes, channels, path);
}

} // namespace tilescope::formats
