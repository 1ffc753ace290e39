// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/file.h"

#include "base/try.h"
#include "formats/json_reader.h"
#include "formats/unpacked_size.h"
#include "formats/zip_archive.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tilescope::keras {
namespace {

constexpr const char* config_entry = "config.json";
constexpr const char* weights_entry = "model.weights.h5";

enum class Format { Text, Hdf5, Archive };

Format format_of(const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) // a pipe may have nothing to read for ever
        return Format::Text;
    std::array<char, 8> bytes{};
    std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
    const std::string begin(bytes.data(), bytes.size());
    return formats::begins_as_hdf5(begin)  ? Format::Hdf5
           : formats::begins_as_zip(begin) ? Format::Archive
                                           : Format::Text;
}

Result<KerasFile> read_hdf5(const std::string& path) {
    TRY(const auto file, formats::Hdf5File::open(path));
    TRY(const auto model, file.text("", "model_config"));
    if (!model)
        return bad_input("the file holds no Keras model", path,
                         "save it with model.save(), or name a file of weights as model.weights");
    TRY(const auto training, file.text("", "training_config"));
    return KerasFile{*model, training.value_or(""), file.has_group("model_weights")};
}

Result<KerasFile> read_archive(const std::string& path) {
    TRY(const auto config, formats::zip_entry(path, config_entry));
    if (!config)
        return bad_input(std::string("the archive has no ") + config_entry, path,
                         "give a file that Keras saved as .keras");
    TRY(const auto document, formats::parse_json(*config, path + ": " + config_entry));
    TRY(const auto weights, formats::zip_has_entry(path, weights_entry));
    KerasFile file{*config, {}, weights};
    if (document.is_object() && document.contains("compile_config") &&
        document.at("compile_config").is_object())
        file.training = document.at("compile_config").dump();
    return file;
}

} // namespace

bool is_binary_keras_file(const std::string& path) {
    return format_of(path) != Format::Text;
}

Result<KerasFile> read_keras_file(const std::string& path) {
    switch (format_of(path)) {
    case Format::Hdf5:
        return read_hdf5(path);
    case Format::Archive:
        return read_archive(path);
    case Format::Text:
        break;
    }
    TRY(auto text, formats::read_text(path));
    return KerasFile{std::move(text), {}, false};
}

Result<formats::Hdf5File> open_keras_weights(const std::string& path) {
    if (format_of(path) != Format::Archive)
        return formats::Hdf5File::open(path);
    TRY(auto bytes, formats::zip_entry(path, weights_entry));
    if (!bytes)
        return bad_input(std::string("the archive has no ") + weights_entry, path,
                         "save the model with its weights");
    std::error_code unknown;
    const auto archive_bytes = std::filesystem::file_size(path, unknown);
    return formats::Hdf5File::from_bytes(std::move(*bytes), path + ": " + weights_entry,
                                         formats::most_unpacked(archive_bytes));
}

} // namespace tilescope::keras
