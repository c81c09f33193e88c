import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { toCanonicalJson } from '@signalbox/safety/cards/canonical';
import { say, sayError as sentence, sayReason } from '@signalbox/messages/say';
import { readMadeValue } from '@signalbox/contracts/governance/field-key';
import { hasUntrustedText, wrapOutside } from '@signalbox/contracts/governance/outside';
import { describeMender } from '@signalbox/contracts/governance/menders';
import { isWaiting } from '@signalbox/contracts/governance/waiting';
import type { TextInView, ToolCallResult } from '@signalbox/governance/calls/call';
import type { ModelSpend } from '@signalbox/models/port';
import { askCleanReader } from '../clean-reader.ts';
import { getOutsideMark, readOutsideView } from '../outside-view.ts';
import { readHandledMessageId } from '@signalbox/models/kept';
import type { AgentRun } from '../agent.ts';
import { createHandoffOffer, findOffered, HANDOFF } from '../handoff.ts';
import { BASE_TOOLS, isBaseTool, isTalk, type BaseToolName } from './base-tools.ts';
import { findGroup, mergeGroups } from './groups.ts';
import { createSpendCounter, getRunExtras, type GraphNodeDeps, type RunExtras } from './parts.ts';
import { listOpenCalls } from './prompt.ts';
import { getRefusal } from './refused-args.ts';
import { findLastRequest } from './replies.ts';
import type { SessionState, SessionUpdate, NodeRecord } from './state.ts';
import { dropBlocks, findResult, makeHandle, shortenResult } from './results.ts';
import { FINISH_REFUSAL, sayTaskFinished } from './sentences.ts';

interface CallOutcome {
  readonly result: ToolCallResult;
  readonly update: SessionUpdate;
  /** Groups that the call loaded; their tools are available from the next pass on. */
  readonly loaded?: readonly string[];
}

type Call = NonNullable<AIMessage['tool_calls']>[number];

/** Runs the calls of the last answer one after another, so that people see them in the model's order. */
export function createPoToolsNode(parts: GraphNodeDeps) {
  return async (state: SessionState, config: LangGraphRunnableConfig): Promise<SessionUpdate> => {
    const extras = getRunExtras(config);
    const { run, turnStart, turnKey, recorded } = extras;
    const offered = await extras.offered();
    const spent = createSpendCounter(extras);
    const view = await viewOf(parts, state, extras, spent.onSpend);
    const last = state.messages.at(-1);
    const calls = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
    // The buttons of the newest result are drawn: see addNextButtons.
    const newest = calls.findLast(({ name }) => !isTalk(name));
    const messages: ToolMessage[] = [];
    const done: Extract<NodeRecord, { kind: 'acted' }>['calls'] = [];
    const errors: string[] = [];
    let update: SessionUpdate = {};
    let loaded: readonly string[] = [];
    /** The first call of this answer that waits for a decision. */
    let waits: string | null = null;
    run.enter('PROPOSING');
    for (const call of calls) {
      run.signal.throwIfAborted();
      const startedAt = performance.now();
      const outcome = isHeld(parts, waits, call)
        ? hold(run, waits)
        : await carryOut({ parts, state, run, view, offered, turnStart }, call);
      if (isWaiting(outcome.result)) waits ??= call.name;
      messages.push(
        toMessage(call, outcome.result, {
          handle: makeHandle(state.messages, messages),
          isNewest: call === newest || call.name === HANDOFF,
        }),
      );
      const durationMs = Math.round(performance.now() - startedAt);
      done.push({ callId: call.id ?? '', decided: outcome.result.decided ?? null, durationMs });
      update = { ...update, ...outcome.update };
      loaded = [...loaded, ...(outcome.loaded ?? [])];
      if (outcome.result.code) errors.push(`${call.name}: ${outcome.result.code}`);
    }
    run.enter('EVALUATING');
    const since = [...state.messages.slice(turnStart(state.messages)), ...messages];
    const verdict = await run.judge({
      passes: state.poIterations,
      maxPasses: parts.maxPasses,
      isWaiting: update.awaitingUserResponse === true,
      isFinished: update.userConfirmedComplete === true,
      failures: failuresOf(since),
    });
    const phases = [...run.path()];
    const part = { kind: 'acted' as const, turnKey, run: recorded, phases, calls: done, outcome: verdict };
    const activeCapabilities = mergeGroups(state.activeCapabilities, loaded);
    return { ...update, activeCapabilities, errors, messages, verdict, record: [part], ...spent.update() };
  };
}

