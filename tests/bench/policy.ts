/*
 * What one decision costs: decide() by the shipped rules, for the answers that there are. Nothing else is measured, and nothing is
 * kept between two decisions.
 */
import { callQuestion, CallOutline } from '@signalbox/shared/policy/outline';
import { loadPolicySet, readPolicyFolder } from '@signalbox/shared/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/shared/policy/settings';

const ROUNDS = 3_000;
const WARM_UP = 500;

const startedAt = performance.now();
const files = await readPolicyFolder(POLICY_FOLDER);
const { engine, rules } = loadPolicySet(files, 'Europe/Berlin');
console.log(
  `${rules.length} rules, loaded with all examples in ${(performance.now() - startedAt).toFixed(0)} ms, the engine's start included`,
);

const usual = {
  tool: 'trigger_deploy',
  group: 'deploy',
  resources: ['project:shop'],
  arguments: { project: 'shop', version: '1.4.2', replicas: 3 },
};
const CASES = {
  'run: a read': { ...usual, role: 'viewer' },
  'run: a small change': { ...usual, risk: 'sensitive' },
  'ask: dangerous in production': { ...usual, risk: 'dangerous', environment: 'production' },
  'deny: a viewer': { ...usual, role: 'viewer', risk: 'dangerous' },
  'deny: the class of the agent': { ...usual, risk: 'dangerous', agentClass: 'READ_ONLY_SCAN' },
} as const;

console.table(
  Object.entries(CASES).map(([what, wish]) => {
    const question = callQuestion(CallOutline.parse(wish));
    const times: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const at = performance.now();
      engine.decide(question);
      if (round >= 0) times.push(performance.now() - at);
    }
    times.sort((a, b) => a - b);
    const microseconds = (share: number): string =>
      ((times[Math.floor(ROUNDS * share)] ?? Number.NaN) * 1_000).toFixed(0);
    return { what, answer: engine.decide(question).effect, 'p50 µs': microseconds(0.5), 'p99 µs': microseconds(0.99) };
  }),
);
