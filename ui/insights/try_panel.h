// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"
#include "ui/live/estimate.h"

#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;

namespace tilescope::ui {

class DataTable;
struct Cell;

/// Changes of a run's settings: each is compiled as an estimate when it is asked for, in processes of their
/// own, one after another, and only then it has a step time and memory.
class TryPanel : public QWidget {
    Q_OBJECT
  public:
    explicit TryPanel(QWidget* parent = nullptr);
    /// What may help with a finding of the run that `now` tells of. `compiled`: as it was recorded, what fits
    /// first; that is known from its file, and never tried anew.
    void setChanges(const std::vector<std::string>& changes,
                    const std::vector<profile::RemedyRecord>& compiled, const analyse::Summary& now);
    void forget(); ///< what was tried: another run is shown
    bool trying() const { return estimate_.running(); }

    /// What is known to help most of `changes` and of what the file has `compiled`: "fit.batch_size=32: 210
    /// µs, 61.0 % of a tile, fits"; that none fits, or that none was compiled; "" where there is nothing to
    /// try.
    QString proposal(const std::vector<std::string>& changes,
                     const std::vector<profile::RemedyRecord>& compiled, const analyse::Summary& now) const;

  Q_SIGNALS:
    void runRequested(const QStringList& changes);
    void tried(); ///< one change more

  private:
    struct Tried { ///< what came of it
        std::optional<double> step_us, samples_per_s;
        std::int64_t bytes = 0; ///< of the fullest tile, gaps included; 0: none was laid out
        bool fits = false;
        QString error; ///< why there is nothing
    };
    void tryAll();
    void tryNext();
    void stop();
    void ended(const Estimated& result, bool cancelled);
    void showRows();
    std::vector<Cell> cellsOf(const QString& change, const Tried& tried) const;
    std::vector<Cell> cellsOf(const std::string& untried) const;
    QString captionText(bool known) const;
    QString nameOf(const profile::RemedyRecord& change) const;
    bool cutsAnew() const;
    static Tried triedOf(const profile::RemedyRecord& remedy);
    QString verdict(const Tried& tried) const;
    QString reasons() const;
    std::size_t chosenRow() const;
    QStringList chosenSettings() const; ///< of the row
    QStringList chosenChange() const;   ///< the same of one that is known to fit
    void enableButtons();

    QLabel* caption_;
    QPushButton* try_;
    QPushButton* copy_;
    QPushButton* run_;
    DataTable* rows_;
    Estimate estimate_;
    std::vector<profile::RemedyRecord> compiled_; ///< of the file; they stand first
    std::vector<std::string> changes_;            ///< of the finding, that can be tried
    std::map<std::string, Tried> tried_;          ///< of the run
    std::string compiling_;                       ///< the change that is
    std::vector<std::string> wanted_;             ///< asked for, of the finding that was shown then
    analyse::Summary now_;
    bool by_hand_ = false; ///< the workload says with which layers stages or shards begin
};

} // namespace tilescope::ui
