import type { IndexedTool } from './capability-index.ts';
import type { Choice, OpenAsk } from './marks.ts';
import { findRequested, stepForRequest, stepForTool, type Surroundings } from './requests.ts';
import { CERTAIN } from './match.ts';
import { findMentions } from './mentions.ts';
import { findName, toName } from './names.ts';
import { askForProblem } from './questions.ts';
import { findAddresses, findQuantities, findQuoted, inUnitOf, takesAddress } from './quantities.ts';
import { problemOf, type Field } from './schema.ts';
import { isSameChoice, takesNewName, takesOneWord } from './slots.ts';
import { asksAbout, isRefusal, readSmallTalk } from './small-talk.ts';
import { closest } from './spelling.ts';
import { askStep, sayStep, type Step } from './step.ts';
import { tidy } from './descriptions.ts';
import { isFiller, meaningOf, tokenize } from './tokens.ts';
import { VERBS } from './vocabulary.ts';
import { asLine, WORDS } from './words.ts';

/** How much of a refused value is repeated. */
const SHOWN_LENGTH = 60;

/** What an answer led to; `answered` is false when the text was none, and the step is then the question again or something new. */
export interface Answered {
  readonly answered: boolean;
  readonly step: Step;
}

/**
 * Reads a text as the answer to our open question: a button's text, a number, a known name, a value that the argument takes.
 * A refusal drops the question; a text that clearly asks for something else is handled as that. Null for small talk.
 */
export function answerAsk(ask: OpenAsk, text: string, around: Surroundings): Answered | null {
  const picked = pickChoice(text, ask.choices);
  if (ask.tool === null) {
    const tool = around.index.tools.find(({ name }) => name === picked);
    if (tool) return { answered: true, step: stepForTool(tool, ask.text, {}, around) };
    return otherwise(ask, text, around);
  }
  const tool = around.index.tools.find(({ name }) => name === ask.tool);
  const field = tool?.fields.find(({ name }) => name === ask.slot);
  if (!tool || !field) return null;
  if (picked !== null && problemOf(field, picked) === null)
    return { answered: true, step: stepForTool(tool, '', { ...ask.args, [field.name]: picked }, around) };
  if (isRefusal(text)) return { answered: false, step: sayStep(WORDS.dropped, 'cancelled') };
  if (isSomethingElse(ask, field, text, around)) return { answered: false, step: stepForRequest(text, around) };
  if (readSmallTalk(text) !== null) return null;
  const value = readValue(field, text, around);
  if (value === null) return answerBeside(ask, tool, text, around) ?? otherwise(ask, text, around);
  const wanted = problemOf(field, value);
  if (wanted !== null) {
    if (ask.tries > 1) return { answered: false, step: sayStep(WORDS.gaveUp, 'gave-up') };
    const problem = { kind: 'invalid', field, written: asLine(text, SHOWN_LENGTH), wanted } as const;
    return { answered: true, step: askForProblem(tool, ask.args, problem, around.facts, ask.text, ask.tries + 1) };
  }
  const rest = field.entity === 'text' ? '' : text;
  return { answered: true, step: stepForTool(tool, rest, { ...ask.args, [field.name]: value }, around) };
}

/** A text that answers another argument's question than the one that was asked: taken, and the question is put again. */
function answerBeside(ask: OpenAsk, tool: IndexedTool, text: string, around: Surroundings): Answered | null {
  const step = stepForTool(tool, text, ask.args, around, ask.tries);
  const learned = step.kind === 'ask' && Object.keys(step.ask.args).length > Object.keys(ask.args).length;
  return learned ? { answered: true, step } : null;
}

function otherwise(ask: OpenAsk, text: string, around: Surroundings): Answered | null {
  if (isRefusal(text)) return { answered: false, step: sayStep(WORDS.dropped, 'cancelled') };
  if (readSmallTalk(text) !== null) return null;
  if (findRequested(text, around).length > 0 || asksAbout(text))
    return { answered: false, step: stepForRequest(text, around) };
  if (ask.tries > 0) return { answered: false, step: sayStep(WORDS.gaveUp, 'gave-up') };
  return { answered: false, step: askStep(`${WORDS.notAnAnswer} ${ask.question}`, { ...ask, tries: ask.tries + 1 }) };
}

/**
 * Whether the text is a request of its own: it says what to do, and nearly in the words of a hint where it could be an answer.
 * For free text anything could be.
 */
function isSomethingElse(ask: OpenAsk, field: Field, text: string, around: Surroundings): boolean {
  const [best] = findRequested(text, around);
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  if (!best || words.length < 2 || !words.some(({ lower }) => VERBS.has(meaningOf(lower)))) return false;
  if (field.entity === 'text') return best.score >= CERTAIN;
  if (best.tool.name === ask.tool && !takesNewName(field)) return false;
  return readValue(field, text, around) === null || best.score >= CERTAIN;
}

