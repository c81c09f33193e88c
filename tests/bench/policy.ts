/*
 * What one decision costs: decide() by the shipped rules, for the answers that there are. Once asked for somebody new each time, so
 * that Cedar has to be asked, and once with new arguments of the same person, which the rules cannot tell from those before.
 */
import { toCallQuestion, CallOutline } from '@signalbox/safety/policy/outline';
import { loadPolicySet, readPolicyFolder } from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';

const ROUNDS = 1_000;
const WARM_UP = 200;

const startedAt = performance.now();
const files = await readPolicyFolder(POLICY_FOLDER);
const { engine, rules } = await loadPolicySet(files, 'Europe/Berlin');
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
    const question = toCallQuestion(CallOutline.parse(wish));
    const { principal, action } = question;
    const timesOf = (ask: (round: number) => typeof question): ((share: number) => string) => {
      const times: number[] = [];
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        const asked = ask(round);
        const at = performance.now();
        engine.decide(asked);
        if (round >= 0) times.push(performance.now() - at);
      }
      times.sort((a, b) => a - b);
      return (share) => ((times[Math.floor(ROUNDS * share)] ?? Number.NaN) * 1_000).toFixed(0);
    };
    const somebodyNew = (round: number) => ({ ...question, principal: { ...principal, userKey: `${what} ${round}` } });
    const otherArguments = (round: number) => ({
      ...question,
      action: { ...action, arguments: { ...action.arguments, version: `1.4.${round}` } },
    });
    const [asked, known] = [timesOf(somebodyNew), timesOf(otherArguments)];
    return {
      what,
      answer: engine.decide(question).effect,
      'p50 µs': asked(0.5),
      'p99 µs': asked(0.99),
      'known p50 µs': known(0.5),
      'known p99 µs': known(0.99),
    };
  }),
);
