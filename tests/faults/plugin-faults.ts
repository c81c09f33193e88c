import type { Fault } from '../support/scaffold-copy.ts';

/** Mistakes in what `npm run new -- agent` writes: one for each rule. */
export const AGENT_FAULTS: readonly Fault[] = [
  {
    what: 'says of itself no more than a word',
    right: `summary: 'Says again what it reads.'`,
    wrong: `summary: 'parrot'`,
    rule: 'the agent’s summary is one sentence',
  },
  {
    what: 'is of a class of its own',
    right: `class: 'READ_ONLY_SCAN'`,
    wrong: `class: 'ANYTHING_GOES'`,
    rule: 'the agent’s class is known to policy',
  },
  {
    what: 'has no version of its state',
    right: 'stateVersion: 1',
    wrong: 'stateVersion: 0',
    rule: 'the agent’s state versions are whole numbers from one',
  },
  {
    what: 'has two nodes of one name',
    right: 'graph: []',
    wrong: `graph: ['start', 'answer'].map((after) => ({ name: 'answer', does: 'Says it again.', after: [after] }))`,
    rule: 'the agent’s graph names each node once',
  },
  {
    what: 'asks a model where it has no node',
    right: 'nodes: []',
    wrong: `nodes: ['answer']`,
    rule: 'the agent calls models only in nodes of its graph, and lists each of these nodes once',
  },
];

/** Mistakes in what `npm run new -- capability` writes: one for each rule. */
export const CAPABILITY_FAULTS: readonly Fault[] = [
  {
    what: 'has a change without a risk',
    right: `risk: 'sensitive',\n`,
    wrong: '\n',
    rule: 'has a risk level that policy knows',
  },
  {
    what: 'touches a port that it does not declare',
    right: `uses: ['projects']`,
    wrong: 'uses: []',
    rule: 'the group declares exactly the ports that its code uses',
  },
  {
    what: 'does not say what it is for',
    right: 'Put projects that nobody works on into the',
    wrong: 'put projects into the',
    rule: 'the group’s summary is one line',
  },
  {
    what: 'does not describe a tool',
    right: 'Put a project into the',
    wrong: 'puts a project into the',
    rule: 'is named verb_noun and described in sentences',
  },
  {
    what: 'has a hint too few',
    right: `        'we no longer need shop, put it into the`,
    wrong: `        // 'we no longer need shop, put it into the`,
    rule: 'has six to ten example requests, as people type them',
  },
  {
    what: 'does not describe an argument',
    right: 'z.object({ project: ProjectName })',
    wrong: 'z.object({ project: ProjectName, why: z.string().optional() })',
    rule: 'describes every field, and uses only kinds of values that the planner knows',
  },
  {
    what: 'needs an argument that nobody is asked for',
    right: 'z.object({ project: ProjectName })',
    wrong: `z.object({ project: ProjectName, why: z.string().describe('Why it goes there') })`,
    rule: 'has a question for every required field',
  },
  {
    what: 'may take an hour',
    right: 'deadlineMs: 10_000',
    wrong: 'deadlineMs: 3_600_000',
    rule: 'has a role, a deadline, and a declaration whether it may run again',
  },
  {
    what: 'cannot look up what became of its change',
    right: 'probe: async',
    wrong: 'forgotten: async',
    rule: 'can be looked up for every tool that changes something',
  },
];

/** Mistakes in what `npm run new -- driver` writes. Each of them costs a run of the suite. */
export const DRIVER_FAULTS: readonly Fault[] = [
  {
    what: 'reads more of a log than it is asked for',
    right: 'machine.logs(instance, query)',
    wrong: 'machine.logs(instance, { ...query, tail: 1_000 })',
    rule: 'the log can be read from its newest lines, from a given time, and while new lines come',
  },
  {
    what: 'says that it removed what it did not',
    right: 'discard: (artifact, signal) => machine.discard(artifact, signal)',
    wrong: 'discard: async () => undefined',
    rule: 'a removed artifact takes its ended programs with it, and an artifact of a running program stays',
  },
  {
    what: 'keeps whatever a program writes',
    right: 'machine.execute(argv, options)',
    wrong: 'machine.execute(argv, { ...options, maxBytes: 1_000_000 })',
    rule: 'a diagnostic program has its output cut at the limit, and is ended at the deadline',
  },
];