interface Acting {
  readonly parts: GraphNodeDeps;
  readonly state: SessionState;
  readonly run: AgentRun;
  readonly view: TextInView | null;
  readonly offered: readonly string[];
  readonly turnStart: RunExtras['turnStart'];
}

/** True for a change that the model proposed behind a call that waits: it may depend on what was not done. */
function isHeld({ registry }: GraphNodeDeps, waits: string | null, { name }: Call): boolean {
  if (waits === null || isTalk(name)) return false;
  return !registry.catalog.groups.some(({ tools }) => tools.some((tool) => tool.name === name && tool.isRead === true));
}

function isHeldResult({ result }: ToolCallResult): boolean {
  return typeof result === 'object' && result !== null && 'status' in result && result.status === 'not_started';
}

function hold(run: AgentRun, waits: string | null): CallOutcome {
  run.enter('OBSERVING');
  const because = `${waits} before it waits for a decision. Propose this again when that is done.`;
  return accept({ status: 'not_started', because, changed: false }, '', {});
}

/** The outside text that the model had read when it proposed the calls of its last answer. */
async function viewOf(
  { model, registry: { catalog } }: GraphNodeDeps,
  state: SessionState,
  { run: { signal }, names, context, cameOf }: RunExtras,
  onSpend: (spend: ModelSpend) => void,
): Promise<TextInView | null> {
  const known = [...Object.values(await names(state)).flat(), ...state.meant, ...((await context())?.made ?? [])];
  // The ledger answered calls without a stored result, and a looked-up version may be a sentence: both may quote others.
  const open = listOpenCalls(state.messages.slice(0, -1));
  const came = open.length > 0 ? Object.values(await cameOf(open)) : [];
  const isQuoted = came.some(({ untrusted }) => untrusted) || hasUntrustedText(state.meant.map(readMadeValue));
  const seen = readOutsideView(state.messages, known) ?? (isQuoted ? { made: known } : null);
  const last = state.messages.findLast(AIMessage.isInstance);
  const handled = readHandledMessageId(last);
  const said = state.messages.findLast(
    (message) => HumanMessage.isInstance(message) && (handled === null || message.id === handled),
  );
  const mark = said && getOutsideMark(said);
  // Only the planner says which message it handles. It does not read the lines that name files, so a caption is the person's own.
  const isOwn = handled !== null && said !== undefined && (mark === undefined || mark === 'file');
  const reader = { model: model('product_owner'), catalog, signal, onSpend, isOwn };
  return seen && { ...seen, ask: (act) => askCleanReader(reader, act) };
}

async function carryOut(acting: Acting, call: Call): Promise<CallOutcome> {
  const { run } = acting;
  const why = getRefusal(call.args);
  if (why !== null) return answering(run, () => Promise.resolve(refuse(invalid(call.name, why))));
  const { name } = call;
  if (name === HANDOFF) return answering(run, () => Promise.resolve(offerAgent(acting, call)));
  return isBaseTool(name) ? answering(run, () => baseCall(acting, call, name)) : toolCall(acting, call);
}

/** Offers the person another agent. The turn ends: only their press switches, and it carries the words of this turn over. */
function offerAgent({ parts: { others }, state, turnStart }: Acting, call: Call): CallOutcome {
  const other = findOffered(others, call.args);
  if (!other) return refuse(invalid(call.name, `agent: one of ${others.map(({ id }) => id).join(', ')}`));
  const handled = readHandledMessageId(state.messages.findLast(AIMessage.isInstance));
  const said = state.messages
    .slice(turnStart(state.messages))
    .filter((message) => HumanMessage.isInstance(message) && !message.additional_kwargs['event'])
    .flatMap(({ id }) => (id === undefined ? [] : [id]));
  const { text, buttons } = createHandoffOffer(other, handled === null ? said : [handled]);
  const offered = accept({ offered: other.id }, text, { awaitingUserResponse: true });
  return { ...offered, result: { ...offered.result, next: buttons } };
}

/** Runs a base tool without governance, because it only talks to the person or steers the turn. */
async function answering(run: AgentRun, work: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome = await work();
  run.enter('OBSERVING');
  return outcome;
}

