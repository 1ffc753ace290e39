#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""comment.py FILE

Puts FILE (Markdown) on the pull request of GitHub or the merge request of GitLab that this job is of, in place of what it
put there before; comments of others stay as they are. What says where is set by them: GITHUB_API_URL, GITHUB_REPOSITORY
and GITHUB_REF; or CI_API_V4_URL, CI_PROJECT_ID and CI_MERGE_REQUEST_IID. GITHUB_TOKEN is the job's, which may write to
pull requests; TILESCOPE_TOKEN an access token of the project of GitLab with the scope api (a masked variable of it). Ends
with code 1 and one line where the comment is not taken.
"""
import json
import os
import re
import sys
import urllib.request

MARK = "<!-- tilescope -->"  # begins what this has put there; Markdown does not show it
PER_PAGE = 100


def place():
    """Where comments are: address of all, of one less its ID, the verb that changes one, and the head with the token."""
    if "GITHUB_REPOSITORY" in os.environ:
        number = re.fullmatch(r"refs/pull/(\d+)/.*", os.environ["GITHUB_REF"])
        if not number:
            sys.exit("comment.py: " + os.environ["GITHUB_REF"] + " is no pull request")
        issues = "{GITHUB_API_URL}/repos/{GITHUB_REPOSITORY}/issues".format(**os.environ)
        return (f"{issues}/{number[1]}/comments", f"{issues}/comments/", "PATCH",
                {"Authorization": "Bearer " + os.environ["GITHUB_TOKEN"]})
    notes = "{CI_API_V4_URL}/projects/{CI_PROJECT_ID}/merge_requests/{CI_MERGE_REQUEST_IID}/notes".format(**os.environ)
    return notes, notes + "/", "PUT", {"PRIVATE-TOKEN": os.environ["TILESCOPE_TOKEN"]}


def ask(method, url, head, content=None):
    """What is answered to a request, of JSON both ways."""
    request = urllib.request.Request(url, method=method, headers={"Content-Type": "application/json", **head},
                                     data=None if content is None else json.dumps(content).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def own_comment(comments, head):
    """The ID of the comment that was put there before; None where there is none."""
    page = 1
    while True:
        some = ask("GET", f"{comments}?per_page={PER_PAGE}&page={page}", head)
        for comment in some:
            if (comment["body"] or "").startswith(MARK):
                return comment["id"]
        if len(some) < PER_PAGE:
            return None
        page += 1


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: comment.py FILE")
    try:
        comments, one, change, head = place()
    except KeyError as missing:
        sys.exit(f"comment.py: the variable {missing.args[0]} is not set")
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            content = {"body": MARK + "\n" + file.read()}
        before = own_comment(comments, head)
        if before is None:
            ask("POST", comments, head, content)
        else:
            ask(change, f"{one}{before}", head, content)
    except (OSError, ValueError) as error:
        sys.exit(f"comment.py: {sys.argv[1]} is not on the request: {error}")


if __name__ == "__main__":
    main()
