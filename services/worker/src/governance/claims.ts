/** What a text may lean on. */
export interface Evidence {
  /** Words of what tools came to in this turn: results, and what they say to people. */
  readonly results: readonly string[];
}

/** A text whose claims are backed, and those that were not. */
export interface Checked {
  readonly text: string;
  readonly unbacked: readonly string[];
}

/** Participles of effects, with what has to stand in a result for them to be true; a pattern. */
const EFFECTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // A deployment that was only asked for says "deploy" and "release" in its result; one that is over says that it is.
    deployed: 'deployed',
    redeployed: 'deployed',
    released: '(?:released|deployed|free again)',
    shipped: '(?:shipped|deployed)',
    restarted: 'restart',
    rebooted: 'reboot',
    stopped: 'stop',
    started: 'start',
    deleted: 'delet',
    removed: 'remov',
    dropped: 'drop',
    purged: 'purg',
    wiped: 'wip',
    created: 'creat',
    registered: 'regist',
    allocated: 'allocat',
    reserved: 'reserv',
    merged: 'merg',
    pushed: 'push',
    applied: 'appl',
    updated: 'updat',
    upgraded: 'upgrad',
    installed: 'install',
    migrated: 'migrat',
    scaled: 'scal',
    cancelled: 'cancel',
    canceled: 'cancel',
    archived: 'archiv',
    reverted: 'revert',
    'rolled back': '(?:(?:rolled|switched)[ _]back|deployed)',
    'rolled out': '(?:rolled out|deployed)',
    disabled: 'disabl',
    enabled: 'enabl',
    revoked: 'revok',
    rotated: 'rotat',
    fixed: 'fix',
    patched: 'patch',
  }),
);

const VERBS = [...EFFECTS.keys()].join('|');
const ADVERBS = '(?:now |just |also |already |successfully |all |both )*';
/** First person, passive, or the bare participle with which a report begins. */
const CLAIM = new RegExp(
  `(?:\\b(?:i|we)(?:'ve|’ve| have)? ${ADVERBS}(${VERBS})\\b)` +
    `|(?:\\b(?:has|have) been ${ADVERBS}(${VERBS})\\b)` +
    `|(?:\\b(?:is|are|was|were|got) ${ADVERBS}(${VERBS})\\b)` +
    `|(?:^[\\s\\-*>✅☑✔]*(?:done[:,.!]? +|ok[:,.!]? +|successfully +)?(${VERBS})\\b(?! by\\b))`,
  'iu',
);
/** What is denied, asked, wished or left open is no claim. */
const NO_CLAIM =
  /\?|\b(?:not|n['’]t|never|nothing|no one|nobody|none|if|once|unless|until|when|whether|before|after|will|would|should|can|could|may|might|must|to be|being|cannot|waiting|waits|needs?|approval)\b/iu;

/** "I stopped after 20 steps" is about the turn and not about a service. */
const ABOUT_ITSELF = /\bi (?:have )?stopped(?=[,.!]|\s+(?:after|because|here|there)\b|\s*$)/iu;

/**
 * Leaves out what a text claims was done when no tool of this turn did it: a model may believe it, a person must not. Sentences in
 * code and quotations stay. Pure; a text that claims nothing comes back as it is.
 */
export function checkClaims(text: string, { results }: Evidence): Checked {
  const evidence = results.join('\n').toLowerCase();
  const unbacked: string[] = [];
  let inCode = false;
  const lines = text.split('\n').map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) inCode = !inCode;
    if (inCode || /^\s*>/.test(line)) return line;
    return line.replace(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*/g, (sentence) => {
      const verb = claimOf(sentence);
      if (verb === null || new RegExp(EFFECTS.get(verb) ?? verb).test(evidence)) return sentence;
      unbacked.push(sentence.trim());
      return `${replacement(verb)}${/\s$/.test(sentence) ? ' ' : ''}`;
    });
  });
  return unbacked.length === 0 ? { text, unbacked } : { text: lines.join('\n'), unbacked };
}

/** The effect that a sentence claims, or null. */
function claimOf(sentence: string): string | null {
  const words = sentence.replace(/`[^`]*`|[*_]/g, (part) => (part.startsWith('`') ? 'it' : ''));
  if (NO_CLAIM.test(words) || ABOUT_ITSELF.test(words)) return null;
  const match = CLAIM.exec(words);
  return match?.slice(1).find(Boolean)?.toLowerCase() ?? null;
}

function replacement(verb: string): string {
  return `_(Left out: it said that something was ${verb}, and nothing in this turn did that.)_`;
}
