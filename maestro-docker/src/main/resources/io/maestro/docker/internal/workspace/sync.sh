# Runs in the container beside a workspace's volume, as the workspace's owner. The workspace and its .git are an agent's:
# nothing in them may be run, and nothing is kept in them.
# $1: push takes a tar of new files from standard input first; pull and look do not. $2: the tree that the other side has, or
# -. $3: the commit that it has, or -. Prints "maestro-sync TREE COMMIT"; after that, when pulled or looked for and the trees
# differ, a bundle. Who only looks gets a small one or none.
set -eu
umask 022
box=/tmp/maestro-sync
work=/maestro/w
expected=$2
known=$3
export LC_ALL=C HOME=/nonexistent GIT_DIR=$box/repo GIT_WORK_TREE=$work
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=maestro GIT_AUTHOR_EMAIL=sync@maestro.local GIT_AUTHOR_DATE='1000000000 +0000'
export GIT_COMMITTER_NAME=maestro GIT_COMMITTER_EMAIL=sync@maestro.local GIT_COMMITTER_DATE='1000000000 +0000'

g() {
    git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.excludesFile=/dev/null \
        -c core.attributesFile=/dev/null -c diff.ignoreSubmodules=all -c submodule.recurse=false "$@"
}

if [ ! -e $box/ready ]; then
    rm -rf $box
    mkdir -m 700 $box
    # Made elsewhere: the agent's own .git must not be found.
    (unset GIT_WORK_TREE && cd $box && git init -q --bare --template= repo)
    mkdir -p $box/repo/info
    # Bytes are compared, whatever the workspace's .gitattributes say.
    echo '* -text !eol !filter !ident !working-tree-encoding' >$box/repo/info/attributes
    for setting in core.bare=false core.autocrlf=false core.fileMode=true core.symlinks=true core.looseCompression=1 \
        core.quotePath=false gc.auto=0 maintenance.auto=false pack.threads=1 advice.addEmbeddedRepo=false; do
        git config "${setting%%=*}" "${setting#*=}"
    done
    : >$box/links
    : >$box/ready
fi
rm -f $box/repo/index.lock $box/added $box/removed
cd $work

# Exactly what the other side has sent counts, ignored or not; what has changed here is looked for another time.
push() {
    keep=
    ! tar --help 2>/dev/null | grep -q no-overwrite-dir || keep=--no-overwrite-dir
    tar -x -p -o $keep -f - -C /
    [ ! -s $box/removed ] || g update-index -z --force-remove --stdin <$box/removed
    [ -s $box/added ] || return 0
    # What has gone meanwhile, or is behind a link now, is left out.
    xargs -0 sh -c '
        for path; do
            above=$path
            while case $above in */*) ;; *) false ;; esac; do
                above=${above%/*}
                [ ! -L "$above" ] || continue 2
            done
            [ -L "$path" ] || [ -f "$path" ] || continue
            printf "%s\0" "$path"
        done' sh <$box/added | g update-index --add --replace -z --stdin
}

look() {
    # Repositories inside that have gone, whose files are ordinary ones now.
    if [ -s $box/links ]; then
        xargs -0 sh -c 'for p; do [ -e "$p/.git" ] || printf "%s\0" "$p"; done' sh <$box/links \
            | g update-index -z --force-remove --stdin
    fi
    tries=0
    until g add -A --ignore-errors . 2>$box/errors; do
        tries=$((tries + 1))
        [ $tries -lt 20 ] || { cat $box/errors >&2; exit 3; }
        # A file that has just been deleted, or a repository without a commit: that one counts as a link to some commit.
        find . -mindepth 2 -name .git -prune \
            -exec sh -c 'for p; do p=${p%/.git}; printf "%s\0" "${p#./}"; done' sh {} + >$box/nested
        [ -s $box/nested ] || continue
        xargs -0 sh -c 'for p; do printf "160000 %s 0\t%s\0" 1111111111111111111111111111111111111111 "$p"; done' sh \
            <$box/nested | g update-index -z --index-info
        xargs -0 sh -c 'printf ".\0"; for p; do printf ":(top,exclude,literal)%s\0" "$p"; done' sh \
            <$box/nested >$box/paths
        g add -A --ignore-errors --pathspec-from-file=$box/paths --pathspec-file-nul 2>$box/errors && break
    done
}

if [ "$1" = push ]; then push; else look; fi

tree=$(g write-tree)
before=
commit=
[ ! -s $box/state ] || read -r before commit <$box/state
if [ "$tree" != "$before" ] || { [ "$tree" != "$expected" ] && [ "$commit" = "$known" ]; }; then
    # On what the other side has: what it has refused does not come along the next time.
    on=
    [ "$known" = - ] || on="-p $known"
    commit=$(g commit-tree $on -m sync "$tree")
    g update-ref refs/maestro/sync "$commit"
    echo "$tree $commit" >$box/state
    g ls-files -s -z | tr '\n\0' '\0\n' | sed -n 's/^160000 [0-9a-f]* 0	//p' | tr '\n\0' '\0\n' >$box/links
fi
echo "maestro-sync $tree $commit"
[ "$1" != push ] && [ "$tree" != "$expected" ] || exit 0
exclude=
[ "$known" = - ] || exclude=^$known
if [ "$1" = pull ]; then
    g bundle create -q - refs/maestro/sync $exclude
else
    g bundle create -q $box/bundle refs/maestro/sync $exclude
    [ $(wc -c <$box/bundle) -gt 4000000 ] || cat $box/bundle
    rm -f $box/bundle
fi