function failuresOf(messages: readonly BaseMessage[]): readonly string[] {
  const failed = new Set(
    messages
      .filter(ToolMessage.isInstance)
      .filter(({ status }) => status === 'error')
      .map((message) => message.tool_call_id),
  );
  return messages
    .filter(AIMessage.isInstance)
    .flatMap((message) => message.tool_calls ?? [])
    .filter((call) => failed.has(call.id ?? ''))
    .map((call) => toCanonicalJson({ tool: call.name, args: call.args }));
}

async function toolCall(acting: Acting, call: Call): Promise<CallOutcome> {
  const { run, view } = acting;
  const { groups, loaded = [], refused } = await groupsFor(acting, call.name);
  if (refused) return answering(run, () => Promise.resolve({ result: refused, update: {} }));
  const result = await run.call({ callId: call.id ?? '', tool: call.name, args: call.args, groups, view });
  const project = result.ok && typeof call.args['project'] === 'string' ? call.args['project'] : null;
  return { result, update: project === null ? {} : { currentProject: project }, loaded };
}

interface CallGroups {
  readonly groups: readonly string[];
  readonly loaded?: readonly string[];
  readonly refused?: ToolCallResult;
}

/** A tool that is there and was not offered is loaded with its group, where policy lets the person have it. */
async function groupsFor({ parts, state, run, offered }: Acting, tool: string): Promise<CallGroups> {
  const loaded = state.activeCapabilities;
  const group = findGroup(parts.registry.catalog, tool);
  if (group === null || loaded.includes(group)) return { groups: loaded };
  const groups = mergeGroups(loaded, [group]);
  if (parts.registry.offer(offered, []).some(({ name }) => name === tool)) return { groups };
  const { allowed, refused } = await run.load([group]);
  if (allowed.length > 0) return { groups, loaded: allowed };
  const [why] = refused;
  const denied = { sentence: (why?.sentence ?? '').replace(/\.$/, ''), rule: why?.rule ?? '' };
  const code = 'POLICY_DENIED';
  return { groups, refused: { ok: false, result: null, say: sentence(code, denied), code, changed: false } };
}

async function baseCall({ parts, state, run }: Acting, call: Call, name: BaseToolName): Promise<CallOutcome> {
  const parsed = BASE_TOOLS[name].input.safeParse(call.args);
  if (!parsed.success) {
    const detail = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    return refuse(invalid(name, detail));
  }
  switch (name) {
    case 'respond_to_user': {
      const { message, choices, ...said } = BASE_TOOLS.respond_to_user.input.parse(call.args);
      const { awaiting_response: awaiting, goes_on: goesOn } = said;
      // What ends the turn is sent with the turn's replies; other messages are sent at once.
      if (!awaiting && !goesOn) await run.say({ key: call.id ?? '', text: message, buttons: choices });
      const ends = { ...(awaiting && { awaitingUserResponse: true }), ...(goesOn && { taskGoesOn: true }) };
      const unasked = said.asks && choices.length === 0 ? { no_buttons: describeUnasked(parts, said.asks) } : {};
      return accept({ sent: true, awaiting, ...unasked }, message, ends);
    }
    case 'search_knowledge': {
      const asked = BASE_TOOLS.search_knowledge.input.parse(call.args);
      await run.reads(name);
      return { result: await parts.search(asked, run.reader(call.id ?? '')), update: {} };
    }
    case 'read_result': {
      const { handle, from } = BASE_TOOLS.read_result.input.parse(call.args);
      const found = findResult(state.messages, handle);
      const { threadId } = state;
      return { result: await parts.readResult({ handle, threadId, from, ...found }), update: {} };
    }
    case 'request_capabilities': {
      const { capabilities } = BASE_TOOLS.request_capabilities.input.parse(call.args);
      const { installed, missing, unknown } = parts.registry.sort(capabilities);
      run.enter('GOVERNING');
      const {
        allowed,
        refused,
        tools = parts.registry.definitions(allowed).map(({ name: tool }) => tool),
      } = await run.load(installed);
      const result = { enabled: allowed, new_tools: tools, not_installed: missing, unknown };
      const why = refused.map(({ sentence: reason }) => sayReason(reason));
      const said = [describeLoaded(allowed, missing, unknown), ...why].filter((line) => line !== '').join(' ');
      const told = refused.length > 0 ? { ...result, refused: refused.map(({ group }) => group), why } : result;
      return { ...accept(told, said, {}), loaded: allowed };
    }
    case 'finish_task': {
      const { summary, message = sayTaskFinished() } = BASE_TOOLS.finish_task.input.parse(call.args);
      const request = findLastRequest(state.messages);
      // The person can confirm the end only with a message written after seeing a result.
      if (!request?.afterReply) return refuse(FINISH_REFUSAL);
      const update = { userConfirmedComplete: true, taskSummary: summary, finishedAfter: request.id };
      return accept({ finished: true, thread_id: state.threadId, summary }, message, update);
    }
  }
}

