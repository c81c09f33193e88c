import { type Mention, isWord } from './mentions.ts';
import { tokenize } from '../text/tokens.ts';
import type { Found } from '../text/values.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Beside which words the name of a thing of a kind stands: "on web-9", "the shop project". */
const POSITIONS: Readonly<
  Record<string, { readonly after: ReadonlySet<string>; readonly before: ReadonlySet<string> }>
> = {
  server: { after: words('on at server machine host box'), before: words('server machine box') },
  project: { after: words('of for about project app give archive deploy stop mute'), before: words('project app') },
};
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
      if (/^v?\d[\d.]*$/.test(lower) || isWord(lower)) return false;
      const [before = '', further = ''] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
      const article = before === 'the' ? further : before;
      const isAfter = positions.after.has(article);
      return (
        isAfter ||
        positions.before.has(tokens[at + 1]?.lower ?? '') ||
        (/\d/.test(lower) && /^[a-z]+-?\d+$/.test(lower) && kind === 'server')
      );
    })
    .map(({ start, end }) => ({ value: text.slice(start, end), start, end }));
}
