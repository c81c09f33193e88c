import { setTimeout as delay } from 'node:timers/promises';
import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import type { SoakField } from './field.ts';
import type { Random } from './random.ts';
import type { SoakService } from './killable-service.ts';

/** Breaks things at random until it is stopped; then everything is as it was. */
export interface Faults {
  /** How often each kind of fault was made. */
  readonly counts: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

/** One kind: how often it is drawn, what must not be broken twice at once, and what it does from beginning to end. */
interface Kind {
  readonly name: string;
  readonly weight: number;
  readonly make: () => { readonly busy: string; readonly act: () => Promise<void> };
}

/** Begins to break things. `note` hears of each fault when it begins. */
export function startFaults(field: SoakField, random: Random, note: (line: string) => void): Faults {
  const counts: Record<string, number> = {};
  const busy = new Set<string>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const kinds = kindsOf(field, random);
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      let drawn = random.next() * total;
      const kind = kinds.find(({ weight }) => (drawn -= weight) < 0);
      const fault = kind?.make();
      if (kind && fault && !busy.has(fault.busy)) {
        busy.add(fault.busy);
        counts[kind.name] = (counts[kind.name] ?? 0) + 1;
        note(`${kind.name} ${fault.busy}`);
        const acting = fault.act().catch((error: unknown) => note(`the soak itself failed: ${String(error)}`));
        running.add(acting);
        void acting.finally(() => {
          busy.delete(fault.busy);
          running.delete(acting);
        });
      }
      await delay(random.between(900, 3_600), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    counts,
    stop: async () => {
      stopping.abort();
      await loop;
      await Promise.all(running);
      await fetch(`${field.simulatorUrl}/api/faults`, { method: 'DELETE' });
      await createSimulatorClient(field.whatsAppUrl).clearFaults();
      for (const service of field.services) {
        for (const wire of service.wires) wire.mend();
        service.signal('SIGCONT');
        service.start();
      }
    },
  };
}

function kindsOf(field: SoakField, random: Random): readonly Kind[] {
  const { services, postgres, redis, pool } = field;
  const pause = (low: number, high: number): Promise<void> => delay(random.between(low, high));
  const named = (pattern: RegExp) => () => random.pick(services.filter(({ name }) => pattern.test(name)));
  const kill = (name: string, weight: number, pick: () => SoakService, signal: 'SIGKILL' | 'SIGTERM'): Kind => ({
    name,
    weight,
    make: () => {
      const service = pick();
      return {
        busy: service.name,
        act: async () => {
          await service.end(signal);
          await pause(100, 3_000);
          service.start();
          await delay(2_500);
        },
      };
    },
  });
  const freeze = (name: string, weight: number, pick: () => SoakService, low: number, high: number): Kind => ({
    name,
    weight,
    make: () => {
      const service = pick();
      return {
        busy: service.name,
        act: async () => {
          service.signal('SIGSTOP');
          await pause(low, high);
          service.signal('SIGCONT');
        },
      };
    },
  });
  const wired = services.filter(({ wires }) => wires.length > 0);
  const onWire = (name: string, weight: number, act: (wire: SoakService['wires'][number]) => Promise<void>): Kind => ({
    name,
    weight,
    make: () => {
      const service = random.pick(wired);
      const which = random.between(0, service.wires.length - 1);
      return {
        busy: `wire of ${service.name} to ${which === 0 ? 'Postgres' : 'Redis'}`,
        act: async () => {
          const wire = service.wires[which];
          if (!wire) return;
          await act(wire);
          wire.mend();
        },
      };
    },
  });
  const server = (name: string, weight: number, on: string, act: () => Promise<void>): Kind => ({
    name,
    weight,
    make: () => ({ busy: on, act }),
  });
  return [
    kill('kill -9 worker', 10, named(/^worker/), 'SIGKILL'),
    kill('kill -9 gateway', 8, named(/^gateway/), 'SIGKILL'),
    kill('kill -9 jobs', 4, named(/^jobs/), 'SIGKILL'),
    kill('SIGTERM', 4, named(/./), 'SIGTERM'),
    freeze('freeze worker', 5, named(/^worker/), 6_000, 13_000),
    freeze('freeze gateway', 4, named(/^gateway/), 9_000, 14_000),
    server('Redis killed', 4, 'Redis', async () => {
      redis.stopAtOnce();
      await pause(200, 4_000);
      await redis.start();
      await delay(3_000);
    }),
    server('Redis killed, data gone', 3, 'Redis', async () => {
      redis.stopAtOnce();
      await pause(200, 3_000);
      await redis.start({ empty: true });
      await delay(3_000);
    }),
    server('Redis frozen', 1, 'Redis', async () => {
      redis.signal('SIGSTOP');
      await pause(5_000, 10_000);
      redis.signal('SIGCONT');
    }),
    server('Postgres stopped at once', 4, 'Postgres', async () => {
      postgres.stopAtOnce();
      await pause(200, 5_000);
      await postgres.start();
      await delay(3_000);
    }),
    server('Postgres sessions ended', 3, 'Postgres', async () => {
      await pool
        .query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and random() < 0.7`,
        )
        .catch(() => undefined); // it may be away for another reason
    }),
    onWire('wire cut', 5, async (wire) => {
      wire.cut();
      await pause(300, 8_000);
    }),
    onWire('wire silent', 4, async (wire) => {
      wire.silence('all');
      await pause(3_000, 20_000);
    }),
    onWire('wire silent one way', 3, async (wire) => {
      wire.silence('answers');
      await pause(3_000, 12_000);
    }),
    onWire('answer cut in the middle', 6, async (wire) => {
      wire.cutAfter(random.between(0, 3_000));
      await delay(2_000);
    }),
    server('Telegram', 5, 'Telegram', () => breakTelegram(field, random)),
    server('WhatsApp', 3, 'WhatsApp', () => breakWhatsApp(field, random)),
    server('callback', 3, 'callback', () => breakCallback(field, random)),
    server('everything killed', 0.7, 'everything', async () => {
      await Promise.all(services.map((service) => service.end('SIGKILL')));
      await pause(500, 3_000);
      for (const service of services) service.start();
      await delay(4_000);
    }),
  ];
}

/** Some of the next calls go wrong, each in a way that Telegram has. */
async function breakTelegram({ simulatorUrl }: SoakField, random: Random): Promise<void> {
  const ways = [
    () => ({ error: { code: 429, retryAfter: random.between(1, 3) } }),
    () => ({ error: { code: 500 } }),
    () => ({ error: 'badGateway' }),
    () => ({ dropConnection: 'before' }),
    () => ({ dropConnection: 'after' }),
    () => ({ hang: 'after' }),
    () => ({ delayMs: random.between(2_000, 8_000) }),
  ];
  for (let index = random.between(3, 12); index > 0; index--) {
    const method = random.pick(['sendMessage', 'sendMessage', 'sendMessage', 'editMessageText', 'getUpdates']);
    const body = { method, skip: random.between(0, 6), ...random.pick(ways)() };
    const answer = await fetch(`${simulatorUrl}/api/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`/api/faults answered ${answer.status}: ${await answer.text()}`);
  }
  await delay(random.between(4_000, 10_000));
}

/** Some of the next messages meet what Meta, or the way to it, has: a limit, an error, a lost call, a lost answer. */
async function breakWhatsApp({ whatsAppUrl }: SoakField, random: Random): Promise<void> {
  const { fault } = createSimulatorClient(whatsAppUrl);
  const ways = [
    () => ({ code: 130429, status: 429, retryAfter: random.between(1, 3) }),
    () => ({ code: 131000, status: 500 }),
    () => ({ html: '<title>502</title>', status: 502 }),
    () => ({ dropConnection: 'before' as const }),
    () => ({ dropConnection: 'after' as const }),
    () => ({ delayMs: random.between(2_000, 8_000) }),
  ];
  for (let index = random.between(2, 6); index > 0; index--)
    await fault({ what: 'send', skip: random.between(0, 4), ...random.pick(ways)() });
  await delay(random.between(4_000, 10_000));
}

/** The program at a callback is away, or takes what it says nothing to. */
async function breakCallback({ programs }: SoakField, random: Random): Promise<void> {
  const { receiver } = random.pick(programs);
  receiver.answer(random.pick([() => 503, () => 500, () => 'hang up', () => 'silence'] as const));
  await delay(random.between(2_000, 12_000));
  receiver.answer(() => 200);
}
