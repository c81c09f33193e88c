import type { Critique, ProposedDiff } from '@signalbox/contracts/engineering/change';
import { AppError } from '@signalbox/contracts/errors';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import type { Model } from '@signalbox/models/port';
import { redactText } from '@signalbox/safety/redact/redact';
import { hashDiff, type CodeChange } from '@signalbox/store/engineering/changes';
import { NodeTalk, type NodeCall } from './ask-node.ts';
import type { CheckOutcome } from './checks.ts';
import { applyClean, applyNodeDiff, readTree, readCall } from './node-tools.ts';
import type { ModelNode } from './nodes.ts';
import type { FixFinding, ReadyEdits } from './ready-edits.ts';
import type { ChangeSteps } from './steps.ts';
import { listChangedFiles, type WorkTree } from './work-tree.ts';

/** Where a change stands, for the message that shows its progress. */
export type ChangePhase = 'planning' | 'editing' | 'testing' | 'judging';

export interface ChangeDeps {
  readonly steps: ChangeSteps;
  readonly tree: WorkTree;
  /** Null without a model: then only ready-made edits are possible, and nobody criticizes them. */
  readonly model: ((node: ModelNode) => Model) | null;
  readonly fix: FixFinding;
  readonly check: () => Promise<CheckOutcome>;
  readonly show: (phase: ChangePhase) => Promise<void>;
  readonly signal: AbortSignal;
}

export type ChangeEnd =
  | { readonly state: 'proposed'; readonly proposal: ProposedDiff }
  | { readonly state: 'asking'; readonly question: string }
  | { readonly state: 'failed'; readonly problem: string };

interface Edited {
  readonly title: string;
  readonly summary: string;
  readonly checked: CheckOutcome;
}

interface Finished extends Edited {
  readonly critique: Critique | null;
}

/**
 * Makes the diff of a change:
 *
 *   planner ──plan──▶ executor ──edits──▶ checks ──▶ critic ──▶ proposed
 *      │                 ▲  │                │          │
 *      └─ask_person──────┴──┘                │          └─ bad: back to the executor, once
 *                        └── a check failed ─┘ once; who finishes again with it has it on the card
 *
 * Ready-made edits begin at the checks. Every step is saved: a repeated attempt takes the same way.
 */
export async function makeChange(deps: ChangeDeps, change: CodeChange, base: string): Promise<ChangeEnd> {
  const { source } = change;
  const task = source.kind === 'task' ? source.text : `Fix the finding ${source.findingId}.`;
  const finished =
    source.kind === 'finding'
      ? await applyReadyEdits(deps, change, source.findingId)
      : await new ModelChange(deps, task).run();
  if ('state' in finished) return finished;
  const { title, summary, checked, critique } = finished;
  const diff = deps.tree.diff();
  return {
    state: 'proposed',
    proposal: {
      title: toTitle(title),
      summary: redactText(summary).slice(0, 3_000),
      diff,
      hash: hashDiff(base, diff),
      files: [...listChangedFiles(diff)],
      checks: [...checked.checks],
      isTested: checked.isTested,
      critique,
    },
  };
}

type Ended = Extract<ChangeEnd, { state: 'asking' | 'failed' }>;

async function applyReadyEdits(
  deps: ChangeDeps,
  { project }: CodeChange,
  findingId: string,
): Promise<Finished | Ended> {
  const { steps, tree, fix, signal } = deps;
  await deps.show('editing');
  const edits = await steps.do<ReadyEdits>('runtime', 'edits', async () => ({
    content: await fix({ findingId, project }, tree, signal),
  }));
  const files = [];
  for (const { path, text } of edits.files) files.push({ path, before: await tree.read(path), after: text });
  await applyClean(tree, 'edits', files);
  if (tree.diff() === '') return { state: 'failed', problem: 'The fix changes nothing: the code is as it should be.' };
  const checked = await check(deps);
  const critique = await criticize(deps, { task: `${edits.title}\n${edits.summary}` }, checked);
  return { title: edits.title, summary: edits.summary, checked, critique };
}

