import { Environment } from '@signalbox/contracts/conversation/fields';
import { withTransaction } from '@signalbox/store/pool';
import { putRun, type RunIntent } from '@signalbox/store/turns/runs';
import { waitForRun, type RunDetail } from '../queries/run-search.ts';
import { createServiceStore, type ServiceRow } from '@signalbox/store/deploy/services';
import { newId, newTraceId } from '@signalbox/contracts/ids';
import { readQueueDepths } from '../queries/queue-depths.ts';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { createQueue } from '@signalbox/platform/queue/queue';
import { SECOND_MS } from '@signalbox/contracts/time';
import { recordChange } from '../actor.ts';
import { runSubcommand, UsageError, type CommandContext, type CommandResult } from '../command.ts';
import { requireUrl } from '../config.ts';
import { formatList } from '../table.ts';

/** The command stops waiting after this time. Draining and stopping take seconds. */
const STOP_WAIT_MS = 60 * SECOND_MS;

/** Lists deployed services, or stops one and waits until its program has ended. */
export function runServices(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { list: { words: 0, run: listAll }, stop: { words: 2, run: stop } }, 'list');
}

async function listAll(context: CommandContext): Promise<CommandResult> {
  const services = await createServiceStore(context.database()).list({});
  const rows = services.map((service) => [
    service.project,
    service.environment,
    service.release,
    service.server,
    service.serving === null ? null : service.url,
    describeState(service),
  ]);
  const headings = ['PROJECT', 'ENVIRONMENT', 'RELEASE', 'SERVER', 'URL', 'STATE'];
  return { ok: true, data: services, lines: formatList(headings, rows, 'Nothing has been deployed yet.') };
}

async function stop(context: CommandContext, project: string, where: string): Promise<CommandResult> {
  const { success, data: environment } = Environment.safeParse(where);
  if (!success) throw new UsageError();
  const depths = await readQueueDepths(context.redis(), context.config.REDIS_PREFIX, new Date()).catch(() => null);
  if (!depths?.some(({ pool, consumers }) => pool === 'deploy' && consumers > 0))
    return {
      ok: false,
      data: { error: 'nobody takes jobs of the pool deploy' },
      lines: [
        'Nothing was stopped: no job service of the pool deploy runs. Start Signalbox first (`npm start`), then say it again.',
      ],
    };
  const runId = newId('run');
  const { config, log } = context;
  const queue = createQueue({ redisUrl: requireUrl(config, 'REDIS_URL'), prefix: config.REDIS_PREFIX, log });
  const payload = { project, environment };
  try {
    await enqueueRun(
      { runs: { create: (intent) => createAudited(context, intent, payload) }, queue, log },
      { runId, job: 'service.stop', payload, person: null, threadId: null, traceId: newTraceId() },
    );
  } finally {
    await queue.close();
  }
  const isOver = ({ finishedAt }: RunDetail): boolean => finishedAt !== null;
  const run = await waitForRun(context.database(), runId, isOver, STOP_WAIT_MS);
  return { ok: run?.status === 'done', data: run, lines: [describe(run, runId, `${project}/${environment}`)] };
}

function createAudited(
  { database, actor }: CommandContext,
  intent: RunIntent,
  service: { readonly project: string; readonly environment: string },
): Promise<boolean> {
  return withTransaction(database(), async (db) => {
    const isNew = await putRun(db, intent);
    if (isNew) await recordChange(db, actor, 'service.stop_requested', { run: intent.runId, ...service });
    return isNew;
  });
}

function describe(run: RunDetail | null, runId: string, service: string): string {
  if (run?.status === 'done') return `${service} is stopped: its program has ended, and what was built is kept.`;
  if (run?.error) return `${service} was not stopped: ${run.error}`;
  return `${service} is still being stopped. \`runs show ${runId}\` tells what comes of it.`;
}

function describeState({ seen, port }: ServiceRow): string {
  if (seen !== null) return seen === 'well' ? 'serves' : seen;
  return port === null ? 'never deployed' : 'stopped';
}
