// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matching.h"
#include "ui/trace/alignment.h"
#include "ui/trace/trace_feed.h"

#include <QObject>
#include <map>
#include <memory>
#include <optional>

namespace tilescope::ui {

/// Finds out by how many cycles the base of a time line has to stand later so that it is aligned as wanted,
/// and which layers and operations are the same in both.
class TraceAligner : public QObject {
    Q_OBJECT
  public:
    TraceAligner(TraceFeed& now, TraceFeed& base, const Alignment& wanted, analyse::HandMatches by_hand,
                 QObject* parent);
    void setAlignment(const Alignment& wanted);
    const Alignment& alignment() const { return wanted_; }
    void tablesRead(); ///< of one of the two files
    /// Of what was wanted last and is in both runs.
    std::int64_t shift() const { return shift_; }
    QString words() const { return words_; } ///< what is aligned and how far the base is moved, or why not
    bool found() const { return found_; }    ///< what is wanted is in both runs
    /// What is the same in both; null until it is known.
    struct Same {
        analyse::Matching parts;
        std::map<std::int64_t, std::int64_t> steps; ///< program steps, as analyse::match_steps gives them
    };
    const std::shared_ptr<const Same>& same() const { return same_; }
    /// Ids in the base of what is named by those of the new run, and the other way round; -1: it has none.
    std::int64_t layerInBase(std::int64_t layer) const { return same_ ? at(same_->parts.layers, layer) : -1; }
    std::int64_t operationInBase(std::int64_t operation) const {
        return same_ ? at(same_->parts.operations, operation) : -1;
    }
    std::int64_t layerInNew(std::int64_t layer) const { return at(layers_, layer); }
    std::int64_t operationInNew(std::int64_t operation) const { return at(operations_, operation); }

  Q_SIGNALS:
    void changed(); ///< shift or words
    void matched(); ///< which parts are the same is known

  private:
    using Ids = std::map<std::int64_t, std::int64_t>;
    static std::int64_t at(const Ids& ids, std::int64_t id);
    void match();
    void align();
    void alignOperation();
    void place(std::optional<std::int64_t> now, std::optional<std::int64_t> base, const QString& what);
    void take(std::int64_t shift, bool found, const QString& why);
    QString stepText() const;

    TraceFeed& now_;
    TraceFeed& base_;
    Alignment wanted_;
    analyse::HandMatches by_hand_;
    std::shared_ptr<const Same> same_; ///< ids of the base by those of the new run
    Ids layers_, operations_;          ///< the other way round
    std::int64_t shift_ = 0;
    QString words_;
    bool found_ = false;
    bool matched_ = false;
};

} // namespace tilescope::ui
