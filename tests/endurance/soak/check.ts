import { basename, join } from 'node:path';
import { say } from '@signalbox/messages/say';
import { openTerminal } from '../../integration/cli/terminal.ts';
import { readFiles } from '../../support/ledger-files.ts';
import { compareLedger } from '../../support/ledger-world.ts';
import { checkPaged, type Report } from './check-paged.ts';
import type { SoakField } from './field.ts';
import type { Pagers } from './paging.ts';
import type { Asked } from './people.ts';
import { ANSWERS, projectOf, textOf } from './requests.ts';
import type { Voice } from './voices/voice.ts';

/** One kind of what was wrong: how often, and the first of it with the rows that say why. */
export interface Wrong {
  readonly what: string;
  readonly count: number;
  readonly example: string;
}

/** Looks at everything once nothing is under way. Nothing wrong is an empty list. */
export async function check(
  field: SoakField,
  voices: readonly Voice[],
  asked: readonly Asked[],
  pagers: Pagers,
): Promise<readonly Wrong[]> {
  const found = new Map<string, { count: number; example: string }>();
  const report: Report = (what, example) => {
    const one = found.get(what) ?? { count: 0, example: JSON.stringify(example).slice(0, 12_000) };
    found.set(what, { ...one, count: one.count + 1 });
  };
  // Looking at everything keeps a small machine busy, and what gets slow by that is not what was broken.
  const { rows } = await field.pool.query<{ now: string }>('select clock_timestamp()::text as now');
  await checkAnswers(field, voices, asked, report);
  await checkEffects(field, asked, report);
  await checkFiles(field, asked, report);
  await checkDeployments(field, asked, report);
  await checkPaged(field, voices, pagers, rows[0]?.now ?? '', report);
  await checkRest(field, report);
  return [...found].map(([what, { count, example }]) => ({ what, count, example }));
}

interface InboxRow {
  readonly channel: string;
  readonly update_id: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly turn_id: string | null;
}

/** Each message has one outcome, and its answer stands once in its channel: more often only under the line that says so. */
async function checkAnswers(
  field: SoakField,
  voices: readonly Voice[],
  asked: readonly Asked[],
  report: Report,
): Promise<void> {
  const { rows } = await field.pool.query<InboxRow>(
    `select channel, update_id, outcome, reason, turn_id from inbox where channel not in ('system', 'jobs')`,
  );
  const inbox = new Map(rows.map((row) => [`${row.channel} ${row.update_id}`, row]));
  const voiceOf = new Map(voices.map((voice) => [voice.userKey, voice]));
  for (const message of asked) {
    const row = inbox.get(`${message.channel} ${message.updateId}`);
    if (!row) {
      report(`${message.channel}: a message is not in the inbox`, message);
      continue;
    }
    if (row.outcome === null) report('a message has no outcome', { message, row });
    const texts = (await voiceOf.get(message.userKey)?.hear(message.updateId)) ?? [];
    const right = texts.filter((text) => ANSWERS[message.kind](message.name).test(text));
    // What was asked for earlier is shown again by later answers; what is made is told once, and so is what answers an event.
    const plain = right.filter((text) => !text.startsWith(say('gateway.repeated')));
    if (plain.length > 1 && (message.kind !== 'show' || message.channel === 'ingress'))
      report(`${message.channel}: an answer came twice, not marked as repeated`, {
        message,
        plain,
        rows: await rowsWith(field, plain[0] ?? ''),
      });
    if (right.length > 0) continue;
    const said = row.turn_id === null ? [] : await saidIn(field, row.turn_id);
    const actions = await actionsOf(field, message);
    const effect = await hasEffect(field, message);
    report(`${message.channel} ${message.kind}: ${row.outcome ?? 'open'}, ${kindOfAnswer(said)}; effect ${effect}`, {
      message,
      row,
      said: said.map((text) => text.slice(0, 300)),
      actions,
    });
  }
}

/** What people were told instead, as a kind of it: names and numbers away. */
function kindOfAnswer(said: readonly string[]): string {
  if (said.length === 0) return 'told nothing';
  const lines = said.map((text) => text.replaceAll('*', '').split('\n')[0] ?? '');
  const plain = lines
    .join(' / ')
    .replaceAll(/q\d+x\d+/g, 'NAME')
    .replaceAll(/\w+_[0-9A-HJKMNP-TV-Z]{10,}\w*/gi, 'ID');
  return `told “${plain.replaceAll(/\d+/g, 'N').slice(0, 110)}”`;
}

