#!/usr/bin/env python3
"""Cuts GitHub's published OpenAPI description (npm package @octokit/openapi, MIT) down to what HostedForge uses.

Usage: extract.py api.github.com.json > api.github.com-used.json
Descriptions and examples are left out, $ref is followed, and only what is validated stays.
"""
import json
import sys

USED = [
    ("get", "/repos/{owner}/{repo}/pulls", "200"),
    ("post", "/repos/{owner}/{repo}/pulls", "201"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}", "200"),
    ("patch", "/repos/{owner}/{repo}/pulls/{pull_number}", "200"),
    ("put", "/repos/{owner}/{repo}/pulls/{pull_number}/merge", "200"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews", "200"),
    ("post", "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", "201"),
    ("post", "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", "201"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/labels", "200"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}", "200"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "200"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "201"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "200"),
    ("get", "/repos/{owner}/{repo}/collaborators/{username}/permission", "200"),
    ("get", "/repos/{owner}/{repo}/git/ref/{ref}", "200"),
    ("get", "/repos/{owner}/{repo}/git/commits/{commit_sha}", "200"),
    ("get", "/repos/{owner}/{repo}/commits/{ref}/check-runs", "200"),
    ("get", "/repos/{owner}/{repo}/commits/{ref}/status", "200"),
    ("get", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", "200"),
    ("get", "/repos/{owner}/{repo}/compare/{basehead}", "200"),
    ("get", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", "200"),
    ("get", "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs", "302"),
    ("get", "/repos/{owner}/{repo}/actions/runs", "200"),
    ("get", "/repos/{owner}/{repo}", "200"),
    ("get", "/repos/{owner}/{repo}/rules/branches/{branch}", "200"),
    ("get", "/repos/{owner}/{repo}/installation", "200"),
    ("post", "/app/installations/{installation_id}/access_tokens", "201"),
]
# The members of answers that are sent by the scripted server or read by HostedForge; all others are left out.
READ = set("""number html_url state title body draft user login type merged_at merge_commit_sha head base ref sha repo full_name
labels name requested_reviewers requested_teams slug merged mergeable_state merged_by id commit_id author_association
check_runs total_count status conclusion app output summary statuses context description target_url head_sha path start_line
message object parents closed_by permissions push allow_merge_commit allow_squash_merge allow_rebase_merge parameters
strict_required_status_checks_policy required_status_checks workflows token expires_at workflow_runs head_branch
created_at updated_at permission started_at completed_at check_suite check_suite_id workflow_id""".split())
KEYS = ("type", "enum", "required", "nullable", "items", "properties", "anyOf", "oneOf", "allOf", "format",
        "maxLength", "minLength", "pattern", "minimum", "maximum")
DEPTH = 5

api = json.load(open(sys.argv[1]))


def deref(node):
    while "$ref" in node:
        target = api
        for step in node["$ref"].lstrip("#/").split("/"):
            target = target[step]
        node = target
    return node


def schema(node, depth, read=None, closed=True):
    """The schema down to a depth; below it anything goes. Nothing is required, and what is not named is refused."""
    node = deref(node)
    if depth == 0:
        return {}
    out = {}
    for key in KEYS:
        if key not in node or key in ("format", "required"):
            continue
        value = node[key]
        if key == "properties":
            value = {name: schema(one, depth - 1, read) for name, one in value.items() if read is None or name in read}
            if closed:
                out["additionalProperties"] = False
        elif key == "items":
            value = schema(value, depth - 1, read)
        elif key in ("anyOf", "oneOf", "allOf"):
            value = [schema(one, depth, read, closed and key != "allOf") for one in value]
        out[key] = value
    if out.pop("nullable", False):
        if isinstance(out.get("type"), str):
            out["type"] = [out["type"], "null"]
        if "enum" in out:
            out["enum"] = out["enum"] + [None]
        for key in ("anyOf", "oneOf"):
            if key in out:
                out[key] = out[key] + [{"type": "null"}]
    return out


result = {"license": "MIT License Copyright (c) 2020 Octokit contributors; cut from npm @octokit/openapi 23.0.2 by extract.py", "operations": {}}
for method, path, status in USED:
    operation = api["paths"][path][method]
    parameters = [deref(one) for one in operation.get("parameters", [])]
    entry = {
        "query": {p["name"]: schema(p["schema"], DEPTH) for p in parameters if p["in"] == "query"},
        "status": status,
    }
    body = deref(operation.get("requestBody", {})).get("content", {}).get("application/json")
    if body:
        entry["request"] = schema(body["schema"], DEPTH)
    answer = deref(operation["responses"][status]).get("content", {}).get("application/json")
    if answer:
        entry["response"] = schema(answer["schema"], DEPTH, READ)
    result["operations"][method.upper() + " " + path] = entry
json.dump(result, sys.stdout, indent=None, separators=(",", ":"), sort_keys=True)
