import type { CapabilityIndex, IndexedTool } from '../match/capability-index.ts';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { isSameChoice } from '../slots/labels.ts';
import { findMentions } from '../text/mentions.ts';
import { isChange } from '../conversation/questions.ts';
import { tokenize } from '../text/tokens.ts';

/** A state that somebody tells and wants to be written down: "the crm is live now, please note it". */
export interface ToldState {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** "is", "has been": how something came to be. */
const BECAME =
  /^(?: (?:project|app))?(?:'s| (?:is|are|was|has|have|went|goes|became|becomes|got)(?: been| become| gone)?)(?: (?:now|finally|officially|just|already|in fact|really|long))*\s+/i;
/** What asks for a state to be kept. */
const NOTE =
  /\b(?:note|write|mark|record|enter|keep (?:it|that|this)|log|update|keep track|make a note|take note|put (?:it|that|this)|set (?:it|that|this))\b/i;
/** States as people tell them, beside the names that a schema gives them. */
const TOLD: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:live|public|launched|up and running|in (?:use|production|service)|out (?:now|there)|started|going)\b/i,
    'active',
  ],
  [
    /^(?:dead|history|over|gone|finished|done|buried|given up|abandoned|no longer (?:used|needed|maintained)|retired)\b/i,
    'archived',
  ],
  [/^(?:only |just |still )*(?:an idea|a plan|on paper|planned|not (?:started|begun))\b/i, 'intended'],
];

/** Reads it; null for news that nobody asks to keep, for a state that no tool knows, and when it is not clear of what it is. */
export function readToldState(text: string, index: CapabilityIndex, facts: RequestFacts): ToldState | null {
  const [named, ...more] = findMentions(text, facts, index.words).filter(({ candidates }) => candidates.length === 1);
  if (!named || more.some(({ name }) => name !== named.name) || /\?\s*$/.test(text)) return null;
  if (tokenize(text.slice(0, named.start)).some(({ lower }) => !/^(?:the|our|my|so|and|hey|hi|ok|fyi)$/.test(lower)))
    return null;
  const became = BECAME.exec(text.slice(named.end));
  const state = became ? text.slice(named.end + became[0].length) : '';
  if (state === '' || !NOTE.test(state) || /\b(?:not|don't|never|if|unless|when)\b/i.test(text)) return null;
  for (const tool of index.tools.filter((one) => one.installed && isChange(one))) {
    const whom = tool.fields.find(({ entity, required }) => required && entity === named.kind);
    const field = tool.fields.find(({ choices, entity }) => choices.length > 0 && entity === null);
    const value = field && stateIn(state, field.choices);
    if (whom && field && value !== undefined) return { tool, args: { [whom.name]: named.name, [field.name]: value } };
  }
  return null;
}

function stateIn(told: string, choices: readonly string[]): string | undefined {
  const value = TOLD.find(([form]) => form.test(told))?.[1];
  if (value !== undefined && choices.includes(value)) return value;
  const [first] = tokenize(told);
  return choices.find((choice) => first !== undefined && isSameChoice(first.lower, choice));
}
