import { type RequestContext, listMentions, findReferredValue } from './understanding.ts';
import type { ToolRun } from './history.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { type Mention, isSameChoice } from '../names/mentions.ts';
import { isLabelOf, getValueKind } from '../slots/field-kinds.ts';
import { isQuestionText, findHoldReason } from '../text/holds.ts';
import { fillSlots } from '../slots/fill.ts';
import { isFiller, sensesOf, tokenize, wordSet } from '../text/tokens.ts';
import { findQuantities } from '../text/values.ts';

/** A tool and arguments for a message that continues from the last tool. */
export interface FollowUp {
  readonly tool: IndexedTool;
  readonly given: Readonly<Record<string, unknown>>;
}

type Args = Readonly<Record<string, unknown>>;

/** Words that only relate a message to the previous request. */
const LIKE_BEFORE = wordSet(
  'and also too well same again as what about how only instead meant mean sorry no not oh now then one ones make wrong other another more lines line rather actually ' +
    'repeat once time all next last past at least minutes minute hours hour days day week ok okay those of wait oops nope yes retry those give them hm hmm ditto likewise',
);
const REPEAT = /\b(?:again|once more|repeat|redo|refresh|retry|same (?:again|thing))\b/i;
const WHY =
  /^(?:(?:ok|okay|and|but|so|hm),? )?(?:why|how come|what happened)(?: (?:is|was|did|does) (?:it|that|this)(?: \w+)?)?[?!. ]*$/i;
const OUTCOME = new RegExp(
  String.raw`^(?:(?:so|and|ok|hey|well)[, ]+)*(?:(?:is|was|did|has|are|everything) )*(?:(?:it|that|this|we|the deploy(?:ment)?) )*` +
    String.raw`(?:(?:all|been|now|already) )*(?:live|done|finished|through|over|out|deployed|completed?|worked|work|succeed(?:ed)?|go through)\b` +
    String.raw`(?:\s+(?:yet|now|already|then|there|ok|well))*[?!. ]*$`,
  'i',
);
const GO_AHEAD =
  /^(?:(?:good|great|ok|okay|fine|nice|perfect|yes|then|so|and|please|now)[,.! ]+)*(?:go ahead|go for it|do it|do that|proceed|ship it)(?: then| now| please)*[.! ]*$/i;
const STOP =
  /^(?:(?:please|ok|okay|no|wait|and)[,.! ]+)*(?:stop|cancel|abort|halt|kill)(?: (?:it|that|this|the (?:deploy|deployment|job|build)))?(?: please| now)*[.! ]*$|\bcall (?:it|that) off\b/i;

/** Reads a text that only makes sense after the last tool run; null when the text is complete by itself. */
export function readFollowUp(text: string, around: RequestContext): FollowUp | null {
  const { last, index } = around;
  const lastTool = index.tools.find(({ name, installed }) => name === last?.tool && installed);
  if (WHY.test(text) || (OUTCOME.test(text) && isQuestionText(text))) return reportOn(text, last, lastTool, around);
  if (!last || !lastTool) return null;
  if (STOP.test(text)) return sibling(last, lastTool, around, /^(?:cancel|stop|abort)_/);
  if (GO_AHEAD.test(text) && lastTool.isHarmless)
    return sibling(last, lastTool, around, /^(?!(?:cancel|rollback|stop|release|withdraw|forget|clear)_)/); // takes nothing back
  if (!lastTool.isHarmless && findHoldReason(text) !== null && !/^no\b/i.test(text)) return null;
  const changed = newValues(text, lastTool, around);
  if (changed === null || restOf(text, lastTool.fields, changed, around) > 0) return null;
  if (!lastTool.isHarmless && lastTool.fields.some((field) => getValueKind(field) === 'new-name')) return null;
  if (Object.keys(changed).length > 0)
    return { tool: lastTool, given: { ...kept(last, lastTool, changed), ...changed } };
  if (listMentions(text, around).length > 0 || !lastTool.isHarmless) return null;
  return REPEAT.test(text) ? { tool: lastTool, given: last.args } : null;
}

