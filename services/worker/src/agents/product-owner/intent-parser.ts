import { HumanMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { AppError } from '@signalbox/contracts/errors';
import { makeStorable } from '@signalbox/contracts/storable';
import { askForObject, createOutputSchema } from '../object.ts';
import { Intent } from './base-tools.ts';
import { mergeGroups } from './groups.ts';
import { getRunExtras, createSpendCounter, type GraphNodeDeps } from './parts.ts';
import { createSystemMessage } from './prompt.ts';
import { noteModelRequests } from './turn-record.ts';
import type { SessionState, SessionUpdate } from './state.ts';

/** Number of newest messages that the intent parser reads, because it needs the request and not the history. */
const MESSAGES_READ = 6;

const INTENT = createOutputSchema(
  'classify_intent',
  'Say what the person wants and which capability groups it needs.',
  Intent,
);

/** Creates the first node of a new task, which reads the request and loads its groups. Without a valid answer, no group is loaded. */
export function createIntentParserNode(parts: GraphNodeDeps) {
  const model = parts.model('intent_parser');
  return async (state: SessionState, config: LangGraphRunnableConfig): Promise<SessionUpdate> => {
    const extras = getRunExtras(config);
    const { run, names, turnKey, recorded } = extras;
    const spent = createSpendCounter(extras);
    const known = await names(state);
    const system = createSystemMessage(state, run.actor, parts.registry.catalog, { names: known });
    const recent = state.messages.filter(HumanMessage.isInstance).slice(-MESSAGES_READ);
    const request = { messages: [system, ...recent], signal: run.signal, onSpend: spent.onSpend };
    const noted = noteModelRequests(model, 'intent_parser', { names: known, groups: state.activeCapabilities }, []);
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
