/** The one list of what may differ between two runs of one session. Everything else is compared byte for byte. */
const DIFFERING: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b((Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day )?\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?\b/g, '<time>'],
  [/\b\d\d:\d\d(:\d\d)?\b/g, '<time>'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '$1:<port>'],
  [/\b(port"?:? )\d{4,5}\b/g, '$1<port>'],
  [/(file:\/\/)?\/[\w./-]+\/demo\.git/g, '<demo>'],
  [/\b\d+([.,]\d+)? (ms|s)\b/g, '<n> $2'],
  // Measurements, which are null before the first one.
  [/("\w+(?:Ms|Mb|Seconds)": ?)(\d+(\.\d+)?|null)/g, '$1<n>'],
  // How far a deployment and the watch over its health have come meanwhile: in the facts, and in receipts with their buttons.
  [/: [a-z_]+, since <time>/g, ': <state>, since <time>'],
  [/\b(health unknown|healthy), release\b/g, '<health>, release'],
  [/, looked at <time>/g, ''],
  [/(🧾 [^\n]*?\d)-[0-9a-f]{7}\b/gu, '$1'],
  [/(🧾 [^\n]*)\n {4}\[[^\n]*/gu, '$1'],
  [/(🧾 [^\n]*?) · (?:in progress|läuft)(?= ·|$)/gu, '$1'],
  // How often a program was probed until it was given up.
  [/\(\d+ ×\)/g, '(<n> ×)'],
];

/** Ids: a prefix and letters, with a digit among them except in the commands of receipts. */
const IDS = /\b([a-z]{2,6})_([0-9a-hjkmnp-tv-z]{8,40}(?:_\d+)?)(?![a-z0-9])/g;

/** Creates a function that replaces what differs between runs. It numbers ids in the order of their first appearance. */
export function createNormalizer(): (text: string) => string {
  const ids = new Map<string, string>();
  const replaceId = (id: string, prefix: string, rest: string): string => {
    if (prefix !== 'why' && !/\d/.test(rest)) return id;
    const name = ids.get(id) ?? `${prefix}-${ids.size + 1}`;
    ids.set(id, name);
    return name;
  };
  return (text) => DIFFERING.reduce((done, [what, as]) => done.replace(what, as), text.replace(IDS, replaceId));
}

/** The same for every text within a value, keys excepted. */
export function normalizeTexts<T>(value: T, normalize: (text: string) => string): T {
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') return normalize(one);
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(value) as T; // only texts within it were replaced
}
