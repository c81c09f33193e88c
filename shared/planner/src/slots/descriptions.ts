import { splitFieldName } from './field-kinds.ts';
import type { Field } from './schema.ts';
import { type TextValue, findAddresses, findQuoted } from '../text/values.ts';

/** Words and punctuation between a new name and its description. */
const BEHIND_NAME = /^["'\s]*(?:[,.;:(–—-]|\b(?:for|about|that|which|where|to|it|it's|is|selling|showing|with)\b)/iu;
const LEADING_MARKS = /^[\s"',.;:(–—-]*/u;
/** Words that introduce a description but are no part of it: "it's for …", "used to …", "about …". */
const LEADS = [
  /^(?:and |so )?(?:it|this|the project|which|that|where)(?:'s| is| will be| should be| should| will)?\s+(?:all |just )?(?:for |about )?/iu,
  /^(?:is|used|meant|to be used)\s+(?:for|to|about)\s+/iu,
  /^(?:is|for|about|to)\s+/iu,
];
const BEFORE_NAME = /(?::|\b(?:for|about|that|which)\b)\s*(.+)$/iu;
const SAYS = String.raw`(?:[^.:="]{0,60}?(?:\b(?:to (?:be|say|read)|should (?:be|say|read)|is now|reads|says|into|to|is|as|with)\b\s*:?|[:=]))\s*(.+)$`;
const CLOSING = /(?<![\s.!?,;])[\s.!?,;]+$/;
const POLITE = /\b(?:please|pls|thanks|thank you)$/i;

/** Finds free text for a field: after the field's name ("description … to X") or, for a required field, a new thing's purpose. */
export function findDescription(written: string, field: Field, name: TextValue | null): TextValue | null {
  const text = withoutAddresses(written);
  const [label = ''] = splitFieldName(field.name);
  const spelled = label.length > 6 ? `${label.slice(0, 4)}\\p{L}*` : label;
  const labeled = new RegExp(`\\b${spelled}\\b${SAYS}`, 'iu').exec(text)?.[1];
  if (labeled !== undefined) return place(written, labeled);
  if (!field.required || !/desc|purpose|summary/i.test(field.name)) return null;
  if (!name) {
    const purpose = /\b(?:for|about|:)\s*(\S.+)$/iu.exec(text)?.[1];
    return purpose === undefined ? null : place(written, purpose.replace(/[\s,.;:]+(?:call|name) it\b.*$/i, ''));
  }
  const after = text.slice(name.end).replace(/^["'\s]*as (?:an?|our|the) (?:new )?(?:project|app)\b/iu, '');
  const told = BEHIND_NAME.test(after) ? withoutLead(after) : '';
  if (told !== '' && /\p{L}{2}/u.test(told)) return place(written, told);
  const before = BEFORE_NAME.exec(text.slice(0, name.start))?.[1];
  const purpose = before?.replace(/[\s,.;:]*(?:\b(?:and|please|just|call it|called|named|name it)\b[\s,.;:]*)*$/i, '');
  return purpose === undefined ? null : place(written, purpose);
}

function withoutLead(written: string): string {
  const text = written.replace(LEADING_MARKS, '');
  const lead = LEADS.find((one) => one.test(text));
  return lead ? text.replace(lead, '') : text;
}

/** Removes polite words and closing punctuation from free text; null when nothing is left. */
export function cleanFreeText(written: string): string | null {
  const [quoted] = findQuoted(written.trim());
  const whole = quoted && quoted.start === 0 && quoted.end >= written.trim().length - 1 ? quoted.value : written;
  const text = whole
    .replace(CLOSING, '')
    .replace(POLITE, '')
    .replace(CLOSING, '')
    .replace(/^["']|["']$/g, '')
    .replace(/^([^(]*)\)$/, '$1')
    .trim();
  return text === '' ? null : text;
}

function place(text: string, found: string): TextValue | null {
  const value = cleanFreeText(found);
  const start = Math.max(0, text.indexOf(found.trim()));
  return value === null ? null : { value, start, end: start + found.trim().length };
}

/** Blanks addresses with their introductions, which belong to another field. Offsets do not change. */
function withoutAddresses(text: string): string {
  return findAddresses(text).reduce((left, { start, end }) => {
    const from = startOfAnnouncement(left, start);
    return left.slice(0, from) + ' '.repeat(end - from) + left.slice(end);
  }, text);
}

function startOfAnnouncement(text: string, end: number): number {
  const from = Math.max(0, end - ANNOUNCED_LENGTH);
  return from + (ANNOUNCED.exec(text.slice(from, end))?.index ?? end - from);
}

/** Maximum length of the words that introduce an address. */
const ANNOUNCED_LENGTH = 80;
const ANNOUNCED =
  /[\s,;]*\b(?:and )?(?:the |its |with )*(?:repo(?:sitory)?|git|code|url)?\s*(?:is|at|in|lives at|:|=)?\s*$/iu;
