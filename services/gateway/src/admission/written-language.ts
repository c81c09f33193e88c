import { toLanguage } from '@signalbox/messages/language';

/** Evidence that a text must give before anything is concluded from it. A wrong language is worse than none: the next message tells more. */
const MIN_WORDS = 3;
const MIN_LETTERS = 12;
const MIN_RUSSIAN_WORDS = 2;
const MIN_HAN_LETTERS = 4;
/** Score of the detector from 0 to 1, and its distance from English and from any other language. */
const MIN_SCORE = 0.74;
const MIN_LEAD_OF_ENGLISH = 0.1;
const MIN_LEAD = 0.02;
/** A longer text was pasted rather than written. */
const MAX_LINES = 8;
const MAX_LENGTH = 2_000;

/**
 * Finds the language in which a person wrote a text, as a code of the catalog; null when the evidence is weak. Code, quotations, addresses,
 * log lines and names with digits or signs are no evidence. English is never found: it is the default. Deterministic.
 */
export async function findWrittenLanguage(text: string): Promise<string | null> {
  if (text.length > MAX_LENGTH || text.split('\n').length > MAX_LINES) return null;
  const words = listWrittenWords(text);
  const latin = words.filter((word) => LATIN.test(word));
  const other = words.filter((word) => !LATIN.test(word));
  if (other.length === 0) return findLatin(latin);
  // Otherwise it may be a name in other letters within an English sentence.
  if (latin.length >= MIN_WORDS) return null;
  const letters = other.join('');
  if (letters.length >= MIN_HAN_LETTERS && /^\p{Script=Han}+$/u.test(letters))
    return (await detect(letters))[0]?.[0] === 'zh' ? 'zh' : null;
  return isRussian(other) ? 'ru' : null;
}

/** True for Russian, and not for its neighbors: scores hardly tell these apart, while letters and common words do. Names are no evidence. */
function isRussian(words: readonly string[]): boolean {
  if (!/^[а-яё]+$/iu.test(words.join(''))) return false;
  const plain = words.filter((word) => /^[а-яё]/u.test(word));
  const isTelling = /[ыэё]/u.test(plain.join('')) || words.some((word) => RUSSIAN.has(word.toLowerCase()));
  return plain.length >= MIN_RUSSIAN_WORDS && isTelling;
}

async function findLatin(words: readonly string[]): Promise<string | null> {
  const letters = words.join('');
  if (words.length < MIN_WORDS || letters.length < MIN_LETTERS || areNames(words.slice(1))) return null;
  const [[language, score] = ['en', 0], [, next] = ['', 0]] = await detect(words.join(' '));
  const lead = score - (await scoreOf(words, 'en'));
  if (score < MIN_SCORE || score - next < MIN_LEAD || lead < MIN_LEAD_OF_ENGLISH) return null;
  // An English order may end with names in another language, such as “add server berlin mitte”.
  const begins = words.slice(0, 2);
  return (await scoreOf(begins, language)) > (await scoreOf(begins, 'en')) ? toLanguage(language) : null;
}

/** True when all longer words are capitalized. German capitalizes nouns, so one of them says nothing. */
function areNames(words: readonly string[]): boolean {
  const long = words.filter(({ length }) => length > 3);
  return long.length > 1 && long.every((word) => /^\p{Lu}/u.test(word));
}

async function scoreOf(words: readonly string[], language: string): Promise<number> {
  return (await detect(words.join(' '))).find(([one]) => one === language)?.[1] ?? 0;
}

/** Scores of the languages, best first. The data of the detector is read when it is first needed: 30 MB that many gateways never need. */
async function detect(text: string): Promise<readonly (readonly [language: string, score: number])[]> {
  const { eld } = await import('eld/extrasmall');
  return Object.entries(eld.detect(text.toLowerCase()).getScores());
}

const LATIN = /^\p{Script=Latin}/u;
/** Words of Russian that Ukrainian, Bulgarian, Serbian and Macedonian write otherwise. */
const RUSSIAN = new Set(
  'что если нет когда почему сколько пожалуйста спасибо здравствуйте сейчас только нужно надо мне меня можешь последний сделай создай удали'.split(
    ' ',
  ),
);

const NOT_WRITTEN =
  /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|^\s*>.*$|“[^”]*”|„[^“”]*[“”]|«[^»]*»|"[^"\n]*"|「[^」]*」|‘[^’]*’|(?<!\p{L})'[^'\n]*'(?!\p{L})|\S+:\/\/\S+/gmu;
/** A line of a log or of a program: it begins with a time or a level, or holds signs of code. */
const LOGGED =
  /^\s*(?:\[?\d{2,4}[-:./]\d\d|\[?(?:error|warn(?:ing)?|info|debug|fatal|trace)\b|at \S+ ?\(|[$#%] )|[{};=]\s*$|=>|\(\)/i;

/** Lists the plain words: names with digits or signs, such as `shop-2` or `my_app`, are none. */
function listWrittenWords(text: string): readonly string[] {
  const lines = text.replace(NOT_WRITTEN, ' ').split('\n');
  return lines
    .filter((line) => !LOGGED.test(line))
    .flatMap((line) => line.split(/[\s,;!?¿¡()…—，。！？；、（）]+/u))
    .map((word) => word.replace(/^[.:'’-]+|[.:'’-]+$/g, ''))
    .filter((word) => /^[\p{L}\p{M}]+(?:['’][\p{L}]+)?$/u.test(word));
}
