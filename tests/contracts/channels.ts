import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARRIVALS } from './channels/arrivals.ts';
import { FEATURES, findContradiction, type ChannelBench, type Feature, type Lacks } from './channels/bench.ts';
import { BUTTON_RULES } from './channels/buttons.ts';
import { FILES } from './channels/files.ts';
import { PARTS } from './channels/parts.ts';
import { RESTARTS } from './channels/restarts.ts';
import { SENDS } from './channels/sends.ts';
import { Stage, type Rule } from './channels/stage.ts';

const RULES: readonly Rule[] = [...ARRIVALS, ...RESTARTS, ...BUTTON_RULES, ...PARTS, ...SENDS, ...FILES];
/** The features' names: an object's keys are those that its type has. */
const NAMES = Object.keys(FEATURES) as readonly Feature[];

/**
 * What every channel promises, whatever it speaks with. A rule about what the channel lacks is not run: its place takes a test that it
 * is really not there.
 */
export function describeChannel(name: string, open: () => Promise<ChannelBench>, lacks: Lacks): void {
  const rules = RULES.filter(({ needs = [] }) => needs.every((feature) => lacks[feature] === undefined)).map(
    (rule) => [rule.sentence, rule] as const,
  );
  const features = NAMES.map((feature) => {
    const reason = lacks[feature];
    return [reason === undefined ? `shows ${feature}` : `lacks ${feature}: ${reason}`, feature] as const;
  });
  describe(`the channel ${name}`, () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = new Stage(await open());
    });
    afterEach(() => stage.close());

    it.each(rules)('%s', (_, { check }) => assertKept(check(stage)));

    it.each(features)('%s', (_, feature) => {
      expect(findContradiction(stage.bench, lacks, feature)).toBeNull();
    });
  });
}

/** A broken rule rejects, with what is wrong. */
function assertKept(rule: Promise<void>): Promise<void> {
  return rule;
}
