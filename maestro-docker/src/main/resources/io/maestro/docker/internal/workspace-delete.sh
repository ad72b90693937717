# Deletes the files named on standard input, NUL after each, and the directories that become empty. Never through a link.
cd /maestro/w || exit 1
exec xargs -0 sh -c '
    for path; do
        above=$path
        while case $above in */*) ;; *) false ;; esac; do
            above=${above%/*}
            [ ! -L "$above" ] || continue 2
        done
        [ -d "$path" ] && [ ! -L "$path" ] || rm -f -- "$path"
        while case $path in */*) ;; *) false ;; esac; do
            path=${path%/*}
            rmdir -- "$path" 2>/dev/null || break
        done
    done' sh
