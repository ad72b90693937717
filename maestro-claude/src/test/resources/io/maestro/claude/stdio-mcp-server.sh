#!/bin/bash
# A stdio MCP server that is not ours: it writes what it gets to $LOG and answers as $1 says. "both" answers two calls when both
# have come, or the first alone after a second; read-only tools are declared when $2 is "readonly".
version=${VERSION:-2025-06-18}
hint=${2:-}
annotations=
[ "$hint" != readonly ] || annotations=',"annotations":{"readOnlyHint":true}'
[[ $1 != silent ]] || exec sleep 60
# Longer than the CLI waits by itself.
[[ $1 != slow ]] || sleep 3
trap 'echo SIGINT >>"$LOG"; exit 0' INT

reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
text() { printf '{"content":[{"type":"text","text":"%s"}]}' "$1"; }
pending=
line=
echo "START" >>"$LOG"
while true; do
    # A plain read would hold up the signal's trap.
    IFS= read -r -t 1 part
    code=$?
    line=$line$part
    if [ $code -ne 0 ]; then
        [ $code -gt 128 ] || exit 0
        [ -z "$pending" ] || { id=$pending; pending=; reply "$(text alone)"; }
        continue
    fi
    printf '%s\n' "$line" >>"$LOG"
    [[ $line =~ \"id\":([0-9]+)\}$ ]] && id=${BASH_REMATCH[1]} || id=0
    case $line in
        *'"method":"initialize"'*)
            reply '{"protocolVersion":"'"$version"'","capabilities":{"tools":{}},"serverInfo":{"name":"other","version":"1"}}' ;;
        *'"method":"tools/list"'*)
            tools=
            for name in echo both fail rpcfail die; do
                tools="$tools${tools:+,}"'{"name":"'$name'","description":"'$name'","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}'"$annotations}"
            done
            reply "{\"tools\":[$tools]}" ;;
        *'"method":"tools/call"'*'"name":"both"'*)
            if [ -n "$pending" ]; then
                second=$id; id=$pending; pending=; reply "$(text together)"; id=$second; reply "$(text together)"
            else
                pending=$id
            fi ;;
        *'"method":"tools/call"'*'"name":"fail"'*) reply '{"content":[{"type":"text","text":"bad"}],"isError":true}' ;;
        *'"method":"tools/call"'*'"name":"rpcfail"'*)
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"rpc level"}}\n' "$id" ;;
        *'"method":"tools/call"'*'"name":"die"'*) exit 3 ;;
        *'"method":"tools/call"'*) reply "$(text echoed)" ;;
    esac
    line=
done