/** Which rows a text came from, how often each was sent, and what Telegram said to it. */
async function rowsWith({ pool }: SoakField, text: string): Promise<readonly unknown[]> {
  const { rows } = await pool.query(
    `select key, turn_id, slot, status, attempts, error, receipt, sent_at from outbox
      where replace(body ->> 'text', '*', '') = $1 order by id`,
    [text],
  );
  return rows;
}

async function saidIn({ pool }: SoakField, turnId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `select body ->> 'text' as text from outbox where turn_id = $1 order by id`,
    [turnId],
  );
  return rows.map(({ text }) => text);
}

/** What the tables have of the project of a message: its actions, its deployments with their runs, and what was told. */
async function actionsOf({ pool }: SoakField, { name, userKey }: Asked): Promise<readonly unknown[]> {
  const { rows } = await pool.query(
    `select action_id, tool, status, error_code, started_at, settled_at, turn_id from actions
      where user_key = $1 and arguments::text like '%"' || $2 || '"%' order by started_at`,
    [userKey, projectOf(name)],
  );
  const { rows: deployments } = await pool.query(
    `select d.deployment_id, d.kind, d.ref, d.state, d.requested_at, d.finished_at, d.failure,
        (select json_agg(json_build_object('run', r.run_id, 'status', r.status, 'attempts', r.attempts, 'error', r.error))
           from runs r where r.payload::text like '%' || d.deployment_id || '%') as runs
       from deployments d where d.project = $1 order by d.requested_at`,
    [projectOf(name)],
  );
  const { rows: replies } = await pool.query(
    `select key, status, created_at, sent_at, left(body ->> 'text', 120) as text from outbox
      where user_key = $1 and body::text like '%' || $2 || '%' order by id`,
    [userKey, projectOf(name)],
  );
  return [...rows, ...deployments, ...replies];
}

async function hasEffect({ pool }: SoakField, { kind, name }: Asked): Promise<string> {
  if (kind === 'show') return 'none to look for';
  const { rows } = await pool.query<{ is: boolean }>(
    `select case $1 when 'create' then exists (select 1 from projects where name = $2)
       when 'port' then exists (select 1 from port_allocations where project = $2)
       when 'file' then exists (select 1 from actions where tool = 'write_file' and status = 'done' and arguments ->> 'path' = $2 || '.md')
       else exists (select 1 from deployments where project = split_part($2, ' ', 1) and kind = case $1 when 'rollback' then $1 else 'deploy' end
         and ref like '%' || split_part($2, ' ', 2) and state in ('succeeded', 'failed')) end as is`,
    [kind, name],
  );
  return rows[0]?.is ? 'IS THERE' : 'is not there';
}

/** Each effect is there once, and none that nobody asked for; the ledger says so too. */
async function checkEffects({ pool, workspaceDir }: SoakField, asked: readonly Asked[], report: Report): Promise<void> {
  const names = (kind: Asked['kind']): Set<string> =>
    new Set(asked.flatMap((one) => (one.kind === kind ? [one.name] : [])));
  const wanted = { create: names('create'), port: names('port') };
  const { rows: projects } = await pool.query<{ name: string }>(`select name from projects where name like 'q%x%'`);
  const { rows: ports } = await pool.query<{ project: string; count: number }>(
    `select project, count(*)::int as count from port_allocations where project like 'q%x%' group by 1`,
  );
  for (const name of [...wanted.create].filter((one) => !projects.some((row) => row.name === one)))
    report('a project that was asked for does not exist', name);
  for (const { name } of projects) if (!wanted.create.has(name)) report('a project exists that nobody asked for', name);
  for (const name of [...wanted.port].filter((one) => !ports.some((row) => row.project === one)))
    report('a port that was asked for was not allocated', name);
  for (const row of ports) {
    if (!wanted.port.has(row.project)) report('a port was allocated that nobody asked for', row);
    if (row.count > 1) report('a port was allocated twice for one request', row);
  }
  const { rows: twice } = await pool.query(
    `select tool, arguments, count(*)::int, array_agg(action_id) as actions from actions
      where status = 'done' and tool in ('create_project_intent', 'allocate_port') group by 1, 2 having count(*) > 1`,
  );
  for (const row of twice) report('an action is done twice in the ledger', row);
  for (const one of await compareLedger(pool, workspaceDir))
    report(`ledger: ${one.tool} is ${one.status}, and ${one.what}`, one);
}

