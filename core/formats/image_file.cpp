// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/image_file.h"

#include "base/try.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <png.h>
#include <turbojpeg.h>

namespace tilescope::formats {
namespace {

constexpr std::int64_t most_pixels = 1 << 26;

using Bytes = std::vector<std::uint8_t>;

Failure damaged_image(const std::string& path, const std::string& what) {
    return bad_input("is no image that can be read: " + what, path, "save it again as PNG or JPEG");
}

Result<Image> room(const std::string& path, std::int64_t height, std::int64_t width, std::int64_t channels) {
    if (height < 1 || width < 1 || height > most_pixels / width)
        return damaged_image(path, std::to_string(height) + " x " + std::to_string(width) + " pixels");
    return Image{height, width, channels, Bytes(static_cast<std::size_t>(height * width * channels))};
}

Result<Image> read_png(const std::string& path, const Bytes& bytes, std::int64_t channels) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    const std::unique_ptr<png_image, void (*)(png_image*)> freed(&png, png_image_free);
    if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
        return damaged_image(path, png.message);
    png.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    TRY(Image image, room(path, png.height, png.width, channels));
    const png_color black{0, 0, 0};
    if (png_image_finish_read(&png, &black, image.values.data(), 0, nullptr) == 0)
        return damaged_image(path, png.message);
    return image;
}

Result<Image> read_jpeg(const std::string& path, const Bytes& bytes, std::int64_t channels) {
    const std::unique_ptr<void, int (*)(tjhandle)> reader(tjInitDecompress(), tjDestroy);
    int width = 0;
    int height = 0;
    int sampling = 0;
    int colours = 0;
    const auto size =
        static_cast<unsigned long>(bytes.size()); // NOLINT(google-runtime-int): the library's type
    if (!reader ||
        tjDecompressHeader3(reader.get(), bytes.data(), size, &width, &height, &sampling, &colours) != 0)
        return damaged_image(path, reader ? tjGetErrorStr2(reader.get()) : "there is no memory for it");
    TRY(Image image, room(path, height, width, channels));
    if (tjDecompress2(reader.get(), bytes.data(), size, image.values.data(), width, 0, height,
                      channels == 1 ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0)
        return damaged_image(path, tjGetErrorStr2(reader.get()));
    return image;
}

} // namespace

bool is_image_file(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    for (char& c : ending)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Result<Image> read_image_file(const std::string& path, std::int64_t channels) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return bad_input("the file cannot be opened", path, "check the path");
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() > 8 && png_sig_cmp(bytes.data(), 0, 8) == 0)
        return read_png(path, bytes, channels);
    if (bytes.size() > 2 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        return read_jpeg(path, bytes, channels);
    return damaged_image(path, "it begins as neither PNG nor JPEG does");
}

} // namespace tilescope::formats
