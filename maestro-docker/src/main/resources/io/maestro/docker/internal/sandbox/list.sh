# Says how each job of this user is, and which other users have jobs.
for mx_r in $mx_roots; do
  if ! mx_good "$mx_r"; then continue; fi
  for mx_job in "$mx_r"/????????????; do
    if [ ! -e "$mx_job/pid" ]; then continue; fi
    mx_id=${mx_job##*/}
    mx_judge
    mx_measure
    mx_v1=0; mx_v2=0
    read -r mx_v1 mx_v2 <"$mx_job/begun"
    printf 'job %s %s %s %s %s %s %s\n' "$mx_v1" "$mx_v2" "$mx_id" "$mx_word" "$mx_code" "$mx_total" "$mx_cut"
  done
done
mx_others
