# Starts a job. Arguments: the scripts of the supervisor and of the command's shell. From the host: "ID BYTES JOBS KEPT BLOCKS",
# then the command, of so many bytes.
read -r mx_id mx_bytes mx_jobs mx_keep mx_blocks || exit
unset MAESTRO_EXEC_ID
mx_setsid=$(command -v setsid)
mx_root=
for mx_r in $mx_roots; do
  ( umask 022; mkdir -p "${mx_r%/*}" )
  mkdir "$mx_r"
  if mx_good "$mx_r" && [ -w "$mx_r" ]; then mx_root=$mx_r; break; fi
done
mx_job=$mx_root/$mx_id
if [ -z "$mx_root" ] || ! mkdir "$mx_job"; then echo "nowhere $mx_roots"; exit; fi
cat >"$mx_job/command"
mx_measured=$(wc -c <"$mx_job/command")
mx_clock
# A command that was cut short must not run.
if ! echo "$(date +%s) $mx_now" >"$mx_job/begun" || ! : >"$mx_job/output" || [ "$((${mx_measured:-0}))" != "$mx_bytes" ]; then
  rm -rf "$mx_job"
  echo "short $mx_root"
  exit
fi
export MAESTRO_JOB_DIR="$mx_job"
mx_tag=maestro-job-run
# The supervisor becomes an orphan when the shell between is killed. "&" would do it too, but a command that was started by it
# ignores INT and QUIT for ever.
(
  read -r mx_between mx_x </proc/self/stat
  $mx_setsid sh -c "$1" "${mx_tag}s" "$mx_umask" "$mx_jobs" "$mx_blocks" "$2" </dev/null >/dev/null 2>&1 | {
    mx_clock; mx_start=$mx_now
    until [ -e "$mx_job/pid" ] || [ -e "$mx_job/refused" ] || [ $((mx_now - mx_start)) -gt 2000 ]; do
      sleep 0.01 || sleep 1
      mx_clock
    done
    kill -KILL "$mx_between"
  }
)
mx_answer=started
if [ ! -e "$mx_job/pid" ]; then
  mx_answer=stuck
  if [ -e "$mx_job/refused" ]; then read -r mx_x <"$mx_job/refused"; mx_answer="refused $mx_x"; fi
  rm -rf "$mx_job"
fi
for mx_r in $mx_roots; do
  if ! mx_good "$mx_r"; then continue; fi
  for mx_job in "$mx_r"/????????????; do
    if [ ! -d "$mx_job" ]; then continue; fi
    mx_v1=0; mx_v2=0
    read -r mx_v1 mx_v2 <"$mx_job/begun"
    if [ ! -e "$mx_job/done" ] && mx_kept; then echo "runs ${mx_job##*/}"; else echo "$mx_v1 $mx_v2 $mx_job"; fi
  done
done | sort -rn -k1,1 -k2,2 | {
  mx_count=0
  while read -r mx_v1 mx_v2 mx_job; do
    if [ "$mx_v1" = runs ]; then mx_answer="$mx_answer $mx_v2"; continue; fi
    mx_count=$((mx_count + 1))
    if [ $mx_count -gt "$mx_keep" ]; then rm -rf "$mx_job"; fi
  done
  echo "$mx_answer"
}
