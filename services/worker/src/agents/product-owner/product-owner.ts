import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { makeCallId } from '@signalbox/contracts/ids';
import { pickStoredExtras } from '@signalbox/models/kept';
import { getMessageText } from '@signalbox/models/message-text';
import type { ModelRequest } from '@signalbox/models/port';
import { toReasoningExtras, getReasoning } from '@signalbox/models/answers/reasoning';
import { isEmptyAnswer, isTruncatedAnswer } from '@signalbox/models/answers/whole-answer';
import { toMadeArgument } from '@signalbox/contracts/governance/field-key';
import { collectTexts } from '@signalbox/contracts/governance/outside';
import { PlanInput } from '@signalbox/contracts/governance/plan';
import { findUnstorable, makeStorable } from '@signalbox/contracts/storable';
import { BASE_DEFINITIONS, BASE_TOOLS, isTalk } from './base-tools.ts';
import { createRefusedArgs } from './refused-args.ts';
import { getRunExtras, createSpendCounter, type GraphNodeDeps, type RunExtras } from './parts.ts';
import { listOpenCalls, createFactsMessage, createSystemMessage, answerOpenCalls } from './prompt.ts';
import { countAnswers, noteModelRequests } from './turn-record.ts';
import { hasOpenQuestion, isToldByRuntime, listEvents, markTold } from './silence.ts';
import type { SessionState, SessionUpdate } from './state.ts';
import { sayCutOff, sayEndedByJudge, sayNoAnswer } from './sentences.ts';
import type { AgentRun } from '../agent.ts';
import { createHandoffTools } from '../handoff.ts';

type Call = NonNullable<AIMessage['tool_calls']>[number];

/** Maximum length of a stored model id; no provider has longer ids. The ids help to find an answer in the provider's logs. */
const MODEL_ID_LENGTH = 200;

/** Creates the node of one pass: the model gets the conversation and the loaded tools, and answers or proposes calls. */
export function createProductOwnerNode(parts: GraphNodeDeps) {
  const model = parts.model('product_owner');
  const handoff = createHandoffTools(parts.others);
  return async (state: SessionState, config: LangGraphRunnableConfig): Promise<SessionUpdate> => {
    const extras = getRunExtras(config);
    const { run, names, offered, context, cameOf, turnStart, turnKey, recorded } = extras;
    const earlier = state.record.filter((part) => part.turnKey === turnKey);
    const id = run.answerId(turnKey, countAnswers(earlier) + 1);
    if (state.verdict === 'limit' || state.verdict === 'loop' || state.verdict === 'budget') {
      const since = state.messages.slice(turnStart(state.messages));
      const content = sayEndedByJudge(state.verdict, since, parts.maxPasses);
      return { messages: [new AIMessage({ id: `${id}_end`, content })], limitReached: true };
    }
    const start = turnStart(state.messages);
    if (state.poIterations === 0 && isToldByRuntime(state.messages, start, (tool) => isRead(parts, tool)))
      return { messages: [...markTold(state.messages, start)] };
    run.enter('THINKING');
    const active = await keepGroups(state, extras);
    const may = await offered();
    const known = await names(state);
    const open = listOpenCalls(state.messages);
    const calls = open.length > 0 ? await cameOf(open) : {};
    const told = await context();
    const system = createSystemMessage(parts.registry.catalog, may);
    const moment = createFactsMessage({ ...state, activeCapabilities: active }, run.actor, {
      names: known,
      context: told,
    });
    const conversation = answerOpenCalls(state.messages, calls);
    const begin = turnStart(conversation);
    const facts = { names: known, groups: active, offered: may, context: told, calls };
    const noted = noteModelRequests(model, 'product_owner', facts, earlier);
    const spent = createSpendCounter(extras);
    // Texts of earlier passes are sent at the end of the turn; until then, the draft begins with them.
    const unsent = textsSince(state.messages, start);
    const request: ModelRequest = {
      messages: [system, ...conversation.slice(0, begin), moment, ...conversation.slice(begin)],
      tools: [...BASE_DEFINITIONS, ...handoff, ...parts.registry.offer(may, active)],
      ...(run.pictures ? { pictures: run.pictures } : {}),
      object: null,
      signal: run.signal,
      draft: { tool: 'respond_to_user', field: 'message', show: (text) => run.draft([...unsent, text].join('\n\n')) },
      onSpend: spent.onSpend,
    };
    let answer = (await noted.model.ask(request)).message;
    const spoken = (isSilent: boolean) => ({
      kind: 'asked' as const,
      turnKey,
      run: recorded,
      asks: noted.asks(isSilent),
      answerId: id,
      modelId: answer.id?.slice(0, MODEL_ID_LENGTH) ?? null,
      ...makeStorable(toReasoningExtras(getReasoning(answer))),
    });
    const poIterations = state.poIterations + 1;
    if (isEmptyAnswer(answer) && listEvents(state.messages, start) !== null)
      return {
        messages: [...markTold(state.messages, start)],
        awaitingUserResponse: hasOpenQuestion(state.messages),
        poIterations,
        record: [spoken(true)],
        activeCapabilities: active,
        ...spent.update(),
      };
    // An empty answer to a person is mostly a short failure of the provider: ask once more, then tell them.
    if (isEmptyAnswer(answer)) answer = (await noted.model.ask(request)).message;
    const isEmpty = isEmptyAnswer(answer) && answer.text.trim() === '';
    const named = withOurIds(id, isEmpty ? new AIMessage({ content: sayNoAnswer() }) : answer);
    const message = await withLookUps(named, run);
    const meant = listMeant(named, message);
    return {
      messages: [message],
      meant,
      poIterations,
      record: [spoken(false)],
      activeCapabilities: active,
      ...spent.update(),
    };
  };
}

