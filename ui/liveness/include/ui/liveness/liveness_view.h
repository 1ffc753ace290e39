// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/liveness/liveness_curve.h"
#include "ui/session/view.h"

#include <vector>

class QComboBox;
class QTabWidget;

namespace tilescope::ui {

class DataTable;
class PageStack;
class ThemedLabel;

/// What is live at each program step of an IPU: how high memory rises, at which step, and which variables
/// live then.
class LivenessView : public View {
    Q_OBJECT
  public:
    explicit LivenessView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("liveness"); }
    QString title() const override { return tr("Liveness"); }
    QString iconName() const override { return QStringLiteral("liveness"); }

    struct Read {
        LivenessCurve::Data live;
        std::vector<std::int64_t> ipus;
        std::map<std::int64_t, QString> layers;
    };

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;

  private:
    QWidget* makeHead();
    void makeActions();
    void showRead(Read now);
    void chooseStep(std::int64_t step); ///< the user's
    void goToStep(std::int64_t step);
    void moveStep(int direction);
    void nextPeak();
    void showStep();
    void showHeading();

    Read read_;
    LivenessCurve::Data base_;
    std::int64_t ipu_ = 0;
    bool fresh_ = true; ///< the peak is shown once it is known
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_;
    QComboBox* ipus_;
    LivenessCurve* curve_;
    QTabWidget* tabs_;
    DataTable* live_;
    DataTable* changes_;
};

} // namespace tilescope::ui