/** What was asked to be written stands in a file, and nothing else does. */
async function checkFiles({ workspaceDir }: SoakField, asked: readonly Asked[], report: Report): Promise<void> {
  const wanted = new Set(asked.flatMap(({ kind, name }) => (kind === 'file' ? [name] : [])));
  const texts = new Map(
    [...(await readFiles(join(workspaceDir, 'files')))].map(([path, text]) => [basename(path, '.md'), text]),
  );
  for (const name of wanted) if (texts.get(name) !== textOf(name)) report('a file does not hold its text', name);
  for (const name of texts.keys()) if (!wanted.has(name)) report('a file exists that nobody asked for', name);
}

/** Each request made one deployment, and what serves is what was deployed last, with one program for it. */
async function checkDeployments({ pool }: SoakField, asked: readonly Asked[], report: Report): Promise<void> {
  const wanted = asked.filter(({ kind }) => kind === 'deploy' || kind === 'broken' || kind === 'rollback');
  const { rows: counts } = await pool.query<{ project: string; count: number }>(
    'select project, count(*)::int as count from deployments group by 1',
  );
  for (const project of new Set(wanted.map(({ name }) => projectOf(name)))) {
    const ofProject = wanted.filter(({ name }) => projectOf(name) === project);
    const count = counts.find((row) => row.project === project)?.count ?? 0;
    if (count !== ofProject.length) report('requests and deployments differ in number', { ofProject, count });
    const last = ofProject.findLast(({ kind }) => kind !== 'broken');
    const { rows } = await pool.query<{ port: number; release: string }>(
      `select s.port, d.release from services s join deployments d on d.deployment_id = s.serving where s.project = $1`,
      [project],
    );
    const [serving] = rows;
    if (!serving || !last?.name.endsWith(serving.release.split('-')[0] ?? '')) {
      report('another release serves than was deployed last', { last, rows });
      continue;
    }
    const answer = await fetch(`http://127.0.0.1:${serving.port}/`, { signal: AbortSignal.timeout(10_000) }).catch(
      () => null,
    );
    if (answer?.headers.get('x-release') !== serving.release)
      report('what serves does not answer with its release', { serving, status: answer?.status });
  }
}

/** Nothing is left over, nothing was given up, and what was recorded is whole. */
async function checkRest({ dir, pool, databaseUrl, auditDir, services }: SoakField, report: Report): Promise<void> {
  const rest: Readonly<Record<string, string>> = {
    'a dead letter': 'select id, source, ref, user_key, reason from dead_letters',
    'a reply that is not sent': `select id, chat_key, status, body ->> 'text' as text from outbox where status not in ('sent', 'superseded')`,
    'a lane that somebody holds': 'select user_key, worker, lease_until from lanes where worker is not null',
    'a chat that somebody holds': 'select chat_key, sender from chats where sender is not null',
    'an action that is still started': `select action_id, tool, user_key, started_at from actions where status = 'started'`,
    'an action that is unknown': `select action_id, tool, user_key, error_code from actions where status = 'unknown'`,
    'a run that has not ended': `select run_id, job, status, attempts, error from runs where status in ('queued', 'running')`,
    'a run that failed': `select run_id, job, error from runs where status = 'failed' and user_key is not null`,
    'a turn that ended before it began': 'select turn_id, started_at, ended_at from turns where ended_at < started_at',
  };
  for (const [what, sql] of Object.entries(rest)) {
    const { rows } = await pool.query<object>(sql);
    for (const row of rows)
      report(what, { ...row, ...('user_key' in row ? await logsOf(dir, String(row.user_key)) : {}) });
  }
  const places = { AUDIT_CHECKPOINT_DIR: auditDir, AUDIT_KEY_FILE: join(dir, 'keys/audit/signing-key.pem') };
  const verify = openTerminal({ DATABASE_URL: databaseUrl, ...places });
  const { code, out, error } = await verify('audit', 'verify');
  if (code !== 0) report('the audit does not verify', out + error);
  for (const service of services) {
    for (const line of service.exits) report(`${service.name} ended by itself`, line);
    if (!(await service.isReady())) report('a service is not ready at the end', service.name);
  }
}

/** The last errors that the workers logged about a person: their tables do not say why an attempt failed. */
async function logsOf(dir: string, userKey: string): Promise<{ readonly logged: readonly string[] }> {
  const files = await readFiles(join(dir, 'logs'));
  const lines = [...files].filter(([name]) => name.startsWith('worker')).flatMap(([, text]) => text.split('\n'));
  const theirs = lines.filter(
    (line) => line.includes(`"userKey":"${userKey}"`) && /"level":"(?:error|warn)"/.test(line),
  );
  return { logged: theirs.slice(-8).map((line) => line.slice(0, 900)) };
}
