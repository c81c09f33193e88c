/*
 * What can be seen of a text without knowing its language: names that exist, versions, ids, environments, check marks. A report of
 * something that happened shows some of them, whatever its words are: by these signs a model's claims are compared with the ledger.
 */

/** The signs of one sentence, in lower case. */
export interface Signs {
  /** Names of things that exist, and of variables. */
  readonly names: readonly string[];
  /** Words that look-ups use for how something is. */
  readonly states: readonly string[];
  readonly places: readonly string[];
  readonly versions: readonly string[];
  readonly ids: readonly string[];
  /** A mark that something is done, well or in a certain state. */
  readonly hasMark: boolean;
  /** It asks something, and its paragraph tells nothing after it. */
  readonly isQuestion: boolean;
}

/** Where things run: see Environment. */
const STAGING = /(?<![\p{Script=Latin}])staging/u;
/** By what production is shortened to: many languages go on from there. */
const PRODUCTION = /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:prod|прод)/u;
/** What stands in code or quotation marks as something to be typed. */
const TYPED = /```[^`\n]*\n([\s\S]*?)```|`([^`\n]+)`|["“”„«»「]([^"“”„«»「」\n]+)["“”«»」]/gu;
const QUESTION = /[?؟¿]/u;
const MARKS =
  /[✅✔☑✓🗸🆗🟢💚🏁]|\[x\]|(?<!\d)100\s?%|(?<![\d.])(?:http\s*)?200\s*ok\b|\bexit\s*(?:code\s*)?[:=]?\s*0\b/iu;
/** The state of a deployment or a service, where it is given as one. */
const STATES =
  /(?:[:=→]|->)\s*[`"*_]*(?:succeeded|running|serving|healthy|rolled_back|deployed|released|stopped|started|done|live|up|ok|online|active|ready)\b/iu;
const ADDRESSES = /\b[a-z][a-z0-9+.-]{0,40}:\/\/[^\s)>\]]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/giu;
const DATES = /\b(?:\d{1,2}\.\d{1,2}\.\d{4}|\d{4}[.-]\d{1,2}[.-]\d{1,2})(?:t[\d:.]+z?)?/giu;
/** Two figures with a point are a version unless a unit follows; three are one always. */
const VERSIONS =
  /(?<![\p{Script=Latin}\p{N}_.,-])v?(\d+(?:\.\d+){2,}(?:[-+][a-z0-9.-]*[a-z0-9])?|\d+\.\d+(?:[-+][a-z0-9.-]*[a-z0-9])?(?![\d,]|\.\d|\s?(?:[%°€$£¥₽₴]|[kmgt]?i?b\b|m?s\b|min\b|h\b|[kmgt]?hz\b|c?m\b|kg\b))|(?<=v)\d+(?![\p{Script=Latin}\p{N}.]))/giu;
const IDS =
  /\b(?:act|apv|dep|run|turn|inc|grant)_[0-9a-z_]{4,}\b|(?<![\p{L}\p{N}])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\p{L}\p{N}])/giu;
/** A variable as it is written everywhere; the text is in lower case when it is looked for again. */
const VARIABLES = /(?<![\p{L}\p{N}_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\p{L}\p{N}_])/gu;
/** The word for a kind of thing and, behind it, one that is written as a name, in the languages that are spoken here. */
const NAMED =
  /(?:(?<![\p{L}\p{N}-])(?:projects?|services?|servers?|projekt|dienst|proyecto|servicio|servidor|проект\p{L}{0,3}|сервис\p{L}{0,3}|сервер\p{L}{0,3})(?![\p{L}\p{N}-])|项目|服务器?)\s{0,3}(?:(?:called|named|namens|llamado|под названием|名为)\s{0,3})?["'“„«*_`:]{0,4}\s{0,2}([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\p{L}\p{N}])/gu;
/** As look-ups of services and deployments say it; how people say it differs by language. */
const MEASURED = /\b(?:healthy|degraded|down|serving|stopped|failed|nothing-deployed)\b/g;
const WORD = /[a-z0-9]+(?:-[a-z0-9]+)*/g;
/** Pairs of a letter of another script and the Latin one that it looks like. */
const LOOK_ALIKES = new Map(
  'аa еe оo рp сc уy хx іi јj ѕs ԁd һh ԛq ԝw ɡg αa οo ρp εe νv ιi κk τt υu χx ӏl кk тt'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

/** A text as its signs are looked for: one width of letters, Western figures, nothing invisible, no addresses. */
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

/** Words of a text that may be names, as names are written. */
export function wordsOf(text: string): readonly string[] {
  const plain = plainOf(text);
  return [...new Set([...wordsIn(plain), ...wordsIn(unmasked(plain))])];
}

/** What a person calls a project, a service or a server, whether it exists or not: "create the project tea". Words between may be among it. */
export function isNamedIn(text: string): readonly string[] {
  return [...plainOf(text).matchAll(NAMED)].flatMap(([, name]) => name ?? []);
}

/**
 * The signs of each sentence of a text. `known`: those of its words that name things that exist. `verbs`: the first words of commands that
 * people may type; quoted commands are left out.
 */
export function claimSignsOf(text: string, known: ReadonlySet<string>, verbs: ReadonlySet<string>): readonly Signs[] {
  const prose = text.replace(TYPED, (typed, block?: string, span?: string, quote?: string) =>
    isCommand(block ?? span ?? quote ?? '', verbs) ? ' ' : typed,
  );
  const variables = new Set([...prose.normalize('NFKC').matchAll(VARIABLES)].map(([name]) => name.toLowerCase()));
  return plainOf(prose)
    .split(/\n\s*\n/)
    .flatMap((paragraph) => {
      const sentences = sentencesOf(paragraph);
      const end = sentences.findLastIndex((sentence) => !QUESTION.test(sentence));
      return sentences.map((sentence, place) => signsIn(sentence, { known, variables }, place > end));
    });
}

function signsIn(
  sentence: string,
  { known, variables }: Readonly<Record<'known' | 'variables', ReadonlySet<string>>>,
  isQuestion: boolean,
): Signs {
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

/** Whether this is what somebody may type: each line begins with the verb of a command and says nothing of a state. */
function isCommand(typed: string, verbs: ReadonlySet<string>): boolean {
  const lines = plainOf(typed)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.every((line) => verbs.has(/^[a-z]+/.exec(line)?.[0] ?? '') && !MARKS.test(line) && !STATES.test(line));
}

/** A sentence ends at a line's end, at a mark of any script, and at a point that is not inside of a figure or a name. */
function sentencesOf(plain: string): readonly string[] {
  return plain.split(/\n+|(?<=[!?…。।؟])|(?<=\.)(?=[\s"'”»)*_]|$)/u).filter((sentence) => sentence.trim() !== '');
}

/** `my-shop-api` is one word, and holds others: a name may stand before `-Projekt`. */
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
  // Figures of a script follow each other in tens.
  const code = figure.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
  return code <= 0x39 ? figure : String(code - zero);
}
