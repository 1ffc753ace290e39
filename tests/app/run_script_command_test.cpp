// SPDX-License-Identifier: GPL-3.0-or-later
// What `tilescope run` itself takes and tells: flags, bars, the cache, options that are misplaced.
#include "tests/app/run_script.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;

TEST_F(RunScript, WhatTheFlagsDoIsPrinted) {
    const Surroundings flags{folder.path().string(), {{"TF_POPLAR_FLAGS", "--help"}}, {}, {}};
    const Outcome help = tilescope({"run", "--num-instances", "2", own("sums.py")}, flags);
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_EQ(help.out.rfind("TF_POPLAR_FLAGS under tilescope run: ", 0), 0U) << help.out;
    for (const char* const each : {"\n  --executable_cache_path   =DIR: executables are kept in DIR",
                                   "\nWithout effect here: --allow_nans, "})
        EXPECT_TRUE(holds(help.out, each)) << help.out;
    EXPECT_FALSE(holds(help.out, "[16. 26.]")) << "the script has run";
    const Surroundings model{folder.path().string(), {{"TF_POPLAR_FLAGS", "--use_ipu_model"}}, {}, {}};
    const Arguments workload{"profile", sample("tutorial_basic"), "-o", "flags.tilescope"};
    EXPECT_TRUE(holds(tilescope(workload, model).err,
                      "tilescope: note: TF_POPLAR_FLAGS has no effect here: it is for scripts"));
    EXPECT_FALSE(holds(run(workload).err, "TF_POPLAR_FLAGS"));
}

// The lines that stay of the bars end in 100 %, also where a note follows them.
TEST_F(RunScript, BarsOfCompilationsEndAndTheCacheIsTold) {
    const std::string program = TILESCOPE_BIN_DIR "/tilescope", script = own("sums.py");
    const std::string bar = "[############] 100% Compiled inference [Elapsed]\n";
    const auto bars = [&](const Arguments& arguments) {
        Arguments all{program, "run", "-o", "inner.tilescope"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return output_of(own("bars.py"), {}, all);
    };
    EXPECT_EQ(bars({script}), bar + bar + bar + bar);
    EXPECT_EQ(bars({"--cache", "kept", script}), bar + bar + bar + bar);
    EXPECT_EQ(
        output_of(own("bars.py"), {},
                  {program, "profile", "--cache", "kept", "-o", "inner.tilescope", sample("tutorial_basic")}),
        "[############] 100% Compiled the graph [Elapsed]\n");
    const std::string taken = "tilescope: note: compilation was skipped: the executable is in kept/";
    EXPECT_TRUE(holds(run({"run", "--cache", "kept", script}).err, taken));
    EXPECT_FALSE(holds(run({"run", "--cache", "kept", "--progress", "none", script}).err, taken));
}

// A python3 that comes first on the PATH, with a library of its own, as a virtual environment's.
TEST_F(RunScript, PythonIsDebiansWithItsNumPy) {
    fs::create_directories(folder / "other/bin");
    write("other/bin/python3", "#!/bin/sh\nexit 1\n");
    fs::permissions(folder / "other/bin/python3", fs::perms::owner_all);
    for (int minor = 9; minor < 20; ++minor) {
        const std::string library = "other/lib/python3." + std::to_string(minor);
        fs::create_directories(folder / (library + "/lib-dynload"));
        write(library + "/os.py", "");
    }
    const std::string path = folder / "other/bin" + ":/usr/bin:/bin";
    const Surroundings other{folder.path().string(), {{"PATH", path}}, {}, {}};
    const Outcome outcome = tilescope({"run", own("sums.py")}, other);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    write("numpy.py", "raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\n");
    const Surroundings bare{folder.path().string(), {{"PYTHONPATH", folder.path().string()}}, {}, {}};
    expect_failure(tilescope({"run", own("sums.py")}, bare), 5,
                   {"has no NumPy", "install Debian's python3-numpy"});
}

TEST_F(RunScript, OptionsAndDataThatAreNotWhereTheyBelongAreTold) {
    EXPECT_TRUE(holds(printed({"run", "--help"}), "Usage: tilescope run [OPTIONS] SCRIPT.py [ARGUMENTS]\n"));
    const auto noted = [&](const std::string& text, const Arguments& arguments) {
        Arguments all{"run", write("script.py", text)};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return holds(run(all).err,
                     "tilescope: note: --data stands behind the script, so that it is an argument "
                     "of the script: for tilescope, put it in front\n");
    };
    EXPECT_TRUE(noted("print(1)\n", {"--data", "d"}));
    EXPECT_TRUE(noted("print(1)\n", {"--data=d"}));
    EXPECT_FALSE(noted("print('data')\n", {"--data=d"}));
    EXPECT_FALSE(noted("import sys\nprint(sys.argv)\n", {"--data", "d"}));
    EXPECT_FALSE(noted("print(1)\n", {"--date", "d"}));
    const std::string cifar =
        write("cifar.py", "from tensorflow import keras\nkeras.datasets.cifar10.load_data()\n");
    const Outcome missing = run({"run", "--data", ".", cifar});
    EXPECT_EQ(missing.exit_code, 3);
    EXPECT_TRUE(holds(missing.err,
                      "cifar.py:2: the folder of --data, ., has no "
                      "cifar-10-batches-bin/data_batch_1.bin: unpack the archive with binary files "
                      "there\n"))
        << missing.err;
}

// A script may work for long before its first program.
TEST_F(RunScript, SystemAndProfileAreCheckedBeforeTheScriptBegins) {
    const std::string script = write("script.py", "open('begun', 'w').close()\n");
    write("small.json", "{}");
    expect_failure(run({"run", "--system", "pod8", script}), 2,
                   {"--system: ", "there is no system \"pod8\"", "pod4"});
    expect_failure(run({"run", "-o", "nodir/x.tilescope", script}), 3,
                   {"nodir: the folder does not exist", "-o"});
    expect_failure(run({"run", "-o", "small.json", script}), 3,
                   {"small.json: the file exists and is no Tilescope profile"});
    EXPECT_FALSE(fs::exists(folder / "begun"));
    EXPECT_EQ(run({"run", "--system", "pod4", "-o", "x.tilescope", script}).exit_code, 0);
    EXPECT_TRUE(fs::exists(folder / "begun"));
    EXPECT_FALSE(fs::exists(folder / "x.tilescope.lock"));
}

TEST_F(RunScript, ThatNoProfileWasWrittenIsTold) {
    const std::string empty = write("empty.py", "print('done')\n");
    const std::string note = "tilescope: note: the script ran no program: no profile was written";
    EXPECT_EQ(run({"run", "-o", "run.tilescope", empty}).err, note + "\n");
    output_of(own("sums.py"));
    const Outcome outcome = run({"run", "-o", "run.tilescope", empty});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, "done\n");
    EXPECT_EQ(outcome.err, note + ", run.tilescope is of an earlier run\n");
    EXPECT_FALSE(holds(run({"run", "--overwrite", "-o", "run.tilescope", own("sums.py")}).err, note));
    const std::string stopped = write("stopped.py", "raise KeyboardInterrupt\n");
    EXPECT_EQ(run({"run", "-o", "other.tilescope", stopped}).err,
              "tilescope: cancelled; no profile was written\n");
}

