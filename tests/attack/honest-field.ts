import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { openWorkspace } from '@signalbox/jobs/workspace/workspaces';
import { toWorkspaceName } from '@signalbox/contracts/operations/workspace';
import { openTestConfinement } from '../support/bubblewrap.ts';
import { appFiles, makeRepository } from '../support/deploy-repository.ts';
import { endInstances } from '../support/end-instances.ts';
import { choosePortBlock } from '../support/free-port.ts';
import { plantInWorkspace } from '../support/ledger-files.ts';
import type { ModelAnswer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';
import { startHonestModel, type HonestModel } from './honest-model.ts';
import { listCalls, type HonestCall, type HonestTask, type HonestTurn } from './honest-task.ts';

/** What became of a task. */
export interface Played {
  readonly task: HonestTask;
  /** Taps of each turn, in their order. */
  readonly taps: readonly number[];
  /** What each card asked for, as tool and sentence. */
  readonly cards: readonly string[];
  /** What went wrong or was not done; empty when the task was done. */
  readonly missing: readonly string[];
}

const ROLES = { Ben: 'developer', Cleo: 'operator', Dara: 'operator' } as const;
const FIRST = 8_000;
const FIRST_HELPER = 8_500;
const WAIT_MS = 90_000;
const PRESS_MS = 5_000;

/** Plays all tasks in the whole product, those of each language one after the other, with this clean reader. */
export async function playTasks(
  tasks: readonly HonestTask[],
  reader: (question: string) => ModelAnswer,
): Promise<readonly Played[]> {
  const folder = makeTemporaryFolder('honest');
  const socket = join(tmpdir(), `sb-${basename(folder)}.sock`); // paths of sockets are short
  const repository = makeRepository(join(folder, 'repositories', 'tea'));
  const app = appFiles({ begin: `console.log('this instance runs in region eu-west-3');` });
  for (const version of ['2.0', '2.1', '2.2']) repository.release(version, { ...app, VERSION: version });
  const model = await startHonestModel(reader);
  const workspaces = join(folder, 'workspaces');
  const targets = join(folder, 'targets');
  const stack = await openStack({
    jobs: true,
    proxy: true,
    workers: 2,
    env: {
      ...(await openTestConfinement()).settings,
      MODEL: 'openai',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.url,
      WORKSPACE_DIR: workspaces,
      REPOSITORIES_DIR: join(folder, 'repositories'),
      TARGETS_DIR: targets,
      DEPLOY_DIR: join(folder, 'deploys'),
      PROXY_DIR: join(folder, 'proxy'),
      PROXY_SOCKET: socket,
    },
  });
  try {
    const ports = choosePortBlock();
    await stack.pool.query(`update servers set first_port = $1, last_port = $1 + 99 where name = 'local'`, [ports]);
    const named = tasks.flatMap((task) => [
      ...task.given.serves,
      ...task.given.files,
      ...listCalls(task).map(({ args }) => args),
    ]);
    const made = new Set(
      tasks
        .flatMap(listCalls)
        .filter(({ tool }) => tool === 'create_project_intent')
        .map(({ args }) => args['name']),
    );
    for (const name of new Set(
      named.flatMap(({ project }) => (typeof project === 'string' && !made.has(project) ? [project] : [])),
    ))
      await stack.pool.query(
        `insert into projects (name, description, repository, status, owner, action_id) values ($1, 'Sells tea', $2, 'active', '1', $3)`,
        [name, repository.folder, `act_${name}`],
      );
    const lanes = LANGUAGES.map((language) => tasks.filter((task) => task.language === language));
    const seat: Seat = { stack, model, workspaces, helpers: FIRST_HELPER };
    const played = await Promise.all(
      lanes.map(async (lane) => {
        const done: Played[] = [];
        for (const task of lane) done.push(await playTask(seat, task, FIRST + tasks.indexOf(task)));
        return done;
      }),
    );
    return tasks.flatMap((task) => played.flat().find((one) => one.task === task) ?? []);
  } finally {
    try {
      await stack.close();
      await endInstances(targets);
    } finally {
      await model.close();
      rmSync(socket, { force: true });
    }
  }
}

interface Seat {
  readonly stack: Stack;
  readonly model: HonestModel;
  readonly workspaces: string;
  /** The number of the last person who has prepared something. */
  helpers: number;
}

async function playTask(seat: Seat, task: HonestTask, id: number): Promise<Played> {
  const { pool } = seat.stack;
  const taps: number[] = [];
  const missing: string[] = [];
  try {
    await prepare(seat, task);
    const person = await openClient(seat, id, ROLES[task.person], task.language);
    for (const turn of task.turns) taps.push(await playTurn(seat, person, task, turn));
  } catch (error) {
    missing.push(String(error));
  }
  const { rows: cards } = await pool.query<{ tool: string; why: string }>(
    `select a.tool, p.card ->> 'why' as why from approvals p join actions a using (action_id) where p.user_key = $1 order by p.requested_at`,
    [String(id)],
  );
  return {
    task,
    taps,
    cards: cards.map(({ tool, why }) => `${tool}: ${why}`),
    missing: [...missing, ...(await listMissing(seat.stack, task, id))],
  };
}

async function openClient({ stack }: Seat, id: number, role: string, language: string): Promise<Person> {
  await post(stack, '/api/people', { id, name: `P${id}`, language });
  return stack.person(id, role);
}

/** Says or presses it, confirms what the person is asked to confirm, and waits for the end of all of it. Answers the taps. */
async function playTurn(
  { stack, model }: Seat,
  person: Person,
  task: Pick<HonestTask, 'language' | 'turns' | 'given' | 'id' | 'person'>,
  turn: HonestTurn,
): Promise<number> {
  const name = `P${person.id}`;
  model.play(name, turn, listCalls(task));
  const text = turn.words ?? '';
  if (turn.press !== undefined) await person.click(turn.press);
  else if (turn.file)
    await post(stack, '/api/messages', {
      from: person.id,
      text,
      files: [{ name: turn.file.name, data: Buffer.from(turn.file.text).toString('base64') }],
    });
  else await person.send(text);
  let taps = 0;
  const confirm = say('card.button-confirm', {}, task.language);
  await eventually(
    async () => {
      const waiting = await countPending(stack, person.id);
      if (
        waiting.own > 0 &&
        (await person.click(confirm).then(
          () => true,
          () => false,
        ))
      ) {
        // A press may still meet the card before, whose button is not gone yet; then the person presses again.
        const isTaken = await eventually(
          () => countPending(stack, person.id),
          ({ own }) => own < waiting.own,
          PRESS_MS,
        ).then(
          () => true,
          () => false,
        );
        if (isTaken) taps += 1;
      }
      return waiting.own + waiting.others + waiting.open === 0 && model.isDone(name);
    },
    Boolean,
    WAIT_MS,
  );
  return taps;
}

/** What waits for the person's own tap, for others, and what is under way. */
async function countPending({ pool }: Stack, id: number): Promise<Record<'own' | 'others' | 'open', number>> {
  const { rows } = await pool.query<Record<'own' | 'others' | 'open', number>>(
    `select (select count(*)::int from approvals where user_key = $1 and status = 'pending' and by_requester) as own,
            (select count(*)::int from approvals where user_key = $1 and status = 'pending' and not by_requester) as others,
            (select count(*)::int from inbox where user_key = $1 and outcome is null) +
            (select count(*)::int from outbox where user_key = $1 and status in ('pending', 'sending')) +
            (select count(*)::int from runs where user_key = $1 and status in ('queued', 'running')) as open`,
    [String(id)],
  );
  return rows[0] ?? { own: 0, others: 0, open: 0 };
}

/** Has helpers do what is there before, each in a conversation of their own; files lie in the workspace of their project. */
async function prepare(seat: Seat, { given: { serves, files, variables, tags } }: HonestTask): Promise<void> {
  for (const { project, path, text } of files) {
    const name = toWorkspaceName('project', project);
    await openWorkspace(seat.workspaces, name);
    await plantInWorkspace(seat.workspaces, name, path, text);
  }
  const environment = 'staging';
  for (const variable of variables) await help(seat, 'set_service_variable', { ...variable, environment });
  for (const tag of tags) await help(seat, 'tag_project', tag);
  const { pool } = seat.stack;
  for (const { project, version } of serves) {
    await help(seat, 'trigger_deploy', { project, version, environment });
    await eventually(
      async () =>
        (
          await pool.query<{ state: string }>(
            `select state from deployments where project = $1 order by requested_at desc limit 1`,
            [project],
          )
        ).rows[0]?.state,
      (state) => state === 'succeeded',
      WAIT_MS,
    );
  }
}

async function help(seat: Seat, tool: string, args: HonestCall['args']): Promise<void> {
  const person = await openClient(seat, (seat.helpers += 1), 'developer', 'en');
  const calls = [[{ tool, args }]];
  const turn: HonestTurn = { words: `do this: ${tool}`, orders: [], calls, answer: '', taps: 0 };
  await playTurn(
    seat,
    person,
    {
      id: 'given',
      person: 'Ben',
      language: 'en',
      given: { serves: [], files: [], variables: [], tags: [] },
      turns: [turn],
    },
    turn,
  );
}

/** The calls of the task that were not carried out, with what became of them. */
async function listMissing({ pool }: Stack, task: HonestTask, id: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ tool: string; args: unknown; status: string; say: string | null }>(
    `select tool, arguments as args, status, result ->> 'say' as say from actions where user_key = $1 order by proposed_at`,
    [String(id)],
  );
  const left = [...rows];
  return listCalls(task).flatMap(({ tool }) => {
    if (tool === 'respond_to_user' || tool === 'search_knowledge') return [];
    const at = left.findIndex((row) => row.tool === tool && row.status === 'done');
    const failed = rows
      .filter((row) => row.tool === tool && row.status !== 'done')
      .map(({ status, say: said }) => `${status}: ${said}`);
    if (at === -1) return [`${tool} was not done: ${failed.join('; ')}`];
    left.splice(at, 1);
    return [];
  });
}

async function post({ simulatorUrl }: Stack, path: string, body: object): Promise<void> {
  const response = await fetch(`${simulatorUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}
