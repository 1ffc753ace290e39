// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/worker_pool.h"
#include "profile/profile.h"

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

namespace tilescope::analyse {

/// read(file, i) of the files of a comparison, at the same time: `files` are those of the base (i = 0) and of
/// the new run (1). One that is compared with itself is read one after the other, since a profile serves one
/// thread at a time. Errors: the first of theirs.
template<class Read>
auto read_both(const std::array<const profile::Profile*, 2>& files, const Read& read) {
    using Value = typename std::invoke_result_t<Read, const profile::Profile&, std::size_t>::value_type;
    std::array<std::optional<Result<Value>>, 2> results;
    WorkerPool(files[0] == files[1] ? 1 : 2)
        .parallel_for(files.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                results[i] = read(*files[i], i);
        });
    for (auto& result : results)
        if (!*result)
            return Result<std::array<Value, 2>>(Failure(std::move(result->error())));
    return Result<std::array<Value, 2>>({std::move(**results[0]), std::move(**results[1])});
}

} // namespace tilescope::analyse
