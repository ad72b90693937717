# Deletes the files named on standard input, NUL after each, and the directories that become empty. Never through a link. A
# name that ends with a slash is a directory that has to make room for a file.
cd /maestro/w || exit 1
exec xargs -0 sh -c '
    for path; do
        whole=
        case $path in */) whole=yes path=${path%/} ;; esac
        above=$path
        while case $above in */*) ;; *) false ;; esac; do
            above=${above%/*}
            [ ! -L "$above" ] || continue 2
        done
        if [ "$whole" ]; then
            [ -L "$path" ] || [ ! -d "$path" ] || rm -rf -- "$path"
            continue
        fi
        [ -d "$path" ] && [ ! -L "$path" ] || rm -f -- "$path"
        while case $path in */*) ;; *) false ;; esac; do
            path=${path%/*}
            rmdir -- "$path" 2>/dev/null || break
        done
    done' sh
