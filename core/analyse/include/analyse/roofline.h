// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/operation_groups.h"

#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What an operation reaches, beside what its IPU could (Williams, Waterman and Patterson 2009), with the
/// exchange between tiles in the place of the memory: a tile computes on nothing but its own.
struct RooflinePoint {
    std::int64_t operation = 0; ///< id
    std::string name;
    double flops_per_cycle = 0;           ///< over all its cycles, of the IPUs that do it
    std::optional<double> flops_per_byte; ///< that it exchanges; nullopt: it exchanges none
    double cycles = 0;                    ///< of an engine run
    double link_cycles = 0;               ///< of these, those in which it waits for links to other IPUs
    std::optional<profile::Phase> phase;  ///< nullopt: it stands for operations of several
    double peak_flops_per_cycle = 0;      ///< of an IPU, for FLOPs of its types; 0: it does none
};

/// What keeps an operation from more.
enum class Roof { Arithmetic, Exchange, Links };

/// What an operation could reach.
struct Headroom {
    double flops_per_cycle = 0; ///< under its own roof
    double times = 1;           ///< as fast as it is; 1: it is there
    Roof roof = Roof::Arithmetic;
};

struct Roofline {
    double half_flops_per_cycle = 0; ///< of all tiles of an IPU, as the other two
    double float_flops_per_cycle = 0;
    double exchange_bytes_per_cycle = 0;
    /// Without the units for products: a multiply-add of each element that a tile's data path brings in a
    /// cycle.
    std::optional<double> half_vector_flops_per_cycle; ///< nullopt: the file does not say
    std::optional<double> float_vector_flops_per_cycle;
    /// From one IPU to a neighbour; nullopt: there is no other, or the file does not say.
    std::optional<double> link_bytes_per_cycle;
    std::vector<RooflinePoint> points; ///< of the operations that do FLOPs and take time, the longest first
    std::vector<RooflinePoint> without_flops; ///< those that take time and do none, the longest first
    /// The radius of a point of which the area is as its cycles, of that of the longest one of all.
    double radius_share(const RooflinePoint& point) const;
    /// The most FLOPs in a cycle that an operation of so many to the exchanged byte can reach.
    double roof(double flops_per_byte, double flops_per_cycle) const;
    /// nullopt: it does no FLOPs.
    std::optional<Headroom> headroom(const RooflinePoint& point) const;
    /// FLOPs to the exchanged byte from which on the peak can be reached.
    double ridge(double flops_per_cycle) const { return flops_per_cycle / exchange_bytes_per_cycle; }
};

/// nullopt where the file does not say what the target could.
std::optional<Roofline> roofline(const profile::TargetRecord& target,
                                 const std::vector<OperationFigures>& operations);
/// A point of each group, by the id of its figures.
std::optional<Roofline> roofline(const profile::TargetRecord& target,
                                 const std::vector<OperationGroup>& groups);

} // namespace tilescope::analyse
