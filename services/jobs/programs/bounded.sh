# `sh -c PROGRAM NAME DATA_KB FILES BLOCKS TASKS GROUPS COMMAND…`: becomes the command, within these limits. limit.sh stands before it.
_sb_data=$1 _sb_files=$2 _sb_blocks=$3 _sb_tasks=$4 _sb_groups=$5
shift 5
_sb_limit
exec "$@"
