// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/hdf5_file.h"

#include "base/try.h"
#include "formats/unpacked_size.h"
#include "hdf5_handle.h"
#include "hdf5_probe.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <hdf5.h>
#include <new>
#include <utility>

namespace tilescope::formats {
namespace {

void silence() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Whether every link of a path leads to something. H5Lexists itself fails where an earlier part is absent.
bool exists(hid_t file, const std::string& path) {
    for (std::size_t end = 0; end != std::string::npos && !path.empty();) {
        end = path.find('/', end + 1);
        if (H5Oexists_by_name(file, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0)
            return false;
    }
    return true;
}

std::string without_padding(const char* text, std::size_t size) {
    const char* end = std::find(text, text + size, '\0');
    return {text, end};
}

/// The strings of an attribute; nullopt where it holds something else or cannot be read.
std::optional<std::vector<std::string>> strings_of(hid_t attribute) {
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
    const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
    if (!type.valid() || !space.valid())
        return std::nullopt;
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (count == 0) // h5py writes an empty list as one of numbers
        return std::vector<std::string>{};
    if (count < 0 || H5Tget_class(type.id()) != H5T_STRING)
        return std::nullopt;
    const auto n = static_cast<std::size_t>(count);
    std::vector<std::string> result(n);
    if (H5Tis_variable_str(type.id()) > 0) {
        std::vector<char*> pointers(n, nullptr);
        if (H5Aread(attribute, type.id(), pointers.data()) < 0)
            return std::nullopt;
        for (std::size_t i = 0; i < n; ++i)
            result[i] = pointers[i] == nullptr ? "" : pointers[i];
        H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, pointers.data());
        return result;
    }
    const std::size_t size = H5Tget_size(type.id());
    std::vector<char> bytes(n * size);
    if (H5Aread(attribute, type.id(), bytes.data()) < 0)
        return std::nullopt;
    for (std::size_t i = 0; i < n; ++i)
        result[i] = without_padding(bytes.data() + i * size, size);
    return result;
}

Failure damaged_hdf5(const std::string& path, const std::string& what) {
    return bad_input(what, path, "the file is damaged or cut short: copy or save it again");
}

} // namespace

struct Hdf5File::Open {
    hid_t id = -1;
    Open() = default;
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() {
        if (id >= 0)
            H5Fclose(id);
    }
};

bool begins_as_hdf5(const std::string& bytes) {
    return bytes.starts_with("\x89HDF\r\n\x1a\n");
}

Result<Hdf5File> Hdf5File::opened(const std::function<std::int64_t()>& open, const std::string& path,
                                  std::uint64_t most_bytes) {
    silence();
    switch (read_to_the_end(open, most_bytes)) {
    case Hdf5Outcome::Damaged:
        return damaged_hdf5(path, "HDF5 cannot read the file");
    case Hdf5Outcome::TooLarge:
        return bad_input(std::string("the file ") + unpacks_to_more, path,
                         "save the weights without compression");
    case Hdf5Outcome::Outside:
        return bad_input("the file takes what it holds from other files, which are not read", path,
                         "save all of it in one file");
    case Hdf5Outcome::Reads:
        break;
    }
    Hdf5File result;
    result.path_ = path;
    result.file_ = std::make_shared<Open>();
    result.file_->id = open();
    if (result.file_->id < 0)
        return damaged_hdf5(path, "HDF5 cannot open the file");
    return result;
}

Result<Hdf5File> Hdf5File::open(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return bad_input("there is no such file", path, "check the path");
    std::array<char, 8> begin{};
    std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
    if (!begins_as_hdf5({begin.data(), begin.size()}))
        return bad_input("not an HDF5 file", path, "give a file that Keras saved as .h5");
    return opened([&] { return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); }, path,
                  most_unpacked(std::filesystem::file_size(path, error)));
}

