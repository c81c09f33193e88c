import { createHash } from 'node:crypto';
import { z } from 'zod';
import { REPOSITORY_AGENTS, STEP_ATTEMPTS, type RepositoryAgentName } from '@signalbox/contracts/repository/chains';
import { ShownFinding } from '@signalbox/contracts/repository/chain-run';
import type { Found } from '@signalbox/contracts/repository/finding';
import type { Packages } from '@signalbox/contracts/repository/packages';
import { AppError, toAppError } from '@signalbox/contracts/errors';
import { appendAudit } from '@signalbox/store/audit/audit';
import { fingerprintOf, reconcileFindings } from '@signalbox/store/repository/findings';
import { reconcilePackages } from '@signalbox/store/repository/relationships';
import { writeScanCaches } from '@signalbox/store/repository/scan-caches';
import { isTransient, withTransaction, type Queryable } from '@signalbox/store/pool';
import { sql } from '@signalbox/store/sql';
import { boundsOf } from '@signalbox/contracts/governance/agent-bounds';
import { AgentFiles, type Document } from './agent-files.ts';
import type { Listed, RepositoryAgent } from './agents/agent.ts';
import type { ChainScans, StepScan } from './chain-scans.ts';
import type { ChainParts, RunHandle } from './run-parts.ts';

/** How a step ended. `stopped`: it was not begun, because something that it needs is not there. */
export interface StepEnd {
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output: unknown;
  readonly problem: string | null;
}

/** In a dry run the findings of a step are kept with it, up to this many. */
const DRY_FINDINGS = 2_000;

export interface Step {
  readonly step: number;
  readonly agent: RepositoryAgentName;
  /** Which time it is begun. */
  readonly begun: number;
  readonly input: Readonly<Record<string, unknown>>;
  /** The analyzers of this step and those before it. */
  readonly analyzers: readonly string[];
  /** In a dry run: what the steps before have found. */
  readonly foundBefore: readonly Listed[];
}

/**
 * Runs one agent of a chain: checks first whether it may and can run, bounds what it touches, checks what it answers, and writes all that
 * it leaves behind in one transaction with its end. Idempotent until then. A dry run leaves nothing behind but what it would say.
 */
export async function runAgent(
  parts: ChainParts,
  open: RunHandle & { readonly scans: ChainScans },
  agents: Readonly<Partial<Record<string, RepositoryAgent>>>,
  step: Step,
): Promise<StepEnd> {
  const checked = check(agents, step);
  if ('problem' in checked)
    return endStep(parts, open, step, { status: 'stopped', output: null, problem: checked.problem }, null);
  const { agent, input } = checked;
  const fail = (problem: string): Promise<StepEnd> =>
    endStep(parts, open, step, { status: 'failed', output: null, problem }, null);
  // It may be what its process dies of: the steps behind it are not to die of it too.
  if (step.begun > STEP_ATTEMPTS) return fail(`it was begun ${STEP_ATTEMPTS} times and never came to its end`);
  const files = new AgentFiles(parts, open, { name: step.agent, agentClass: REPOSITORY_AGENTS[step.agent] });
  try {
    const scanned = agent.analyzers.length === 0 ? null : await open.scans.scan(agent.analyzers);
    const conclusions = scanned?.conclusions ?? {};
    const found = Object.values(conclusions).flatMap((one) => one.found);
    const output = await agent.run(input, {
      project: open.run.project,
      chain: open.chain,
      runId: open.run.runId,
      commit: open.commit,
      before: open.before,
      now: () => new Date(),
      signal: open.signal,
      conclusions,
      findings: () => listFindings(parts, open, step),
      read: (path) => files.read(path),
      write: (path, text, mimeType) => files.write(path, text, mimeType),
    });
    const said = agent.output.safeParse(output);
    if (!said.success) return await fail(`what it said is not of its form: ${z.prettifyError(said.error)}`);
    const isDry = open.run.isDry;
    const answer = isDry ? { said: said.data, found: asListed(found).slice(0, DRY_FINDINGS) } : said.data;
    const packages = Object.values(conclusions).find((one) => one.packages)?.packages ?? null;
    const left = isDry ? null : { analyzers: agent.analyzers, found, packages, documents: files.documents, scanned };
    return await endStep(parts, open, step, { status: 'completed', output: answer, problem: null }, left);
  } catch (error) {
    open.signal.throwIfAborted();
    // What only this moment prevents is for the next attempt of the job.
    if (isTransient(error)) throw error;
    if (!(error instanceof AppError))
      parts.log.error('a step failed', { run: open.run.runId, agent: step.agent, error });
    return await fail(toAppError(error, open.run.runId).message);
  } finally {
    await files.close();
  }
}

