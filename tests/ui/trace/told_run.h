// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::ui {

using analyse::TimeKind;

/// What IPUs do, told cycle by cycle, so that the test can count for itself.
struct Told {
    struct Part {
        std::int64_t ipu, start, end;
        TimeKind kind;
    };
    std::vector<Part> parts;
    std::vector<profile::ExecutionRecord> executions;
    std::vector<profile::TraceRecord> rows;
    std::int64_t ipus = 1;
    bool replicas = false; ///< each IPU is one
    std::int64_t now = 0;

    static constexpr std::int64_t infeed = 1, matmul = 2, copy = 3; ///< program steps
    static constexpr std::int64_t exchanged_bytes = 3000;           ///< before each product

    void execution(std::int64_t steps) {
        executions.push_back({static_cast<std::int64_t>(executions.size()), profile::ExecutionKind::Train, 0,
                              executions.empty() ? 0 : executions.back().first_step + executions.back().steps,
                              steps, now, 0, 1});
    }
    void end_execution() { executions.back().cycles = now - executions.back().start_cycle; }
    void part(std::int64_t ipu, std::int64_t start, std::int64_t length, TimeKind kind) {
        if (length > 0)
            parts.push_back({ipu, start, start + length, kind});
    }
    void launch(std::int64_t cycles) {
        for (std::int64_t ipu = 0; ipu < ipus; ++ipu)
            part(ipu, now, cycles, TimeKind::Host);
        now += cycles;
    }
    /// A program step; returns where it ends.
    std::int64_t step(std::int64_t ipu, std::int64_t at, std::int64_t number, std::int64_t program,
                      std::int64_t sync, std::int64_t exchange, std::int64_t compute) {
        rows.push_back({executions.back().id, number, program, ipu, at, sync, exchange, compute});
        part(ipu, at, sync, TimeKind::Sync);
        part(ipu, at + sync, exchange,
             program == infeed ? TimeKind::Host
             : program == copy ? TimeKind::InterIpu
                               : TimeKind::Exchange);
        part(ipu, at + sync + exchange, compute, TimeKind::Compute);
        return at + sync + exchange + compute;
    }
    double cycles(std::int64_t ipu, TimeKind kind, double from, double to) const {
        double sum = 0;
        for (const Part& p : parts)
            if (p.ipu == ipu && p.kind == kind)
                sum += std::max(0.0, std::min(to, static_cast<double>(p.end)) -
                                         std::max(from, static_cast<double>(p.start)));
        return sum;
    }

    Result<void> record(const std::string& path) const {
        auto recorder = profile::Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        profile::Recorder& r = **recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", ipus, 16, 1000, 1.0e9, 6});
        for (std::int64_t ipu = 0; ipu < ipus; ++ipu)
            r.add(profile::IpuRecord{ipu, ipu, "/device:IPU:0", replicas ? ipu : 0});
        r.add(profile::LayerRecord{0, "dense", "Dense"});
        r.add(profile::OperationRecord{0, "dense/MatMul", "matmul", 0, profile::Phase::Forward});
        r.add(profile::OperationRecord{1, "dense/copy", "copy", 0, profile::Phase::Forward});
        r.add(profile::ExchangeRecord{0, "in", profile::ExchangeKind::Internal, 0, exchanged_bytes});
        r.add(profile::ExchangeRecord{1, "between", profile::ExchangeKind::InterIpu, 1});
        r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
        r.add(profile::ProgramRecord{infeed, 0, 0, profile::StepKind::StreamCopy, "infeed"});
        r.add(profile::ProgramRecord{matmul, 0, 1, profile::StepKind::Execute, "dense/MatMul/Multiply", 0, 0,
                                     0});
        r.add(profile::ProgramRecord{copy, 0, 2, profile::StepKind::Exchange, "dense/copy/over links", 1, -1,
                                     1});
        std::vector<tests::ExecutionOnIpu> phases;
        for (const profile::ExecutionRecord& e : executions)
            for (std::int64_t ipu = 0; ipu < ipus; ++ipu) {
                const auto of = [&](TimeKind kind) {
                    return std::llround(cycles(ipu, kind, static_cast<double>(e.start_cycle),
                                               static_cast<double>(e.start_cycle + e.cycles)));
                };
                tests::ExecutionOnIpu i{e.id,
                                        ipu,
                                        of(TimeKind::Compute),
                                        of(TimeKind::Exchange),
                                        of(TimeKind::Sync),
                                        of(TimeKind::InterIpu),
                                        of(TimeKind::Host),
                                        0};
                i.waiting = e.cycles - i.compute - i.exchange - i.sync - i.inter_ipu - i.host;
                phases.push_back(i);
            }
        tests::record_rows(r, executions, phases, rows);
        return (*recorder)->finish(profile::RunStatus::Complete);
    }
};

/// Each execution is mostly its launch: 2,000 cycles for the host, then three steps of 200.
inline Told host_bound() {
    Told told;
    for (int e = 0; e < 40; ++e) {
        told.execution(3);
        told.launch(2000);
        for (std::int64_t s = 0; s < 3; ++s) {
            told.now = told.step(0, told.now, s, Told::infeed, 10, 60, 0);
            told.now = told.step(0, told.now, s, Told::matmul, 10, 30, 90);
        }
        told.end_execution();
    }
    return told;
}

/// Two IPUs take turns: what one computes it copies to the other, which waits for it.
inline Told pipelined(std::int64_t steps = 400) {
    Told told;
    told.ipus = 2;
    told.execution(steps);
    told.launch(3000);
    for (std::int64_t s = 0; s < steps; ++s) {
        const std::int64_t first = told.step(0, told.now, s, Told::matmul, 20, 100, 500 + s % 7 * 30);
        told.step(1, told.now + 40, s, Told::matmul, 20, 50, 200);
        const std::int64_t second = told.step(0, first, s, Told::copy, 10, 290, 0);
        told.step(1, first, s, Told::copy, 10, 290, 0);
        told.now = second + 60;
    }
    told.end_execution();
    return told;
}

/// Steps follow each other; nothing waits.
inline Told plain() {
    Told told;
    told.execution(500);
    told.launch(100);
    for (std::int64_t s = 0; s < 500; ++s)
        for (std::int64_t op = 0; op < 4; ++op)
            told.now = told.step(0, told.now, s, Told::matmul, 5, 45 + op, 300 + 40 * op);
    told.end_execution();
    return told;
}

} // namespace tilescope::ui
