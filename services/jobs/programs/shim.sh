# What stands over a program on this machine: it outlives the job service, writes down what became of the program and starts it
# again when it crashes, a bounded number of times. It is written into the folder of each instance, so that an update of the
# product changes nothing under a running one.
#
#   sh shim.sh FOLDER RESTARTS NODE DATA_KB FILES BLOCKS TASKS GROUPS -- COMMAND…
#                     (names of ours begin with _sb_, and no variable of the program is outside of _sb_args…)
#   DATA_KB, FILES, BLOCKS   limits of each process: data, open files, size of a file in units of 512 bytes
#   TASKS                    processes and threads of the whole user, where there is no control group; else empty
#   GROUPS                   folders of the control group, joined by colons, that of memory first; empty without one
#
# A confined program comes with FOLDER/filter, and COMMAND is that of bubblewrap, which reads its arguments from descriptor 8, the
# filter of system calls from 9, and tells on 7 which process is the first of the sandbox. The arguments hold the program's variables:
# they come base64-encoded in _sb_args0, _sb_args1 and so on, as a variable such as LD_PRELOAD must not be one of this shell's. Without
# confinement the program's variables are this shell's environment, and there is no _sb_args0.
#
# Files that it leaves in FOLDER, each whole or not at all:
#   shim      pid and start tick of itself
#   pid       pid and start tick of the program, or of the first process of its sandbox; it leads a session and a group of its own
#   restarts  how often it was started again
#   exit      `code time again` while it is to be started again; when not, `code time told` after a TERM, else `code time final`
# TERM is passed on to the program's group, and then it is not started again. A machine that goes down says TERM to everybody.

_sb_dir=$1 _sb_max=$2 _sb_node=$3 _sb_data=$4 _sb_files=$5 _sb_blocks=$6 _sb_tasks=$7 _sb_groups=$8
shift 9
_sb_path=$PATH
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Start tick of process $1: field 22 of its stat, counted from after the name.
_sb_tick() {
  IFS= read -r _sb_line < "/proc/$1/stat" || return 0
  set -f
  set -- ${_sb_line##*) }
  shift 19
  printf %s "$1"
}
# How often the kernel has ended something in the group for want of memory.
_sb_ooms() {
  [ -n "$_sb_groups" ] || return 0
  for _sb_file in "${_sb_groups%%:*}/memory.events" "${_sb_groups%%:*}/memory.oom_control"; do
    [ -r "$_sb_file" ] || continue
    while read -r _sb_key _sb_value; do [ "$_sb_key" != oom_kill ] || printf %s "$_sb_value"; done < "$_sb_file"
  done
}
# Bubblewrap's arguments. They are read from here for each start.
_sb_arguments() {
  _sb_count=0
  while eval "_sb_part=\$_sb_args$_sb_count" && [ -n "$_sb_part" ]; do
    printf %s "$_sb_part"
    _sb_count=$((_sb_count + 1))
  done | /usr/bin/base64 -d
}
# The first process of the sandbox, when bubblewrap has told; else bubblewrap itself, which then ends.
_sb_find() {
  until _sb_pid=$(sed -n 's/.*"child-pid": *\([0-9]*\).*/\1/p' "$_sb_dir/info") && [ -n "$_sb_pid" ]; do
    [ -n "$(_sb_tick "$_sb_waited")" ] || break
    sleep 0.02
  done
  [ -n "$_sb_pid" ] || _sb_pid=$_sb_waited
} 2> /dev/null
_sb_put() { printf '%s\n' "$2" > "$_sb_dir/$1.new" && mv "$_sb_dir/$1.new" "$_sb_dir/$1"; }

rm -f "$_sb_dir/out" "$_sb_dir/err"
mkfifo -m 600 "$_sb_dir/out" "$_sb_dir/err" || exit 125
# Open in both directions, so that the log's keeper meets no end of file between two starts.
exec 3<>"$_sb_dir/out" 4<>"$_sb_dir/err"
(
  exec 3>&- 4>&-
  until env -i "$_sb_node" "$_sb_dir/keeper.cjs" "$_sb_dir" < "$_sb_dir/out" 5< "$_sb_dir/err"; do
    kill -0 $$ || break
    sleep 1
  done
) &

_sb_stop= _sb_told= _sb_pid= _sb_waited= _sb_restarts=0 _sb_row=0
# Once: many programs take a second TERM for an order to end at once. Before it leads its group, the program is alone.
_sb_tell() {
  [ -n "$_sb_pid" ] && [ -z "$_sb_told" ] || return 0
  _sb_told=1
  kill -s TERM -- "-$_sb_pid" || kill -s TERM "$_sb_waited"
}
trap '_sb_stop=1; _sb_tell' TERM INT
_sb_put shim "$$ $(_sb_tick $$)"

while :; do
  rm -f "$_sb_dir/exit"
  _sb_begun=$(date +%s)
  _sb_before=$(_sb_ooms)
  if [ -n "$_sb_args0" ]; then
    : > "$_sb_dir/info"
    _sb_arguments | { _sb_limit; exec /usr/bin/setsid "$@" 8<&0 < /dev/null 9< "$_sb_dir/filter" 7> "$_sb_dir/info"; } >&3 2>&4 3>&- 4>&- &
    _sb_waited=$!
    _sb_find
  else
    { _sb_limit; PATH=$_sb_path; exec /usr/bin/setsid "$@"; } >&3 2>&4 3>&- 4>&- &
    _sb_waited=$! _sb_pid=$!
  fi
  _sb_start=$(_sb_tick "$_sb_waited")
  _sb_first=$(_sb_tick "$_sb_pid")
  _sb_put pid "$_sb_pid $_sb_first"
  [ -z "$_sb_stop" ] || _sb_tell
  # A signal ends the wait too: the program has ended only when its start tick is gone. A quick one had ended before it was read.
  while :; do
    wait "$_sb_waited"
    _sb_code=$?
    [ -n "$_sb_start" ] && [ "$(_sb_tick "$_sb_waited")" = "$_sb_start" ] || break
  done
  # Where a signal ended the wait, its number is not the program's code, which the shell has kept; 127: the wait above had it.
  wait "$_sb_waited"
  _sb_again=$?
  [ "$_sb_again" -eq 127 ] || _sb_code=$_sb_again
  # With the first process of a sandbox the kernel ends all others.
  kill -s KILL -- "-$_sb_pid"
  [ -z "$_sb_first" ] || [ "$(_sb_tick "$_sb_pid")" != "$_sb_first" ] || kill -s KILL "$_sb_pid"
  if [ "$_sb_code" -eq 137 ] && [ "$(_sb_ooms)" != "$_sb_before" ]; then
    _sb_put oom "$_sb_pid"
    echo 'ended by the kernel: it used more memory than it may have' >&4
  fi
  _sb_pid=
  _sb_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  # A crash after a quiet minute is the first of a new row.
  [ $(($(date +%s) - _sb_begun)) -lt 60 ] || _sb_row=0
  if [ -n "$_sb_stop" ] || [ "$_sb_code" -eq 0 ] || [ "$_sb_row" -ge "$_sb_max" ]; then break; fi
  _sb_row=$((_sb_row + 1)) _sb_restarts=$((_sb_restarts + 1))
  _sb_put restarts "$_sb_restarts"
  _sb_put exit "$_sb_code $_sb_at again"
  sleep "$_sb_row" &
  wait $!
  [ -z "$_sb_stop" ] || break
done
_sb_how=final
[ -z "$_sb_stop" ] || _sb_how=told
_sb_put exit "$_sb_code $_sb_at $_sb_how"
exec 3>&- 4>&-
wait
