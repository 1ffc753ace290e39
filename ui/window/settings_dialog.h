// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace tilescope::ui {

class FolderField;
class KeyBindings;
class KeyTable;

/// What is remembered of how the window looks, writes figures and is told what to do: one page of groups,
/// each with a way back to what it was at first. Each change holds at once.
class SettingsDialog : public QDialog {
    Q_OBJECT
  public:
    explicit SettingsDialog(KeyBindings& keys, QWidget* parent = nullptr);

  Q_SIGNALS:
    void unitsChanged();
    void basisChanged();  ///< what figures are per at first
    void memoryChanged(); ///< how Memory draws tiles

  private:
    /// A group of rows; `reset` gives its settings what they have at first.
    struct Group {
        QString title;
        QWidget* box = nullptr;
        QFormLayout* form = nullptr;
        std::vector<std::pair<QLabel*, QWidget*>> rows;
    };
    Group& addGroup(const QString& title, const std::function<void()>& reset);
    void addRow(Group& group, const QString& name, QWidget* field);
    QComboBox* choice(const char* name, const QStringList& choices);
    void makeLook();
    void makeFigures();
    void makeFiles();
    void makeFolders();
    void makeKeys();
    void exportKeys();
    void importKeys();
    void show();
    void apply();
    void applyFigures();
    void showFolders();
    void applyFolders();
    void countExecutables(bool remove); ///< `remove`: once they are gone
    void filter(const QString& text);

    KeyBindings& keys_;
    bool showing_ = false; ///< fields take what is remembered
    std::vector<Group> groups_;
    QVBoxLayout* page_;
    QComboBox* theme_ = nullptr;
    QComboBox* colours_ = nullptr;
    QSpinBox* scale_ = nullptr;
    QComboBox* font_ = nullptr;
    QCheckBox* motion_ = nullptr;
    QComboBox* time_ = nullptr;
    QComboBox* bytes_ = nullptr;
    QComboBox* basis_ = nullptr;
    QComboBox* tiles_ = nullptr;
    QCheckBox* gaps_ = nullptr;
    QCheckBox* reopen_ = nullptr;
    QCheckBox* reload_ = nullptr;
    FolderField* data_ = nullptr;
    FolderField* executables_ = nullptr;
    QLabel* kept_ = nullptr; ///< executables
    QPushButton* empty_ = nullptr;
    QComboBox* notes_ = nullptr;
    QLabel* folders_note_ = nullptr; ///< what is wrong with one
    KeyTable* table_ = nullptr;
    QLabel* keys_note_ = nullptr; ///< what became of a file
};

} // namespace tilescope::ui
