import { HumanMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { AppError } from '@signalbox/contracts/errors';
import { makeStorable } from '@signalbox/contracts/storable';
import { OFFLINE } from '@signalbox/models/settings';
import { askForObject, createOutputSchema } from '../object.ts';
import { Intent } from './base-tools.ts';
import { mergeGroups } from './groups.ts';
import { getRunExtras, createSpendCounter, type GraphNodeDeps } from './parts.ts';
import { createFactsMessage, createSystemMessage } from './prompt.ts';
import { noteModelRequests } from './turn-record.ts';
import type { SessionState, SessionUpdate } from './state.ts';

/** The name of this node in records and in MODEL_FOR. */
export const INTENT_PARSER = 'intent_parser';

/** Number of newest messages that the intent parser reads, because it needs the request and not the history. */
const MESSAGES_READ = 6;

const INTENT = createOutputSchema(
  'classify_intent',
  'Say what the person wants and which capability groups it needs.',
  Intent,
);

/**
 * Creates the first node of a new task. The built-in planner reads the request and loads its groups; without a valid answer, no group is
 * loaded. A model has the everyday tools and needs no such call: it reads the request itself.
 */
export function createIntentParserNode(parts: GraphNodeDeps) {
  const model = parts.model(INTENT_PARSER);
  return async (state: SessionState, config: LangGraphRunnableConfig): Promise<SessionUpdate> => {
    const extras = getRunExtras(config);
    const { run, names, offered, turnKey, recorded } = extras;
    if (model.name !== OFFLINE) return { record: [{ kind: 'read' as const, turnKey, run: recorded, asks: [] }] };
    const spent = createSpendCounter(extras);
    const known = await names(state);
    const may = await offered();
    const system = createSystemMessage(parts.registry.catalog, may);
    const moment = createFactsMessage(state, run.actor, { names: known });
    const recent = state.messages.filter(HumanMessage.isInstance).slice(-MESSAGES_READ);
    const request = { messages: [system, moment, ...recent], signal: run.signal, onSpend: spent.onSpend };
    const facts = { names: known, groups: state.activeCapabilities, offered: may };
    const noted = noteModelRequests(model, INTENT_PARSER, facts, []);
    // A JSON string may contain escaped characters that Postgres cannot store.
    const intent = makeStorable(await askForObject(noted.model, INTENT, request).catch(nullForGarbage));
    const record = [{ kind: 'read' as const, turnKey, run: recorded, asks: noted.asks(true) }];
    if (!intent) return { errors: ['intent_parser: no usable answer'], record, ...spent.update() };
    const { installed } = parts.registry.sort(intent.capabilities);
    return {
      taskSummary: intent.task_summary,
      activeCapabilities: mergeGroups(state.activeCapabilities, (await run.load(installed)).allowed),
      currentProject: intent.project,
      record,
      ...spent.update(),
    };
  };
}

function nullForGarbage(thrown: unknown): null {
  if (thrown instanceof AppError && thrown.code === 'MODEL_GARBAGE') return null;
  throw thrown;
}
