import { findMentions } from './mentions.ts';
import { findRequested, type Surroundings } from './requests.ts';
import type { Said } from './history.ts';
import { readSmallTalk } from './small-talk.ts';
import { cleanText } from './tokens.ts';
import { asLine } from './words.ts';

const SUMMARY_LENGTH = 80;
/** Where one request may end and the next begin. */
const CLAUSES = /[.;!?\n]+\s+|,\s+|\s+(?:and then|and|then|also)\s+/i;
const MOST_CLAUSES = 8;

/** The intent of what was said: the groups that it needs, installed or not, in one line of the person's own words. */
export function classify(
  said: readonly Said[],
  around: Surroundings,
): { task_summary: string; capabilities: string[]; project: string | null } {
  const texts = said.filter(({ event }) => event === null).map(({ text }) => cleanText(text));
  const asked = texts.filter((text) => text !== '' && readSmallTalk(text) === null);
  const capabilities = new Set(asked.flatMap((text) => groupsFor(text, around)));
  const project = asked
    .flatMap((text) => findMentions(text, around.facts, around.index.words))
    .find(({ kind }) => kind === 'project');
  return {
    task_summary: asLine(asked[0] ?? texts[0] ?? said[0]?.event ?? '', SUMMARY_LENGTH),
    capabilities: [...capabilities],
    project: project?.name ?? null,
  };
}

function groupsFor(text: string, around: Surroundings): readonly string[] {
  const clauses = text.split(CLAUSES).slice(0, MOST_CLAUSES);
  const parts = clauses.length > 1 ? [text, ...clauses] : [text];
  return parts
    .filter((part) => part.trim() !== '')
    .flatMap((part) => findRequested(part, around))
    .flatMap(({ tool }) => (tool.group === null ? [] : [tool.group]));
}