function toMessage(
  call: Call,
  whole: ToolCallResult,
  { handle, isNewest }: { readonly handle: string; readonly isNewest: boolean },
): ToolMessage {
  const { result, more } = shortenResult(whole, handle, call.name);
  const { ok, code, say, changed, untrusted = false, made = [], files = [], goesOn } = result;
  const next = isNewest ? (result.next ?? []) : [];
  // The model learns that a file exists but never sees its content.
  const attached = files.length > 0 ? { attached: files.map(({ name }) => name) } : {};
  // The person gets these buttons below the answer; they may name what stands in the envelopes.
  const quote = (text: unknown): unknown => (untrusted ? wrapOutside(call.name, text) : text);
  const buttons = ok && next.length > 0 ? { buttons_below: quote(next.map(({ label }) => label)) } : {};
  const mend = describeMender(code);
  const later = goesOn ? { later: GOES_ON } : {};
  return new ToolMessage({
    id: `tool_${call.id}`,
    tool_call_id: call.id ?? '',
    name: call.name,
    status: ok ? 'success' : 'error',
    // The sentence may quote what stands in the result's envelopes.
    content: JSON.stringify(
      ok
        ? {
            ok,
            result: result.result,
            ...(more && { more }),
            ...(changed && { say: quote(dropBlocks(say)) }),
            ...buttons,
            ...attached,
            ...later,
          }
        : { ok, error: code, say: quote(say), ...(mend === null ? {} : { mend }) },
    ),
    additional_kwargs: {
      say,
      ...(code === null ? {} : { code }),
      ...(files.length > 0 ? { files } : {}),
      ...(ok && next.length > 0 ? { next } : {}),
      ...(ok && changed ? { changed } : {}),
      ...(untrusted ? { untrusted } : {}),
      ...(made.length > 0 ? { made } : {}),
      ...(ok ? { handle } : {}),
      ...(more ? { more } : {}),
      ...(isHeldResult(result) ? { held: true } : {}),
      ...(goesOn ? { goesOn } : {}),
    },
  });
}

/** What the model has to know of a job that its call started. */
const GOES_ON =
  'It goes on by itself, and the runtime tells the person how it ends. If your task goes on after it, end this turn with respond_to_user(goes_on=true): you are called when it has ended. Otherwise you are called only if it fails or has a result for you.';

function accept(result: unknown, say: string, update: SessionUpdate): CallOutcome {
  return { result: { ok: true, result, say, code: null, changed: false }, update };
}

/** Why a question about an argument got no buttons: the person read it as text. */
function describeUnasked(
  { registry }: GraphNodeDeps,
  { tool, argument }: { readonly tool: string; readonly argument: string },
): string {
  const group = findGroup(registry.catalog, tool);
  const found = group === null ? undefined : registry.definitions([group]).find(({ name }) => name === tool);
  if (!found) return `There is no tool ${tool}.`;
  const isThere = Object.hasOwn(found.schema['properties'] ?? {}, argument);
  return isThere ? `No values of ${argument} are known.` : `${tool} has no argument ${argument}.`;
}

function invalid(tool: string, detail: string): string {
  return sentence('TOOL_INPUT_INVALID', { tool, detail });
}

function refuse(say: string): CallOutcome {
  return { result: { ok: false, result: null, say, code: 'TOOL_INPUT_INVALID', changed: false }, update: {} };
}

function describeLoaded(installed: readonly string[], missing: readonly string[], unknown: readonly string[]): string {
  const parts = [
    installed.length > 0 ? say('agent.loaded', { groups: installed.join(', ') }) : '',
    missing.length > 0 ? say('agent.notInstalled', { groups: missing.join(', ') }) : '',
    unknown.length > 0 ? say('agent.noGroup', { groups: unknown.join(', ') }) : '',
  ];
  return parts.filter(Boolean).join(' ');
}
