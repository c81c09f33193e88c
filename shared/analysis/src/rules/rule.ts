import { say, type MessageKey, type MessageValues } from '@signalbox/messages/say';

/** The sentences of one rule, in the language of whoever is spoken to. */
export interface Rule {
  /** What was found, in one sentence with the values of the finding: `lodash 4.17.15 has a known weakness.` */
  readonly say: (values: MessageValues) => string;
  /** Why it matters and what to do about it, in one to three sentences. */
  readonly why: () => string;
}

/** Rules by their name, such as `private-key`, of one analyzer. */
export type Rules = Readonly<Record<string, Rule>>;

/** A rule by the keys of its two sentences. */
export function rule(found: MessageKey, why: MessageKey): Rule {
  return { say: (values) => say(found, values), why: () => say(why) };
}
