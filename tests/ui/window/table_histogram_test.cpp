// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "frame_fixture.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QProcess>
#include <set>

namespace tilescope::ui {
namespace {

/// A pipeline of two stages that is compared with another run.
class HistogramsOfTables : public testing::TestWithParam<const char*> {
  protected:
    static void SetUpTestSuite() {
        folder = std::make_unique<tests::TemporaryFolder>();
        for (const char* sample : {"keras_mnist_faster", "keras_mnist_pipelined"}) {
            QProcess program;
            program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"),
                          {QStringLiteral("profile"),
                           QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(sample)),
                           QStringLiteral("-o"), path(sample), QStringLiteral("--estimate")});
            ASSERT_TRUE(program.waitForFinished(120'000));
            ASSERT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
        }
    }
    static void TearDownTestSuite() { folder.reset(); }
    static QString path(const char* sample) {
        return QString::fromStdString(*folder / (std::string(sample) + ".tilescope"));
    }

    void show() {
        window.resize(1440, 900);
        window.show();
        ASSERT_TRUE(window.showView(QString::fromLatin1(GetParam())));
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 60000));
        QTest::qWait(50);
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 60000));
    }
    static QString head(const QTableView& table, int column) {
        return table.model()->headerData(column, Qt::Horizontal).toString().simplified();
    }
    /// What a person takes for a figure: it stands at the right, and has a digit.
    static bool hasFigures(const QTableView& table, int column) {
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const QModelIndex cell = table.model()->index(row, column);
            const bool right = (cell.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
            const QString shown = cell.data().toString();
            if (right && std::any_of(shown.begin(), shown.end(), [](QChar c) { return c.isDigit(); }))
                return true;
        }
        return false;
    }
    static QStringList offered(DataTable& table) {
        table.showHistogram(-1);
        QStringList names;
        for (QDialog* dialog : table.findChildren<QDialog*>(QStringLiteral("columnHistogram"))) {
            const auto* columns = dialog->findChild<QComboBox*>();
            for (int i = 0; i < columns->count(); ++i)
                names << columns->itemText(i);
            delete dialog;
        }
        return names;
    }

    void expectAllOffered() const {
        // Of what is no amount: which IPU, when, which process; and of rows of unlike figures.
        const std::set<QString> names{QStringLiteral("IPU"), QStringLiteral("IPUs"),
                                      QStringLiteral("Recorded, UTC"), QStringLiteral("PID")};
        const std::set<QString> unlike{QStringLiteral("Figure"), QStringLiteral("Finding"),
                                       QStringLiteral("Found where")};
        for (DataTable* table : window.findChildren<DataTable*>()) {
            const QTableView& view = *table->view();
            if (view.model()->columnCount() == 0 || unlike.contains(head(view, 0)))
                continue;
            const QStringList columns = offered(*table);
            for (int c = 0; c < view.model()->columnCount(); ++c)
                EXPECT_TRUE(view.isColumnHidden(c) || names.contains(head(view, c)) || !hasFigures(view, c) ||
                            columns.contains(head(view, c)))
                    << table->objectName().toStdString() << ": " << head(view, c).toStdString();
        }
    }

    static std::unique_ptr<tests::TemporaryFolder> folder;
    struct Plain {
        Plain() { QSettings().clear(); }
    } plain; // before the window
    MainWindow window;
};

std::unique_ptr<tests::TemporaryFolder> HistogramsOfTables::folder;

} // namespace

TEST_P(HistogramsOfTables, EveryColumnOfFiguresOffersOne) {
    window.openFile(path("keras_mnist_pipelined"));
    show();
    expectAllOffered();
    window.openFile(path("keras_mnist_faster"));
    window.setBase(0);
    show();
    expectAllOffered();
}

INSTANTIATE_TEST_SUITE_P(OfEachView, HistogramsOfTables,
                         testing::Values("summary", "insights", "memory", "liveness", "program", "operations",
                                         "trace", "pipeline", "sharding", "exchange", "compile", "query",
                                         "compare", "runs"),
                         [](const auto& view) { return std::string(view.param); });

} // namespace tilescope::ui
