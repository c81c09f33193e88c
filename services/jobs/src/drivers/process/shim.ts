/**
 * What stands over a program on this machine: it outlives the job service, writes down what became of the program and starts it
 * again when it crashes, a bounded number of times. It is written into the folder of each instance, so that an update of the
 * product changes nothing under a running one.
 *
 *   sh shim.sh FOLDER RESTARTS DATA_KB NODE -- COMMAND…     (the program's variables are its own environment; names begin with _sb_)
 *
 * Files that it leaves in FOLDER, each whole or not at all:
 *   shim      pid and start tick of itself
 *   pid       pid and start tick of the program, which leads a session and a group of its own
 *   restarts  how often it was started again
 *   exit      `code time again` while it is to be started again; when not, `code time told` after a TERM, else `code time final`
 * TERM is passed on to the program's group, and then it is not started again. A machine that goes down says TERM to everybody.
 */
export const SHIM = String.raw`#!/bin/sh
_sb_dir=$1 _sb_max=$2 _sb_data=$3 _sb_node=$4
shift 5
_sb_path=$PATH
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Start tick of process $1: field 22 of its stat, counted from after the name.
_sb_tick() {
  IFS= read -r _sb_line < "/proc/$1/stat" || return 0
  set -f
  set -- ${'$'}{_sb_line##*) }
  shift 19
  printf %s "$1"
}
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

_sb_stop= _sb_told= _sb_pid= _sb_restarts=0 _sb_row=0
# Once: many programs take a second TERM for an order to end at once. Before it leads its group, the program is alone.
_sb_tell() {
  [ -n "$_sb_pid" ] && [ -z "$_sb_told" ] || return 0
  _sb_told=1
  kill -TERM -- "-$_sb_pid" || kill -TERM "$_sb_pid"
}
trap '_sb_stop=1; _sb_tell' TERM INT
_sb_put shim "$$ $(_sb_tick $$)"

while :; do
  rm -f "$_sb_dir/exit"
  _sb_begun=$(date +%s)
  { ulimit -d "$_sb_data"; PATH=$_sb_path; exec /usr/bin/setsid "$@"; } >&3 2>&4 3>&- 4>&- &
  _sb_pid=$!
  _sb_start=$(_sb_tick "$_sb_pid")
  _sb_put pid "$_sb_pid $_sb_start"
  [ -z "$_sb_stop" ] || _sb_tell
  # A signal ends the wait too: the program has ended only when its start tick is gone.
  while :; do
    wait "$_sb_pid"
    _sb_code=$?
    [ "$(_sb_tick "$_sb_pid")" = "$_sb_start" ] || break
  done
  kill -KILL -- "-$_sb_pid"
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
`;
