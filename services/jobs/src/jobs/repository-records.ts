import { createHash } from 'node:crypto';
import type { ChainStore, RunHandle, StepResults } from '@signalbox/analysis/chain/chain-deps';
import { STEP_CLASSES } from '@signalbox/contracts/repository/chains';
import { appendAudit } from '@signalbox/store/audit/audit';
import { isTransient, withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { createFindingStore, reconcileFindings } from '@signalbox/store/repository/findings';
import { reconcilePackages } from '@signalbox/store/repository/relationships';
import { readScanCaches, writeScanCaches } from '@signalbox/store/repository/scan-caches';
import { sql } from '@signalbox/store/sql';

const MAX_LISTED_FINDINGS = 10_000;

/** Stores the runs of chains, their steps and their findings in Postgres. */
export function createChainStore(pool: Pool): ChainStore {
  const runs = createChainRunStore(pool);
  const findings = createFindingStore(pool);
  return {
    isTransient,
    listSteps: (runId) => runs.steps(runId),
    beginStep: (runId, { step, agent }) => runs.beginStep(runId, { step, agent, agentClass: STEP_CLASSES[agent] }),
    endRun: (runId, end) => runs.end(runId, end),
    countChanges: (project, runId) => findings.changedBy(project, runId),
    listOpenFindings: (project, analyzers) =>
      findings.list({ project, status: 'open', analyzers }, MAX_LISTED_FINDINGS),
    readScanCaches: (project, names) => readScanCaches(pool, project, names),
    endStep: (handle, { step, name }, end, left) =>
      withTransaction(pool, async (db) => {
        const { runId, project, isDry } = handle.run;
        // Another process may have ended the step and stored its results.
        if (!(await runs.endStep(db, { runId, step }, end))) return;
        if (left) await keepResults(db, handle, name, left);
        const data = {
          run: runId,
          project,
          chain: handle.chain,
          step,
          agent: name,
          class: STEP_CLASSES[name],
          commit: handle.commit,
          status: end.status,
          problem: end.problem,
          dry: isDry,
          found: left?.found.length ?? null,
          scanned: left?.scanned?.counts ?? null,
          documents: left?.documents.map(({ path }) => path) ?? [],
        };
        const { actor, threadId } = handle;
        await appendAudit(db, [{ kind: 'repository.scanned', actor, threadId, data }]);
      }),
    recordDenial: ({ run, threadId }, { name, stepClass }, denial) => {
      const data = { run: run.runId, project: run.project, agentClass: stepClass, ...denial };
      return appendAudit(pool, [{ kind: 'file.denied', actor: `agent:${name}`, threadId, data }]);
    },
  };
}

async function keepResults(db: Queryable, { run, commit }: RunHandle, agent: string, left: StepResults): Promise<void> {
  const { runId, project } = run;
  const { analyzers, found, packages, documents, scanned } = left;
  if (analyzers.length > 0) await reconcileFindings(db, { project, runId, commit, analyzers, found });
  if (packages) await reconcilePackages(db, project, packages);
  if (scanned) await writeScanCaches(db, project, scanned.cache);
  for (const { path, mimeType, text } of documents) {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await db.query(sql`
      insert into repository_artifacts (run_id, path, agent, mime_type, sha256, bytes)
        values (${runId}, ${path}, ${agent}, ${mimeType}, ${sha256}, ${bytes})
        on conflict (run_id, path) do update
          set agent = excluded.agent, mime_type = excluded.mime_type, sha256 = excluded.sha256, bytes = excluded.bytes`);
  }
}
