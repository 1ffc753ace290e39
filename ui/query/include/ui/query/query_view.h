// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/query/joined_answer.h"
#include "ui/query/named_subject.h"
#include "ui/query/sql_editor.h"
#include "ui/session/subject_link.h"
#include "ui/session/view.h"

#include <QElapsedTimer>
#include <QPointer>
#include <map>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QTabWidget;
class QToolButton;
class QTreeWidget;

namespace tilescope::ui {

class AnswerChart;
class DataTable;
class SavedQueries;
class Veil;

/// Any question in SQL, answered off the window's thread, as a table and, where the answer has numbers, a
/// chart. With a base both files are asked, and their rows stand beside each other.
class QueryView : public View {
    Q_OBJECT
  public:
    explicit QueryView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("query"); }
    QString title() const override { return tr("Query"); }
    QString iconName() const override { return QStringLiteral("query"); }
    bool offersDetails() const override { return true; }
    QString detailsHint() const override;
    Programs programs() const override { return Programs::All; }
    QJsonObject saveState() const override; ///< the text
    void restoreState(const QJsonObject& state) override;
    void run(const QString& sql);

    /// Of a query: the rows that are kept, and how many there were.
    struct Answer {
        profile::QueryResult kept;
        std::int64_t rows = 0;
        std::vector<std::string> plan;  ///< how SQLite reads the tables, a line each
        std::int64_t tiles_per_ipu = 0; ///< of the file; 0: not known
    };
    using Named = NamedSubject;
    /// Tables and views with their columns and the types of these.
    struct Tables {
        SqlEditor::Columns columns;
        std::map<QString, QStringList> types;
    };

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void tellDetails() override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeSide();
    QWidget* makeMain();
    void makeSideMenu();
    void arrangeSide(); ///< in a narrow window a menu has what it has
    void showTableRows(const QString& table);
    void showTables(const Tables& tables);
    void askCounts(); ///< of the rows of each table
    void countNext(); ///< of those that are left
    void stopCounting();
    void forgetCounts();
    void askFiles();
    void askFile(ProfileSource& file, std::optional<Result<Answer>>& answer);
    void showAnswers();
    void showError(const Error& error);
    void setRunning(bool running);
    void setStale(bool stale);     ///< what stands below is the answer to another question
    void choose(std::int64_t row); ///< the subjects that a row of the answer names by their ids
    void goToSubject(std::int64_t row);
    QStringList viewsOfRow() const; ///< that show what the rows of the answer name by their ids
    void makeMenu();                ///< of the charts
    void goToNamed(const Named& named);
    QString outcomeText(const Answer& answer) const;
    void showTable(DataTable* table);
    DataTable* tableOf(const Answer& answer);
    DataTable* tableOf(const JoinedAnswer& answer);
    void cancel();
    void leaveEditor();

    SqlEditor* editor_;
    QPushButton* run_;
    QPushButton* cancel_;
    QPushButton* copy_; ///< the error
    QAction* escape_;
    QPushButton* more_; ///< rows, where not all are shown
    QLabel* outcome_;
    /// Tables whose rows are still to be counted; nullopt: which have some is not known yet.
    std::optional<std::vector<std::string>> uncounted_;
    QWidget* side_ = nullptr;
    QToolButton* side_menu_ = nullptr;
    QPointer<QLabel> nothing_; ///< until something is asked
    SavedQueries* saved_;
    QTreeWidget* tables_;
    QTabWidget* tabs_;
    Veil* veil_; ///< over these
    AnswerChart* chart_;
    QLabel* plan_;
    QElapsedTimer since_;
    bool running_ = false;
    QString asked_;                            ///< what was run last; "": nothing yet
    std::int64_t most_rows_ = 0;               ///< that are shown of what was run last
    bool again_ = false;                       ///< the base is another one: it is to be asked again
    std::optional<Result<Answer>> now_, base_; ///< as they come
    profile::QueryResult shown_;               ///< of the new file: the first rows of the table
    std::int64_t row_ = -1;                    ///< of the table, that was chosen last
};

} // namespace tilescope::ui
