# Ends a job with all its processes and says how it is then, or which are left. From the host: "ID".
read -r mx_id || exit
mx_find || exit 0
mx_judge
if [ "$mx_word" = running ]; then
  # Whichever comes first, this or the supervisor's, is what has become of it.
  echo cancelled >"$mx_job/cancel.$mx_self"
  ln "$mx_job/cancel.$mx_self" "$mx_job/verdict"
  rm -f "$mx_job/cancel.$mx_self"
  if mx_kept; then
    # What only the output tells to be the job's is ended by the supervisor when the command's shell has ended.
    mx_scope
  else
    mx_except=' /proc/1 '; mx_session=none
  fi
  mx_grace=200
  if ! mx_end "MAESTRO_JOB_ID=$mx_id" none "$mx_session" "$mx_except/proc/$mx_self " ''; then
    echo "left$mx_m"
    exit
  fi
  mx_clock; mx_start=$mx_now
  while mx_runs && [ $((mx_now - mx_start)) -lt 1000 ]; do
    sleep 0.02 || sleep 1
    mx_clock
  done
  mx_judge
fi
mx_measure
printf 'status %s %s %s %s\n' "$mx_word" "$mx_code" "$mx_total" "$mx_cut"
