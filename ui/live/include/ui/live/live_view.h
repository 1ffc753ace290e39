// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/live_state.h"
#include "ui/live/profile_process.h"
#include "ui/session/view.h"

#include <optional>

class QStackedWidget;

namespace tilescope::ui {

class RunForm;
class RunPage;

/// Starts a run and follows it through its profile, or follows one that someone else started.
class LiveView : public View {
    Q_OBJECT
  public:
    explicit LiveView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("live"); }
    QString title() const override { return tr("Live"); }
    QString iconName() const override { return QStringLiteral("live"); }
    analyse::FigureKinds predicts() const override { return {FigureKind::Host, FigureKind::Compute}; }
    Programs programs() const override { return Programs::All; }
    bool offersDetails() const override { return true; }
    bool needsFile() const override { return false; }
    bool followsUnseen() const override { return true; } ///< its run may be cancelled from any view
    QList<QAction*> viewActions() override { return {new_run_, hold_, cancel_}; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    RunForm& form() { return *form_; }
    RunPage& page() { return *page_; }
    bool showsForm() const;
    ProfileProcess& process() { return process_; }  ///< the run that was started here
    QAction* stopAction() const { return cancel_; } ///< enabled while there is a run to be stopped
    QString activity() const; ///< what that does now, in a few words; "": it is not what is shown

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;
    void tellDetails() override;
    void keyPressEvent(QKeyEvent* event) override; ///< Space, which buttons and tables have themselves

  private:
    void start(const RunRequest& request);
    void cancel(const QString& path); ///< once it is confirmed
    void askWhetherToCancel();
    void hold(bool held);
    void showState();
    QString stoppable() const;
    void ended(bool cancelled, const QString& error);
    void askBase();
    void showForm();
    void showPage();

    std::optional<LiveState> state_; ///< that is shown
    std::optional<LiveState> newer_; ///< than that, while the display is held
    std::optional<LiveState> base_;
    std::int64_t line_ = -1; ///< of the log, that was chosen last
    bool asking_ = false;
    bool ask_again_ = false; ///< the file has grown meanwhile
    ProfileProcess process_;
    QStackedWidget* stack_;
    RunForm* form_;
    RunPage* page_;
    QAction* new_run_;
    QAction* hold_;
    QAction* cancel_;
};

} // namespace tilescope::ui
