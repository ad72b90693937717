# Ends what has the mark $1 (or session $2) but not $3, with $4 also what is of no command, and says what is left.
exec 3>&1 >/dev/null 2>&1
# What the image's path leads to first may be a command's own.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
mx_alone=$4
mx_who
if [ -n "$5" ]; then kill -KILL "$5"; fi
if ! mx_end "$1" none "$2" " /proc/1 /proc/$mx_self " "$3"; then echo "$mx_m" >&3; exit 1; fi
