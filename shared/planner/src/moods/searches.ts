import { readMood } from './moods.ts';

/** Whether the text asks about something (how, why, what happens if …) rather than for something. */
export function asksAbout(text: string): boolean {
  const { mood } = readMood(text);
  return mood === 'knowledge' || mood === 'advice';
}

const SEARCH =
  /^(?:please |can you |could you )*(?:search|look(?: it)? up|look in|find in|check)(?: in)?(?: the| our| my)? (docs?|documentation|manual|handbook|code|source(?: code)?|history|conversations?|chats?|logs?|knowledge(?: base)?)\b[:,]?(?: for| about| on|:)?\s*(.*)$/i;
const SEARCH_PLAIN =
  /^(?:please |can you |could you )*(?:search|look up|google)(?: for| about)?\s+(?!.*\b(?:server|machine|port)\b)(?!(?:results?|index|engine|is|are|doesn't|doesnt|does|finds?)\b)(.+?)(?: in (?:the |our )?(docs?|documentation|code|history|logs?))?$/i;
const WHERE_DOCS =
  /^where (?:is|are|can i find|do i find)(?: the)? (?:docs?|documentation|manual|handbook) (?:about|for|of|on)\s+(.+)$/i;

export interface KnowledgeQuery {
  readonly query: string;
  readonly scope: 'docs' | 'code' | 'history' | 'logs' | 'all';
}

/** A plain order to search; null when the text is none. */
export function readSearch(text: string): KnowledgeQuery | null {
  const plain = text.replace(/[.!?]+$/, '');
  const docs = WHERE_DOCS.exec(plain);
  if (docs?.[1]) return { query: docs[1], scope: 'docs' };
  const scoped = SEARCH.exec(plain);
  if (scoped?.[1]) return { query: scoped[2] || plain, scope: scopeOf(scoped[1]) };
  const open = SEARCH_PLAIN.exec(plain);
  return open?.[1] ? { query: open[1], scope: scopeOf(open[2] ?? '') } : null;
}

function scopeOf(word: string): KnowledgeQuery['scope'] {
  if (/^(?:doc|manual|handbook)/i.test(word)) return 'docs';
  if (/^(?:code|source)/i.test(word)) return 'code';
  if (/^(?:history|conv|chat)/i.test(word)) return 'history';
  return /^log/i.test(word) ? 'logs' : 'all';
}
