import type { GatewayMetrics } from '../metrics.ts';
import { sweepChats } from './outgoing.ts';
import type { Pool } from '@signalbox/store/pool';
import { dropExpiredSecrets } from '@signalbox/store/secrets';
import { newTraceId } from '@signalbox/contracts/ids';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';

const EVERY_MS = 1_000;
/** Time after which a waiting row has lost its wake-up or its gateway. */
const QUIET_MS = 5_000;
const MAX_CHATS = 200;
/** Interval for deleting expired secrets. It may be long, because expired secrets cannot be opened. */
const EXPIRY_EVERY_MS = 60_000;

/** Wakes chats of these channels with undelivered messages, every second. Also deletes expired secrets. Idempotent. */
export function startSweeper(deps: {
  readonly pool: Pool;
  readonly channels: readonly string[];
  readonly log: Log;
  readonly metrics: Pick<GatewayMetrics, 'swept'>;
  readonly wake: (chatKeys: readonly string[], traceId: string) => Promise<void>;
}): Closable {
  let expiryAt = 0;
  const step = async (): Promise<void> => {
    const chats = await sweepChats(deps.pool, { channels: deps.channels, quietMs: QUIET_MS, maxChats: MAX_CHATS });
    deps.metrics.swept.add({}, chats.length);
    await deps.wake(chats, newTraceId());
    if (performance.now() < expiryAt) return;
    await dropExpiredSecrets(deps.pool);
    expiryAt = performance.now() + EXPIRY_EVERY_MS;
  };
  return startLoop({ name: 'sweep', everyMs: EVERY_MS, log: deps.log, step });
}
