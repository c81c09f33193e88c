import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALARM_KINDS, type AlarmKind } from '@signalbox/gateway/channels/ingress/alarms/alarm-source';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { z } from 'zod';

const Payloads = z.array(
  z.object({
    name: z.string(),
    source: z.string(),
    headers: z.record(z.string(), z.string()),
    paths: z.record(z.string(), z.string()).optional(),
    expected: z.enum(['fires', 'ends', 'ignored']),
    body: z.unknown(),
  }),
);
export type Payload = z.infer<typeof Payloads>[number] & { readonly kind: AlarmKind };

/** The payloads of public repositories: see tests/fixtures/alarms/README.md. */
export function readPayloads(): readonly Payload[] {
  return ALARM_KINDS.flatMap((kind) => {
    const file = join(getCheckoutPath(), 'tests/fixtures/alarms', `${kind}.json`);
    return Payloads.parse(JSON.parse(readFileSync(file, 'utf8'))).map((payload) => ({ ...payload, kind }));
  });
}

const STRANGE: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1e308,
  true,
  [],
  {},
  [null],
  'x'.repeat(5_000),
  '\u0000\ud800',
  '__proto__',
  '0001-01-01T00:00:00Z',
  '9999-99-99',
  'javascript:alert(1)',
  '```\n**x**',
  { constructor: 1 },
  [[['deep']]],
];

/** Changes some values of a body in ways that senders, proxies and attackers do; the same for the same `random`. */
export function mutate(body: unknown, random: () => number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // never empty
  const change = (value: unknown, depth: number): unknown => {
    const fate = random();
    if (fate < 0.06) return pick(STRANGE);
    if (Array.isArray(value)) {
      const changed = value.map((one) => change(one, depth + 1));
      return fate < 0.1 ? [...changed, ...changed] : changed;
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(() => random() > 0.05);
    return Object.fromEntries(entries.map(([key, one]) => [random() < 0.02 ? `${key}x` : key, change(one, depth + 1)]));
  };
  return change(body, 0);
}

/** A small generator with a seed, so that a failure can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
