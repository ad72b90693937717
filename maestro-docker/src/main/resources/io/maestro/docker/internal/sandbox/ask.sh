# Begins the scripts that the host runs.
exec 2>/dev/null
mx_umask=$(umask)
umask 077
mx_who
mx_uid=$(id -u); mx_gid=$(id -g)
mx_roots="/var/lib/maestro/jobs-$mx_uid /tmp/.maestro-jobs-$mx_uid"
