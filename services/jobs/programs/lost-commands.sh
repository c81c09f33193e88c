# Ends every command of ours whose login has ended, with its group. A mark counts for the process alone that it names: what a command
# has started as a service, and left behind, carries it too and is none of that. Says `pid seconds` for each.
now=$(date +%s)
for file in $(grep -l SIGNALBOX_COMMAND= /proc/[0-9]*/environ 2> /dev/null); do
  pid=${file#/proc/} pid=${pid%/environ}
  mark=$(tr '\0' '\n' 2> /dev/null < "$file" | sed -n 's/^SIGNALBOX_COMMAND=//p')
  [ "${mark%%:*}" = "$pid" ] || continue
  rest=${mark#*:}
  login=${rest%%:*} seconds=$((now - ${rest#*:}))
  up=$pid held=
  for level in 1 2 3 4 5; do
    up=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$up/status" 2> /dev/null)
    [ "$up" != "$login" ] || held=yes
    [ "${up:-0}" -gt 1 ] || break
  done
  if [ -z "$held" ] || [ "$seconds" -gt "$1" ]; then kill -s KILL -- "-$pid" 2> /dev/null && echo "$pid $seconds"; fi
done
exit 0
