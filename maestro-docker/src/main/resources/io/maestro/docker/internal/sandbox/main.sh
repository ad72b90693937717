# The command's shell, which leaves nothing of its own to the command. One that was cancelled before it began does not begin.
read -r mx_l </proc/self/stat
set -- "${mx_l%% *}" ${mx_l##*) }
echo "$1 ${21}" >"$MAESTRO_JOB_DIR/main"
set --
unset mx_l
if [ -e "$MAESTRO_JOB_DIR/verdict" ]; then exit; fi
. "$MAESTRO_JOB_DIR/command"
