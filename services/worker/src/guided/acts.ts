import { collectTexts } from '@signalbox/contracts/governance/outside';
import { parseRequestedData } from './actions.ts';
import type { ActionSpecs } from './spec.ts';
import type { Act, GuidedState } from './state.ts';

/*
 * The order of a person's actions. Those of a message are begun one after another; once the agent awaits something, the others stay open
 * until it awaits nothing. So does an action that the agent keeps open, such as one for which it has to know a card first.
 */

/** Completes actions of a message by the data of open actions of the same name, which are no longer open. Pure. */
export function joinOpenActs(
  found: readonly Act[],
  open: readonly Act[],
  actions: ActionSpecs,
): { readonly acts: readonly Act[]; readonly open: readonly Act[] } {
  const acts = found.map((act) => {
    const before = open.find(({ action }) => action === act.action);
    const data = { ...asFields(before?.data), ...asFields(act.data) };
    return parseRequestedData(actions, { ...act, data }).ok ? { ...act, data } : act;
  });
  return { acts, open: open.filter(({ action }) => !acts.some((act) => act.action === action)) };
}

/** Chooses what is begun after an action has ended: `current` is null when the turn ends. Pure. */
export function chooseNextAct({
  acts: { current, next, isAgain, isAnswer, isAnswered },
  open,
  ui,
  meta,
}: Pick<GuidedState, 'acts' | 'open' | 'ui' | 'meta'>): {
  readonly acts: GuidedState['acts'];
  readonly open: readonly Act[];
} {
  const begin = (list: readonly Act[], rest: readonly Act[], again: boolean) => ({
    acts: {
      current: list[0] ?? null,
      next: list.slice(1),
      isAgain: again,
      ...(isAnswered === undefined ? {} : { isAnswered }),
    },
    open: rest,
  });
  if (meta.open === 'drop') return begin([], [], false);
  if (meta.open === 'keep' && current)
    return begin([], isAgain ? [current, ...open, ...next] : [...open, current, ...next], false);
  if (isAnswer) return begin(next, open, false);
  if (ui.awaits || meta.open === 'wait' || meta.heard.kind === 'words') return begin([], [...open, ...next], false);
  const [first, ...others] = [...open, ...next];
  return begin(first ? [first] : [], others, open.length > 0);
}

/** Notes whether an action only answered a question of the person, and whether all of the message did. Pure. */
export function endAct(acts: GuidedState['acts'], isAnswer: boolean): GuidedState['acts'] {
  return { ...acts, isAnswer, isAnswered: isAnswer && acts.isAnswered !== false };
}

/** Lists all values of an action or a domain as texts. Pure. */
export function listValues(value: unknown): readonly string[] {
  return [...collectTexts(toTexts(value))];
}

function toTexts(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(toTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.values(value).map(toTexts);
}

/** Adds the values of an action that the person did not say, when text from outside may have led to it. Pure. */
export function noteBorrowed(borrowed: readonly string[], acts: readonly Act[], text: string): readonly string[] {
  const said = text.toLowerCase();
  const values = acts.flatMap(({ by, data }) => {
    if (by === 'person') return [];
    return listValues(data).filter((value) => by === 'outside' || !said.includes(value.toLowerCase()));
  });
  return [...new Set([...borrowed, ...values])];
}

function asFields(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}; // this condition checks the type
}
