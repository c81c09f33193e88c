import { say, type MessageKey, type MessageValues } from '@signalbox/messages/say';

/** The sentences about one rule, in the current language. */
export interface Rule {
  /** Returns one sentence about a finding with its values: `lodash 4.17.15 has a known vulnerability.` */
  readonly say: (values: MessageValues) => string;
  /** Returns the reason for the rule and the remedy, in one to three sentences. */
  readonly why: () => string;
}

/** Rules by name, such as `secrets/private-key`. */
export type Rules = Readonly<Record<string, Rule>>;

/** Builds a rule from the message keys of its two sentences. */
export function rule(found: MessageKey, why: MessageKey): Rule {
  return { say: (values) => say(found, values), why: () => say(why) };
}