Result<Hdf5File> Hdf5File::from_bytes(std::string bytes, const std::string& path, std::uint64_t most_bytes) {
    return opened(
        [&]() -> hid_t { // HDF5 makes a copy of the bytes
            const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
            constexpr std::size_t increment = 1 << 16;
            if (H5Pset_fapl_core(access.id(), increment, 0) < 0 ||
                H5Pset_file_image(access.id(), bytes.data(), bytes.size()) < 0)
                return -1;
            return H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
        },
        path, most_bytes);
}

bool Hdf5File::has_group(const std::string& group) const {
    if (!exists(file_->id, group))
        return false;
    const Hdf5Handle open(H5Gopen2(file_->id, group.empty() ? "/" : group.c_str(), H5P_DEFAULT), H5Gclose);
    return open.valid();
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
    std::vector<std::string> names;
    if (!has_group(group))
        return names;
    const Hdf5Handle open(H5Gopen2(file_->id, group.empty() ? "/" : group.c_str(), H5P_DEFAULT), H5Gclose);
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    H5Literate(open.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    return names;
}

Result<std::optional<std::vector<std::string>>> Hdf5File::texts(const std::string& group,
                                                                const std::string& attribute) const {
    if (!has_group(group))
        return std::nullopt;
    const Hdf5Handle open(H5Gopen2(file_->id, group.empty() ? "/" : group.c_str(), H5P_DEFAULT), H5Gclose);
    std::vector<std::string> all;
    bool found = false;
    for (int part = -1;; ++part) { // NAME itself, or else NAME0, NAME1 …
        std::string name = attribute;
        if (part >= 0)
            name.append(std::to_string(part));
        const htri_t there = H5Aexists(open.id(), name.c_str());
        if (there < 0)
            return damaged_hdf5(path_, "the attributes of \"" + group + "\" cannot be read");
        if (there == 0 && part < 0)
            continue;
        if (there == 0)
            break;
        found = true;
        const Hdf5Handle value(H5Aopen(open.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
        const auto strings = value.valid() ? strings_of(value.id()) : std::nullopt;
        if (!strings)
            return damaged_hdf5(path_, "attribute \"" + name + "\" of \"" + group + "\" is no text");
        all.insert(all.end(), strings->begin(), strings->end());
        if (part < 0)
            break;
    }
    if (!found)
        return std::nullopt;
    return all;
}

Result<std::optional<std::string>> Hdf5File::text(const std::string& group,
                                                  const std::string& attribute) const {
    TRY(const auto all, texts(group, attribute));
    if (!all)
        return std::nullopt;
    if (all->size() != 1)
        return damaged_hdf5(path_, "attribute \"" + attribute + "\" is not one text");
    return all->front();
}

Result<graph::Shape> Hdf5File::shape(const std::string& data_set) const {
    if (data_set.empty() || !exists(file_->id, data_set))
        return damaged_hdf5(path_, "there is no data set \"" + data_set + "\"");
    const Hdf5Handle set(H5Dopen2(file_->id, data_set.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle space(set.valid() ? H5Dget_space(set.id()) : -1, H5Sclose);
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
    if (rank < 0)
        return damaged_hdf5(path_, "\"" + data_set + "\" is no data set");
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
    return graph::Shape(extents.begin(), extents.end());
}

Result<graph::HostTensor> Hdf5File::floats(const std::string& data_set) const {
    TRY(auto extents, shape(data_set));
    const Hdf5Handle set(H5Dopen2(file_->id, data_set.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose);
    const H5T_class_t kind = type.valid() ? H5Tget_class(type.id()) : H5T_NO_CLASS;
    if (kind != H5T_FLOAT && kind != H5T_INTEGER)
        return bad_input("data set \"" + data_set + "\" holds no numbers", path_,
                         "save the weights as float32 or float16");
    try {
        graph::HostTensor tensor({graph::DType::Float32, std::move(extents)});
        if (tensor.elements() > 0 &&
            H5Dread(set.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.floats().data()) < 0)
            return damaged_hdf5(path_, "data set \"" + data_set + "\" cannot be read");
        return tensor;
    } catch (const std::bad_alloc&) {
        return damaged_hdf5(path_, "data set \"" + data_set + "\" is larger than the memory");
    }
}

} // namespace tilescope::formats
