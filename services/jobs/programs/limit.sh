# Takes the limits of _sb_data, _sb_files, _sb_blocks, _sb_tasks and _sb_groups, for this shell and all that comes of it.
# What is not allowed any more is less than that already. Shells name the limit of tasks differently.
_sb_limit() {
  ulimit -c 0
  ulimit -d "$_sb_data"
  ulimit -n "$_sb_files"
  ulimit -f "$_sb_blocks"
  [ -z "$_sb_tasks" ] || ulimit -p "$_sb_tasks" || ulimit -u "$_sb_tasks"
  IFS=:
  for _sb_group in $_sb_groups; do echo 0 > "$_sb_group/cgroup.procs"; done
} 2> /dev/null