// A step of a model takes its batch; which inputs of a script's own program are samples nobody says, and
// steps of trainings with different batches are not alike.
TEST_F(RunScript, SamplesOfAStepAreToldWhereTheyAreKnown) {
    for (const auto& [kind, batch] :
         {std::pair("session", "\n"), std::pair("keras", "16\n"), std::pair("mixed", "\n")}) {
        output_of(own("step_samples.py"), {"--overwrite"}, {kind});
        EXPECT_EQ(printed({"query", "run.tilescope", "SELECT batch_size FROM run", "--format", "csv"}),
                  std::string("batch_size\n") + batch)
            << kind;
        const nlohmann::json timing =
            nlohmann::json::parse(printed({"report", "run.tilescope", "--format", "json"})).at("timing");
        EXPECT_TRUE(timing.at("step_us").is_number()) << kind;
        EXPECT_EQ(timing.at("samples_per_s").is_number(), std::string(kind) == "keras") << kind;
    }
}

// What the host computes beside the programs of IPUs changes nothing of what the profile has of those.
TEST_F(RunScript, TheProfileIsOfTheIPUsWhereThereAreAny) {
    const auto report = [&](const std::string& kind, const std::string& note) {
        const Outcome outcome =
            run({"run", "--overwrite", "-o", "run.tilescope", own("host_beside.py"), kind});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_TRUE(holds(outcome.err, note)) << outcome.err;
        EXPECT_FALSE(fs::exists(folder / "run.tilescope.host"));
        auto made = document({"report", "run.tilescope", "--format", "json"});
        made["timing"].erase("compile_s");
        return made;
    };
    const std::string outside = "was made outside of an IPUStrategy's scope";
    const auto alone = report("alone", "Compiled cluster"), beside = report("beside", outside);
    EXPECT_EQ(alone.at("run").at("status"), "complete");
    EXPECT_EQ(alone.at("target").at("ipus"), 1);
    EXPECT_TRUE(alone.at("timing").at("step_us").is_number());
    for (const char* part : {"target", "timing", "memory", "ipus"})
        EXPECT_EQ(alone.at(part), beside.at(part)) << part;
    EXPECT_EQ(report("host", outside).at("run").at("status"), "complete");
    EXPECT_EQ(printed({"query", "run.tilescope", "SELECT generation FROM target", "--format", "csv"}),
              "generation\ncpu\n");
    report("before",
           "tilescope: note: the profile is of this computer's processor, on which the first program "
           "ran, and has no times of IPUs; configure them before it, and it is of them\n");
}

} // namespace
} // namespace tilescope::tests