async function check({ steps, check: runAll, show }: ChangeDeps): Promise<CheckOutcome> {
  await show('testing');
  return steps.do<CheckOutcome>('runtime', 'checks', async () => ({ content: await runAll() }));
}

/** What the critic gets beside the diff: the task, what the person answered, and what the executor says of its edits. */
interface Judged {
  readonly task: string;
  readonly answered?: unknown;
  readonly summary?: unknown;
}

/** Asks the critic, who sees this, the diff and the output of the checks alone. Null without a model. */
async function criticize(deps: ChangeDeps, judged: Judged, checked: CheckOutcome): Promise<Critique | null> {
  const { model, steps, signal, tree } = deps;
  if (model === null) return null;
  await deps.show('judging');
  const talk = new NodeTalk(
    { node: 'critic', model: model('critic'), steps, signal },
    { ...judged, diff: wrapOutside('diff', clip(tree.diff(), MAX_DIFF_SHOWN)), checks: describeChecks(checked) },
  );
  for (let round = 0; round < 3; round += 1) {
    const call = (await talk.ask()).find(({ name }) => name === 'submit_critique');
    const verdict = call && readCall(call, 'submit_critique');
    if (verdict && !('problem' in verdict)) return { ...verdict, says: redactText(verdict.says) };
    talk.tell([{ error: verdict?.problem ?? 'Answer with one call of submit_critique.' }]);
  }
  return { verdict: 'doubts', risk: 'high', says: 'The critic gave no verdict.' };
}

const MAX_DIFF_SHOWN = 120_000;
const MAX_OUTPUT_SHOWN = 9_000;
/** Rounds in which an answer without a valid call is repaired. */
const MAX_ROUNDS = 200;

const CHECK_FAILED =
  'A check failed. Mend it if your edits broke it. Else call finish again and say in the summary what failed and why.';

/** What a node hands over at the end of its part. */
class Done {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** The way of a change that models make. */
class ModelChange {
  readonly #deps: ChangeDeps;
  readonly #task: string;
  #hasAsked = false;
  #applied = 0;
  /** The outcome of the checks for the edits as they are; null after another edit. */
  #checked: CheckOutcome | null = null;
  /** True when the executor has read this outcome. */
  #isRead = false;
  #answered: { readonly question: unknown; readonly answer: string } | undefined;

  constructor(deps: ChangeDeps, task: string) {
    this.#deps = deps;
    this.#task = task;
  }

