import { toAppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import type { Log } from '@signalbox/platform/log';
import { say } from '@signalbox/messages/say';
import { createFailedResult, type ToolCallResult } from '@signalbox/governance/calls/call';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { redactValue } from '@signalbox/safety/redact/redact';
import type { KnowledgeSearch } from './search/knowledge-search.ts';
import type { KnowledgeHit, KnowledgeQuery, KnowledgeReader } from './search/hit.ts';

/** The number of hits for the model, more than a person reads on a phone. */
const HITS = 5;
const HITS_SAID = 2;
const EXCERPT_SAID = 320;

/** Runs the base tool search_knowledge: every hit with its source, in words and as data. Never throws. */
export async function searchKnowledge(
  { knowledge, log }: { readonly knowledge: KnowledgeSearch; readonly log: Log },
  asked: KnowledgeQuery,
  reader: KnowledgeReader,
): Promise<ToolCallResult> {
  try {
    const { hits, unavailable, refused, refs } = redactValue(await knowledge.search(asked, reader, HITS));
    const lines = hits.slice(0, HITS_SAID).map(sayHit);
    const isRefused = lines.length === 0 && refused.length > 0;
    const nothing = isRefused ? say('agent.searchRefused') : say('agent.nothingFound', { query: asked.query });
    return {
      ok: true,
      result: {
        // Except in the manual, the author of a text or an old message does not speak for the person now.
        results: hits.map((hit) => (hit.isOwn ? showHit(hit) : wrapOutside('search_knowledge', showHit(hit)))),
        ...(unavailable.length > 0 ? { unavailable } : {}),
        ...(refused.length > 0 ? { refused } : {}),
        ...(refs.length > 0 ? { refs: wrapOutside('search_knowledge', refs) } : {}),
      },
      say: lines.length > 0 ? lines.join('\n\n') : nothing,
      code: null,
      changed: false,
      ...(refs.length > 0 || hits.some(({ isOwn }) => !isOwn) ? { untrusted: true } : {}),
    };
  } catch (thrown) {
    const error = toAppError(thrown, newId('ref'));
    log.error('search failed', { error });
    return createFailedResult(error);
  }
}

/** What a model reads of a hit; the order already says how well it matches. */
function showHit({ scope, source, excerpt, next }: KnowledgeHit) {
  return { scope, source, excerpt, ...(next ? { next } : {}) };
}

function sayHit({ scope, source, excerpt, isOwn }: KnowledgeHit): string {
  const title = isOwn ? source : toPlainName(source);
  const isCode = scope === 'code' || scope === 'logs';
  return `**${title}**\n${isCode ? toCodeBlock(excerpt.slice(0, EXCERPT_SAID)) : inShort(excerpt)}`;
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
