// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "build_paths.h"
#include "profile/profile.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/live/live_view.h"
#include "ui/widgets/data_table.h"

#include <QAbstractItemView>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {

using tests::comes_to_show;
using tests::shows;

inline const QString live_samples = QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/");
inline const QString live_program = QStringLiteral(TILESCOPE_BIN_DIR "/tilescope");

/// The view as the window keeps it: a file that it asks for is opened and shown.
class Live : public testing::Test {
  protected:
    void SetUp() override {
        view_.resize(1200, 900);
        view_.setSelection(&selection_);
        QObject::connect(&view_, &View::fileRequested, &view_, [this](const QString& path) { open(path); });
        view_.show();
    }
    void TearDown() override { view_.setSources({}); }

    QString file(const char* name) const { return QString::fromStdString(folder_ / name); }
    void open(const QString& path) {
        source_ = ProfileSource::open(path);
        view_.setSources({source_, nullptr});
    }
    /// A workload that trains for hours unless it is cancelled.
    QString endlessWorkload() const {
        QFile model(file("model.json"));
        QFile workload(file("endless.json"));
        EXPECT_TRUE(QFile::copy(live_samples + QStringLiteral("models/mlp_128.json"), model.fileName()));
        EXPECT_TRUE(workload.open(QIODevice::WriteOnly));
        workload.write(R"({"name": "endless", "model": {"keras": "model.json"},
            "data": {"train": {"synthetic": true, "samples": 320}},
            "compile": {"optimizer": {"name": "sgd"}, "loss": "sparse_categorical_crossentropy"},
            "fit": {"batch_size": 32, "epochs": 100000}})");
        return workload.fileName();
    }
    template<class Widget>
    Widget* find(const char* name) {
        auto* found = view_.findChild<Widget*>(QLatin1String(name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }
    void type(const char* field, const QString& text) {
        auto* edit = find<QLineEdit>(field);
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
    QString cell(const QString& first_column, int row, int column) {
        for (const DataTable* table : view_.findChildren<DataTable*>())
            if (const auto* model = table->view()->model();
                model->headerData(0, Qt::Horizontal).toString() == first_column)
                return model->index(row, column).data().toString();
        ADD_FAILURE() << "there is no table " << first_column.toStdString();
        return {};
    }
    profile::RunStatus recordedStatus(const QString& path) {
        const auto profile = profile::Profile::open(path.toStdString());
        EXPECT_TRUE(profile) << profile.error().line();
        const auto run = (*profile)->run();
        EXPECT_TRUE(run);
        return run->status;
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<ProfileSource> source_;
    SelectionModel selection_;
    LiveView view_;
};

} // namespace tilescope::ui
