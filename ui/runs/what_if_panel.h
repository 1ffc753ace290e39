// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "target_figures.h"
#include "ui/live/estimate.h"
#include "ui/live/run_again.h"

#include <QTimer>
#include <QWidget>
#include <array>
#include <optional>

class QAction;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSlider;

namespace tilescope::ui {

class DataTable;
class PageStack;
class ShareBar;
class ThemedLabel;

/// What a run would be on another target: sliders for its figures, and what the run compiled anew for them
/// gives, beside what it has.
class WhatIfPanel : public QWidget {
    Q_OBJECT
  public:
    explicit WhatIfPanel(QWidget* parent = nullptr);
    /// Path of the profile; "": none. Sliders stand at its own figures then, unless it is the one before.
    void setRun(const QString& path);
    const QString& run() const { return path_; }
    bool working() const; ///< reading a run, or compiling one
    void cancel();        ///< the compilation

  Q_SIGNALS:
    void runRequested(const QString& workload, const QStringList& changes);
    void saved(const QString& path); ///< the estimate, as a profile of its own

  private:
    struct Row {
        QLabel* name;
        QSlider* slider;
        QLineEdit* value;
        QLabel* of; ///< "1.50 × 1,472"
    };
    QWidget* makeFigures();
    QWidget* makeResult();
    void read();
    void take(analyse::Summary summary);
    void setValue(TargetFigure figure, double value);
    void typed(TargetFigure figure);
    void showValues();
    void reset();
    void changed(); ///< in a moment it is compiled, unless more changes
    void compile();
    void ended(const Estimated& result, bool cancelled);
    void showResult();
    QString sentence() const;
    void save();

    QString path_;
    std::shared_ptr<ProfileSource> source_; ///< while the run is read
    std::optional<analyse::Summary> now_;   ///< of the run as it is
    RunAgain again_;                        ///< how that was asked for
    RunTarget target_;
    TargetFigures values_{};
    QStringList compiling_, compiled_; ///< changes that are compiled, and those of `result_`
    std::optional<Estimated> result_;
    QString problem_; ///< of what was typed
    bool stopped_ = false;
    Estimate estimate_;
    QTimer soon_;
    PageStack* pages_;
    std::array<Row, target_figures.size()> rows_{};
    ThemedLabel* heading_;
    QProgressBar* progress_;
    QPushButton* stop_;
    QAction* escape_; ///< ends the compilation
    QPushButton* reset_;
    QPushButton* save_;
    QPushButton* run_with_;
    DataTable* figures_;
    ShareBar* shares_;
};

} // namespace tilescope::ui
