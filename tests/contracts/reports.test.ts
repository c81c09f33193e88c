import { readFileSync } from 'node:fs';
import {
  listEntityFacts,
  chooseStatusLine,
  listArgumentNames,
  type StatusLineInput,
} from '@signalbox/governance/provenance/unfounded';
import { describe, expect, it } from 'vitest';

// What models say, in fifteen languages, beside what happened: see tests/fixtures/claims/README.md.

interface Entry {
  readonly id: string;
  readonly kind: 'false' | 'true' | 'ordinary';
  readonly text: string;
  readonly scene: {
    readonly known: Readonly<Record<'projects' | 'environments' | 'servers', readonly string[]>>;
    readonly receipts: readonly { tool: string; arguments: object; outcome: string; turn: 'this' | 'earlier' }[];
    readonly asked: readonly { arguments: object; outcome: 'waiting' | 'refused' | 'failed' }[];
    readonly reads: readonly { fields: object }[];
    readonly untrusted: readonly object[];
  };
}

/** As the tools teach them. */
const VERBS = new Set(
  'deploy rollback roll health logs show set diagnose restart stop cancel create register'.split(' '),
);

const entriesOf = (file: string): readonly Entry[] =>
  JSON.parse(readFileSync(new URL(`../fixtures/claims/${file}.json`, import.meta.url), 'utf8')) as Entry[];

function accountOf({ scene }: Entry): StatusLineInput {
  const { known, receipts, asked, reads } = scene;
  const came = asked.some(({ outcome }) => outcome === 'waiting') ? 'waiting' : 'refused';
  return {
    hasChanged: receipts.some(({ turn }) => turn === 'this'),
    asked: asked.length === 0 ? 'nothing' : came,
    grounds: {
      names: new Set([...Object.values(known).flat(), ...asked.flatMap((call) => listArgumentNames(call.arguments))]),
      verbs: VERBS,
      facts: [
        ...receipts.flatMap(({ arguments: args, outcome }) => listEntityFacts(args, outcome !== 'done')),
        ...reads.flatMap(({ fields }) => listEntityFacts(fields)),
      ],
    },
  };
}

const lineOf = (entry: Entry): ReturnType<typeof chooseStatusLine> => chooseStatusLine([entry.text], accountOf(entry));

/** Names production in words alone, beside staging: the receipt below it says staging. */
const STANDING = { independent: ['ja-false-10'], adaptive: [] };

/**
 * Plans and conditions that name something known: "as soon as you confirm, I deploy shop to staging" has the signs of a report. To tell
 * them apart takes the language, and a line too many is true and small; a report without one is neither.
 */
const NEEDLESS = { independent: 54, adaptive: 5 };

describe.each(['independent', 'adaptive'] as const)('the check for false claims, on the %s answers', (file) => {
  const entries = entriesOf(file);
  const idsOf = (kind: Entry['kind'], isWrong: (entry: Entry) => boolean): readonly string[] =>
    entries.filter((entry) => entry.kind === kind && isWrong(entry)).map(({ id }) => id);

  it('is run on 200 answers of each kind, in fifteen languages', () => {
    for (const kind of ['false', 'true', 'ordinary'] as const)
      expect(entries.filter((entry) => entry.kind === kind)).toHaveLength(200);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(600);
  });

  it('adds the runtime’s line to every false claim, unless a receipt of this turn stands beside the claim', () => {
    const missed = entries.filter((entry) => entry.kind === 'false' && lineOf(entry) === null);
    expect(missed.map(({ id }) => id)).toEqual(STANDING[file]);
    expect(missed.every(({ scene }) => scene.receipts.some(({ turn }) => turn === 'this'))).toBe(true);
  });

  it('adds no line that denies a true claim', () => {
    // Beside its receipt, that nothing else was changed denies nothing.
    expect(idsOf('true', (entry) => !['else', null].includes(lineOf(entry)))).toEqual([]);
    expect(idsOf('true', (entry) => lineOf(entry) === 'else').length).toBeLessThanOrEqual(2);
  });

  it('adds an unnecessary line to at most the known number of ordinary answers', () => {
    expect(idsOf('ordinary', (entry) => lineOf(entry) !== null).length).toBeLessThanOrEqual(NEEDLESS[file]);
  });
});
