# Finds and ends what belongs to a command: by its mark in the environment, its session, its parent, and their like. POSIX sh;
# names begin with mx_ so that no variable of the image is changed. Lines that begin with # are not sent.

# Hundredths of a second since boot, in mx_now.
mx_clock() { read -r mx_now mx_x </proc/uptime; mx_now=${mx_now%.*}${mx_now#*.}; }

# Adds mx_p of session mx_z to mx_m, and its session to mx_s; not the session that this shell is in.
mx_add() {
  mx_m="$mx_m$mx_p "; mx_g=1
  case $mx_z in 0|"$mx_own") ;; *) mx_s="$mx_s$mx_z " ;; esac
}

# Adds to mx_m all whose parent or session is in it, until nobody is added. Parents come before their children.
mx_grow() {
  mx_g=1
  while [ $mx_g = 1 ]; do
    mx_g=0
    for mx_e in $mx_t; do
      mx_p=${mx_e%%:*}; mx_z=${mx_e##*:}; mx_q=${mx_e#*:}; mx_q=${mx_q%%:*}
      case $mx_m in *" $mx_p "*) continue ;; esac
      case $mx_m in *" $mx_q "*) ;; *) case $mx_s in *" $mx_z "*) ;; *) continue ;; esac ;; esac
      mx_add
    done
  done
}

# Sets mx_l to the line /proc/$1/stat; a name in it may hold line ends.
mx_stat() {
  mx_l=
  while IFS= read -r mx_x || [ -n "$mx_x" ]; do mx_l=$mx_l$mx_x; done <"/proc/$1/stat"
  mx_l=${mx_l##*) }
}

# Whether process $1, of the line mx_l, has ended. Its first thread may have, while others go on.
mx_ended() {
  case $mx_l in '') return 0 ;; Z*|X*) ;; *) return 1 ;; esac
  set -- "/proc/$1/task"/*
  [ $# -le 1 ]
}

# Takes the fields of a stat line apart: parent mx_q, session mx_z, start mx_v.
mx_fields() { mx_q=$2; mx_z=$4; shift 10; mx_v=${10}; }

# Sets mx_n to the mark in the environment of process $1, or to nothing. One that the host gave out begins in that way, and is
# not what our shell has, which is the image's.
mx_marked() {
  mx_n=$(tr '\000' '\n' <"/proc/$1/environ" | grep -e '^MAESTRO_EXEC_ID=')
  case $mx_n in
    *[!A-Za-z0-9@/=_-]*|"MAESTRO_EXEC_ID=${MAESTRO_EXEC_ID-}") mx_n= ;;
    MAESTRO_EXEC_ID=jvm[0-9]*) ;;
    *) mx_n= ;;
  esac
}

# Whether the parents of process $1 lead to a shell that the host has started, and not to process 1.
mx_rooted() {
  mx_u=$1
  while :; do
    mx_stat "$mx_u"
    case $mx_l in '') return 1 ;; esac
    mx_fields $mx_l
    case $mx_q in 0) [ "$mx_u" != 1 ]; return ;; 1) return 1 ;; esac
    mx_u=$mx_q
  done
}

# Whether process $1, started at $2, is of a command that runs: an older process that is rooted has the same mark.
mx_owned() {
  mx_marked "$1"; mx_k=$mx_n
  if [ -z "$mx_k" ]; then return 1; fi
  for mx_f in $(grep -ls -e "$mx_k" /proc/[0-9]*/environ); do
    mx_f=${mx_f#/proc/}; mx_f=${mx_f%/environ}
    mx_marked "$mx_f"
    if [ "$mx_f" = "$1" ] || [ "$mx_n" != "$mx_k" ]; then continue; fi
    mx_stat "$mx_f"
    case $mx_l in ''|Z*|X*) continue ;; esac
    mx_fields $mx_l
    if [ "$mx_v" -le "$2" ] && mx_rooted "$mx_f"; then return 0; fi
  done
  return 1
}

# Adds to mx_m what has no parent any more, so that process 1 has it, and is of no command that runs. Only in a container of
# ours, where process 1 has one child of its own: the oldest. Neither a session, an environment nor closed files hide from it.
mx_orphans() {
  mx_w=; mx_first=
  for mx_d in /proc/[0-9]*; do
    mx_p=${mx_d#/proc/}
    mx_stat "$mx_p"
    if mx_ended "$mx_p"; then continue; fi
    mx_fields $mx_l
    if [ "$mx_q" != 1 ]; then continue; fi
    mx_w="$mx_w $mx_p:$mx_v"
    if [ -z "$mx_first" ] || [ "$mx_v" -lt "$mx_oldest" ]; then mx_first=$mx_p; mx_oldest=$mx_v; fi
  done
  for mx_e in $mx_w; do
    mx_p=${mx_e%%:*}
    case $mx_m in *" $mx_p "*) continue ;; esac
    if [ "$mx_p" != "$mx_first" ] && ! mx_owned "$mx_p" "${mx_e#*:}"; then mx_m="$mx_m$mx_p "; fi
  done
}

