#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# packages_test.sh BUILD: makes the packages of a build, unpacks them into an empty root, and does the main job there.
set -eu
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# What the programs say goes into a file, shown where one fails.
quietly() {
    "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "$*"; }
}
holds() { # TEXT PART
    case "$1" in
    *"$2"*) ;;
    *) fail "no \"$2\" in: $1" ;;
    esac
}
if ldd "$build/bin/tilescope" | grep -q libasan; then
    echo "SKIPPED: a build with sanitizers is not packaged"
    exit 77
fi

for generator in DEB TGZ; do
    quietly cpack --config "$build/CPackConfig.cmake" -G "$generator" -B "$scratch/packages"
done

# The command line needs no Qt, and the window needs the command line.
depends() { dpkg-deb -f "$(echo "$scratch"/packages/"$1"_*.deb)" Depends; }
case "$(depends tilescope)" in
*[qQ]t* | *libx11* | *libxcb*) fail "tilescope depends on $(depends tilescope)" ;;
esac
# Its module is loaded by the Python that it was built for alone.
engine=$(dpkg-deb -c "$(echo "$scratch"/packages/tilescope_*.deb)" | grep -o 'tilescope_engine\.cpython-[0-9]*')
minor=${engine#tilescope_engine.cpython-3}
holds "$(depends tilescope)" "python3 (>= 3.$minor), python3 (<< 3.$((minor + 1)))"
holds "$(depends tilescope-gui)" "tilescope (= "
holds "$(depends tilescope-gui)" "libqt6widgets6"
holds "$(depends tilescope-sqlite)" "libsqlite3-0"
# Debian has all that they need.
if command -v apt-get >/dev/null; then
    quietly apt-get install --simulate --no-install-recommends -y "$scratch"/packages/*.deb
fi

root=$scratch/root
for package in "$scratch"/packages/*.deb; do
    dpkg-deb -x "$package" "$root"
done

main_job() { # ROOT: with nothing of the build or the sources in reach
    program=$1/bin/tilescope
    samples=$1/share/tilescope/samples
    libraries=$(ldd "$program")
    case "$libraries" in
    *"$build"* | *"not found"* | *libQt* | *libX11*) fail "$program needs $libraries" ;;
    esac
    rm -rf work
    mkdir work
    cd work
    quietly env -i PATH="$1/bin:/usr/bin:/bin" tilescope profile "$samples/tutorial_basic.json" -o tutorial.tilescope
    holds "$("$program" query tutorial.tilescope "SELECT \"values\" FROM output")" "[3, 8]"
    cat >script.py <<'SCRIPT'
import tensorflow as tf
print(tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,))]).predict([[1.0, 2.0]]).shape)
SCRIPT
    holds "$(env -i PATH="$1/bin:/usr/bin:/bin" tilescope run -o script.tilescope script.py 2>&1)" "(1, 3)"
    quietly "$program" profile "$samples/keras_mnist_faster.json" --estimate --epochs 1 -o run.tilescope
    holds "$("$program" report run.tilescope)" "complete"
    quietly env -i PATH=/usr/bin:/bin HOME="$scratch" XDG_RUNTIME_DIR="$scratch" QT_QPA_PLATFORM=offscreen \
        "$1/bin/tilescope-gui" run.tilescope --grab pictures
    [ "$(file --brief --mime-type pictures/memory.png)" = image/png ] || fail "the window drew nothing"
    holds "$(sqlite3 -cmd ".load $1/lib/tilescope/tilescope_sqlite" run.tilescope "SELECT count(*) > 0 FROM trace")" 1
    cd ..
}
main_job "$root/usr"

# What the recipes for CI run, in a clean folder with nothing but the packages: no baseline, an equal one, a slower model.
recipes=$root/usr/share/tilescope/ci
for recipe in github.yml gitlab.yml Jenkinsfile; do
    # shellcheck disable=SC2016 # as the recipe has it
    grep -q 'sh .*profile.sh "$WORKLOAD" "$BUDGET" baseline/new.tilescope' "$recipes/$recipe" ||
        fail "$recipe does not run profile.sh"
done
ci() { # WORKLOAD [OPTIONS]: its exit code
    code=0
    env -i PATH="$root/usr/bin:/usr/bin:/bin" HOME="$scratch" XDG_RUNTIME_DIR="$scratch" GITHUB_ACTIONS=true \
        TILESCOPE_OPTIONS="${2:---estimate}" sh "$recipes/profile.sh" "$1" budget.json baseline/new.tilescope >"$scratch/log" 2>&1 || code=$?
    echo "$code"
}
cp -r "$root/usr/share/tilescope/samples" checkout
cd checkout
echo '{"limits": [{"metric": "timing.step_us", "max_increase_percent": 1}]}' >budget.json
[ "$(ci keras_mnist_faster.json)" = 0 ] || { cat "$scratch/log"; fail "a first run"; }
holds "$(cat "$scratch/log")" "no baseline yet"
mkdir baseline
cp tilescope/new.tilescope baseline/
[ "$(ci keras_mnist_faster.json)" = 0 ] || { cat "$scratch/log"; fail "a run like its baseline"; }
[ "$(ci keras_mnist.json)" = 1 ] || { cat "$scratch/log"; fail "a slower model is not found"; }
holds "$(cat "$scratch/log")" "::error title=Tilescope budget::timing.step_us is "
holds "$(cat tilescope/comment.md)" "step time"
holds "$(cat tilescope/comment.md)" "as long as baseline/new"
holds "$(cat tilescope/verdicts.xml)" 'failures="1"'
holds "$(cat tilescope/benchmark.json)" '"name": "timing.step_us"'
[ "$(ci keras_mnist_faster.json "--estimate --no-remedies --set ipu_config.ipu_model.bytes_per_tile=60000")" = 1 ] || {
    cat "$scratch/log"
    fail "a model that does not fit has no verdict"
}
holds "$(cat tilescope/verdicts.xml)" 'errors="1"'
holds "$(cat tilescope/comment.md)" "out of memory"
[ "$(ci no_such_workload.json)" = 3 ] || { cat "$scratch/log"; fail "a missing workload is no verdict"; }
# A pull request of GitHub and a merge request of GitLab, over HTTP and on their second page of comments: one comment
# each, that of the last run.
cat >host.py <<'SERVER'
import http.server, json, os, urllib.parse
class Host(http.server.BaseHTTPRequestHandler):
    """One kind of host: where its comments are, where one is, what changes one, and the head that has the token."""
    kinds = {
        "github": ("/repos/an/owner/issues/3/comments", "/repos/an/owner/issues/comments/", "PATCH",
                   ("Authorization", "Bearer secret")),
        "gitlab": ("/projects/7/merge_requests/3/notes", "/projects/7/merge_requests/3/notes/", "PUT",
                   ("PRIVATE-TOKEN", "secret"))}
    comments = {name: [{"id": i, "body": "of somebody"} for i in range(1, 121)] for name in kinds}
    def answer(self, code, content):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())
        json.dump(self.comments, open("comments.json", "w"))
    def do_any(self):
        url = urllib.parse.urlsplit(self.path)
        name = url.path.split("/")[1]
        all_of_them, one, change, (head, token) = self.kinds[name]
        path, query, comments = url.path[len(name) + 1:], dict(urllib.parse.parse_qsl(url.query)), self.comments[name]
        if self.headers[head] != token:
            return self.answer(401, {})
        if self.command == "GET" and path == all_of_them:
            size, page = int(query["per_page"]), int(query["page"])
            return self.answer(200, comments[(page - 1) * size:page * size])
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.command == "POST" and path == all_of_them:
            comments.append({"id": len(comments) + 1, "body": json.loads(body)["body"]})
            return self.answer(201, comments[-1])
        if self.command == change and path.startswith(one):
            comment = comments[int(path[len(one):]) - 1]
            comment["body"] = json.loads(body)["body"]
            return self.answer(200, comment)
        self.answer(404, {})
    do_GET = do_POST = do_PUT = do_PATCH = do_any
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Host)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
SERVER
python3 host.py &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
waited=0
until [ -e port ]; do
    waited=$((waited + 1))
    [ "$waited" -le 300 ] || fail "the stand-in for the hosts does not start"
    sleep 0.1
done
comment() { # HOST TOKEN FILE: on the request
    address=http://127.0.0.1:$(cat port)/$1
    case $1 in
    github) set -- "$2" "$3" GITHUB_API_URL="$address" GITHUB_REPOSITORY=an/owner GITHUB_REF=refs/pull/3/merge \
        GITHUB_TOKEN="$2" ;;
    gitlab) set -- "$2" "$3" CI_API_V4_URL="$address" CI_PROJECT_ID=7 CI_MERGE_REQUEST_IID=3 TILESCOPE_TOKEN="$2" ;;
    esac
    file=$2
    shift 2
    env -i PATH=/usr/bin:/bin "$@" python3 "$recipes/comment.py" "$file"
}
said() { # HOST: all that was put there by others than the 120 somebodies
    python3 -c 'import json, sys
of = json.load(open("comments.json"))[sys.argv[1]]
assert all(c["body"] == "of somebody" for c in of[:120])
print("".join(c["body"] for c in of[120:]))' "$1"
}
echo "an earlier run" >earlier.md
for host in github gitlab; do
    quietly comment $host secret earlier.md
    holds "$(said $host)" "an earlier run"
    quietly comment $host secret tilescope/comment.md
    [ "$(said $host)" = "<!-- tilescope -->
$(cat tilescope/comment.md)" ] || fail "the comment of the last run is not the one on $host: $(said $host)"
    if comment $host wrong tilescope/comment.md 2>"$scratch/log"; then fail "a wrong token is no failure"; fi
    holds "$(cat "$scratch/log")" "comment.md is not on the request: HTTP Error 401"
    grep -q 'comment.py tilescope/comment.md' "$recipes/$host.yml" || fail "$host.yml does not comment"
done
for file in report.html pictures/summary.png new.tilescope; do
    [ -s "tilescope/$file" ] || fail "no $file"
done
cd ..

# The archive runs where it is unpacked.
mkdir elsewhere
tar -xzf "$scratch"/packages/*.tar.gz -C elsewhere --strip-components=1
main_job "$scratch/elsewhere"

# Manual pages that man shows without a warning, one for each command.
for command in $("$root/usr/bin/tilescope" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    page=$root/usr/share/man/man1/tilescope-$command.1
    [ -s "$page" ] || fail "no manual page of $command"
done
if command -v man >/dev/null; then
    for page in "$root"/usr/share/man/man1/*.1; do
        warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$warnings" ] || fail "$page: $warnings"
    done
fi

# Bash completes commands, options and their values.
completed() { # WORDS...: what the last one may become
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tilescope; echo "${COMPREPLY[*]}"' \
        bash "$root/usr/share/bash-completion/completions/tilescope" "$@"
}
[ "$(completed tilescope prof)" = profile ] || fail "bash completes prof to: $(completed tilescope prof)"
[ "$(completed tilescope profile --est)" = --estimate ] || fail "bash completes --est"
[ "$(completed tilescope report --format ht)" = html ] || fail "bash completes the formats"
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        quietly "$shell" -n "$(find "$root" -path "*$shell*" \( -name '_tilescope' -o -name '*.fish' \))"
    fi
done
echo "the packages hold"
