import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVALS } from './channels/arrivals.ts';
import { FEATURES, findContradiction, type ChannelBench, type Feature, type Lacks } from './channels/bench.ts';
import { BUTTON_RULES } from './channels/buttons.ts';
import { FILES } from './channels/files.ts';
import { PARTS } from './channels/parts.ts';
import { RESTARTS } from './channels/restarts.ts';
import { SENDS } from './channels/sends.ts';
import { Stage, type Rule } from './channels/stage.ts';

export type { ChannelBench } from './channels/bench.ts';

const RULES: readonly Rule[] = [...ARRIVALS, ...RESTARTS, ...BUTTON_RULES, ...PARTS, ...SENDS, ...FILES];
/** The features' names: an object's keys are those that its type has. */
const NAMES = Object.keys(FEATURES) as readonly Feature[];

const LACKS_ALL: Lacks = Object.fromEntries(NAMES.map((feature) => [feature, 'not declared']));

/**
 * What every channel promises, whatever it speaks with. A rule about what the channel lacks is not run: its place takes a test that it
 * is really not there.
 */
export function describeChannel(name: string, open: () => Promise<ChannelBench>, declared?: Lacks): void {
  const lacks = declared ?? LACKS_ALL;
  describe(`the channel ${name}`, () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = new Stage(await open());
    });
    afterEach(() => stage.close());

    for (const { sentence, needs = [], check } of RULES)
      if (needs.every((feature) => lacks[feature] === undefined)) it(sentence, () => assertKept(check(stage)));

    for (const feature of declared ? NAMES : [])
      it(lacks[feature] === undefined ? `shows ${feature}` : `lacks ${feature}: ${lacks[feature]}`, () => {
        expect(findContradiction(stage.bench, lacks, feature)).toBeNull();
      });
  });
}

/** A broken rule rejects, with what is wrong. */
function assertKept(rule: Promise<void>): Promise<void> {
  return rule;
}
