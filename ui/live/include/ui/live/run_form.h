// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/profile_process.h"

#include <QJsonObject>
#include <QList>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace tilescope::ui {

class OverrideTable;

/// Where a run is set up: which workload, with which data, into which profile. Or an invitation to follow
/// one.
class RunForm : public QWidget {
    Q_OBJECT
  public:
    explicit RunForm(QWidget* parent = nullptr);

    RunRequest request() const;
    /// What must be changed before the run can start, in one line, or "".
    QString problem() const;
    void setWorkload(const QString& path); ///< names the profile after it, unless the user has named it
    /// A run of it with these settings, as setOverride() takes them, and with no others.
    void setRun(const QString& workload, const QStringList& changes);
    /// "fit.batch_size=8", in place of another value of that setting; "estimate=false": values are computed.
    void setOverride(const QString& one);
    void begin();                        ///< the keys are at the workload
    void showError(const QString& line); ///< empty: none
    void setStarting(bool starting);     ///< between the click and the profile's first rows
    /// Offers a way back to the file that is shown (its name), or none.
    void setWayBack(const QString& file);
    static constexpr qsizetype most_recent = 10;
    const QList<RunRequest>& recent() const { return recent_; } ///< that were started, the last one first
    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

  Q_SIGNALS:
    void startRequested(const tilescope::ui::RunRequest& request);
    void followRequested(const QString& path);
    void backRequested();

  protected:
    bool event(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QStringList samplesNamed(const QString& typed) const;
    QString workloadFile() const;
    void start();
    void update();
    void fitText(); ///< its lines are as long as text is read well
    void makeFields(QGridLayout& grid, int row);
    /// In the table of settings; "": as in the workload.
    void setField(const QString& key, const QString& value);
    void readFields(); ///< as the table has them
    void makeRecent();
    void fillRecent();
    void take(const RunRequest& request); ///< of a run before
    void browseWorkload();
    void browseData();
    void browseOutput();
    void browseFollow();

    const QStringList samples_;
    QWidget* column_;
    QLineEdit* workload_;
    QLineEdit* data_;
    QLineEdit* output_;
    QSpinBox* epochs_;
    QSpinBox* batch_;
    QSpinBox* seed_;
    QComboBox* system_;
    QToolButton* recent_button_;
    QList<RunRequest> recent_;
    QCheckBox* estimate_;
    OverrideTable* overrides_;
    QLabel* hint_;
    QLabel* command_;
    QLabel* error_;
    QPushButton* start_;
    QPushButton* back_;
    bool starting_ = false;
    bool output_named_ = false; ///< by the user
};

} // namespace tilescope::ui
