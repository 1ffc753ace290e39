// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/hdf5_writer.h"

#include "base/try.h"
#include "hdf5_handle.h"

#include <algorithm>

namespace tilescope::formats {

struct Hdf5Writer::Open {
    explicit Open(hid_t id) : file(id, H5Fclose), above(H5Pcreate(H5P_LINK_CREATE), H5Pclose) {
        H5Pset_create_intermediate_group(above.id(), 1);
    }
    Hdf5Handle file;
    Hdf5Handle above; ///< makes the groups above what is made
};

namespace {

Result<void> written(bool good, const std::string& path, const std::string& name) {
    if (good)
        return {};
    return system_failure("\"" + name + "\" cannot be written", path, "see whether the disk is full");
}

/// Strings of one fixed length, one after the other.
std::string filled_up(const std::vector<std::string>& values, std::size_t length) {
    std::string all;
    for (const std::string& value : values) {
        all += value;
        all.append(length - value.size(), '\0');
    }
    return all;
}

bool write_texts(hid_t object, const std::string& name, const std::vector<std::string>& values, bool list) {
    std::size_t length = 1;
    for (const std::string& value : values)
        length = std::max(length, value.size());
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), length);
    H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
    const hsize_t count = values.size();
    const Hdf5Handle space(list ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute(
        H5Acreate2(object, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    return attribute.valid() &&
           (count == 0 || H5Awrite(attribute.id(), type.id(), filled_up(values, length).data()) >= 0);
}

} // namespace

Result<Hdf5Writer> Hdf5Writer::create(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    // The form of files since HDF5 1.8 has attributes of any length: a large model's configuration is one.
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    Hdf5Writer writer;
    writer.path_ = path;
    writer.file_ = std::make_shared<Open>(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
    if (!writer.file_->file.valid())
        return system_failure("the file cannot be written", path, "check the folder and its rights");
    return writer;
}

Result<void> Hdf5Writer::group(const std::string& name) {
    const Hdf5Handle made(
        H5Gcreate2(file_->file.id(), name.c_str(), file_->above.id(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    return written(made.valid(), path_, name);
}

Result<void> Hdf5Writer::text(const std::string& group, const std::string& attribute,
                              const std::string& value) {
    const Hdf5Handle object(H5Oopen(file_->file.id(), group.empty() ? "/" : group.c_str(), H5P_DEFAULT),
                            H5Oclose);
    return written(object.valid() && write_texts(object.id(), attribute, {value}, false), path_, attribute);
}

Result<void> Hdf5Writer::texts(const std::string& group, const std::string& attribute,
                               const std::vector<std::string>& values) {
    const Hdf5Handle object(H5Oopen(file_->file.id(), group.empty() ? "/" : group.c_str(), H5P_DEFAULT),
                            H5Oclose);
    return written(object.valid() && write_texts(object.id(), attribute, values, true), path_, attribute);
}

Result<void> Hdf5Writer::data_set(const std::string& name, const graph::HostTensor& values) {
    const graph::Shape& shape = values.shape();
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const Hdf5Handle space(shape.empty()
                               ? H5Screate(H5S_SCALAR)
                               : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                           H5Sclose);
    const bool ints = values.type().dtype == graph::DType::Int32;
    const hid_t type = ints ? H5T_NATIVE_INT32 : H5T_NATIVE_FLOAT;
    const Hdf5Handle made(H5Dcreate2(file_->file.id(), name.c_str(), type, space.id(), file_->above.id(),
                                     H5P_DEFAULT, H5P_DEFAULT),
                          H5Dclose);
    const void* data = ints ? static_cast<const void*>(values.ints().data()) : values.floats().data();
    return written(made.valid() && H5Dwrite(made.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, path_,
                   name);
}

} // namespace tilescope::formats
