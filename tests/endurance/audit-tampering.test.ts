import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import {
  copyOf,
  FORGER,
  makeHistory,
  rehash,
  sign,
  verifyExported,
  verifyInMemory,
  type History,
} from '../integration/audit/history.ts';
import { createRandom, tamper } from '../integration/audit/tampering.ts';

const ROUNDS = 1_000;
/** Every so many of them are exported into files as well, which costs more than finding them. */
const EXPORTED_EACH = 8;
const SIZE = 80;
const EACH = 25;

const original = makeHistory(SIZE, EACH);

async function verify(history: History) {
  const verdict = await verifyInMemory(history);
  expect(await verifyExported(history, makeTemporaryFolder('audit'))).toEqual(verdict);
  return verdict;
}

describe('an audit history with external checkpoints', () => {
  it('verifies as long as nobody changes it', async () => {
    expect(await verify(original)).toEqual({ ok: true, events: SIZE, covered: SIZE, finding: null });
  });

  it(
    `gives away each of ${ROUNDS} random tamperings, with the first event that is not as it was`,
    { timeout: 240_000 },
    async () => {
      const seed = Date.now() % 1_000_000;
      const random = createRandom(seed);
      const dir = makeTemporaryFolder('audit');
      const missed: unknown[] = [];
      const seen = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const history = copyOf(original);
        const { what, seq, problems } = tamper(history, random);
        const verdict = await verifyInMemory(history);
        const { finding } = verdict;
        const isRight = finding?.seq === seq && problems.includes(finding.problem);
        if (!isRight) missed.push({ seed, round, what, seq, problems, verdict });
        if (round % EXPORTED_EACH === 0) {
          const exported = await verifyExported(history, dir);
          if (JSON.stringify(exported) !== JSON.stringify(verdict)) missed.push({ seed, what, verdict, exported });
        }
        seen.add(finding?.problem ?? 'nothing');
      }
      expect(missed.slice(0, 5)).toEqual([]);
      expect([...seen].toSorted()).toEqual(
        expect.arrayContaining(['edited', 'inserted', 'missing', 'rolled back', 'swapped', 'truncated']),
      );
    },
  );

  it('does not verify with a checkpoint that another key signed, or that was changed after it was signed', async () => {
    const forged = copyOf(original);
    forged.outside.splice(2, 1, ...sign(original, [75], FORGER.privateKey));
    expect(await verify(forged)).toMatchObject({ ok: false, finding: { seq: 51, problem: 'bad signature' } });
    const changed = copyOf(original);
    const line = changed.outside[1];
    if (line) line.at = '2026-03-02T00:00:00.000Z';
    expect(await verify(changed)).toMatchObject({ ok: false, finding: { seq: 26, problem: 'bad signature' } });
    const leaves = copyOf(original);
    const [first, second] = leaves.outside;
    if (first && second) first.leaves = second.leaves;
    expect(await verify(leaves)).toMatchObject({ ok: false, finding: { seq: 1, problem: 'bad signature' } });
  });

  it('is detected as changed even without the Merkle leaves, which only help to name the changed event', async () => {
    const history = copyOf(original);
    const event = history.places[59]?.event;
    if (event) event['actor'] = '666';
    history.outside = history.outside.map((line) => ({ ...line, leaves: '' }));
    // Not rehashed: the chain itself gives the event away.
    expect(await verify(history)).toMatchObject({ finding: { seq: 60, problem: 'edited' } });
    rehash(history);
    expect(await verify(history)).toMatchObject({ finding: { seq: 51, problem: 'edited' } });
  });

  it('verifies when it is longer than the last checkpoint, and reports later events as not covered', async () => {
    const longer = makeHistory(SIZE, EACH);
    longer.outside = longer.outside.slice(0, 3);
    longer.inside = longer.inside.slice(0, 3);
    expect(await verify(longer)).toEqual({ ok: true, events: SIZE, covered: 75, finding: null });
  });
});
