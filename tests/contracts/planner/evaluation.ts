import { say } from '@signalbox/messages/say';
import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type DryRun, PriorContext, explainMessage } from '@signalbox/planner/explanation';
import type { HeldoutExpectation, HeldoutRequest } from './heldout-schema.ts';
import { readFields } from '@signalbox/planner/slots/schema';

/** How the planner did on one request. */
export interface Judgement {
  readonly id: string;
  readonly right: boolean;
  /** A tool was called that must never be: worse than not understanding. */
  readonly harmful: boolean;
  /** What was wanted was done, or its tool is the first one or in the shortlist. */
  readonly inReach: boolean;
  /** Whether a tool was wanted at all. */
  readonly wantsTool: boolean;
  /** It was answered with what the planner understands, and with nothing that lies near. */
  readonly blank: boolean;
  /** For development requests only: what it did, in one line. */
  readonly did: string;
}

/** Judges the planner's reaction to a request by the rules of the fixture's schema. */
export function judge(request: HeldoutRequest, catalog: ToolCatalog): Judgement {
  const story = PriorContext.parse({ ...request.context, names: request.names });
  const reaction = explainMessage(catalog, request.text, story);
  const harmful = reaction.calls.some(({ tool }) => request.never?.includes(tool));
  const expected = [request.expect, ...(request.alternatives ?? [])];
  const right = !harmful && expected.some((expectation) => meets(reaction, expectation, catalog));
  const near = new Set(toolsOf(reaction));
  const inReach = right || (!harmful && expected.some((one) => wantedTools(one).some((tool) => near.has(tool))));
  const blank =
    reaction.calls.length === 0 && reaction.texts.some((text) => text.startsWith(say('planner.not-understood')));
  const wantsTool = wantedTools(request.expect).length > 0;
  return { id: request.id, right, harmful, inReach, wantsTool, blank, did: inShort(reaction) };
}

/** The tools that were called, asked about or offered. */
function toolsOf({ calls, question }: DryRun): readonly string[] {
  const offered = [
    ...(question?.readings ?? []).map(({ tool }) => tool),
    ...(question?.choices ?? []).map(({ value }) => value),
  ];
  return [...calls.map(({ tool }) => tool), ...(question?.tool ? [question.tool] : []), ...offered];
}

function wantedTools(expectation: HeldoutExpectation): readonly string[] {
  if ('calls' in expectation) return expectation.calls.map(({ tool }) => tool);
  if ('asks' in expectation) return [expectation.asks.tool];
  return 'searches' in expectation ? ['search_knowledge'] : [];
}

/** What a kind of answer may count as: a greeting shows what can be done. */
const COUNTS_AS: Readonly<Record<string, readonly string[]>> = {
  greeting: ['small-talk', 'help'],
  help: ['help'],
  'small-talk': ['small-talk'],
  cancelled: ['cancelled'],
  cannot: ['cannot'],
  finished: ['finished'],
};

function meets(reaction: DryRun, expectation: HeldoutExpectation, catalog: ToolCatalog): boolean {
  const { calls, question, says } = reaction;
  if ('calls' in expectation) {
    // The first of the readings that are offered, to be taken with a button.
    const [only] = expectation.calls;
    const [offered] = question?.readings?.map(({ tool, args }) => ({ tool, arguments: args })) ?? [];
    if (only && expectation.calls.length === 1 && calls.length === 0 && offered && isSameCall(offered, only, catalog))
      return true;
    if (question || calls.length !== expectation.calls.length) return false;
    return expectation.calls.every((call, at) => isSameCall(calls[at], call, catalog));
  }
  if ('asks' in expectation) {
    const { tool, argument } = expectation.asks;
    const isOffered = question?.readings?.[0]?.tool === tool;
    return calls.length === 0 && (isOffered || (question?.tool === tool && question.slot === argument));
  }
  if ('searches' in expectation) return !question && calls.length === 1 && calls[0]?.tool === 'search_knowledge';
  if (calls.length > 0 || question || !says) return false;
  if (expectation.says === 'not-installed')
    return says.kind === 'not-installed' && 'group' in says && says.group === expectation.group;
  return COUNTS_AS[says.kind]?.includes(expectation.says) ?? false;
}

type ExpectedCall = Extract<HeldoutExpectation, { calls: unknown }>['calls'][number];

function isSameCall(call: DryRun['calls'][number] | undefined, expected: ExpectedCall, catalog: ToolCatalog): boolean {
  if (call?.tool !== expected.tool) return false;
  const tool = catalog.groups.flatMap(({ tools }) => tools).find(({ name }) => name === expected.tool);
  const defaults = new Map(readFields(tool?.schema).map(({ name, rules }) => [name, rules.default]));
  const names = new Set([...Object.keys(call.arguments), ...Object.keys(expected.arguments)]);
  return [...names].every((name) => {
    const value = call.arguments[name];
    const wanted = expected.arguments[name];
    if (wanted === undefined) return value === defaults.get(name);
    if (value === undefined) return wanted === defaults.get(name);
    if (typeof wanted !== 'object') return value === wanted;
    const text = String(value).toLowerCase();
    return wanted.words.every((word) => text.includes(word.toLowerCase()));
  });
}

function inShort({ calls, question, says }: DryRun): string {
  const called = calls.map(({ tool, arguments: args }) => `${tool} ${JSON.stringify(args)}`);
  const asked = question
    ? [`asks ${question.tool ?? 'which tool'} ${question.slot} ${JSON.stringify(question.args)}`]
    : [];
  const told = says && says.kind !== 'result' ? [`says ${says.kind} ${'group' in says ? (says.group ?? '') : ''}`] : [];
  return [...called, ...asked, ...told].join(' · ');
}
