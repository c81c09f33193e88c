import type { z } from 'zod';
import type { RecordedReading } from '@signalbox/contracts/governance/execution-turn';
import type { ProposedAct, TextInView } from '@signalbox/governance/calls/call';
import type { Model } from '@signalbox/models/port';
import { OFFLINE } from '@signalbox/models/settings';
import { askCleanReader } from '../agents/clean-reader.ts';
import { listValues } from './acts.ts';
import type { RunContext } from './extras.ts';
import type { ActionSpecs, GuidedSpec } from './spec.ts';
import type { GuidedState } from './state.ts';

/** Asks anew whether the person asked for the action that is under way. `words`: what they said, the newest first. */
export type ActReader = (
  state: Pick<GuidedState, 'acts' | 'meta'>,
  run: RunContext['run'],
  words: ProposedAct['words'],
) => Promise<RecordedReading>;

/** Creates the reader of an agent. Only an action that a model read beside text from outside has to be read again. */
export function createActReader<S extends z.ZodType, A extends ActionSpecs>(
  { id, summary, actions }: GuidedSpec<S, A>,
  model: Model,
): ActReader {
  const tools = Object.entries(actions).map(([name, { describe }]) => ({
    name,
    describe: describe ?? '',
    hints: [],
    schema: {},
  }));
  const catalog = { groups: [{ name: id, summary, installed: true, tools }] };
  return ({ acts: { current }, meta: { by } }, { signal, spent }, words) => {
    if (by !== 'model' || !current) return Promise.resolve({ asked: by !== 'outside', model: OFFLINE, prompt: null });
    const { action: tool, data: input } = current;
    return askCleanReader({ model, catalog, signal, onSpend: spent, isOwn: true }, { tool, input, words });
  };
}

/**
 * Returns what the calls of a node may come from; null while the conversation holds no text from outside. A value that was read from such
 * text stays foreign until the person says it, also in the agent's own data. `made`: values of the turn's results.
 */
export function readView(
  state: GuidedState,
  {
    domain,
    made,
    ask,
  }: { readonly domain: unknown; readonly made: readonly string[]; readonly ask: TextInView['ask'] },
): TextInView | null {
  if (!state.outside) return null;
  const borrowed = new Set(state.borrowed);
  return { made: [...listValues(domain), ...made].filter((value) => !borrowed.has(value)), ask };
}

/** Adds the values that a node took into the agent's data while an action with such values was under way. Pure. */
export function traceBorrowed(
  { borrowed, acts: { current }, meta: { by } }: Pick<GuidedState, 'borrowed' | 'acts' | 'meta'>,
  { before, after, made }: { readonly before: unknown; readonly after: unknown; readonly made: readonly string[] },
): readonly string[] {
  const isBorrowed = by === 'outside' || listValues(current?.data).some((value) => borrowed.includes(value));
  if (!isBorrowed) return borrowed;
  const known = new Set([...made, ...listValues(before)]);
  return [...new Set([...borrowed, ...listValues(after).filter((value) => !known.has(value))])];
}
