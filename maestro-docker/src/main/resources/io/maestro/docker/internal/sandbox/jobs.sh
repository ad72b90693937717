# What the scripts of jobs have in common; begins with sweep.sh. A job is a directory, named after its id, below one that only
# its user can touch:
#   command  what to run            output  what it printed         cut   there when more was printed
#   pid      supervisor and start   main    the command's shell and start
#   own      processes that keep the job, not the command's         ended the supervisor's verdict
#   begun    when                   verdict "ended CODE" or "cancelled", whichever was first
#   done     there when nothing of the job runs and all output is there
mx_alone=no

# Sets mx_mode, mx_o, mx_og to the mode, user and group of $1.
mx_look() { set -- $(ls -ldn "$1"); mx_mode=$1; mx_o=$3; mx_og=$4; }

# Whether $1 is a directory, not a link, that is ours and that nobody else can touch.
mx_good() {
  mx_look "$1"
  case $mx_mode:$mx_o in drwx------*:"$mx_uid") return 0 ;; esac
  return 1
}

# Says which other users have jobs here. The owner counts, not the name alone, which anybody can take in /tmp.
mx_others() {
  printf none
  for mx_d in /var/lib/maestro/jobs-* /tmp/.maestro-jobs-*; do
    mx_look "$mx_d"
    case $mx_mode in drwx------*) ;; *) continue ;; esac
    if [ "${mx_d##*-}" = "$mx_o" ] && [ "$mx_o" != "$mx_uid" ]; then printf ' %s' "$mx_o:$mx_og"; fi
  done
  echo
}

# Sets mx_job, or says as whom to ask. Only with the same group too can another process's environment be read.
mx_find() {
  for mx_r in $mx_roots; do
    mx_job=$mx_r/$mx_id
    if [ -d "$mx_job" ] && mx_good "$mx_r"; then
      mx_look "$mx_job"
      if [ "$mx_og" = "$mx_gid" ]; then return 0; fi
      echo "as $mx_uid:$mx_og"
      return 1
    fi
  done
  mx_others
  return 1
}

# Whether process $1 lives and is the one that started at $2.
mx_alive() {
  if [ -z "$1" ]; then return 1; fi
  mx_stat "$1"
  case $mx_l in ''|Z*|X*) return 1 ;; esac
  mx_fields $mx_l
  [ "$mx_v" = "$2" ]
}

# Whether mx_job has a supervisor that lives; it is mx_sup, started at mx_begin.
mx_kept() {
  mx_sup=; mx_begin=
  read -r mx_sup mx_begin <"$mx_job/pid"
  mx_alive "$mx_sup" "$mx_begin"
}

# Whether mx_job is not over. When somebody has killed its supervisor, what carries its id may run on.
mx_runs() {
  if [ -e "$mx_job/done" ]; then return 1; fi
  if mx_kept; then return 0; fi
  if [ -e "$mx_job/done" ] || [ -z "$mx_sup" ]; then return 1; fi
  mx_new=' '
  mx_members "MAESTRO_JOB_ID=$mx_id" none none " /proc/$mx_self " ''
  [ "$mx_m" != ' ' ]
}

# Sets mx_word and mx_code to what has become of mx_job.
mx_judge() {
  mx_word=running; mx_code=-
  if mx_runs; then return; fi
  mx_word=lost; mx_v1=; mx_v2=
  read -r mx_v1 mx_v2 <"$mx_job/verdict"
  case $mx_v1:$mx_v2 in
    cancelled:) mx_word=cancelled ;;
    ended:|ended:*[!0-9]*) ;;
    ended:*) mx_word=ended; mx_code=$mx_v2 ;;
  esac
}

# Sets mx_total and mx_cut.
mx_measure() {
  mx_total=$(wc -c <"$mx_job/output"); mx_total=$((${mx_total:-0}))
  mx_cut=no; if [ -e "$mx_job/cut" ]; then mx_cut=yes; fi
}

# For mx_end, while the supervisor lives: sets mx_except, and the command's session in mx_session unless its number is
# another process's by now.
mx_scope() {
  mx_except=' /proc/1 '
  while read -r mx_x; do mx_except="$mx_except/proc/$mx_x "; done <"$mx_job/own"
  mx_session=none; mx_v1=; mx_v2=
  read -r mx_v1 mx_v2 <"$mx_job/main"
  if [ -z "$mx_v1" ]; then return; fi
  mx_stat "$mx_v1"
  case $mx_l in '') mx_v=$mx_v2 ;; *) mx_fields $mx_l ;; esac
  if [ "$mx_v" = "$mx_v2" ]; then mx_session=$mx_v1; fi
}