/** Reads "is it live yet?" and "why?" as requests for the last deployment or, without one, for a diagnosis of the project. */
function reportOn(text: string, last: ToolRun | null, lastTool: IndexedTool | undefined, around: RequestContext) {
  const find = (wanted: string): IndexedTool | undefined =>
    around.index.tools.find(({ name, installed }) => installed && name === wanted);
  const status = find('get_deploy_status');
  const isDeployment = lastTool !== undefined && lastTool.group === status?.group;
  const project = last?.args['project'] ?? around.facts.currentProject ?? undefined;
  const isOtherChange = lastTool !== undefined && !lastTool.isHarmless && !isDeployment;
  const asksWhy = WHY.test(text);
  if (!asksWhy && isOtherChange) return null;
  const tool = asksWhy && !isDeployment && project !== undefined ? find('diagnose_service') : status;
  const environment = isDeployment ? last?.args['environment'] : undefined;
  const about = tool === status && !isDeployment ? {} : { project, environment };
  const given = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  return tool?.fields.every(({ name, required }) => !required || name in given) ? { tool, given } : null;
}

/** Finds the one other tool that does the requested action on the same subject; null when none or several fit. */
function sibling(last: ToolRun, lastTool: IndexedTool, { index }: RequestContext, names: RegExp): FollowUp | null {
  const [verb = ''] = lastTool.name.split('_');
  const [tool, ...more] = index.tools.filter(
    (one) =>
      one.group === lastTool.group &&
      one.installed &&
      !one.isHarmless &&
      one !== lastTool &&
      [...one.topics].some((topic) => lastTool.topics.has(topic) || verb.includes(topic.toLowerCase())) &&
      names.test(one.name),
  );
  if (!tool || more.length > 0) return null;
  const given = tool.fields.flatMap((field) => {
    const isAbout =
      field.required || (field.entity !== null && field.entity !== 'port') || getValueKind(field) === 'version';
    const value = isAbout && !field.name.startsWith('to_') ? findReferredValue(field, last, lastTool) : null;
    return value === null ? [] : [[field.name, value] as const];
  });
  return { tool, given: Object.fromEntries(given) };
}

/** Counts the words that are neither values nor only relate to the previous request. */
function restOf(text: string, fields: IndexedTool['fields'], values: Args, around: RequestContext): number {
  const taken = [...listMentions(text, around), ...findQuantities(text)];
  const said = Object.values(values).map((value) => String(value).toLowerCase());
  return tokenize(text).filter(
    ({ start, end, lower }) =>
      !taken.some((span) => start >= span.start && end <= span.end) &&
      !fields.some(
        (field) =>
          isLabelOf(lower, field) ||
          field.choices.some((choice) => isSameChoice(lower, choice)) ||
          (field.entity !== null && sensesOf(lower)[0]?.meaning === field.entity),
      ) &&
      !said.includes(lower) &&
      !LIKE_BEFORE.has(lower) &&
      !isFiller(lower) &&
      !/\d/.test(lower),
  ).length;
}

/** Reads new values for the arguments of the last tool; null when the text names something that the tool does not take. */
function newValues(text: string, tool: IndexedTool, around: RequestContext): Args | null {
  const fields = tool.fields.filter(({ entity }) => entity !== 'text' && entity !== 'name');
  const { facts, index } = around;
  const about = { ...facts, currentProject: null };
  const { args, problem } = fillSlots({ text, fields, facts: about, language: index, given: {} });
  if (problem) return null;
  const mentions = listMentions(text, around);
  // Values must occur in the text: when only one name is known, it would be filled in automatically.
  const said = Object.fromEntries(
    Object.entries(args).filter(([name, value]) => {
      const kind = tool.fields.find((field) => field.name === name)?.entity ?? null;
      return kind === null || kind === 'port' || mentions.some((mention) => mention.name === value);
    }),
  );
  const used = new Set(Object.values(said).map(String));
  const isUsed = ({ name, start }: Mention): boolean =>
    used.has(name) || mentions.some((other) => other.start === start && used.has(other.name));
  return /\bnot\b/i.test(text) || mentions.every(isUsed) ? said : null;
}

/** Returns the arguments of the last tool run that still apply: a new subject has another version and port. */
function kept(last: ToolRun, tool: IndexedTool, changed: Args): Args {
  const isOther = tool.fields.some(
    ({ name, entity }) => entity === 'project' && Object.hasOwn(changed, name) && changed[name] !== last.args[name],
  );
  return Object.fromEntries(
    Object.entries(last.args).filter(([name]) => {
      const field = tool.fields.find((one) => one.name === name);
      if (!field || (!tool.isHarmless && field.entity === 'port' && !field.required)) return false;
      return !(isOther && !tool.isHarmless && getValueKind(field) === 'version');
    }),
  );
}
