import { readEnd } from '@signalbox/messages/schedule/read-end';
import { readScheduleRequest } from '@signalbox/messages/schedule/read-request';
import { readWhen } from '@signalbox/messages/schedule/read-when';
import { say } from '@signalbox/messages/say';
import words from '../../languages/freezes.json' with { type: 'json' };
import type { ToolIndex } from '../../rank/tool-index.ts';
import { isQuestionText } from '../../text/holds.ts';
import { tokenize } from '../../text/tokens.ts';
import { foldWord } from '../../translation/lexicon.ts';
import { createToolStep } from '../calls.ts';
import { type PlannerStep, toAnswerStep } from '../marks.ts';
import { askWhichIsMeant } from '../questions.ts';
import { type RequestContext, listMentions } from '../understanding.ts';

/*
 * Orders to stop all changes and to allow them again. They are read in the words of the person, because an order such as “nobody may
 * deploy” is a prohibition in which every word counts: `freezes.json` lists the words by language and by what they do in the order.
 */

export const FREEZE_TOOLS: ReadonlySet<string> = new Set(['freeze_changes', 'lift_freeze']);

/** What a word does in such an order. */
type Role = keyof (typeof words)['en'] | 'named' | 'ends';

interface FreezeOrder {
  readonly tool: 'freeze_changes' | 'lift_freeze';
  readonly until: string | null;
  readonly reason: string | null;
  /** The text without the words about its end and its reason. */
  readonly order: string;
  /** True when no other word stands in the order. */
  readonly isWhole: boolean;
  /** True for an order about another time, which is not carried out now. */
  readonly isLater: boolean;
}

/** Returns the step for an order to freeze or to lift a freeze; null for every other text. */
export function readFreezeStep(text: string, around: RequestContext): PlannerStep | null {
  const order = readFreeze(text, around);
  const tool = order && findFreezeTool(around.index, order.tool);
  if (!order || !tool) return null;
  if (order.isLater) return toAnswerStep(say('planner.not-later'), 'cannot');
  const project = listMentions(text, around).find(({ kind }) => kind === 'project')?.name;
  const { until, reason } = order;
  const args = {
    ...(order.tool === 'freeze_changes' && until !== null ? { until } : {}),
    ...(order.tool === 'freeze_changes' && reason !== null ? { reason } : {}),
    ...(project === undefined ? {} : { project }),
  };
  if (!order.isWhole) return askWhichIsMeant([{ tool: tool.name, args }], text, around.index);
  return createToolStep(tool, '', args, around);
}

/** The group of tools for such an order; null for every other text. */
export function findFreezeGroup(text: string, around: Pick<RequestContext, 'facts' | 'index'>): string | null {
  const order = readFreeze(text, around);
  return (order && findFreezeTool(around.index, order.tool)?.group) ?? null;
}

function findFreezeTool({ tools }: ToolIndex, wanted: string): ToolIndex['tools'][number] | undefined {
  return tools.find(({ name, installed }) => installed && name === wanted);
}

