import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { REDACTED } from '@signalbox/safety/redact/redact';
import { expect, it } from 'vitest';
import { createEmptyRecord, recordTurn } from './turn-record.ts';

const parts = {
  plugin: { id: 'product_owner', class: 'CONTROL_PLANE' },
  governance: { policy: () => ({ version: 'a'.repeat(64) }) },
  account: { timeZone: 'UTC' },
  settings: { maxPasses: 20 },
} as never; // the record reads only these fields
const context = { turnId: 't', threadId: 'th', chatKey: 'c', lane: { userKey: '7' } } as never; // as above
const actor = { userKey: '7', name: 'Ada', role: 'developer' } as const;

function recordOf(note: string, extra: object) {
  const record = { ...createEmptyRecord({ turnId: 't' } as never, actor), ...extra };
  const ended = { record, outcome: 'failed', note, resume: null, isThreadOver: false } as const;
  const [made] = recordTurn(parts, context, ended).records;
  if (!made) throw new Error('a turn has a record');
  return made;
}

const stored = (record: unknown): unknown => JSON.parse(JSON.stringify(record));

it('the hash of a turn record equals the hash of what Postgres stored, whatever the values', () => {
  const odd = {
    passes: [{ pass: 1, asks: [], calls: [], phases: [], at: new Date(0), share: Number.NaN, none: undefined }],
  };
  const { record, recordHash } = recordOf('half a pair \ud83d and a NUL \0', odd);
  expect(recordHash).toBe(hashCanonical(stored(record)));
  expect(record.ended?.note).toBe('half a pair \ufffd and a NUL \ufffd');
});

it('a turn record says whether a secret was removed from it', () => {
  expect(recordOf('all is well', {}).record.redacted).toBe(false);
  const { record } = recordOf('password=hunter2-Sekrit', {});
  expect(record.redacted).toBe(true);
  expect(record.ended?.note).toContain(REDACTED);
});
