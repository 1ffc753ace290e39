// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QJsonObject>

class QLabel;
class QFrame;
class QShortcut;
class QSplitter;
class QVBoxLayout;
class QToolButton;

namespace tilescope::ui {

class DetailsText;

/// Details of what is selected in the view in front. It can be moved to another side and float; what it says
/// can be kept above what it says next.
class DetailsDock : public QDockWidget {
    Q_OBJECT
  public:
    explicit DetailsDock(QWidget* parent);
    /// Rich text that may name colours by their role (Theme::filled); "": nothing is selected, and `hint` is
    /// said. `of`: the view that says so, if it `offers` details; what is pinned is shown in any case.
    void setDetails(const QString& html, const QString& hint, const QString& of, bool offers);
    void setNote(QWidget* note); ///< what stands at the bottom, whatever is shown above it
    /// Takes what is shown, to be looked at beside what is selected next; nothing is done where nothing is.
    void pin();
    void unpin();
    /// The rows of what is shown, else of what is pinned, to the clipboard; false: there is nothing.
    bool copy();
    /// It lies over the right side of `over`, or (null) is to be docked.
    void setDrawer(QWidget* over);
    bool isDrawer() const { return over_ != nullptr; }
    void fitDrawer(); ///< to the size of what it lies over
    bool pinned() const { return !pinned_html_.isEmpty(); }
    /// What is pinned, with the words above it.
    QJsonObject savePinned() const;
    void restorePinned(const QJsonObject& saved);

  Q_SIGNALS:
    void closed();                        ///< by its button
    void linkChosen(const QString& link); ///< in what is shown or pinned
    void copied();                        ///< all of it

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeHead();
    void write();
    void writePinned();

    QString html_, hint_, of_;
    QString pinned_html_, pinned_of_;
    QVBoxLayout* all_ = nullptr; ///< the parts and the note
    QSplitter* parts_;
    QWidget* upper_; ///< what is pinned
    QLabel* pinned_head_;
    DetailsText* pinned_;
    DetailsText* now_;
    QToolButton* copy_;
    QToolButton* pin_;
    QToolButton* floats_;
    QWidget* over_ = nullptr; ///< null: it is docked
    QFrame* edge_;            ///< of the drawer
};

} // namespace tilescope::ui
