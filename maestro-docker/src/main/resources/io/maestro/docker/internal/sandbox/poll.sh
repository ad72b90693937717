# Says how a job is, then its output. From the host: "ID OFFSET MOST". What is asked first is said last: a job that has ended
# prints nothing more.
read -r mx_id mx_offset mx_most || exit
mx_find || exit 0
mx_judge
mx_measure
printf 'status %s %s %s %s\n' "$mx_word" "$mx_code" "$mx_total" "$mx_cut"
mx_left=$((mx_total - mx_offset))
if [ $mx_left -gt "$mx_most" ]; then mx_left=$mx_most; fi
if [ $mx_left -gt 0 ]; then tail -c "+$((mx_offset + 1))" "$mx_job/output" | head -c "$mx_left"; fi
