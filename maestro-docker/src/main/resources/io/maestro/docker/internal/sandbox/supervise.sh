# Keeps one job, in a session of its own: runs the command, ends what it left, keeps the output up to a limit and reads the rest
# away. Arguments: umask, how many jobs may run, 512-byte blocks of output, the script of the command's shell.
umask 077
trap : HUP INT QUIT TERM
mx_job=$MAESTRO_JOB_DIR
mx_id=${mx_job##*/}
mx_who
mx_stat "$mx_self"
mx_fields $mx_l
mx_sup=$mx_self; mx_begin=$mx_v
# All supervisors of all users, this one too, so that two that start at once are not both the last one; each is a session.
mx_count=0; mx_seen=' '
for mx_f in $(grep -ls -e 'maestro-job-run[s]' /proc/[0-9]*/cmdline); do
  mx_f=${mx_f#/proc/}
  mx_stat "${mx_f%/cmdline}"
  case $mx_l in ''|Z*|X*) continue ;; esac
  mx_fields $mx_l
  case $mx_seen in *" $mx_z "*) continue ;; esac
  mx_seen="$mx_seen$mx_z "; mx_count=$((mx_count + 1))
done
if [ $mx_count -gt "$2" ]; then
  echo $((mx_count - 1)) >"$mx_job/refused.new" && mv "$mx_job/refused.new" "$mx_job/refused"
  exit
fi
mx_setsid=$(command -v setsid)
echo "$mx_self" >"$mx_job/own" || exit
{
  trap : HUP INT QUIT TERM
  exec 3>&1
  mx_who
  echo "$mx_self" >>"$mx_job/own"
  echo "$mx_sup $mx_begin" >"$mx_job/pid.new"
  until [ -e "$mx_job/ready" ]; do
    if [ ! -d "$mx_job" ]; then exit; fi
    sleep 0.01 || sleep 1
  done
  # From here on the job can be asked for and cancelled: who belongs to it is written down.
  mv "$mx_job/pid.new" "$mx_job/pid" || exit
  (
    umask "$1"
    export MAESTRO_JOB_ID="$mx_id"
    exec $mx_setsid sh -c "$4" sh </dev/null 2>&1 3>&-
  )
  mx_code=$?
  exec >/dev/null
  echo "ended $mx_code" >"$mx_job/ended"
  ln "$mx_job/ended" "$mx_job/verdict"
  mx_scope
  set -- /proc/[0-9]*
  mx_new=" $* "
  mx_grace=200
  mx_end "MAESTRO_JOB_ID=$mx_id" none "$mx_session" "$mx_except" ''
} | {
  trap : HUP INT QUIT TERM
  # Beyond the limit a write fails, and ends cat.
  trap '' XFSZ
  ulimit -f "$3"
  read -r mx_p mx_x </proc/self/stat
  echo "$mx_p" >>"$mx_job/own"
  if ! (
    read -r mx_p mx_x </proc/self/stat
    echo "$mx_p" >>"$mx_job/own"
    : >"$mx_job/ready"
    exec cat >"$mx_job/output"
  ); then
    : >"$mx_job/cut"
    exec cat >/dev/null
  fi
}
: >"$mx_job/done"