  async run(): Promise<Finished | Ended> {
    if (this.#deps.model === null) throw new AppError('MODEL_MISSING', {});
    const planned = await this.#plan();
    if (typeof planned !== 'string') return planned;
    const opening = { task: this.#task, answered: this.#answered, plan: wrapOutside('planner', planned) };
    const talk = this.#talk('executor', opening);
    let finished = await this.#execute(talk);
    if ('state' in finished) return finished;
    let critique = await this.#criticize(finished);
    if (critique?.verdict === 'bad') {
      talk.tell([
        {
          not_finished: 'A critic judged the diff as bad. Mend what is right in that, and call finish again.',
          critic: wrapOutside('critic', critique.says),
        },
      ]);
      finished = await this.#execute(talk);
      if ('state' in finished) return finished;
      critique = await this.#criticize(finished);
    }
    return { ...finished, critique };
  }

  #criticize({ title, summary, checked }: Edited): Promise<Critique | null> {
    const said = wrapOutside('executor', redactText(`${title}\n${summary}`));
    return criticize(this.#deps, { task: this.#task, answered: this.#answered, summary: said }, checked);
  }

  #talk(node: ModelNode, opening: unknown): NodeTalk {
    const { model, steps, signal } = this.#deps;
    if (model === null) throw new AppError('MODEL_MISSING', {});
    return new NodeTalk({ node, model: model(node), steps, signal }, opening);
  }

  async #plan(): Promise<string | Ended> {
    await this.#deps.show('planning');
    const files = (await this.#deps.tree.list()).slice(0, 300).join('\n');
    const talk = this.#talk('planner', {
      task: this.#task,
      files: wrapOutside('repository', clip(redactText(files), 6_000)),
    });
    return this.#converse(talk, 'The planner came to no end.', async (call) => {
      if (call.name !== 'submit_plan') return this.#common(call);
      const args = readCall(call, 'submit_plan');
      return 'problem' in args ? { error: args.problem } : new Done(args.plan);
    });
  }

  /** Lets the executor work until it finishes. Returns its edits with their checks, or why it stopped. */
  async #execute(talk: NodeTalk): Promise<Edited | Ended> {
    const { tree, show } = this.#deps;
    await show('editing');
    let hasFailedOnce = false;
    const finish = async (call: NodeCall): Promise<unknown> => {
      const args = readCall(call, 'finish');
      if ('problem' in args) return { error: args.problem };
      if (call.hadSecret) return { error: 'the title or the summary holds a secret' };
      if (tree.diff() === '') return { error: 'there are no edits yet: apply a diff, or give up' };
      const checked = await this.#check();
      if (checked.isGood || hasFailedOnce || this.#isRead) return new Done({ ...args, checked });
      hasFailedOnce = true;
      return { not_finished: CHECK_FAILED, ...describeChecks(checked) };
    };
    return this.#converse(talk, 'The executor came to no end.', async (call) => {
      switch (call.name) {
        case 'apply_diff':
          this.#applied += 1;
          this.#checked = null;
          this.#isRead = false;
          return applyNodeDiff(tree, call, `diff-${this.#applied}`);
        case 'run_checks': {
          const checked = await this.#check();
          this.#isRead = true;
          await show('editing');
          return describeChecks(checked);
        }
        case 'finish':
          return finish(call);
        default:
          return this.#common(call);
      }
    });
  }

  /** Carries the node's calls out until one of them ends its part. */
  async #converse<T>(
    talk: NodeTalk,
    problem: string,
    carryOut: (call: NodeCall) => Promise<unknown>,
  ): Promise<T | Ended> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const results: unknown[] = [];
      for (const call of await talk.ask()) {
        const result = await carryOut(call);
        if (isEnd(result)) return result;
        if (result instanceof Done) return result.value as T; // `carryOut` of this conversation made it
        results.push(result);
      }
      talk.tell(results);
    }
    return { state: 'failed', problem };
  }

  async #check(): Promise<CheckOutcome> {
    return (this.#checked ??= await check(this.#deps));
  }

  /** Carries out what both nodes may call. */
  async #common(call: NodeCall): Promise<unknown> {
    if (call.name === 'give_up') {
      const args = readCall(call, 'give_up');
      if ('problem' in args) return { error: args.problem };
      return { state: 'failed', problem: args.reason } satisfies Ended;
    }
    if (call.name === 'ask_person') return this.#ask(call);
    const found = await readTree(this.#deps.tree, call);
    return found ?? { error: `there is no tool ${JSON.stringify(call.name.slice(0, 60))} here` };
  }

  async #ask(call: NodeCall): Promise<unknown> {
    const args = readCall(call, 'ask_person');
    if ('problem' in args) return { error: args.problem };
    if (this.#hasAsked) return { error: 'the person was asked already; decide by yourself, or give up' };
    this.#hasAsked = true;
    const answer = this.#deps.steps.takeAnswer();
    if (answer === null) return { state: 'asking', question: args.question } satisfies Ended;
    this.#answered = { question: wrapOutside('planner', args.question), answer };
    return { answer };
  }
}

function isEnd(result: unknown): result is Ended {
  return typeof result === 'object' && result !== null && 'state' in result;
}

function describeChecks({ checks, isGood, isTested, output, failedBefore }: CheckOutcome) {
  return {
    ok: isGood,
    tests_ran: isTested,
    ...(isGood ? {} : { failed_before_the_edits_too: failedBefore ?? 'unknown' }),
    commands: wrapOutside(
      'checks',
      checks.map(({ command, exitCode, killed }) => ({ command, exitCode, killed })),
    ),
    output: wrapOutside('checks', clip(output, MAX_OUTPUT_SHOWN)),
  };
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length / 2)}\n[…]\n${text.slice(-length / 2)}`;
}

/** One line for the commit and the pull request. */
function toTitle(title: string): string {
  return redactText(title).replace(/\s+/g, ' ').trim().slice(0, 100) || 'Change the code';
}
