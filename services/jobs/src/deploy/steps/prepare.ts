import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { toRepository } from '../../git/repository-login.ts';
import { buildDeployPlan, requireSamePlan } from './plan.ts';
import { measureReadiness, type Readiness } from './readiness.ts';
import { requireServiceFile, getReleaseId, type DeploymentSession } from '../deployment-session.ts';

/** Time within which a supervised proxy restarts; after it, people are notified. */
const RESTART_MS = 30 * SECOND_MS;
const POLL_MS = SECOND_MS;

/** Checks readiness and resolves what to build. A stored artifact is not built again. */
export async function prepareDeployment(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const earlier = row.fromArtifact === null ? null : await parts.work.find(row.fromArtifact);
  const built = earlier && (await isArtifactStored(session, earlier, signal)) ? describeBuilt(earlier) : null;
  const request = { ...row, commit: earlier?.commit ?? row.plan?.commit ?? null, built };
  const readiness = await waitForReadiness(signal, () =>
    measureReadiness(parts, request, {
      repository: toRepository(row, session.context.openSecret),
      variables: () => session.variables(`to see whether ${row.project} can be deployed to ${row.environment}`),
      context: session.context,
      signal,
    }),
  );
  const evidence = { checks: readiness.checks.map(({ name, evidence: found }) => `${name}: ${found}`) };
  requireReady(readiness);
  await requireApproved(session, readiness, earlier);
  if (built && earlier?.artifact) {
    const { commit, release, file } = built;
    const change = { commit, release, file, artifact: earlier.artifact, kept: true };
    await held.advance('starting', { ...evidence, from: earlier.deploymentId, built: false }, { change });
    return;
  }
  const { source, way } = readiness;
  if (!source || !way) throw new Error('all checks hold, and no source was read');
  const change = { commit: source.commit, release: earlier?.release ?? source.release, file: way.file };
  await held.advance('building', { ...evidence, commit: source.commit }, { change });
}

/** Repeats the check while the only problem is a service of Signalbox that does not answer, because it may be restarting. */
async function waitForReadiness(signal: AbortSignal, measure: () => Promise<Readiness>): Promise<Readiness> {
  const deadline = performance.now() + RESTART_MS;
  for (;;) {
    const readiness = await measure();
    if (!readiness.isUnanswered || performance.now() >= deadline) return readiness;
    await sleep(POLL_MS, signal);
    signal.throwIfAborted();
  }
}

/** Checks out the commit and builds it with the driver. Aborts at the time limit, or when the build stalls. */
export async function buildArtifact(
  session: DeploymentSession,
  signal: AbortSignal,
  stop: (reason: Error) => void,
): Promise<void> {
  const { parts, held, lines } = session;
  const row = held.row();
  const repository = toRepository(row, session.context.openSecret);
  if (repository === null || row.commit === null) throw new Error(`${row.deploymentId} has nothing to build`);
  const driver = await session.driver();
  const id = getReleaseId(row);
  await session.protectLines();
  // An interrupted build of an earlier worker would write into the same folder.
  await driver.endBuild(id, signal);
  const source = await parts.sources.open(repository, row.commit, signal);
  const sourceDir = await source.checkOut(row.deploymentId, signal);
  const watch = new AbortController();
  const watched = watchForStall(session, stop, watch.signal).catch((error: unknown) =>
    session.context.log.error('a build is not watched for a stall', { error }),
  );
  const startedAt = performance.now();
  try {
    const onLine = lines.push.bind(lines);
    const artifact = await driver.build({ id, sourceDir, file: requireServiceFile(row), onLine, signal });
    const evidence = { artifact: artifact.ref, seconds: Math.round((performance.now() - startedAt) / SECOND_MS) };
    await held.advance('starting', evidence, { change: { artifact, kept: true } });
  } finally {
    watch.abort();
    await watched;
    await parts.sources.discard(row.deploymentId);
  }
}

async function watchForStall(
  session: DeploymentSession,
  stop: (reason: Error) => void,
  signal: AbortSignal,
): Promise<void> {
  const { held, lines, parts } = session;
  const { stallMs } = parts.limits;
  const driver = await session.driver();
  let sign = performance.now();
  let usedMs = 0;
  while (!signal.aborted) {
    await sleep(Math.min(stallMs / 5, 5 * SECOND_MS), signal);
    // When processor time cannot be measured, only output lines count as progress.
    const now = (await driver.buildCpuMs?.(getReleaseId(held.row()), signal).catch(() => null)) ?? usedMs;
    if (now > usedMs) sign = performance.now();
    usedMs = Math.max(usedMs, now);
    sign = Math.max(sign, lines.lastAt());
    if (performance.now() - sign > stallMs && !signal.aborted)
      stop(new AppError('STEP_STALLED', { step: 'building', seconds: String(Math.round(stallMs / SECOND_MS)) }));
  }
}

async function requireApproved(
  { parts, held }: DeploymentSession,
  readiness: Readiness,
  earlier: FullDeploymentRow | null,
): Promise<void> {
  const row = held.row();
  const { target, source, way, commit } = readiness;
  const file = earlier?.file ?? way?.file;
  if (row.plan === null || !target || commit === null || !file) return;
  const { repository, ref, fromArtifact: artifact } = row;
  const [dockerfile, notes] = earlier?.file ? [null, []] : [source?.dockerfile ?? null, way?.notes ?? []];
  const variables = await parts.services.variableMarks(row);
  // A rollback was approved by its commit, but is shown with the ref of the earlier deployment.
  requireSamePlan(
    row.plan,
    buildDeployPlan({ repository, ref, target, commit, file, dockerfile, notes, artifact, variables }),
  );
}

async function isArtifactStored(
  session: DeploymentSession,
  earlier: FullDeploymentRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (!earlier.kept || earlier.artifact === null || earlier.server !== session.held.row().server) return false;
  return (await session.driver()).has(earlier.artifact, signal);
}

function describeBuilt(
  earlier: FullDeploymentRow,
): { readonly commit: string; readonly release: string; readonly file: ReturnType<typeof requireServiceFile> } | null {
  const { commit, release, file } = earlier;
  return commit === null || release === null || file === null ? null : { commit, release, file };
}

function requireReady({ ready, checks }: Readiness): void {
  if (ready) return;
  const failed = checks.filter(({ ok }) => !ok);
  const detail = failed.map(({ name, evidence, remedy }) => `${name}: ${evidence} ${remedy ?? ''}`.trim()).join(' ');
  throw new AppError('NOT_READY', { detail: detail.slice(0, 900) });
}
