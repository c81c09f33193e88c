import { getCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import type { Checkpoint } from '@signalbox/safety/audit/checkpoint';
import { openSigningKey, readPublicKeys } from '@signalbox/safety/audit/signing-key';
import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { openPool, type Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { newTraceId } from '@signalbox/contracts/ids';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { createCounter, createGauge } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { Sealer } from './audit-sealer.ts';
import type { JobsConfig } from '../config.ts';
import { startLoop } from '@signalbox/platform/loop';
import type { FaultCheck } from '../notices/admin-notices.ts';
import { selectDatabaseRole } from '../service-name.ts';

/** Pause between steps: events are sealed within about a second. */
const ROUND_MS = SECOND_MS;
const AWAY_MS = SECOND_MS;
const FAILED_MS = 2 * SECOND_MS;
/** The pause after a difference between history and checkpoints, because each attempt reads the whole history. */
const DIFFERS_MS = MINUTE_MS;
/** The audit chat gets at most one checkpoint in this time; a checkpoint covers all earlier events. */
const CHAT_MS = 60 * MINUTE_MS;

const SEALER = { role: 'audit-sealer' };

interface Parts {
  readonly config: JobsConfig;
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly log: Log;
}

/** Starts to seal audit events; of several processes one seals. Throws STARTUP_REFUSED without a usable signing key. */
export async function startAuditing(own: RegisterClosable, parts: Parts): Promise<{ readonly problem: FaultCheck }> {
  const { config, log, metrics } = parts;
  const keyFile = config.AUDIT_KEY_FILE ?? `${config.AUDIT_CHECKPOINT_DIR}/signing-key.pem`;
  const key = await openSigningKey(keyFile);
  const sealed = createCounter(metrics, 'signalbox_audit_sealed_total', 'Audit events that got their place.', []);
  const signed = createCounter(metrics, 'signalbox_audit_checkpoints_total', 'Signed states of the audit history.', []);
  const sealer = own(
    new Sealer({
      pool: openPool(config.DATABASE_URL, log, {
        name: 'jobs-audit',
        max: 1,
        ...selectDatabaseRole(config.JOBS_POOLS),
      }),
      key,
      keys: await readPublicKeys(`${keyFile}.pub`),
      file: getCheckpointFile(config.AUDIT_CHECKPOINT_DIR),
      checkpointEvents: config.AUDIT_CHECKPOINT_EVENTS,
      checkpointMs: config.AUDIT_CHECKPOINT_MS,
      log,
      onSealed: (events) => sealed.add({}, events),
      onCheckpoint: createNotifier(parts, () => signed.add({})),
    }),
  );
  const round = createRound(sealer, parts);
  own(startLoop({ name: 'audit', everyMs: ROUND_MS, log, step: round.step }));
  return { problem: () => Promise.resolve(round.unwritten()) };
}

function createRound(sealer: Sealer, { pool, metrics, log }: Parts) {
  const help = 'Times that the audit history was found not to be what was signed.';
  const problems = createCounter(metrics, 'signalbox_audit_problems_total', help, []);
  const leader = createGauge(
    metrics,
    'signalbox_leader',
    '1 while this process has the role, else 0: use sum().',
    ['role'],
    {
      series: [SEALER],
    },
  );
  let pausedUntil = 0;
  /** The disk problem of the checkpoint file; undefined while another process seals. */
  let unwritten: string | null | undefined;
  const step = async (): Promise<void> => {
    if (performance.now() < pausedUntil) return;
    try {
      const isAway = (await sealer.step()) === 'away';
      unwritten = isAway ? undefined : null;
      leader.set(SEALER, isAway ? 0 : 1);
      if (isAway) pausedUntil = performance.now() + AWAY_MS;
    } catch (error) {
      pausedUntil = performance.now() + FAILED_MS;
      leader.set(SEALER, 0);
      if (isDiskError(error)) unwritten = error.message;
      if (!(error instanceof AppError) || error.code !== 'AUDIT_HISTORY_DIFFERS') throw error;
      pausedUntil = performance.now() + DIFFERS_MS;
      problems.add({});
      log.error('audit history differs from what was signed, nothing is sealed', { error });
      const letter = {
        source: 'job',
        ref: 'audit.seal',
        userKey: null,
        reason: error.message,
        body: error.data,
      } as const;
      await putDeadLetter(pool, letter);
    }
  };
  return { step, unwritten: () => unwritten };
}

/** True for an error of a file or disk; other errors concern connections. */
function isDiskError(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(ENOSPC|EDQUOT|EROFS|EIO|EACCES|EPERM|ENOENT|ENOTDIR|EMFILE)$/.test(code);
}

/** Creates a function that posts checkpoints to the audit chat, where database administrators cannot change them. */
function createNotifier({ config, pool, publisher, log }: Parts, count: () => void) {
  const chatKey = config.AUDIT_CHAT;
  let postedAt = -Infinity;
  return async (checkpoint: Checkpoint): Promise<void> => {
    count();
    if (chatKey === undefined || performance.now() - postedAt < CHAT_MS) return;
    postedAt = performance.now();
    const traceId = newTraceId();
    const text = `Audit checkpoint of ${checkpoint.size} events.\n\`\`\`json\n${JSON.stringify(checkpoint)}\n\`\`\``;
    const row = {
      key: `audit:${checkpoint.logId}:${checkpoint.size}`,
      chatKey,
      traceId,
      priority: SEND_PRIORITY.progress,
      body: { text, buttons: [] },
    };
    await putOutbox(pool, [row], { asIs: true }); // The message is stored unredacted: a verifier needs every character of the hashes and the signature.
    await publishStored({ publisher, log }, OUTBOUND_TOPIC, [{ kind: 'send', chatKey, traceId }]);
  };
}
