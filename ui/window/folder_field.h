// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;

namespace tilescope::ui {

/// A folder, typed or chosen.
class FolderField : public QWidget {
    Q_OBJECT
  public:
    FolderField(const char* name, const QString& none,
                QWidget* parent = nullptr); ///< `none`: said where empty
    ~FolderField() override;
    FolderField(const FolderField&) = delete;
    FolderField& operator=(const FolderField&) = delete;
    QString folder() const;
    void setFolder(const QString& folder);

  Q_SIGNALS:
    void chosen(); ///< another than before

  private:
    void tell();
    QLineEdit* line_;
    QString told_;
};

} // namespace tilescope::ui