function isRead({ registry }: GraphNodeDeps, name: string): boolean {
  return registry.catalog.groups.some(({ tools }) => tools.some((tool) => tool.name === name && tool.isRead === true));
}

/** The first pass of a turn decides which loaded groups stay. */
async function keepGroups({ activeCapabilities, poIterations }: SessionState, { run }: RunExtras): Promise<string[]> {
  if (poIterations > 0 || activeCapabilities.length === 0) return activeCapabilities;
  return [...(await run.keep(activeCapabilities))];
}

function textsSince(messages: readonly BaseMessage[], start: number): readonly string[] {
  const answers = messages.slice(start).filter(AIMessage.isInstance);
  return answers.map((answer) => getMessageText(answer).trim()).filter((text) => text !== '');
}

/** Replaces the provider's ids by Signalbox's own: a provider may repeat an id, which would then name another action. */
function withOurIds(id: string, answer: AIMessage): AIMessage {
  const readable = (answer.tool_calls ?? []).map(({ name, args }) => {
    const unstorable = findUnstorable(name, 'the name of the tool') ?? findUnstorable(args);
    return { name: makeStorable(name), args: unstorable === null ? args : createRefusedArgs(unstorable) };
  });
  const unreadable = (answer.invalid_tool_calls ?? []).map((call) => ({
    name: makeStorable(call.name ?? 'unnamed'),
    args: createRefusedArgs(makeStorable(call.error ?? `they are no JSON: ${(call.args ?? '').slice(0, 500)}`)),
  }));
  const calls = [...readable, ...unreadable].map((call, place) => ({
    type: 'tool_call' as const,
    name: call.name,
    args: call.args,
    id: makeCallId(id, place),
  }));
  return new AIMessage({
    id,
    content: makeStorable(isTruncatedAnswer(answer) ? `${answer.text}\n\n${sayCutOff()}` : answer.text),
    tool_calls: calls,
    additional_kwargs: makeStorable(pickStoredExtras(answer)),
  });
}

/** Adds buttons to a question about an argument, and replaces “the newest” in calls, before the answer is stored. */
async function withLookUps(answer: AIMessage, { lookUp }: Pick<AgentRun, 'lookUp'>): Promise<AIMessage> {
  if (!lookUp) return answer;
  const calls: Call[] = [];
  for (const call of answer.tool_calls ?? []) calls.push(await withLookUp(call, lookUp));
  if (calls.every((call, place) => call === answer.tool_calls?.[place])) return answer;
  const { id, content, additional_kwargs: extras } = answer;
  return new AIMessage({ ...(id === undefined ? {} : { id }), content, tool_calls: calls, additional_kwargs: extras });
}

/** Lists values with which the runtime replaced words of calls, such as the newest version, and those that it offered as choices. */
function listMeant({ tool_calls: before = [] }: AIMessage, { tool_calls: after = [] }: AIMessage): string[] {
  return after.flatMap(({ name, args }, place) => {
    const was = before[place]?.args ?? {};
    if (name !== 'respond_to_user') return listReplaced(was, args);
    const asks = BASE_TOOLS.respond_to_user.input.safeParse(args).data?.asks;
    const isOffered = asks !== undefined && args['choices'] !== was['choices'];
    const offered = isOffered ? [...collectTexts(args['choices'])] : [];
    return offered.map((value) => toMadeArgument(asks?.arguments ?? {}, asks?.argument ?? '', value));
  });
}

function listReplaced(was: Call['args'], is: Call['args']): readonly string[] {
  const [stepsBefore, steps] = [was, is].map((args) => PlanInput.safeParse(args).data?.steps ?? []);
  return [
    ...Object.entries(is).flatMap(([name, value]) =>
      typeof value === 'string' && value !== was[name] ? [toMadeArgument(is, name, value)] : [],
    ),
    ...(steps ?? []).flatMap(({ args }, at) => listReplaced(stepsBefore?.[at]?.args ?? {}, args)),
  ];
}

async function withLookUp(call: Call, lookUp: NonNullable<AgentRun['lookUp']>): Promise<Call> {
  const { id = '', name, args } = call;
  if (name !== 'respond_to_user') {
    const meant = isTalk(name) ? null : await lookUp.meant(id, name, args);
    return meant ? { ...call, args: meant } : call;
  }
  const asked = BASE_TOOLS.respond_to_user.input.safeParse(args).data;
  if (!asked?.asks || !asked.awaiting_response || asked.choices.length > 0) return call;
  const choices = await lookUp.choices(id, asked.asks);
  return choices.length === 0
    ? call
    : { ...call, args: { ...args, choices: choices.map((value) => ({ label: value, value })) } };
}
