import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type {
  PassRecord,
  PromptContext,
  PromptFacts,
  RecordedAnswer,
  RecordedRequest,
  RecordedCall,
  RecordedResult,
} from '@signalbox/contracts/governance/execution-turn';
import { redactValue } from '@signalbox/safety/redact/redact';
import type { Model } from '@signalbox/models/port';
import type { OfferedTools } from '../../tools/registry.ts';
import type { AgentDeps, CallResults } from '../agent.ts';
import { createHandoffTools } from '../handoff.ts';
import { toRecordedAnswer, hashContext, hashValue, hashOnce, cacheByObject } from '../model-context.ts';
import { BASE_DEFINITIONS } from './base-tools.ts';
import { listInstalled } from './groups.ts';
import { PROMPT_VERSION } from './prompt.ts';
import { STATE_VERSION, type SessionState, type NodeRecord } from './state.ts';

/*
 * Collects data for the record of a turn. Message contents are read when the turn ends; hashes, prompt facts, decisions and verdicts are
 * stored in the state by their node, so that a resumed turn has them.
 */

type Names = Readonly<Record<string, readonly string[]>>;

/** Wraps a model and records its requests. The last answer is in the messages; `asks` is read when the node has finished. */
export function noteModelRequests(
  model: Model,
  node: string,
  facts: {
    readonly names: Names;
    readonly groups: readonly string[];
    readonly offered?: readonly string[];
    readonly context?: PromptContext | null;
    readonly calls?: CallResults;
  },
  before: readonly NodeRecord[],
): { readonly model: Model; asks(keepLast: boolean): RecordedRequest[] } {
  const noted: RecordedRequest[] = [];
  const known = hashOnce(facts.names);
  const isSame = newestNames(before) === known;
  const isToldAgain = (factsIn(before).findLast((one) => one.context)?.context ?? null)?.text === facts.context?.text;
  return {
    model: {
      name: model.name,
      ask: async (request) => {
        const startedAt = performance.now();
        const context = hashContext(request);
        const answer = await model.ask(request);
        const names = isSame || noted.length > 0 ? null : copyNames(facts.names);
        noted.push({
          node,
          model: answer.model,
          context,
          facts: {
            names,
            groups: [...facts.groups],
            ...(facts.offered ? { offered: [...facts.offered] } : {}),
            ...(facts.context ? { context: isToldAgain || noted.length > 0 ? null : facts.context } : {}),
            ...callsOf(facts.calls),
          },
          answer: toRecordedAnswer(answer.message),
          durationMs: Math.round(performance.now() - startedAt),
        });
        return answer;
      },
    },
    asks: (keepLast) =>
      noted.map((ask, index) => (keepLast || index < noted.length - 1 ? ask : { ...ask, answer: null })),
  };
}

export function countAnswers(parts: readonly NodeRecord[]): number {
  return parts.filter(({ kind }) => kind === 'asked').length;
}

function callsOf(calls: CallResults = {}): Pick<PromptFacts, 'calls'> {
  return Object.keys(calls).length > 0 ? { calls } : {};
}

function newestNames(parts: readonly NodeRecord[]): string | null {
  const names = factsIn(parts).findLast((one) => one.names !== null)?.names;
  return names ? hashOnce(names) : null;
}

function factsIn(parts: readonly NodeRecord[]): readonly PromptFacts[] {
  return parts.flatMap((part) => ('asks' in part ? part.asks.map((ask) => ask.facts) : []));
}

function copyNames(names: Names): Record<string, string[]> {
  return Object.fromEntries(Object.entries(names).map(([kind, list]) => [kind, [...list]]));
}

/** SHA-256 of all descriptions of groups and tools that a model receives. */
const toolsVersion = cacheByObject(({ catalog, offer }: OfferedTools) => {
  const names = listInstalled(catalog);
  const groups = catalog.groups.map(({ name, summary, installed }) => ({ name, summary, installed }));
  return hashCanonical({ groups, base: BASE_DEFINITIONS, tools: offer(names, names) });
});

