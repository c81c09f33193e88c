import type { Mention } from '../names/mentions.ts';
import { findTopicTools, VARIABLE } from '../rank/topics.ts';
import { type Token, tokenize, wordSet } from '../text/tokens.ts';
import { type Span, type TextValue, createTextValue, findQuoted } from '../text/values.ts';
import type { LiteralRequest } from './literals.ts';
import { type RequestContext, listMentions } from './understanding.ts';

/*
 * Values that may be any word: the value of a variable, and the text to search for. They are what is left of an order without its names and
 * its usual words, wherever people put them: “for shop in production, TIMEOUT should be 30”. With two words left nothing is guessed.
 */

const USUAL = wordSet(
  'a an the this that it its it is are be to of for in on at as with from by into and or please can could would you me my our i we want need like ' +
    "deploy set change update put make adjust raise lower should must configure increase reduce assign switch define now new value equal equals i'd let's " +
    'variable variables env environment config configuration project service entry hey hi so just then also there here right',
);
const SEARCHING = wordSet(
  'a an the this that it its is are be to of for in on at as with from by into and please can could would you me my our i we want need like which what where ' +
    'how many find search grep look looking show list tell give contains contain containing occurs occur appears appear used uses use mention mentions mentioned seek does do ' +
    'word words text string term phrase expression keyword code source sources codebase file files repository repo all every any place places line lines up have has been there anywhere ' +
    'project service occurrences function functions method methods class classes constant constants symbol symbols module modules type types identifier implementation definition definitions reference references called named inside does any',
);

/** Reads an order whose value is the only word left; null for any other text. */
export function readLeftValue(text: string, around: RequestContext): LiteralRequest | null {
  const quoted = findQuoted(text);
  // A quotation is what is sought, also when a project is called so.
  const mentions = listMentions(text, around).filter(({ start, end }) =>
    quoted.every((one) => end <= one.start || start >= one.end),
  );
  const [name] = findTopicTools(text, mentions);
  const tool = around.index.tools.find((one) => one.installed && one.name === name);
  if (!tool) return null;
  const place = readPlace(mentions);
  if (place.project === undefined) return null;
  if (name === 'set_service_variable') {
    const [variable, ...more] = [...text.matchAll(new RegExp(VARIABLE, 'gu'))].map((match) =>
      createTextValue(match[0], match.index),
    );
    const value = variable && more.length === 0 ? findOnlyLeft(text, [...mentions, variable], USUAL) : null;
    return variable && value ? { tool, args: { ...place, name: variable.value, value: value.value } } : null;
  }
  if (name !== 'search_repository') return null;
  const words = findOnlyLeft(text, mentions, SEARCHING);
  return words === null ? null : { tool, args: { project: place.project, words: words.value } };
}

/** The project and the environment of a text that names one each at most. */
function readPlace(mentions: readonly Mention[]): { readonly project?: string; readonly environment?: string } {
  const [project, environment] = ['project', 'environment'].map((kind) => {
    const [only, ...more] = new Set(mentions.filter((one) => one.kind === kind).map(({ name }) => name));
    return more.length === 0 ? only : undefined;
  });
  return { ...(project === undefined ? {} : { project }), ...(environment === undefined ? {} : { environment }) };
}

/** The only quotation of a text or, without one, the only word that is neither taken nor usual. */
function findOnlyLeft(text: string, taken: readonly Span[], usual: ReadonlySet<string>): TextValue | null {
  const isFree = ({ start, end }: Span): boolean => taken.every((one) => end <= one.start || start >= one.end);
  const quoted = findQuoted(text).filter(isFree);
  const left = tokenize(text).filter((token: Token) => isFree(token) && !usual.has(token.lower));
  if (quoted.length > 0) return quoted.length === 1 ? (quoted[0] ?? null) : null;
  // With several words left, the one that stands behind a word that announces a value.
  const announced = left.filter(({ start }) => ANNOUNCES.test(text.slice(Math.max(0, start - LOOK_BACK), start)));
  const [only, ...more] = left.length > 1 ? announced : left;
  return only && more.length === 0 ? createTextValue(text.slice(only.start, only.end), only.start) : null;
}

const LOOK_BACK = 20;
const ANNOUNCES = /(?:\b(?:to|equals|value|be|for|word|string|term|text|contains?|uses?|mentions?|find)|=) $|=$/i;
