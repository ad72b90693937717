#!/usr/bin/env python3
"""Cuts what is published of Gitea's API (npm package gitea-js, MIT, generated from Gitea's Swagger description) down to what
HostedForge uses.

Usage: extract-gitea.py node_modules/gitea-js/dist/index.d.ts > published-gitea.json
The types say nothing of the status of an answer, which stands here, nor of null, which is allowed everywhere.
"""
import json
import re
import sys

REPO = "/repos/{owner}/{repo}"
PULL = REPO + "/pulls/{index}"
USED = [
    ("GET", REPO + "/pulls", "200"),
    ("POST", REPO + "/pulls", "201"),
    ("GET", PULL, "200"),
    ("PATCH", PULL, "201"),
    ("POST", PULL + "/merge", "200"),
    ("GET", PULL + "/reviews", "200"),
    ("POST", PULL + "/reviews", "200"),
    ("GET", PULL + "/reviews/{id}/comments", "200"),
    ("POST", PULL + "/requested_reviewers", "201"),
    ("POST", REPO + "/issues/{index}/labels", "200"),
    ("GET", REPO + "/issues/{index}/timeline", "200"),
    ("GET", REPO + "/issues/{index}/comments", "200"),
    ("POST", REPO + "/issues/{index}/comments", "201"),
    ("PATCH", REPO + "/issues/comments/{id}", "200"),
    ("GET", REPO + "/labels", "200"),
    ("POST", REPO + "/labels", "201"),
    ("GET", REPO + "/assignees", "200"),
    ("GET", REPO + "/collaborators/{collaborator}/permission", "200"),
    ("GET", REPO + "/branches/{branch}", "200"),
    ("GET", REPO + "/git/commits/{sha}", "200"),
    ("GET", REPO + "/commits/{ref}/status", "200"),
    ("GET", REPO + "/compare/{basehead}", "200"),
    ("GET", "/user", "200"),
    ("GET", REPO, "200"),
]
# From 1.26 on, which the package does not know yet: nothing in the body, no answer.
LATER = {"POST " + REPO + "/pulls/comments/{id}/resolve": {"query": {}, "status": "204", "request": {"maxProperties": 0}}}
# The members of answers that are sent by the scripted server or read by HostedForge; all others are left out.
READ = set("""allow_merge_commits allow_rebase allow_squash_merge base body closed color comments_count commit commit_id context description
dismissed draft enable_status_check full_name has_pull_requests head html_url id labels login merge_base merge_commit_sha mergeable merged
merged_by name new_position number old_position official original_position parents path permission permissions position protected pull_request_review_id
push ref repo requested_reviewers requested_reviewers_teams required_approvals resolver sha skipped stale state status statuses submitted_at
target_url title total_count total_commits type url user commits admin pull created_at updated_at""".split())
DEPTH = 5
source = re.sub(r"/\*(?! \*)(?:(?!@request)[\s\S])*?\*/", "", open(sys.argv[1]).read())
interfaces = {}
for name, body in re.findall(r"^interface (\w+) \{\n(.*?)^\}", source, re.S | re.M):
    interfaces[name] = dict(re.findall(r"^    ['\"]?([\w$+-]+)['\"]?\??: (.*?);$", body, re.M))
types = dict(re.findall(r"^(?:declare )?type (\w+) = (.*?);$", source, re.M))


def schema(of, depth, read=None):
    """The JSON Schema of a type; below a depth anything goes. Nothing is required, and what is not named is refused."""
    of = of.strip()
    if of.endswith("[]"):
        return {"type": ["array", "null"], "items": schema(of[:-2], depth, read)}
    if re.fullmatch(r"'[^']*'( \| '[^']*')*", of):
        return {"enum": re.findall(r"'([^']*)'", of) + [None]}
    if of in ("string", "number", "boolean"):
        return {"type": [of, "null"]}
    if of in interfaces:
        members = {} if depth == 0 else {
            name: schema(one, depth - 1, read) for name, one in interfaces[of].items() if read is None or name in read
        }
        return {"type": ["object", "null"], "properties": members, "additionalProperties": False} if depth else {}
    if of in types:
        return schema(types[of], depth, read)
    return {}


result = {"license": "MIT License Copyright (c) 2022 Anbraten; cut from npm gitea-js 1.23.0 by extract-gitea.py", "operations": LATER}
for method, path, status in USED:
    found = re.search(r"@request " + method + ":" + re.escape(path) + r"\n[\s\S]*?\*/\s*\w+: \(([\s\S]*?)\) => Promise<HttpResponse<(.*?), ", source)
    if not found:
        sys.exit("there is no " + method + " " + path)
    given, answer = found.groups()
    query = re.search(r"query\?: \{([\s\S]*?)\n        \}", given)
    members = re.findall(r"^            (\w+)\??: (.*?);$", query.group(1), re.M) if query else []
    entry = {
        "query": {name: {"type": "integer"} if of == "number" else {} for name, of in members},
        "status": status,
    }
    data = re.search(r"(?:data|body): (\w+(?:\[\])?)", given)
    if data:
        entry["request"] = schema(data.group(1), DEPTH)
    if answer not in ("void", "any"):
        entry["response"] = schema(answer, DEPTH, READ)
    result["operations"][method + " " + path] = entry
json.dump(result, sys.stdout, indent=None, separators=(",", ":"), sort_keys=True)
