import { readFileSync } from 'node:fs';
import { openWorkspace } from '@signalbox/jobs/workspace/workspaces';
import { toWorkspaceName } from '@signalbox/contracts/operations/workspace';
import type { Pool } from '@signalbox/store/pool';
import { z } from 'zod';
import { plantInWorkspace } from '../support/ledger-files.ts';
import type { Person } from '../support/person.ts';
import { eventually } from '../support/until.ts';
import { fill, portOf } from './corpus.ts';
import type { Field } from './field.ts';
import { prepareProject, riskOf, workThrough } from './trial.ts';

const Task = z.object({
  id: z.string(),
  title: z.string(),
  role: z.enum(['developer', 'operator', 'admin']),
  steps: z.array(
    z.object({
      say: z.string(),
      calls: z.array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })),
      /** What has to be over before the next step. */
      wait: z.literal('deployed').optional(),
    }),
  ),
  /** Presses that it took before changes after text of outside had to be confirmed. */
  tapsBefore: z.number(),
});

/** Honest work, with a person and a project of its own. */
export type Task = z.infer<typeof Task> & { readonly n: number; readonly project: string };

export interface Done {
  readonly task: Task;
  readonly taps: number;
  /** What is missing in the end; empty when all of it was done. */
  readonly missing: readonly string[];
}

const FIRST = 7_000;
const PARALLEL = 6;
const DEPLOY_MS = 90_000;

export function readTasks(): readonly Task[] {
  const all = z
    .array(Task)
    .parse(JSON.parse(readFileSync(new URL('../fixtures/attack/tasks.json', import.meta.url), 'utf8')));
  return all.map((task, at) => {
    const n = FIRST + at;
    const project = `p${n}`;
    const names = { '{n}': String(n), '{p}': project, '{port}': portOf(n - 2_000) };
    return { ...task, n, project, steps: fill(task.steps, names) as Task['steps'] }; // the same shape, with names in it
  });
}

/** Has all tasks done. `operators`: people who approve what they are asked. */
export function doAll(field: Field, tasks: readonly Task[], operators: readonly Person[]): Promise<readonly Done[]> {
  return workThrough(tasks, PARALLEL, (task) => doTask(field, task, operators));
}

async function doTask(field: Field, task: Task, operators: readonly Person[]): Promise<Done> {
  let taps = 0;
  try {
    await prepareProject(field, task, portOf(task.n - 2_000));
    const name = toWorkspaceName('project', task.project);
    await openWorkspace(field.workspaces, name);
    await plantInWorkspace(field.workspaces, name, 'notes.txt', 'first\n');
    await plantInWorkspace(field.workspaces, name, 'README.md', 'A smal project\n');
    await plantInWorkspace(field.workspaces, name, 'test.sh', 'echo fine\n');
    const person = await field.person(task.n, task.role);
    field.puppet.play(`P${task.n}`, { turns: task.steps, patience: 0, fromTurn: 0 });
    for (const { say, wait } of task.steps) {
      await field.during(person, () => person.send(say));
      taps += await decideAll(field, task, person, operators);
      if (wait) await deployed(field.stack.pool, task.project);
    }
    return { task, taps, missing: await missingOf(field.stack.pool, task) };
  } catch (error) {
    return { task, taps, missing: [String(error)] };
  }
}

/** Presses Confirm or Approve on whatever waits for it, and counts the presses. */
async function decideAll(field: Field, task: Task, person: Person, operators: readonly Person[]): Promise<number> {
  const isWaiting = async (): Promise<boolean> => {
    const { rowCount } = await field.stack.pool.query(
      `select 1 from approvals where user_key = $1 and status = 'pending'`,
      [String(task.n)],
    );
    return rowCount !== 0;
  };
  let taps = 0;
  for (let round = 0; round < 10 && (await isWaiting()); round++) {
    taps += await pressAll(field, person, person, 'Confirm', '');
    for (const one of operators)
      if (await isWaiting()) taps += await pressAll(field, person, one, 'Approve', String(task.n));
  }
  return taps;
}

/** Presses a button wherever it is offered to somebody. `about`: what stands on the card. Answers how often. */
async function pressAll(field: Field, person: Person, who: Person, label: string, about: string): Promise<number> {
  const cards = (await who.heard()).filter(
    ({ text, buttons }) => text.includes(about) && buttons?.flat().some((button) => button.text === label),
  );
  for (const { messageId } of cards)
    await field
      .during(person, () => field.post('/api/clicks', { from: who.id, messageId, button: label }))
      .catch(() => null);
  return cards.length;
}

async function deployed(pool: Pool, project: string): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await pool.query<{ state: string }>(
        `select state from deployments where project = $1 order by requested_at desc limit 1`,
        [project],
      );
      return rows[0]?.state;
    },
    (state) => state === 'succeeded' || state === 'failed',
    DEPLOY_MS,
  );
}

/** The calls of its script that change something and were not done. */
async function missingOf(pool: Pool, { n, steps }: Task): Promise<readonly string[]> {
  const { rows } = await pool.query<{ tool: string; status: string; say: string | null }>(
    `select tool, status, result ->> 'say' as say from actions where user_key = $1`,
    [String(n)],
  );
  const done = rows.filter(({ status }) => status === 'done').map(({ tool }) => tool);
  const wanted = steps.flatMap(({ calls }) => calls).filter(({ tool, args }) => changes(tool, args));
  const failed = rows
    .filter(({ status }) => status !== 'done')
    .map(({ tool, status, say }) => `${tool} ${status}: ${say}`);
  const missing = wanted.filter(({ tool }) => {
    const at = done.indexOf(tool);
    if (at !== -1) done.splice(at, 1);
    return at === -1;
  });
  return missing.length === 0 ? failed : [...missing.map(({ tool }) => `${tool} was not done`), ...failed];
}

function changes(tool: string, args: unknown): boolean {
  const risk = riskOf(tool, args);
  return risk === 'sensitive' || risk === 'dangerous';
}
