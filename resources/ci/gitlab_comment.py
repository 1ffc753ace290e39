#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""gitlab_comment.py FILE

Puts FILE (Markdown) on the merge request of this pipeline, in place of what it put there before. GitLab sets
CI_API_V4_URL, CI_PROJECT_ID and CI_MERGE_REQUEST_IID; TILESCOPE_TOKEN is an access token of the project with the
scope api (a masked variable of the project). Ends with code 1 and one line where GitLab does not take it.
"""
import json
import os
import sys
import urllib.request

MARK = "<!-- tilescope -->"  # begins what this has put there; Markdown does not show it
PER_PAGE = 100


def ask(method, url, token, content=None):
    """What GitLab answers to a request, of JSON both ways."""
    request = urllib.request.Request(
        url, method=method, headers={"PRIVATE-TOKEN": token, "Content-Type": "application/json"},
        data=None if content is None else json.dumps(content).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def own_note(notes, token):
    """The ID of the note that was put there before; None where there is none."""
    page = 1
    while True:
        some = ask("GET", f"{notes}?sort=asc&per_page={PER_PAGE}&page={page}", token)
        for note in some:
            if note["body"].startswith(MARK):
                return note["id"]
        if len(some) < PER_PAGE:
            return None
        page += 1


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: gitlab_comment.py FILE")
    try:
        notes = "{CI_API_V4_URL}/projects/{CI_PROJECT_ID}/merge_requests/{CI_MERGE_REQUEST_IID}/notes".format(
            **os.environ)
        token = os.environ["TILESCOPE_TOKEN"]
    except KeyError as missing:
        sys.exit(f"gitlab_comment.py: the variable {missing.args[0]} is not set")
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            content = {"body": MARK + "\n" + file.read()}
        note = own_note(notes, token)
        if note is None:
            ask("POST", notes, token, content)
        else:
            ask("PUT", f"{notes}/{note}", token, content)
    except (OSError, ValueError) as error:
        sys.exit(f"gitlab_comment.py: {sys.argv[1]} is not on the merge request: {error}")


if __name__ == "__main__":
    main()
