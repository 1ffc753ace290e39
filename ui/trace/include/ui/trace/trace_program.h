// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/ipu_use.h"
#include "analyse/time_line.h"
#include "base/error.h"
#include "profile/profile.h"
#include "profile/shared_rows.h"

#include <QString>
#include <QStringList>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope::ui {

/// What a time line knows of the program: the names behind the ids of its slices, how evenly the tiles
/// compute, and what goes where. That of a large one takes longer to read than all of the time line does.
class TraceProgram {
  public:
    static Result<TraceProgram> read(const profile::Profile& file);

    struct Step { ///< a program step with its surroundings
        QString name;
        std::int64_t operation = -1;
        std::int64_t layer = -1;
    };
    /// What has no row (an untraced execution) is a step without name.
    Step step(std::int64_t program_id) const;
    QString operationName(std::int64_t id) const;
    std::int64_t layerOf(std::int64_t operation) const; ///< -1: none
    QString layerName(std::int64_t id) const;
    QStringList operationNames() const; ///< of those that have program steps
    /// Program steps of an operation, in order.
    std::vector<std::int64_t> stepsOf(std::int64_t operation) const;
    std::vector<std::int64_t> stepsOfLayer(std::int64_t layer) const;
    /// It itself where it is no loop or sequence, else those that are within it.
    std::vector<std::int64_t> stepsBelow(std::int64_t program_id) const;
    std::int64_t operationNamed(const QString& name) const; ///< -1: there is none
    /// Program steps whose own, operation's and layer's names together have the words of `wanted`
    /// (TextMatch), in program order.
    std::vector<std::int64_t> find(const QString& wanted) const;

    analyse::StepBalances balances;
    analyse::StepTraffic traffic;

  private:
    struct StoredStep {
        std::int64_t id = 0;
        std::int64_t operation = -1; ///< its own, or the nearest ancestor's
        std::string_view name;       ///< in its row
        bool leaf = false;
    };
    /// Names in lower case, in one piece: what is searched lies together.
    class Texts {
      public:
        void add(std::string_view name);
        std::string_view operator[](std::size_t index) const;

      private:
        std::vector<char> all_;
        std::vector<std::size_t> ends_;
    };
    void addSteps();
    void addTexts();
    profile::SharedRows<profile::LayerRecord> layers_; ///< by id, as the next four
    profile::SharedRows<profile::OperationRecord> operations_;
    profile::SharedRows<profile::ProgramRecord> program_;
    profile::SharedRows<profile::FurtherStepRecord> further_;
    std::vector<StoredStep> steps_; ///< of `program_` and `further_`
    Texts step_texts_;              ///< as `steps_`, as far as they are leaves
    Texts operation_texts_;         ///< as `operations_`
    Texts layer_texts_;             ///< as `layers_`
};

} // namespace tilescope::ui
