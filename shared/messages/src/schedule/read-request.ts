import { COMPILED, type Compiled, readWhen, saysRepetition } from './read-when.ts';

/** A text that asks for a reminder, or for an order to be carried out again and again. */
export type ScheduleRequest =
  | {
      readonly kind: 'reminder' | 'task';
      /** What to tell or to do, in the words of the text. */
      readonly task: string;
      /** The words about the time. */
      readonly when: string;
      /** True when a task about trouble speaks only while there is some. */
      readonly isQuiet: boolean;
    }
  /** It asks for a repetition or a reminder, at a time that is not understood. */
  | { readonly kind: 'unclear'; readonly task: string };

/** Reads a request for a reminder or a repeated order, in any supported language. Null for every other text. Pure. */
export function readScheduleRequest(text: string): ScheduleRequest | null {
  const [language, form] = Object.entries(COMPILED).find(([, one]) => one.remind.test(text)) ?? [];
  if (form?.recall.test(text)) return null;
  if (!form && Object.values(COMPILED).some(({ keep }) => keep.test(text))) return null;
  const reading = readWhen(text);
  const isReminder = form !== undefined;
  if (!reading) return isReminder || saysRepetition(text) ? { kind: 'unclear', task: '' } : null;
  const words = COMPILED[isReminder ? (language ?? reading.language) : reading.language];
  if (!words) return null;
  const begun = isReminder ? words.remind : words.order;
  const left = reading.rest.replaceAll(new RegExp(begun, 'giu'), '\0');
  const always = words.always.exec(left)?.[0] ?? null;
  const task = tidy(always === null ? left : left.replace(always, '\0'), words);
  // A repetition that is left over is one that was not understood: “every other monday”, “every week on two days”.
  const isRepeated = reading.when.kind === 'cron';
  if (saysRepetition(isRepeated ? task : text)) return { kind: 'unclear', task };
  // “Should we deploy it tomorrow” orders nothing: only a repetition is plain enough without the word of a reminder.
  if (!isReminder && !isRepeated) return null;
  const when = pickWhen(text, reading.rest);
  const isQuiet = !isReminder && isRepeated && always === null && words.wrong.test(task);
  return { kind: isReminder ? 'reminder' : 'task', task, when, isQuiet };
}

/** Joins what is left of a text without its parts about time, and cuts the words between them. */
function tidy(left: string, words: Compiled): string {
  let text = left
    .replaceAll(/\s{0,3}\0[\s,]{0,3}/g, ' ')
    .replaceAll(/\s{2,}/g, ' ')
    .replace(/[\s,.;:!。，]{0,9}$/u, '')
    .trim();
  text = words.remindEnd === null ? text : text.replace(words.remindEnd, '');
  text = text.replace(words.tell, '').trim();
  for (let more = 0; more < 3; more += 1)
    text = text
      .replace(/^[\s,.:;，。、]{1,9}/u, '')
      .replace(words.joints, '')
      .trim();
  return text.replace(/^[\s,.:;，。、]{1,9}/u, '');
}

/** Picks the words of a text that were read as its time: what the rest does not hold. */
function pickWhen(text: string, rest: string): string {
  const kept = rest.split('\0');
  let at = 0;
  const parts: string[] = [];
  for (const [place, piece] of kept.entries()) {
    const from = piece === '' && place === kept.length - 1 ? text.length : text.indexOf(piece, at);
    if (place > 0) parts.push(text.slice(at, from));
    at = from + piece.length;
  }
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}
