/**
 * Finds signs in a text that need no knowledge of its language: existing names, versions, ids, environments, check marks. Any report of
 * an event shows some signs, so a model's claims are compared with the ledger by them.
 */

/** The signs of one sentence, in lower case. */
export interface ClaimSigns {
  /** Names of existing entities, and of variables. */
  readonly names: readonly string[];
  /** Words with which look-ups describe a state. */
  readonly states: readonly string[];
  readonly places: readonly string[];
  readonly versions: readonly string[];
  readonly ids: readonly string[];
  /** True for a sentence with a mark for done, healthy or failed. */
  readonly hasMark: boolean;
  /** True for a question at the end of its paragraph. */
  readonly isQuestion: boolean;
}

const STAGING = /(?<![\p{Script=Latin}])staging|стейдж|预发|预生产|暂存环境/u;
/** Matches the short form of production, with which its name begins in many languages. */
const PRODUCTION = /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:prod|прод)/u;
/** Matches text in code or quotation marks that people are told to type. */
const TYPED = /```[^`\n]*\n([\s\S]*?)```|`([^`\n]+)`|["“”„«»「]([^"“”„«»「」\n]+)["“”«»」]/gu;
const QUESTION = /[?؟¿]/u;
const MARKS =
  /[✅✔☑✓🗸🆗🟢💚🏁]|\[x\]|(?<!\d)100\s?%|(?<![\d.])(?:http\s*)?200\s*ok\b|\bexit\s*(?:code\s*)?[:=]?\s*0\b/iu;
/** Matches the state of a deployment or a service, given as a state. */
const STATES =
  /(?:[:=→]|->)\s*[`"*_]*(?:succeeded|running|serving|healthy|rolled_back|deployed|released|stopped|started|done|live|up|ok|online|active|ready)\b/iu;
const ADDRESSES = /\b[a-z][a-z0-9+.-]{0,40}:\/\/[^\s)>\]]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/giu;
const DATES = /\b(?:\d{1,2}\.\d{1,2}\.\d{4}|\d{4}[.-]\d{1,2}[.-]\d{1,2})(?:t[\d:.]+z?)?/giu;
/** Units of time in words, of the supported languages. */
const UNITS =
  'milliseconds?|seconds?|minutes?|hours?|millisekunden?|sekunden?|minuten?|stunden?|milisegundos?|segundos?|minutos?|horas?|мс|мин|ч|сек|(?:милли)?секунд[аыу]?|минут[аыу]?|час(?:а|ов)?|毫秒|秒|分钟|小时';
/** Matches versions: three numbers joined by points, or two when no unit follows. */
const VERSIONS = new RegExp(
  String.raw`(?<![\p{Script=Latin}\p{N}_.,-])v?(\d+(?:\.\d+){2,}(?:[-+][a-z0-9.-]*[a-z0-9])?|\d+\.\d+[-+][a-z0-9.-]*[a-z0-9](?![a-z0-9])|\d+\.\d+(?!\d|,\d|\.\d|\s?(?:[%°€$£¥₽₴]|[kmgt]?i?b\b|m?s\b|min\b|h\b|[kmgt]?hz\b|c?m\b|kg\b|uhr\b|${UNITS}(?!\p{L})))|(?<=v)\d+(?![\p{Script=Latin}\p{N}.]))`,
  'giu',
);
const IDS =
  /\b(?:act|apv|dep|run|turn|inc|grant)_[0-9a-z_]{4,}\b|(?<![\p{L}\p{N}])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\p{L}\p{N}])/giu;
/** Matches a variable's name in the usual spelling, before the text is lowercased. */
const VARIABLES = /(?<![\p{L}\p{N}_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\p{L}\p{N}_])/gu;
/** Matches a word for a kind of entity followed by a name, in the supported languages. */
const NAMED =
  /(?:(?<![\p{L}\p{N}-])(?:projects?|services?|servers?|projekt|dienst|proyecto|servicio|servidor|проект\p{L}{0,3}|сервис\p{L}{0,3}|сервер\p{L}{0,3})(?![\p{L}\p{N}-])|项目|服务器?)\s{0,3}(?:(?:called|named|namens|llamado|под названием|名为)\s{0,3})?["'“„«*_`:]{0,4}\s{0,2}([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\p{L}\p{N}])/gu;
/** Matches states as look-ups of services and deployments report them; people's words differ by language. */
const MEASURED = /\b(?:healthy|degraded|down|serving|stopped|failed|nothing-deployed)\b/g;
const WORD = /[a-z0-9]+(?:-[a-z0-9]+)*/g;
/** Letters of other scripts, each with the Latin letter that it looks like. */
const LOOK_ALIKES = new Map(
  'аa еe оo рp сc уy хx іi јj ѕs ԁd һh ԛq ԝw ɡg αa οo ρp εe νv ιi κk τt υu χx ӏl кk тt'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

/** Normalizes a text before the search for signs: one width of letters, Western digits, no invisible characters, no addresses. */
function plainOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\p{Nd}/gu, westernFigure)
    .replace(/(?<=\d)\u066b(?=\d)/g, '.')
    .replace(ADDRESSES, ' ')
    .replace(DATES, ' ')
    .toLowerCase();
}

export function listNameWords(text: string): readonly string[] {
  const plain = plainOf(text);
  return [...new Set([...wordsIn(plain), ...wordsIn(unmasked(plain))])];
}

/** Lists words after “project”, “service” or “server”, which may name an existing or a new entity: "create the project tea". */
export function listNamedEntities(text: string): readonly string[] {
  return [...plainOf(text).matchAll(NAMED)].flatMap(([, name]) => name ?? []);
}

/** Finds the signs of each sentence. `known`: words that name existing entities. `verbs`: first words of typed commands. */
export function findClaimSigns(
  text: string,
  known: ReadonlySet<string>,
  verbs: ReadonlySet<string>,
): readonly ClaimSigns[] {
  const prose = text.replace(TYPED, (typed, block?: string, span?: string, quote?: string) =>
    isCommand(block ?? span ?? quote ?? '', verbs) ? ' ' : typed,
  );
  const variables = new Set([...prose.normalize('NFKC').matchAll(VARIABLES)].map(([name]) => name.toLowerCase()));
  return plainOf(prose)
    .split(/\n\s*\n/)
    .flatMap((paragraph) => {
      const sentences = listSentences(paragraph);
      const end = sentences.findLastIndex((sentence) => !QUESTION.test(sentence));
      return sentences.map((sentence, place) => signsIn(sentence, { known, variables }, place > end));
    });
}

function signsIn(
  sentence: string,
  { known, variables }: Readonly<Record<'known' | 'variables', ReadonlySet<string>>>,
  isQuestion: boolean,
): ClaimSigns {
  const words = [...new Set([...wordsIn(sentence), ...wordsIn(unmasked(sentence))])];
  return {
    names: [
      ...words.filter((word) => known.has(word) && !STAGING.test(word) && word !== 'production'),
      ...(sentence.match(/[a-z0-9_]+/g) ?? []).filter((word) => variables.has(word)),
    ],
    states: sentence.match(MEASURED) ?? [],
    places: [...(STAGING.test(sentence) ? ['staging'] : []), ...(PRODUCTION.test(sentence) ? ['production'] : [])],
    versions: [...sentence.matchAll(VERSIONS)].map(([, version]) => version ?? ''),
    ids: [...sentence.matchAll(IDS)].map(([id]) => id),
    hasMark: MARKS.test(sentence) || STATES.test(sentence),
    isQuestion,
  };
}

/** True when each line begins with a command's verb and mentions no state. */
function isCommand(typed: string, verbs: ReadonlySet<string>): boolean {
  const lines = plainOf(typed)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.every((line) => verbs.has(/^[a-z]+/.exec(line)?.[0] ?? '') && !MARKS.test(line) && !STATES.test(line));
}

/** Splits a text into sentences at line ends, at end marks of any script, and at points outside of numbers and names. */
function listSentences(plain: string): readonly string[] {
  return plain.split(/\n+|(?<=[!?…。।؟])|(?<=\.)(?=[\s"'”»)*_]|$)/u).filter((sentence) => sentence.trim() !== '');
}

/** Lists words; splits a compound name too: in `my-shop-api` or `shop-Projekt` a part may be the known name. */
function wordsIn(plain: string): readonly string[] {
  return [...plain.matchAll(WORD)].flatMap(([word]) => {
    const parts = word.split('-');
    if (parts.length === 1) return [word];
    return parts.flatMap((_, from) =>
      parts.slice(from).map((_part, more) => parts.slice(from, from + more + 1).join('-')),
    );
  });
}

function unmasked(plain: string): string {
  return plain.replace(/[^\0-\x7f]/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

function westernFigure(figure: string): string {
  // Unicode orders the ten digits of each script consecutively.
  const code = figure.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
  return code <= 0x39 ? figure : String(code - zero);
}