function readFreeze(said: string, around: Pick<RequestContext, 'facts' | 'index'>): FreezeOrder | null {
  if (isQuestionText(said) || /[?？"]/u.test(said)) return null;
  const end = readEnd(said);
  const { order, reason, isSaid } = splitReason(end?.rest ?? said, around);
  const found = readOrder(order, around, end !== null);
  if (found.tool === null || readScheduleRequest(order) !== null) return null;
  const time = readWhen(order);
  const isWhile = time !== null && !time.saysHour && time.when.kind === 'day' && time.when.days === 0;
  const today = isWhile ? (TODAY.exec(order)?.[0] ?? null) : null;
  const until = end ? end.until : today;
  const isWhole = isSaid && found.left.length === 0;
  return { tool: found.tool, until, reason, order, isWhole, isLater: time !== null && !isWhile };
}

const TODAY =
  /tonight|today|this (?:afternoon|evening)|heute(?: abend| nacht)?|hoy|esta (?:tarde|noche)|сегодня(?: вечером| ночью)?|今[天晚]/iu;
const CONJUNCTIONS = [
  'because(?: of)?|due to|reason|since|weil|wegen|grund|denn|porque|ya que|debido a|por culpa de|motivo',
  'потому что|из-за|так как|причина',
];
const BECAUSE = new RegExp(
  String.raw`[,;:，；：]?\s{0,3}(?<!\p{L})(?:${CONJUNCTIONS.join('|')})(?!\p{L})[:\s]{1,3}|[，,]?\s{0,3}(?:因为|由于|原因[是：:]?)`,
  'iu',
);
/** What stands behind it may be a reason or take the order back, so that a person confirms the order. */
const BREAK = /\s[–—-]\s|[:：]\s{0,3}(?=\p{L})|[,，]\s{0,3}/u;

/** Splits off the reason behind a conjunction or a comma, unless the order itself goes on there. */
function splitReason(
  text: string,
  around: Known,
): { readonly order: string; readonly reason: string | null; readonly isSaid: boolean } {
  const because = BECAUSE.exec(text);
  const joint = because ?? BREAK.exec(text);
  const whole = { order: text, reason: null, isSaid: true };
  if (!joint || joint.index === 0) return whole;
  const reason = text.slice(joint.index + joint[0].length).replace(/[.!。！\s]+$/u, '');
  const order = text.slice(0, joint.index);
  const goesOn = reason === '' || readOrder(reason, around).tool !== null;
  return readOrder(order, around, true).tool !== null && !goesOn ? { order, reason, isSaid: because !== null } : whole;
}

type Known = Pick<RequestContext, 'facts' | 'index'>;

interface Order {
  readonly tool: FreezeOrder['tool'] | null;
  /** Words that do nothing in the order. */
  readonly left: readonly string[];
}

/** The order that a text gives in the language that leaves the fewest of its words. */
function readOrder(text: string, around: Known, hasEnd = false): Order {
  const mentions = listMentions(text, around).filter(({ kind }) => kind !== 'server');
  const isNamed = mentions.some(({ kind }) => kind === 'project');
  const said = tokenize(text)
    .filter(({ start }) => !mentions.some((one) => one.start <= start && start < one.end))
    .map(({ lower }) => fold(lower));
  const orders = LANGUAGES.map(({ roles, chinese }): Order => {
    const parts = said.flatMap((word) => (/\p{Script=Han}/u.test(word) ? splitChinese(word, chinese) : [word]));
    const own = new Set<Role>([...(isNamed ? (['named'] as const) : []), ...(hasEnd ? (['ends'] as const) : [])]);
    const left: string[] = [];
    // German puts the first part of a verb last: “setze alle Deployments aus”.
    const last = parts.at(-1) ?? '';
    for (const word of parts) {
      const found = roles.flatMap(([role, has]) => (has(word) || has(`${last}${word}`) ? [role] : []));
      found.forEach((role) => own.add(role));
      if (found.length === 0) left.push(word);
    }
    return { tool: own.has('look') || left.length > MAX_LEFT ? null : chooseTool(own), left };
  });
  const whole = orders.toSorted((one, other) => one.left.length - other.left.length);
  return (
    whole.find(({ tool, left }) => tool !== null && left.length === whole[0]?.left.length) ?? { tool: null, left: [] }
  );
}

/** With more words that do nothing in the order, something else is meant. */
const MAX_LEFT = 2;

/** The tool that the words of a text order together; null when they order none. */
function chooseTool(roles: ReadonlySet<Role>): FreezeOrder['tool'] | null {
  const has = (...all: readonly Role[]): boolean => all.every((role) => roles.has(role));
  const isThing = has('things') || has('thing') || has('deploy');
  const isAll = has('all') || has('named');
  // “Do not allow deployments” forbids them; every other negation forbids the order itself.
  if (has('not') && !has('nobody'))
    return has('allow') && isThing && !has('freeze') && !has('ban') && !has('lift') ? 'freeze_changes' : null;
  const lifts =
    has('unfreeze') ||
    (has('lift') && (has('freeze') || has('ban'))) ||
    ((has('allow') || has('may')) &&
      !has('ban') &&
      !has('nobody') &&
      !has('none') &&
      isThing &&
      (has('again') || isAll));
  if (lifts) return has('nobody') ? null : 'lift_freeze';
  const freezes =
    has('freeze') ||
    (has('ban') && (isThing || isAll)) ||
    (has('stop') && (has('things') || (isThing && (has('all') || has('ends'))))) ||
    (has('nobody') && isThing) ||
    (has('none') && (has('things') || (isThing && has('all'))));
  return freezes ? 'freeze_changes' : null;
}

const LANGUAGES = Object.values(words).map((file) => {
  const roles = (Object.entries(file) as [Role, string][]).map(([role, list]) => {
    const all = list.split(' ').filter((word) => word !== '');
    const stems = all.filter((word) => word.endsWith('*')).map((word) => fold(word.slice(0, -1)));
    const whole = new Set(all.filter((word) => !word.endsWith('*')).map(fold));
    const has = (word: string): boolean => whole.has(word) || stems.some((stem) => word.startsWith(stem));
    return [role, has, [...whole]] as const;
  }); // the keys of the file
  const chinese = roles
    .flatMap(([, , all]) => all)
    .filter((word) => /\p{Script=Han}/u.test(word))
    .toSorted((one, other) => other.length - one.length);
  return { roles, chinese };
});

/** Accents are often left out, but “й” is no “и” with an accent: деплой is one, деплои are many. */
function fold(word: string): string {
  return /\p{Script=Cyrillic}/u.test(word) ? word.toLowerCase().replaceAll('ё', 'е') : foldWord(word);
}

/** Splits Chinese into the longest known words; an unknown character stays alone. */
function splitChinese(text: string, known: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 1)
    parts.push(known.find((word) => text.startsWith(word, at)) ?? text.slice(at, at + 1));
  return parts;
}
