# One command after the other, each in a worker that waits for it: a shell in a session of its own, which becomes the command.
# From the host: "TOKEN MARK yes|no", the last saying whether nothing but commands runs in the container, then for each command a script, and after its end "NONCE SESSION".
exec 3>&1 4>&2 >/dev/null 2>&1
# What the image's path leads to first may be a command's own.
mx_path=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
read -r mx_token mx_mark mx_alone || exit
trap : HUP INT QUIT TERM
mx_setsid=$(command -v setsid)
{
  # Knows of the host's end first, also while a command runs.
  trap '' HUP INT QUIT TERM
  exec 3>&- 4>&-
  cat
  exec >/dev/null
  mx_who
  mx_end "$mx_mark" $$ none " /proc/$mx_self " ''
} | {
  (
    trap : HUP INT QUIT TERM
    mx_who
    # A channel that was lost may have left something.
    if [ "$mx_alone" = yes ]; then mx_end - none none '' ''; fi
    printf '\036%s%s %s\n' "$mx_token" "$mx_self" "${mx_setsid:-none}" >&3
    while :; do
      set -- /proc/[0-9]*
      mx_b=" $* "
      PATH=$mx_path $mx_setsid sh
      mx_code=$?
      printf '\036%send\n' "$mx_token" >&3
      read -r mx_nonce mx_session || exit
      mx_clean "$mx_mark" "$mx_self" "$mx_session"
      printf '\036%s%s %s\n' "$mx_nonce" "$mx_code" "$mx_state" >&3
      printf '\036%s' "$mx_nonce" >&4
    done
  )
  # Somebody has killed it.
  printf '\036%slost\n' "$mx_token" >&3
}
