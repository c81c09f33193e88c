import { type Mention, isWord } from './mentions.ts';
import { ORDINARY_WORDS } from '../text/ordinary-words.ts';
import { hasSense, isFiller, tokenize } from '../text/tokens.ts';
import type { Found } from '../text/values.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Beside which words the name of a thing of a kind stands: "on web-9", "the shop project". */
const POSITIONS: Readonly<
  Record<string, { readonly after: ReadonlySet<string>; readonly before: ReadonlySet<string> }>
> = {
  server: { after: words('on at server machine host box'), before: words('server machine box') },
  project: { after: words('of for about project app give archive deploy stop mute'), before: words('project app') },
};
/** Everyday words that stand behind "of" and "for" without naming anything. */
const NAMELESS = words(
  'example course now later today tomorrow yesterday everyone everybody anyone people users customers work sure testing production ' +
    'clients colleagues time minutes hours days seconds lines half money lunch home mine ours yours fun me us them all it free good',
);

/** Words where the name of a thing of that kind stands, but that nobody knows. `known` are the words that tools are asked for with. */
export function findUnknownNames(
  text: string,
  kind: string,
  mentions: readonly Mention[],
  known: ReadonlySet<string>,
): readonly Found[] {
  const positions = POSITIONS[kind];
  if (!positions) return [];
  const tokens = tokenize(text);
  return tokens
    .filter(({ lower, start, end }, at) => {
      if (known.has(lower) || mentions.some((mention) => start < mention.end && end > mention.start)) return false;
      if (/^v?\d[\d.]*$/.test(lower) || isFiller(lower) || NAMELESS.has(lower) || hasSense(lower)) return false;
      const [before = '', further = ''] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
      const article = before === 'the' ? further : before;
      const isAfter = positions.after.has(article);
      // An everyday word is a name only right behind "of", "for" or the kind, and at an end: "status of garden".
      if (ORDINARY_WORDS.has(lower)) return before !== 'the' && isAfter && isLast(text.slice(end));
      return (
        isAfter ||
        positions.before.has(tokens[at + 1]?.lower ?? '') ||
        (/\d/.test(lower) && /^[a-z]+-?\d+$/.test(lower) && kind === 'server')
      );
    })
    .filter(({ lower }) => !isWord(lower) || ORDINARY_WORDS.has(lower))
    .map(({ start, end }) => ({ value: text.slice(start, end), start, end }));
}

function isLast(rest: string): boolean {
  return /^\s*(?:$|[?.!,]|v?\d|(?:on|in|to|from|at|please|now|with)\b)/i.test(rest);
}
