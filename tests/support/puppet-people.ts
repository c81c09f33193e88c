import type { Pool } from '@signalbox/store/pool';
import type { Person } from './person.ts';
import { createScriptedModels, type ModelScript } from './scripted-model.ts';
import { openStack, type Stack } from './stack.ts';

/** Numbers that look random and are the same on each run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** What they pick, from lists that are not empty. */
export function pickWith(next: () => number) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T; // see above
  return { pick, some: <T>(from: readonly T[], count: number): T[] => Array.from({ length: count }, () => pick(from)) };
}

/** An action that began, with who decided about it. */
export interface Ran {
  readonly tool: string;
  readonly person: string;
  readonly group: string;
  readonly class: string;
  readonly risk: string;
  readonly thread: string;
  readonly approval: string | null;
  readonly voters: readonly string[] | null;
  readonly own: boolean | null;
}

/** Every action that began. */
export async function listRan(pool: Pool): Promise<readonly Ran[]> {
  const { rows } = await pool.query<Ran>(`
    select a.tool, a.user_key as person, a.proposal -> 'action' ->> 'group' as group, a.proposal -> 'action' ->> 'agentClass' as class,
           a.proposal #>> '{action,assessment,risk}' as risk, a.thread_id as thread, p.approval_id as approval, p.by_requester as own,
           (select array_agg(v.user_key) from approval_votes v where v.approval_id = p.approval_id) as voters
      from actions a left join approvals p on p.action_id = a.action_id and p.status = 'consumed'
     where a.status in ('started', 'done', 'failed', 'unknown') and a.started_at is not null`);
  return rows;
}

/** Confirms what the person is asked to confirm, and has the operator approve what waits for one. */
export async function decideAll(pool: Pool, person: Person, operator: Person): Promise<void> {
  const { rows } = await pool.query<{ own: boolean }>(
    `select by_requester as own from approvals where user_key = $1 and status = 'pending'`,
    [String(person.id)],
  );
  if (rows.some(({ own }) => own)) await person.clickAndWait('Confirm').catch(() => undefined);
  if (rows.some(({ own }) => !own)) await operator.click('Approve').catch(() => undefined);
}

/** Whether somebody decided about it who may: the person, or the operator. */
export function isDecided({ approval, voters, own, person }: Ran, operator: Person): boolean {
  return (
    approval !== null && voters !== null && voters.every((voter) => voter === (own ? person : String(operator.id)))
  );
}

/** A stack whose model answers by this script, and an operator whom it knows. */
export async function openPuppetStack(
  script: ModelScript,
): Promise<{ readonly stack: Stack; readonly operator: Person }> {
  const models = createScriptedModels(script);
  const stack = await openStack({
    jobs: true,
    wiring: { models: () => Promise.resolve(models) },
  });
  const operator = await stack.person(1003, 'operator');
  await operator.ask('/whoami');
  return { stack, operator };
}