/** Reads the passes of a turn from the state. `key`: id of the turn's first message. */
export function listPasses(
  { messages, record }: Pick<SessionState, 'messages' | 'record'>,
  key: string,
  { registry, others }: Pick<AgentDeps, 'registry' | 'others'>,
): readonly PassRecord[] {
  const parts = record.filter((part) => part.turnKey === key);
  return groupPasses(parts).map(({ read, asked, acted }, index) => {
    const asks = [...(read?.asks ?? []), ...(asked?.asks ?? [])];
    const answer = messages.find((message) => asked !== undefined && message.id === asked.answerId);
    return {
      pass: index + 1,
      phases: acted?.phases ?? (asked ? ['THINKING'] : []),
      versions: {
        prompt: PROMPT_VERSION,
        tools:
          others.length === 0
            ? toolsVersion(registry)
            : hashCanonical([toolsVersion(registry), createHandoffTools(others)]),
        state: STATE_VERSION,
        model: asks.at(-1)?.model ?? null,
      },
      runs: { read: read?.run ?? null, asked: asked?.run ?? null, acted: acted?.run ?? null },
      asks,
      answer: AIMessage.isInstance(answer) ? { ...toRecordedAnswer(answer), ...saidOf(asked) } : null,
      calls: acted?.calls.map((call) => callOf(call, messages)) ?? [],
      outcome: acted?.outcome ?? null,
    };
  });
}

interface Pass {
  read?: Extract<NodeRecord, { kind: 'read' }>;
  asked?: Extract<NodeRecord, { kind: 'asked' }>;
  acted?: Extract<NodeRecord, { kind: 'acted' }>;
}

/** A parsed intent or a model's answer starts a pass; executed calls belong to the preceding answer. */
function groupPasses(parts: readonly NodeRecord[]): readonly Pass[] {
  const passes: Pass[] = [];
  for (const part of parts) {
    const last = passes.at(-1);
    if (part.kind === 'read') passes.push({ read: part });
    else if (part.kind === 'acted' && last) last.acted = part;
    else if (part.kind === 'asked' && last && !last.asked) last.asked = part;
    else if (part.kind === 'asked') passes.push({ asked: part });
  }
  return passes;
}

function saidOf(asked: Pass['asked']): Pick<RecordedAnswer, 'modelId' | 'reasoning'> {
  const { modelId, reasoning } = asked ?? {};
  return { ...(modelId === undefined ? {} : { modelId }), ...(reasoning === undefined ? {} : { reasoning }) };
}

function callOf(
  call: Extract<NodeRecord, { kind: 'acted' }>['calls'][number],
  messages: readonly BaseMessage[],
): RecordedCall {
  const message = messages.findLast((one) => ToolMessage.isInstance(one) && one.tool_call_id === call.callId);
  if (!message || !ToolMessage.isInstance(message))
    throw new Error(`the call ${call.callId} was carried out and has no result`);
  return { ...call, result: resultOf(message), seen: hashValue(redactValue(message.content)) };
}

function resultOf({ content, additional_kwargs: extras }: ToolMessage): RecordedResult {
  const told = JSON.parse(String(content)) as Record<string, RecordedResult['result']>; // po-tools wrote this JSON
  return {
    ok: told['ok'] === true,
    ...givenBack(told['result']),
    say: String(extras['say'] ?? ''),
    code: typeof extras['code'] === 'string' ? extras['code'] : null,
    changed: extras['changed'] === true,
    ...(extras['untrusted'] === true ? { untrusted: true } : {}),
    ...(Array.isArray(extras['made']) ? { made: extras['made'].map(String) } : {}),
    ...(extras['goesOn'] === true ? { goesOn: true } : {}),
    ...(Array.isArray(extras['more']) ? { more: extras['more'] as NonNullable<RecordedResult['more']> } : {}), // Only po-tools writes it
    // Only po-tools writes these two fields
    ...(Array.isArray(extras['next']) ? { next: extras['next'] as NonNullable<RecordedResult['next']> } : {}),
    ...(Array.isArray(extras['files']) ? { files: extras['files'] as NonNullable<RecordedResult['files']> } : {}), // Only po-tools writes these two fields
  };
}

function givenBack(result: RecordedResult['result']): Pick<RecordedResult, 'result'> {
  return result === undefined ? {} : { result };
}
