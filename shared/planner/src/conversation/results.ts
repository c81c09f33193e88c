import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import type { IndexedTool } from '../rank/tool-index.ts';
import type { History, PlannerReply } from '../requests/history.ts';
import { listKnownNames } from '../names/mentions.ts';
import { askForSlot } from '../requests/questions.ts';
import { sayNotInstalledStep, createCallStep } from '../requests/calls.ts';
import { type PlannerStep, toAnswerStep } from '../requests/marks.ts';
import type { ToolResult } from '../requests/tool-result.ts';
import type { RequestContext } from '../requests/understanding.ts';
import { asLine } from '../words.ts';

const Loaded = z.object({ enabled: z.array(z.string()).catch([]), not_installed: z.array(z.string()).catch([]) });
const Hit = z.object({ source: z.string(), excerpt: z.string().catch('') });
const SearchResult = z.object({ hits: z.array(Hit).catch([]), unavailable: z.array(z.string()).catch([]) });

const MAX_HITS = 3;
const EXCERPT_LENGTH = 300;

/** Returns the step after the planner's last call for a message. `tried`: the planner already asked for a better name. */
export function findStepAfter(
  last: PlannerReply,
  history: History,
  around: RequestContext,
  tried: boolean,
): PlannerStep {
  const { call, mark } = last;
  if (!call) return toAnswerStep(say('planner.too-many-steps'), 'failed');
  const result = history.results.get(call.id);
  if (!result) return toAnswerStep(say('planner.no-result', { tool: call.name.replaceAll('_', ' ') }), 'failed');
  if (call.name === 'finish_task') return toAnswerStep(say('planner.welcome'), 'small-talk');
  if (call.name === 'request_capabilities') return afterLoading(mark, result, around);
  if (!result.ok) return afterFailure(call, result, around, tried);
  if (result.say !== null) return toAnswerStep(result.say, 'result');
  if (call.name === 'search_knowledge')
    return toAnswerStep(foundText(result.result, String(call.args['query'] ?? '')), 'result');
  return toAnswerStep(say('planner.done'), 'result');
}

function afterLoading({ then }: PlannerReply['mark'], result: ToolResult, around: RequestContext): PlannerStep {
  const tool = then && around.index.tools.find(({ name }) => name === then.tool);
  if (!then || !tool) return toAnswerStep(result.say ?? say('planner.too-many-steps'), 'failed');
  const group = tool.group ?? tool.name;
  const loaded = Loaded.safeParse(result.result);
  if (loaded.success && loaded.data.not_installed.includes(group)) return sayNotInstalledStep(tool, around);
  if (!result.ok || !around.bound.has(tool.name))
    return toAnswerStep(result.say ?? say('planner.not-loaded', { group }), 'failed');
  return createCallStep(then, tool, around);
}

type Call = NonNullable<PlannerReply['call']>;

function afterFailure(call: Call, result: ToolResult, around: RequestContext, tried: boolean): PlannerStep {
  const sentence = result.say ?? say('planner.failed', { tool: call.name.replaceAll('_', ' ') });
  const tool = around.index.tools.find(({ name }) => name === call.name);
  const field = tool && result.code === 'NOT_FOUND' && !tried ? fieldNotFound(tool, call.args, result) : undefined;
  if (!tool || !field || listKnownNames(around.facts, field.entity).length === 0)
    return toAnswerStep(sentence, 'failed');
  const args = Object.fromEntries(Object.entries(call.args).filter(([name]) => name !== field.name));
  return askForSlot(field, { tool, args, facts: around.facts, text: '', tries: 1 }, sentence);
}

function fieldNotFound({ fields }: IndexedTool, args: Call['args'], { data, say }: ToolResult) {
  const named = fields.filter(({ name, entity }) => entity !== null && typeof args[name] === 'string');
  return (
    named.find(({ entity }) => entity === data['kind']) ??
    named.find(({ name }) => args[name] === data['name']) ??
    named.find(({ name }) => say?.includes(String(args[name])))
  );
}

function foundText(result: unknown, query: string): string {
  const { hits, unavailable } = SearchResult.safeParse(result).data ?? { hits: [], unavailable: [] };
  const missing = unavailable.length > 0 ? `\n${say('planner.not-searched', { scopes: unavailable.join(', ') })}` : '';
  if (hits.length === 0) return say('planner.nothing-found', { query: asLine(query, 80) }) + missing;
  const lines = hits
    .slice(0, MAX_HITS)
    .map(({ source, excerpt }) => `- ${asLine(excerpt, EXCERPT_LENGTH)} (${source})`);
  return `${say('planner.found')}\n${lines.join('\n')}`;
}
