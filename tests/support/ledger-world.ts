import type { Queryable } from '@signalbox/store/pool';
import { compareFiles, type LedgerMismatch } from './ledger-files.ts';

/** Which rows an action leaves behind, by the tool that makes them. Each has the id of the action, and there is no other way to make one. */
const EFFECTS: readonly { readonly tools: readonly string[]; readonly rows: string; readonly what: string }[] = [
  { tools: ['create_project_intent'], rows: 'select action_id from projects', what: 'project' },
  { tools: ['update_project'], rows: 'select action_id from project_changes', what: 'change of a project' },
  { tools: ['register_server'], rows: 'select action_id from servers', what: 'server' },
  { tools: ['allocate_port'], rows: 'select action_id from port_allocations', what: 'port' },
  {
    tools: ['release_port'],
    rows: 'select release_action_id as action_id from port_allocations where release_action_id is not null',
    what: 'released port',
  },
  {
    tools: ['trigger_deploy', 'rollback_deploy'],
    rows: 'select deployment_id as action_id from deployments',
    what: 'deployment',
  },
];
/** Done without a row, because what was asked for was so already, or because a test has a tool of its own under that name. */
const MAY_BE_WITHOUT = ['update_project', 'trigger_deploy', 'rollback_deploy'];

/**
 * Compares what the ledger says was done, failed or is unknown with what exists: projects, servers, ports, deployments, and the files of
 * the workspaces in this folder. Answers where they differ, nothing when they are equal. `started` is for what is still under way, so
 * ask when nothing is.
 */
export async function compareLedger(db: Queryable, workspaceDir: string): Promise<readonly LedgerMismatch[]> {
  const found = [...(await compareFiles(db, workspaceDir))];
  for (const { tools, rows: effects, what } of EFFECTS) {
    const { rows } = await db.query<LedgerMismatch & { exists: boolean }>(
      `select a.action_id as "actionId", a.tool, a.status, e.action_id is not null as exists
         from actions a left join (${effects}) e on e.action_id = a.action_id
        where a.tool = any ($1) and (a.status = 'done') is distinct from (e.action_id is not null)
          and not (a.status = 'done' and a.tool = any ($2)) order by a.action_id`,
      [tools, MAY_BE_WITHOUT],
    );
    for (const { exists, ...row } of rows)
      found.push({ ...row, what: exists ? `the ${what} exists` : `there is no ${what}` });
  }
  return found;
}

/** Throws with every difference between the ledger and the world. */
export async function requireEqualLedger(db: Queryable, workspaceDir: string): Promise<void> {
  const mismatches = await compareLedger(db, workspaceDir);
  if (mismatches.length === 0) return;
  const lines = mismatches.map(({ actionId, tool, status, what }) => `  ${tool} ${actionId} is ${status}, and ${what}`);
  throw new Error(`the ledger and the world differ:\n${lines.join('\n')}`);
}
