// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/hand_matches.h"
#include "base/error.h"
#include "base/spelling.h"
#include "profile/records.h"
#include "profile/shared_rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::analyse {

/// Layers and operations of one run.
struct Parts {
    profile::SharedRows<profile::LayerRecord> layers;
    profile::SharedRows<profile::OperationRecord> operations;
    static Result<Parts> read(const profile::Profile& file);
};

/// Why two parts are taken for the same.
enum class MatchGround {
    Name,    ///< they are called the same
    Renamed, ///< but for the names of layers that were renamed
    Order,   ///< they stand in the same place between others that are the same, and are alike
    Split,   ///< one run has as a layer of its own what is a part of a layer in the other
    ByHand
};
constexpr auto spelling(MatchGround) {
    return spelled("ground of a match", "the same name", "its layer was renamed", "the same place",
                   "a layer was split or merged", "by hand");
}

/// Which parts of two runs are the same: ids of the base by those of the new run. What has no partner was
/// added or removed.
struct Matching {
    std::map<std::int64_t, std::int64_t> layers;
    std::map<std::int64_t, std::int64_t> operations;
    /// Layers: names in the base by those in the new run. What is new under the name that the base has for
    /// another is "conv2d (new)", so that it is not taken for that.
    std::map<std::string, std::string> renamed;
    std::map<std::int64_t, MatchGround> layer_grounds = {};     ///< of `layers`, by the same ids
    std::map<std::int64_t, MatchGround> operation_grounds = {}; ///< of `operations`
    // Layers without a counterpart, that are a part of a layer of the other run, as an activation may be.
    std::map<std::int64_t, std::int64_t> split = {}; ///< of the new run: the layer of the base that it was in
    std::map<std::int64_t, std::int64_t> merged = {}; ///< of the base: another one, whose counterpart has it

    /// The layer of the base that a layer of the new run is, or is a part of; -1: neither.
    std::int64_t whole_of_new(std::int64_t layer) const;
    /// A layer of the base, or the one that it is merged with.
    std::int64_t whole_of_base(std::int64_t layer) const;
};

/// Ids of the new run by those of the base, of the layers or operations of a matching.
std::map<std::int64_t, std::int64_t> by_base(const std::map<std::int64_t, std::int64_t>& matched);

/// Layers of the new run by those of the base that they have, also as a part.
std::map<std::int64_t, std::int64_t> wholes_in_now(const Matching& matching);

/// Layers of the new run that were split off, by id the layer of the new run that the rest of them is.
std::map<std::int64_t, std::int64_t> split_in_now(const Matching& matching);

/// The names of layers that make up one: "dense + relu".
std::string joined_names(const std::vector<std::string>& layers);

/// A name of the new run with the parts between slashes that renamed layers gave it as the base has them.
std::string with_old_names(const std::string& name, const std::map<std::string, std::string>& renamed);

/// How a layer that only the base has is called beside those of the new run: "dense of the base" where that
/// has another "dense".
std::string name_beside(const std::string& layer, const Parts& now);

/// The extents of what a layer gives of one sample: of "[64, 26, 26, 32]" all but the 64 of its batch.
std::vector<std::int64_t> sample_shape(const profile::LayerRecord& layer);

/// The operators that an operation is made of: several where it was fused, else its kind.
std::vector<std::string> kinds_of(const profile::OperationRecord& operation);
/// Whether two operations do the same, or one does that, fused with others.
bool same_kind(const profile::OperationRecord& a, const profile::OperationRecord& b);

/// What was matched by hand is the same, or has no counterpart, whatever it is; names that a run does not
/// have match nothing. Of the rest, layers are the same where kind and name are, and where the name was only
/// counted ("conv2d_1") also the shape of a sample and the parameters. The others are aligned in their order,
/// between those, by kind, shape, parameters and counted name (Needleman and Wunsch 1970), so that a layer
/// that was renamed or renumbered is found. Operations are the same by name, with the renamed parts of it put
/// back, also where one is fused with others and the other is not; the others of a layer that is in both runs
/// by kind and phase, in their order. A layer that only one run has may be several layers of the other, and
/// what then is left a part of one of them, which was split or merged (split_layers.h).
Matching match(const Parts& base, const Parts& now, const HandMatches& by_hand = {});

/// One of the parts of both runs, as it is matched; a side that does not have it is "".
struct MatchedPart {
    HandMatch names;                   ///< of it
    std::optional<MatchGround> ground; ///< nullopt: it has no counterpart, and nobody has said so
    bool unknown = false;              ///< it was matched by hand, and a run has nothing of that name
};
/// All layers, then all operations: what was matched by hand first, then what has no counterpart, what was
/// found by its place, what was renamed, and what has one name, each in the order of the runs.
std::vector<MatchedPart> matched_parts(const Parts& base, const Parts& now, const HandMatches& by_hand);

/// Names of the new run as the base has them: of renamed layers, and of operations that are the same.
class OldNames {
  public:
    OldNames() = default; ///< all names are the same
    OldNames(const Parts& base, const Parts& now, const Matching& matching);
    std::string of(const std::string& name) const;
    /// That of a variable begins with that of its operation, where it has one.
    std::string of(const profile::VariableRecord& variable) const;

  private:
    std::map<std::string, std::string> renamed_;    ///< layers
    std::map<std::string, std::string> operations_; ///< and what they give, where the name differs
    std::map<std::int64_t, std::string> names_now_; ///< of operations of the new run
};

/// A step of any device program of a run, but for its sequences and repeats.
struct NamedStep {
    std::int64_t id = 0;
    std::string program; ///< key of its device program
    profile::StepKind kind = profile::StepKind::Execute;
    std::int64_t operation = -1; ///< its own, else that of the nearest step around it; -1: none
    std::string name;            ///< without that of the operation at its beginning
};
/// By id.
Result<std::vector<NamedStep>> named_steps(const profile::Profile& file);

/// Ids of the base's steps by those of the new run's that are the same: of the device program of that key, of
/// operations that are the same (or of none), and of one kind and name. Several of these are the same in
/// their order.
std::map<std::int64_t, std::int64_t> match_steps(const std::vector<NamedStep>& base,
                                                 const std::vector<NamedStep>& now, const Matching& matching);

} // namespace tilescope::analyse
