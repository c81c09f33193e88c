import { toAppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import type { Log } from '@signalbox/platform/log';
import { say } from '@signalbox/messages/say';
import { createFailedResult, type ToolCallResult } from '@signalbox/governance/calls/call';
import type { KnowledgeSearch, KnowledgeScope } from './ports/knowledge-rows.ts';

/** The number of hits for the model, more than a person reads on a phone. */
const HITS = 5;
const HITS_SAID = 2;
const EXCERPT_SAID = 320;

/** Runs the base tool search_knowledge: every hit with its source, in words and as data. Never throws. */
export async function searchKnowledge(
  { knowledge, log }: { readonly knowledge: KnowledgeSearch; readonly log: Log },
  query: string,
  scope: KnowledgeScope,
  userKey: string,
): Promise<ToolCallResult> {
  try {
    const found = await knowledge.search(query, scope, userKey, HITS);
    const lines = found.hits.slice(0, HITS_SAID).map((hit) => `**${hit.source}**\n${inShort(hit.excerpt)}`);
    const text = lines.length > 0 ? lines.join('\n\n') : say('agent.nothingFound', { query });
    return {
      ok: true,
      result: {
        // Except in the manual, the author of a text or an old message does not speak for the person now.
        results: found.hits.map((hit) => (hit.scope === 'docs' ? hit : wrapOutside('search_knowledge', hit))),
        unavailable: found.unavailable,
      },
      say: text,
      code: null,
      changed: false,
      ...(found.hits.some(({ scope: of }) => of !== 'docs') ? { untrusted: true } : {}),
    };
  } catch (thrown) {
    const error = toAppError(thrown, newId('ref'));
    log.error('search failed', { error });
    return createFailedResult(error);
  }
}

function inShort(excerpt: string): string {
  const text = excerpt.split('\n').map(withoutMarks).join(' ').replace(/\s+/g, ' ').trim();
  if (text.length <= EXCERPT_SAID) return text;
  const cut = text.slice(0, EXCERPT_SAID);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT_SAID / 2))} …`;
}

/** Removes the Markdown marks of headings and tables from a line. Pure. */
function withoutMarks(line: string): string {
  const text = line.trim().replace(/^#{1,6} /, '');
  if (/^\|?(?:\s*:?-{3,}:?\s*\|)+[\s:-]*$/.test(text)) return '';
  if (!text.startsWith('|') && !text.endsWith('|')) return text;
  const cells = text.replace(/^\||\|$/g, '').split(/(?<!\\)\|/);
  return `${cells
    .map((cell) => cell.trim())
    .filter(Boolean)
    .join(' · ')};`;
}
