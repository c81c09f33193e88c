import { z } from 'zod';
import { sayFindingItem } from '@signalbox/analysis/reports/say-findings';
import type { ShownFinding } from '@signalbox/contracts/repository/chain-run';
import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import type { ServiceDiagnosisResult, ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { sayDuration } from '@signalbox/messages/duration';
import { READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { createRollbackButton } from '@signalbox/messages/service-buttons';
import { say } from '@signalbox/messages/say';
import { createFindingButtons, FINDING_ORIGINS, toShown } from '../../tools/shown-findings.ts';
import { SERVICE_SCOPE, findService, ProjectArg, OptionalEnvironment, unwrapJob } from './asked-service.ts';
import { foldLines } from './fold.ts';
import { formatCode, describeHealth, describeVerdict, toLogBlock } from './sentences.ts';

const HEALTH_ORIGINS = {
  project: 'name',
  environment: 'runtime',
  release: 'ref',
  reportedRelease: 'outside',
  verdict: 'runtime',
  because: 'sentence',
  usualLatencyMs: 'runtime',
  lacks: 'outside',
  diskFreeMb: 'runtime',
  errorsLastHour: 'runtime',
  instance: { status: 'runtime', latencyMs: 'runtime', error: 'outside' },
  proxy: { status: 'runtime', latencyMs: 'runtime', error: 'outside' },
  process: 'runtime',
} as const;

export const checkServiceHealth = tool({
  describe: 'Measure how a service is now: answer time, release, program, memory, disk and errors, with a verdict.',
  hints: [
    'is shop healthy',
    'check the health of shop in production',
    'how is shop doing on staging',
    'is blog up',
    'is shop down on staging',
    'is shop running',
    'health of blog in staging',
    'does shop answer',
    'is the service ok',
    'how long is shop up',
  ],
  input: z.object({ project: ProjectArg, environment: OptionalEnvironment }),
  ...READ_DEFAULTS,
  role: 'viewer',
  ...SERVICE_SCOPE,
  deadlineMs: 40_000,
  run: async (asked, context) =>
    unwrapJob(await context.work('service.health', await findService(context.ports, asked))),
  meets: { healthy: (health) => health.state === 'done' && isProvenHealthy(health) },
  phrases: {
    order: ({ project, environment }) =>
      say('diagnose.checkOrder', { project, hasPlace: environment !== undefined, environment: environment ?? '' }),
    done: (health) => {
      if (health.state === 'goes-on') return say('diagnose.goesOn');
      const lines = describeHealth(health).map((line) => `- ${line}`);
      return `${describeVerdict(health)}\n\n${lines.join('\n')}`;
    },
    next: (health) =>
      health.state === 'done' && (health.verdict === 'down' || health.verdict === 'degraded')
        ? [{ label: say('diagnose.diagnose'), value: `diagnose ${health.project} in ${health.environment}` }]
        : [],
  },
}).from({ state: 'runtime', ...HEALTH_ORIGINS });

export const diagnoseService = tool({
  describe:
    'Find out what is wrong with a service that is slow, down or failing: health, errors, log and deployments at once, with what to do next.',
  hints: [
    'why is shop slow',
    'diagnose shop in staging',
    'what is wrong with shop',
    'shop is slow',
    'why is blog down',
    'shop does not work',
    'what is the problem with blog in production',
    'why does shop fail',
    'investigate shop',
    'i cannot reach shop on staging',
  ],
  input: z.object({ project: ProjectArg, environment: OptionalEnvironment }),
  ...READ_DEFAULTS,
  role: 'viewer',
  ...SERVICE_SCOPE,
  deadlineMs: 45_000,
  run: async (asked, context) => {
    const { ports, now } = context;
    // What scans found in the repository answers “what is wrong with it” as well, most of all where nothing is deployed.
    const findings = (
      await ports.repositories.findings.list({ project: asked.project, status: 'open' }, MAX_FINDINGS)
    ).map(toShown);
    const isDeployed = findings.length === 0 || (await ports.services.list({ project: asked.project })).length > 0;
    if (!isDeployed) return { state: 'not-deployed' as const, project: asked.project, findings };
    const service = await findService(ports, asked);
    const found = unwrapJob(await context.work('service.diagnose', service));
    if (found.state === 'goes-on') return found;
    const deployments = (await ports.deployments.list(service, 3)).map(
      ({ ref, kind, state, userName, requestedAt, failure }) => ({
        version: ref,
        kind,
        state,
        by: userName,
        ago: sayDuration(Math.max(0, now().getTime() - requestedAt.getTime())),
        failure:
          failure &&
          say('diagnose.latestFailed', { version: ref, state: sayDeployState(failure.state), why: failure.sentence }),
      }),
    );
    return { ...found, lines: foldLines(found.lines), deployments, ...(findings.length > 0 ? { findings } : {}) };
  },
  meets: { healthy: (found) => found.state === 'done' && isProvenHealthy(found.health) },
  phrases: {
    done: (found) => {
      if (found.state === 'goes-on') return say('diagnose.goesOn');
      if (found.state === 'not-deployed') return sayFindings(found.project, found.findings);
      const { health, previous, servingForSeconds, errors, lines, deployments, proposal } = found;
      const before = previous?.release ?? null;
      const newest = deployments
        .map(({ version, kind, by, ago, state }) =>
          say('diagnose.deployment', { version, kind, by, ago, state: state.replace('_', ' ') }),
        )
        .join('; ');
      const evidence = [
        ...describeHealth(health),
        ...(servingForSeconds === null
          ? []
          : [
              say('diagnose.servesSince', {
                time: sayDuration(servingForSeconds * 1_000),
                hasBefore: before !== null,
                before: formatCode(before ?? ''),
              }),
            ]),
        ...(newest === '' ? [] : [say('diagnose.latestDeployments', { deployments: newest })]),
        ...errors
          .slice(0, 3)
          .map(({ sample, count: times }) =>
            say('diagnose.times', { times, sample: formatCode(sample.slice(0, 160)) }),
          ),
      ];
      const log = lines.length === 0 || errors.length === 0 ? '' : `\n\n${toLogBlock(lines.slice(-6))}`;
      const list = `${evidence.map((line) => `- ${line}`).join('\n')}${log}`;
      // People ask for the reason of the latest failed deployment when something broke.
      const failed = deployments[0]?.failure ?? [];
      const open = found.findings === undefined ? [] : sayFindings(found.project, found.findings);
      return [describeVerdict(health), failed, list, proposed(proposal) ?? [], open].flat().join('\n\n');
    },
    next: (found) => {
      if (found.state === 'not-deployed') return createFindingButtons(found.project, found.findings);
      return found.state === 'done' ? buttonsOf(found) : [];
    },
  },
}).from({
  state: 'runtime',
  findings: FINDING_ORIGINS,
  project: 'name',
  environment: 'runtime',
  servingForSeconds: 'runtime',
  health: HEALTH_ORIGINS,
  deployments: {
    version: 'ref',
    kind: 'runtime',
    state: 'runtime',
    by: 'name',
    ago: 'runtime',
    failure: 'outside',
  },
  errors: { count: 'runtime', sample: 'outside' },
  lines: 'outside',
  previous: { deploymentId: 'runtime', release: 'ref', usualLatencyMs: 'runtime' },
  proposal: { action: 'runtime', because: 'outside' },
});

const MAX_FINDINGS = 5;

function sayFindings(project: string, findings: readonly ShownFinding[]): string {
  const lines = findings.map((finding) => `- ${sayFindingItem(finding)}`);
  return `${say('findings.list', { project, status: 'open' })}\n\n${lines.join('\n')}`;
}

/** True when the verdict is good and nothing kept the check from judging. */
function isProvenHealthy({ verdict, lacks }: Pick<ServiceHealthResult, 'verdict' | 'lacks'>): boolean {
  return verdict === 'healthy' && lacks === null;
}

type Diagnosis = Pick<ServiceDiagnosisResult, 'project' | 'environment' | 'proposal' | 'previous'>;

function proposed({ action, because }: Diagnosis['proposal']): string | null {
  return action === 'rollback' ? say('diagnose.shallIRollBack', { because: because ?? '' }) : because;
}

/** Offers next actions as buttons. A press is decided like a typed request. */
function buttonsOf({ project, environment, proposal, previous }: Diagnosis): readonly ActionButton[] {
  const where = `${project} in ${environment}`;
  const logs = { label: say('diagnose.showLog'), value: `show the logs of ${where}` };
  const again = { label: say('diagnose.lookAgain'), value: `diagnose ${where}` };
  switch (proposal.action) {
    case 'rollback':
      return [createRollbackButton({ project, environment }, previous?.release ?? null), logs, again];
    case 'look-at-logs':
      return [logs, again];
    case 'wait':
      return [again];
    case 'deploy':
    case 'none':
      return [];
  }
}
