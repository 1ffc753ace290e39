// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnxruntime.h"

#include "build_paths.h"
#include "kernels/kernel_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace tilescope::bench {
namespace {

using nlohmann::json;

/// A program that answers lines with lines.
class Child {
  public:
    explicit Child(const std::vector<std::string>& command) {
        std::array<int, 2> to{};
        std::array<int, 2> from{};
        if (pipe(to.data()) != 0 || pipe(from.data()) != 0)
            return;
        pid_ = fork();
        if (pid_ == 0) {
            dup2(to[0], 0);
            dup2(from[1], 1);
            for (const int end : {to[0], to[1], from[0], from[1]})
                close(end);
            std::vector<char*> arguments;
            for (const std::string& argument : command)
                arguments.push_back(const_cast<char*>(argument.c_str()));
            arguments.push_back(nullptr);
            execvp(arguments[0], arguments.data());
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        in_ = fdopen(to[1], "w");
        out_ = fdopen(from[0], "r");
    }
    ~Child() {
        if (in_ != nullptr)
            std::fclose(in_);
        if (out_ != nullptr)
            std::fclose(out_);
        if (pid_ > 0)
            waitpid(pid_, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// The answer, null where there is none.
    json ask(const std::string& question) const {
        if (in_ == nullptr || out_ == nullptr || std::fputs((question + "\n").c_str(), in_) < 0 ||
            std::fflush(in_) != 0)
            return nullptr;
        std::string answer;
        for (int c = std::fgetc(out_); c != EOF && c != '\n'; c = std::fgetc(out_))
            answer += static_cast<char>(c);
        return json::parse(answer, nullptr, false);
    }

  private:
    pid_t pid_ = -1;
    std::FILE* in_ = nullptr;
    std::FILE* out_ = nullptr;
};

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "tilescope-bench-XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr)
            path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::string& path() const { return path_; }
    void write(const std::string& name, const std::vector<float>& values) const {
        std::ofstream(path_ + "/" + name + ".f32", std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(float)));
    }

  private:
    std::string path_;
};

class OnnxRuntime : public Training {
  public:
    OnnxRuntime(std::unique_ptr<Folder> folder, const std::string& installed)
        : folder_(std::move(folder)), child_({"node", TILESCOPE_SOURCE_DIR "/bench/numerics/onnxruntime.mjs",
                                              folder_->path(), installed}) {}

    float step(const Batch& /*batch*/) override { return 0; } // it trains in whole passes
    std::vector<float> losses(const std::vector<Batch>& /*batches*/) override {
        return answer_.value("losses", std::vector<float>());
    }
    Round round(const std::vector<Batch>& /*batches*/) override {
        const json answer = child_.ask("round");
        if (!answer.is_object())
            return {};
        return {answer.value("samples", 0.0), answer.value("processor_s", 0.0), answer.value("wall_s", 0.0)};
    }
    /// Trains with the batches once; "" or why it cannot.
    std::string begin() {
        answer_ = child_.ask("losses");
        if (!answer_.is_object())
            return "node cannot run bench/numerics/onnxruntime.mjs";
        return answer_.value("missing", std::string());
    }

  private:
    std::unique_ptr<Folder> folder_;
    Child child_;
    json answer_;
};

/// What dropout multiplies each step's activations by.
std::vector<float> masks(const DropoutSettings& dropout, std::size_t steps, std::size_t elements) {
    const std::vector<float> ones(elements, 1.0F);
    std::vector<float> all(steps * elements);
    for (std::size_t step = 0; step < steps; ++step)
        kernels::best_kernels().dropout({dropout.seed, (dropout.salt << 40) ^ step,
                                         static_cast<std::uint32_t>(dropout.rate * 4294967296.0),
                                         static_cast<float>(1.0 / (1.0 - dropout.rate))},
                                        ones.data(), all.data() + step * elements, 0,
                                        static_cast<std::int64_t>(elements));
    return all;
}

} // namespace

std::unique_ptr<Training> onnxruntime(const std::string& settings, const FirstValues& first,
                                      const std::vector<Batch>& batches, const DropoutSettings& dropout,
                                      std::string& missing) {
    const char* installed = std::getenv("TILESCOPE_ONNXRUNTIME");
    if (installed == nullptr) {
        missing = "TILESCOPE_ONNXRUNTIME names no folder where npm installed onnxruntime-node";
        return nullptr;
    }
    auto folder = std::make_unique<Folder>();
    std::vector<float> samples;
    std::vector<float> labels;
    for (const Batch& batch : batches) {
        samples.insert(samples.end(), batch.samples.begin(), batch.samples.end());
        for (const std::int32_t label : batch.labels)
            for (std::int32_t k = 0; k < 10; ++k)
                labels.push_back(k == label ? 1.0F : 0.0F);
    }
    folder->write("samples", samples);
    folder->write("labels", labels);
    if (dropout.rate > 0)
        folder->write("mask", masks(dropout, batches.size(), batches.front().labels.size() * 1600));
    for (const auto& [variable, values] : first) {
        std::string name = variable;
        std::replace(name.begin(), name.end(), '/', '_');
        folder->write(name, values);
    }
    std::ofstream(folder->path() + "/settings.json") << settings;
    auto training = std::make_unique<OnnxRuntime>(std::move(folder), installed);
    missing = training->begin();
    return missing.empty() ? std::move(training) : nullptr;
}

} // namespace tilescope::bench
