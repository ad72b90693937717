# One command, with the streams of this shell. From the host: "END MARK yes|no yes|no", lines of a script, END; the rest is the
# command's input. With the first "yes" its exit code is said after its
# output; the second says that nothing but commands runs in the container.
exec 3>&1 4>&2 >/dev/null 2>&1
# What the image's path leads to first may be a command's own.
mx_path=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
read -r mx_stop mx_mark mx_frame mx_alone || exit
mx_script=
while :; do
  IFS= read -r mx_x || exit
  if [ "$mx_x" = "$mx_stop" ]; then break; fi
  mx_script="$mx_script$mx_x
"
done
trap : HUP INT QUIT TERM
mx_setsid=$(command -v setsid)
mx_who
set -- /proc/[0-9]*
mx_b=" $* "
( PATH=$mx_path; eval "$mx_script" )
mx_code=$?
mx_clean "$mx_mark" "$mx_self" none
if [ "$mx_frame" = yes ]; then
  printf '\036%s%s %s\n' "$mx_stop" "$mx_code" "$mx_state" >&3
  # Podman drops output when input is not read to its end.
  cat
fi
exit $mx_code