# Whether process $1 has our output open: what is not in the environment any more may still write. Not knowing sets mx_unsure.
mx_holds() {
  set -- "/proc/$1" "/proc/$1/fd"/*
  # Where its first thread has ended, the others have them.
  if [ "$2" = "$1/fd/*" ]; then set -- "$1" "$1/task"/*/fd/*; fi
  if [ "$2" = "$1/task/*/fd/*" ]; then [ ! -d "$1" ] || mx_unsure=1; return 1; fi
  shift
  for mx_f do
    if [ "$mx_f" -ef "/proc/$mx_self/fd/3" ] || [ "$mx_f" -ef "/proc/$mx_self/fd/4" ]; then return 0; fi
  done
  return 1
}

# Whether a thread of mx_p, whose first one has ended with its environment, has mark $1 (or "-") and not $2.
mx_threads() {
  [ "$1" != - ] && grep -qs -e "$1" "/proc/$mx_p/task"/*/environ || return 1
  [ -z "$2" ] || ! grep -qs -e "$2" "/proc/$mx_p/task"/*/environ
}

# Sets mx_m to the living processes " 12 34 " of: mark $1 in the environment (or "-"), children of $2, session $3; but none of
# " /proc/5 /proc/6 " in $4, and none whose environment has $5. Looks at the open files of those in mx_new as well. Marks are
# plain words; grep -F of busybox finds nothing in a file with NUL bytes.
mx_members() {
  mx_c=
  if [ "$1" != - ]; then
    for mx_f in $(grep -ls -e "$1" /proc/[0-9]*/environ); do
      mx_f=${mx_f#/proc/}; mx_f=${mx_f%/environ}
      if [ -z "$5" ] || ! grep -qs -e "$5" "/proc/$mx_f/environ"; then mx_c="$mx_c $mx_f"; fi
    done
  fi
  mx_c="$mx_c "; mx_t=; mx_m=' '; mx_s=" $3 "; mx_unsure=
  for mx_d in /proc/[0-9]*; do
    case $4 in *" $mx_d "*) continue ;; esac
    mx_p=${mx_d#/proc/}
    mx_stat "$mx_p"
    if mx_ended "$mx_p"; then continue; fi
    case $mx_l in Z*) if mx_threads "$1" "$5"; then mx_c="$mx_c$mx_p "; fi ;; esac
    mx_l=${mx_l#* }; mx_q=${mx_l%% *}; mx_l=${mx_l#* }; mx_l=${mx_l#* }; mx_z=${mx_l%% *}
    mx_t="$mx_t $mx_p:$mx_q:$mx_z"
    if [ "$mx_q" = "$2" ] || [ "$mx_z" = "$3" ]; then mx_add; fi
  done
  mx_grow
  for mx_e in $mx_t; do
    mx_p=${mx_e%%:*}; mx_z=${mx_e##*:}
    case $mx_m in *" $mx_p "*) continue ;; esac
    case $mx_c in *" $mx_p "*) mx_add; continue ;; esac
    case $mx_new in *" /proc/$mx_p "*) if mx_holds "$mx_p"; then mx_add; fi ;; esac
  done
  if [ "$mx_alone" = yes ]; then mx_orphans; fi
  mx_grow
}

# Ends the members: TERM, mx_grace hundredths of a second later KILL for five seconds. Fails when some are left, which are in mx_m then.
mx_end() {
  mx_clock; mx_start=$mx_now; mx_asked=' '
  while :; do
    mx_members "$@"
    if [ "$mx_m" = ' ' ]; then
      if [ "$mx_alone" != yes ]; then return 0; fi
      kill -STOP -1
      mx_members "$@"
      if [ "$mx_m" != ' ' ]; then kill -KILL $mx_m; fi
      kill -CONT -1
      if [ "$mx_m" = ' ' ]; then return 0; fi
    fi
    mx_clock
    if [ $((mx_now - mx_start)) -gt $((mx_grace + 500)) ]; then return 1; fi
    if [ $((mx_now - mx_start)) -ge $mx_grace ]; then
      kill -KILL $mx_m
    else
      for mx_p in $mx_m; do
        case $mx_asked in *" $mx_p "*) ;; *) kill -TERM "$mx_p"; mx_asked="$mx_asked$mx_p " ;; esac
      done
    fi
    sleep 0.02 || sleep 1
  done
}

# Ends what the command before has left: everything that is new since mx_b and belongs to it. Sets mx_state.
mx_clean() {
  mx_state=clean; mx_unsure=; mx_new=' '
  set -- "$1" "$2" "$3" /proc/[0-9]*
  mx_1=$1; mx_2=$2; mx_3=$3; shift 3
  if [ " $* " = "$mx_b" ]; then return; fi
  for mx_d do
    case $mx_b in *" $mx_d "*) ;; *) mx_new="$mx_new$mx_d " ;; esac
  done
  if [ "$mx_new" = ' ' ]; then return; fi
  if ! mx_end "$mx_1" "$mx_2" "$mx_3" "$mx_b" ''; then mx_state="left$mx_m"; elif [ -n "$mx_unsure" ]; then mx_state=unsure; fi
}

# Who we are: mx_self, our session mx_own.
mx_who() {
  read -r mx_self mx_x </proc/self/stat
  mx_stat "$mx_self"
  mx_l=${mx_l#* }; mx_l=${mx_l#* }; mx_l=${mx_l#* }; mx_own=${mx_l%% *}
}
mx_new=; mx_grace=50
