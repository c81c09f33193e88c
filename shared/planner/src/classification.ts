import { splitRequests } from './requests/split.ts';
import type { Said } from './conversation/history.ts';
import { readSmallTalk } from './requests/small-talk.ts';
import { cleanText } from './text/tokens.ts';
import { CONFIDENT, type Surroundings, matchesFor, mentionsIn } from './requests/understanding.ts';
import { asLine } from './words.ts';

const SUMMARY_LENGTH = 80;
/** More groups than this are not one task. */
const MOST_GROUPS = 10;
/** The intent of what was said: the groups that it needs, installed or not, in one line of the person's own words. */
export function classify(
  said: readonly Said[],
  around: Surroundings,
): { task_summary: string; capabilities: string[]; project: string | null } {
  const texts = said.filter(({ event }) => event === null).map(({ text }) => cleanText(text));
  const asked = texts.filter((text) => text !== '' && readSmallTalk(text) === null);
  const capabilities = new Set(asked.flatMap((text) => groupsFor(text, around)));
  const project = asked.flatMap((text) => mentionsIn(text, around)).find(({ kind }) => kind === 'project');
  return {
    task_summary: asLine(asked[0] ?? texts[0] ?? said[0]?.event ?? '', SUMMARY_LENGTH),
    capabilities: [...capabilities].slice(0, MOST_GROUPS),
    project: project?.name ?? null,
  };
}

function groupsFor(text: string, around: Surroundings): readonly string[] {
  return splitRequests(text, around).flatMap((part) => {
    const [best] = matchesFor(part, around);
    return best && best.score >= CONFIDENT && best.tool.group !== null ? [best.tool.group] : [];
  });
}