/** Whether an agent may run: it is there, its class may read, and its input is what it needs. */
function check(agents: Readonly<Partial<Record<string, RepositoryAgent>>>, { agent: name, input }: Step) {
  const agent = agents[name];
  if (!agent) return { problem: `no agent is registered as ${name}` };
  if (agent.analyzers.length > 0 && !boundsOf(REPOSITORY_AGENTS[name]).canRead)
    return { problem: `agents of the class ${REPOSITORY_AGENTS[name]} may not read files` };
  const parsed = agent.input.safeParse(input);
  if (!parsed.success) return { problem: `its input is incomplete: ${z.prettifyError(parsed.error)}` };
  return { agent, input: parsed.data };
}

async function listFindings(parts: ChainParts, open: RunHandle, step: Step): Promise<readonly Listed[]> {
  if (open.run.isDry) return step.foundBefore;
  const { analyzers } = step;
  return parts.findings.list({ project: open.run.project, status: 'open', analyzers }, 10_000);
}

const DryOutput = z.object({
  said: z.unknown(),
  found: z.array(ShownFinding.extend({ analyzer: z.string(), fingerprint: z.string() })),
});

/** What the agent said, without what a dry run keeps beside it. */
export function saidBy(output: unknown): unknown {
  const dry = DryOutput.safeParse(output);
  return dry.success ? dry.data.said : output;
}

/** What a step of a dry run found; nothing in any other. */
export function dryFindings(output: unknown): readonly Listed[] {
  return DryOutput.safeParse(output).data?.found ?? [];
}

function asListed(found: readonly Found[]): readonly Listed[] {
  return found.map(({ identity, ...one }) => ({
    ...one,
    fingerprint: fingerprintOf({ ...one, identity }),
    analyzer: one.rule.split('/')[0] ?? '',
    findingId: null,
  }));
}

interface Left {
  readonly analyzers: readonly string[];
  readonly found: readonly Found[];
  /** Null where no manifest was read. */
  readonly packages: Packages | null;
  readonly documents: readonly Document[];
  readonly scanned: Pick<StepScan, 'counts' | 'cache'> | null;
}

/** The end of a step and all that it leaves, in one transaction. */
async function endStep(
  parts: ChainParts,
  open: RunHandle,
  step: Step,
  end: StepEnd,
  left: Left | null,
): Promise<StepEnd> {
  const { runId, project } = open.run;
  await withTransaction(parts.pool, async (db) => {
    // Another process may have ended it meanwhile: then all of it is there.
    if (!(await parts.runs.endStep(db, { runId, step: step.step }, end))) return;
    if (left && left.analyzers.length > 0)
      await reconcileFindings(db, {
        project,
        runId,
        commit: open.commit,
        analyzers: left.analyzers,
        found: left.found,
      });
    if (left?.packages) await reconcilePackages(db, project, left.packages);
    if (left?.scanned) await writeScanCaches(db, project, left.scanned.cache);
    for (const document of left?.documents ?? []) await putDocument(db, { runId, agent: step.agent, document });
    await appendAudit(db, [
      {
        kind: 'repository.scanned',
        actor: open.actor,
        threadId: open.threadId,
        data: {
          run: runId,
          project,
          chain: open.chain,
          step: step.step,
          agent: step.agent,
          class: REPOSITORY_AGENTS[step.agent],
          commit: open.commit,
          status: end.status,
          problem: end.problem,
          dry: open.run.isDry,
          found: left?.found.length ?? null,
          scanned: left?.scanned?.counts ?? null,
          documents: left?.documents.map(({ path }) => path) ?? [],
        },
      },
    ]);
  });
  return end;
}

async function putDocument(
  db: Queryable,
  { runId, agent, document }: { readonly runId: string; readonly agent: string; readonly document: Document },
): Promise<void> {
  const bytes = Buffer.from(document.text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await db.query(sql`
    insert into repository_artifacts (run_id, path, agent, mime_type, sha256, bytes)
      values (${runId}, ${document.path}, ${agent}, ${document.mimeType}, ${sha256}, ${bytes})
      on conflict (run_id, path) do update
        set agent = excluded.agent, mime_type = excluded.mime_type, sha256 = excluded.sha256, bytes = excluded.bytes`);
}