const ORDINALS: readonly RegExp[] = [
  /^(?:the )?(?:1st|first)(?: one)?$/i,
  /^(?:the )?(?:2nd|second)(?: one)?$/i,
  /^(?:the )?(?:3rd|third)(?: one)?$/i,
  /^(?:the )?(?:4th|fourth)(?: one)?$/i,
  /^(?:the )?(?:5th|fifth)(?: one)?$/i,
];

/** The choice that a text names: by value or label, by its number, as "the second one", or within a few words around it. */
function pickChoice(text: string, choices: readonly Choice[]): string | null {
  const plain = text.replace(/[.!?,\s]+$/, '').toLowerCase();
  if (plain === '' || choices.length === 0) return null;
  const exact = choices.find(({ label, value }) => value.toLowerCase() === plain || label.toLowerCase() === plain);
  if (exact) return exact.value;
  const number = /^#?(\d{1,2})\)?$/.exec(plain)?.[1];
  if (number !== undefined) return choices[Number(number) - 1]?.value ?? null;
  if (/^(?:the )?last(?: one)?$/.test(plain)) return choices.at(-1)?.value ?? null;
  const ordinal = ORDINALS.findIndex((pattern) => pattern.test(plain));
  if (ordinal >= 0) return choices[ordinal]?.value ?? null;
  const words = tokenize(plain).filter(({ lower }) => !isFiller(lower));
  if (words.length === 0 || words.length > 3) return null;
  const named = choices.filter(({ label, value }) =>
    words.some(({ lower }) => isSameChoice(lower, value) || isSameChoice(lower, label)),
  );
  if (named.length === 1) return named[0]?.value ?? null;
  const written = words.map(({ lower }) => lower).join(' ');
  const value = closest(
    written,
    choices.map((choice) => choice.value),
  );
  if (value !== null) return value;
  const label = closest(
    written,
    choices.map((choice) => choice.label),
  );
  return choices.find((choice) => choice.label === label)?.value ?? null;
}

/** The value for a field in a text that answers its question; it may still be one that the schema refuses. Null when there is none. */
function readValue(field: Field, text: string, { facts, index }: Surroundings): unknown {
  if (field.type === 'integer' || field.type === 'number') {
    const values = findQuantities(text).map((quantity) => inUnitOf(field.name, quantity));
    return values.find((value) => value !== null) ?? null;
  }
  if (field.type === 'boolean') return readYesOrNo(text);
  if (field.choices.length > 0)
    return field.choices.find((choice) => tokenize(text).some(({ lower }) => isSameChoice(lower, choice))) ?? null;
  if (field.type !== 'string') return null;
  if (takesNewName(field)) return readNewName(field, text, index.words);
  if (takesAddress(field)) return findAddresses(text)[0]?.value ?? null;
  if (takesOneWord(field)) return readWord(field, text);
  if (field.entity === 'text')
    return tidy(findQuoted(text)[0]?.value ?? text.replace(/^(?:it(?:'s| is)|that's)?\s*(?:for|about)\s+/i, ''));
  if (field.entity === null) return tidy(text);
  const mention = findMentions(text, facts, index.words).find(({ kind }) => kind === field.entity);
  if (mention) return mention.name;
  const known = Object.hasOwn(facts.known, field.entity);
  const [only, ...more] = tokenize(text).filter(({ lower }) => !isFiller(lower));
  return !known && only && more.length === 0 ? text.slice(only.start, only.end) : null;
}

/** What has more words is a sentence and no name. */
const MOST_NAME_WORDS = 4;

function readYesOrNo(text: string): boolean | null {
  if (/^(?:yes|y|yep|yeah|sure|true|on)\b/i.test(text)) return true;
  return /^(?:no|n|nope|false|off)\b/i.test(text) ? false : null;
}

/** The word of a text that the field takes: one that is built like an address rather than any. */
function readWord(field: Field, text: string): string | null {
  const words = tokenize(text)
    .filter(({ lower }) => !isFiller(lower))
    .map(({ start, end }) => text.slice(start, end))
    .filter((word) => problemOf(field, word) === null);
  return words.find((word) => word.includes('.')) ?? (words.length === 1 ? (words[0] ?? null) : null);
}

const LEAD_IN =
  /^(?:(?:let'?s|please|just|maybe|i'?d|we|should|would|like to|how about|what about|call|name|it|should be|be|is|the|project|its|it's)\s+)+/i;

function readNewName(field: Field, text: string, words: ReadonlySet<string>): string | null {
  const quoted = findQuoted(text)[0];
  if (quoted) return toName(field, quoted.value);
  const plain = text.replace(LEAD_IN, '');
  const called = /\b(?:called|named)\b/i.test(plain) ? findName(plain, words) : null;
  if (called) return toName(field, called.name);
  const bare = (/^[^,:;]+/.exec(plain)?.[0] ?? '')
    .replace(/\s+(?:for|about|please)\b.*$/i, '')
    .replace(/[.!?\s]+$/, '');
  return bare !== '' && bare.split(' ').length <= MOST_NAME_WORDS ? toName(field, bare) : null;
}
