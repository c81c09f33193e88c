/**
 * Words that people and code use for the same thing, one group a line. A group helps whoever does not know the words of the code; the asked
 * word itself always counts more. Long words are abbreviated in code, so abbreviations stand beside them.
 */
const GROUPS = `
  add append insert push
  again retry retries attempt
  allow permit grant
  argument arguments arg args parameter parameters param params
  authenticate authentication authorize authorization auth login signin credentials
  average mean
  begin start launch spawn boot init initialize bootstrap
  build compile bundle
  buffer buf
  cancel abort
  change modify update edit patch set
  check validate verify assert ensure
  clean clear purge prune gc
  close shutdown teardown destroy dispose
  combine merge join concat
  command cmd
  compare cmp diff
  config configuration configure settings options opts preferences
  connect connection conn
  convert turn parse coerce cast transform
  copy clone duplicate
  count number amount total num
  create make new build generate factory
  crash crashed died exit fatal panic
  database db postgres sql
  date time timestamp clock
  decode deserialize unmarshal
  decrease decrement dec
  delete remove drop unlink erase
  dependency dependencies deps
  deploy deployment release rollout
  directory folder dir
  disk storage volume enospc
  document documentation docs doc
  encode serialize stringify marshal
  encrypt encryption cipher seal
  environment env
  error errors err exception failure fail failed
  execute run exec invoke
  expire expiry ttl deadline
  fast speed performance quick
  fetch download retrieve load
  filter exclude ignore skip
  find search lookup locate query
  forbid deny reject refuse block
  function fn func callback cb handler
  greater newer later higher gt above
  group cluster bucket
  hash digest checksum
  hide redact mask censor obscure
  highest biggest largest maximum max most latest
  image picture photo
  increase increment inc bump
  info information metadata meta
  initial default
  join attach
  language locale lang i18n
  length size len
  less older earlier lower lt below
  limit bound cap quota throttle max
  listen subscribe watch observe
  log logger logging logs
  lowest smallest minimum min least
  memory heap mem oom
  message msg
  missing absent notfound 404 unknown nonexistent
  navigate redirect forward
  order sort rank
  password secret sensitive credential token
  path route url
  pause suspend
  permission right access role
  port socket
  position index offset pos
  print output write
  production prod
  quit exit leave
  random rand uuid nonce
  range interval
  read get load
  receive consume accept
  refresh reload renew
  rename move mv
  repeat loop iterate every
  repository repo
  request req
  response reply res answer
  return revert rollback undo
  save store persist write
  schedule cron timer interval
  send post publish emit dispatch
  server backend daemon
  show display render
  slow latency delay
  split divide chunk
  statistics stats metrics
  stop end kill terminate halt
  string str text
  temporary temp tmp
  test spec
  timeout deadline timedout
  trim strip
  upload put
  user person account member
  value val
  wait sleep delay
  warning warn deprecation
  wrong invalid bad malformed
`;

const BY_WORD = readGroups();

function readGroups(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of GROUPS.trim().split('\n')) {
    const group = line.trim().split(' ');
    for (const word of group) found.set(word, [...(found.get(word) ?? []), ...group.filter((other) => other !== word)]);
  }
  return found;
}

/** Lists other words for the same thing. Pure. */
export function listSynonyms(word: string): readonly string[] {
  const forms = [word, word.replace(/s$/, ''), word.replace(/(?:ing|ed|es)$/, ''), word.replace(/(?:ing|ed)$/, 'e')];
  return forms.map((form) => BY_WORD.get(form)).find((found) => found !== undefined) ?? [];
}
