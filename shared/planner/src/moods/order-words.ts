import { VERBS } from '../text/concepts.ts';
import { sensesOf } from '../text/tokens.ts';

/** Verbs that also mean other things, but begin an order as surely as "list". */
const PLAIN_ORDERS: ReadonlySet<string> = new Set(
  'put bring run fix turn make take look see print read open push launch start set free describe move release roll pull save go'.split(
    ' ',
  ),
);
const NO_ORDERS: ReadonlySet<string> = new Set(
  'what which who whose where how when all any each every everything anything many status state detail details info information progress somewhere used use uses own owns'.split(
    ' ',
  ),
);

/** Whether an order may begin with the word: list, archive, put. Words of questions and nouns are none. */
export function beginsOrder(word: string): boolean {
  if (PLAIN_ORDERS.has(word) || /^(?:(?:un|re)?(?:archive|activate)|shelve|retire|mothball|revive)$/.test(word))
    return true;
  if (NO_ORDERS.has(word) || /(?:ed|ing|[^us]s)$/.test(word)) return false;
  // "It shows servers" orders nothing; neither does what is over or goes on.
  const [meant] = sensesOf(word);
  return meant !== undefined && meant.share === 1 && VERBS.has(meant.meaning);
}
