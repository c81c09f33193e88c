import type { Pool } from '@signalbox/store/pool';
import { listSearchedProjects, listSearchedRefs, searchCode } from './code-rows.ts';
import {
  KNOWLEDGE_SCOPES,
  type HitScope,
  type KnowledgeHit,
  type KnowledgeQuery,
  type KnowledgeReader,
  type KnowledgeResult,
  type ScopeResult,
} from './hit.ts';
import type { QueryVector, QueryVectors } from './query-vector.ts';
import { searchHistory } from './history-rows.ts';
import { searchLogs } from './log-rows.ts';
import { hasManual, searchManual } from './manual-rows.ts';

/** Searches what a person may see. Safe from several turns at once; only reads. */
export type KnowledgeSearch = ReturnType<typeof createKnowledgeSearch>;

/** `vectors`: makes vectors of queries; without it everything works by words. */
export function createKnowledgeSearch(pool: Pool, vectors: QueryVectors = () => Promise.resolve(null)) {
  return {
    /** At most `limit` hits, best first. */
    async search(asked: KnowledgeQuery, reader: KnowledgeReader, limit: number): Promise<KnowledgeResult> {
      const scopes = KNOWLEDGE_SCOPES.filter((scope) => asked.scope === 'all' || asked.scope === scope);
      const hasVectors = scopes.some((scope) => scope === 'docs' || scope === 'code');
      const vector = hasVectors ? vectors(asked.query) : Promise.resolve(null);
      const found = await Promise.all(scopes.map((scope) => SEARCHES[scope](pool, asked, reader, limit, vector)));
      return {
        hits: mixScopes(
          found.map(({ hits }) => hits),
          limit,
        ),
        unavailable: scopes.filter((_, place) => found[place]?.state === 'unavailable'),
        refused: scopes.filter((_, place) => found[place]?.state === 'refused'),
        refs: [...new Set(found.flatMap(({ refs = [] }) => refs))],
      };
    },
  };
}

type SearchScope = (
  pool: Pool,
  asked: KnowledgeQuery,
  reader: KnowledgeReader,
  limit: number,
  vector: Promise<QueryVector | null>,
) => Promise<ScopeResult>;

const SEARCHES: Readonly<Record<HitScope, SearchScope>> = {
  docs: async (pool, asked, reader, limit, vector) => {
    const own = asked.project === undefined && (await hasManual(pool));
    const [manual, theirs] = await Promise.all([
      own ? searchManual(pool, asked.query, limit, vector) : [],
      searchRepositories(pool, asked, reader, { limit, isDocs: true, vector }),
    ]);
    if (own && theirs.state !== 'searched') return { hits: manual, state: 'searched' };
    return { ...theirs, hits: mixScopes([manual, theirs.hits], limit) };
  },
  code: (pool, asked, reader, limit, vector) =>
    searchRepositories(pool, asked, reader, { limit, isDocs: false, vector }),
  history: searchHistory,
  logs: searchLogs,
};

async function searchRepositories(
  pool: Pool,
  { query, project, ref }: KnowledgeQuery,
  { mayRead }: KnowledgeReader,
  {
    limit,
    isDocs,
    vector,
  }: { readonly limit: number; readonly isDocs: boolean; readonly vector: Promise<QueryVector | null> },
): Promise<ScopeResult> {
  const searched = await listSearchedProjects(pool);
  const asked = searched.filter((name) => project === undefined || name === project);
  if (asked.length === 0) return { hits: [], state: 'unavailable' };
  const projects = asked.filter((name) => mayRead('search_repository', { project: name, words: query }));
  if (projects.length === 0) return { hits: [], state: 'refused' };
  const hits = await searchCode(pool, { query, isDocs, projects, ref: ref ?? null, limit }, vector);
  const refs = hits.length === 0 && ref !== undefined ? await listSearchedRefs(pool, projects) : [];
  return {
    state: 'searched',
    refs,
    hits: hits.map(({ heading, excerpt, ...hit }) => ({
      scope: isDocs ? 'docs' : 'code',
      source: `${hit.project}@${hit.ref}:${hit.path}:${hit.line}`,
      excerpt: isDocs && heading !== '' ? `${heading}\n${excerpt}` : excerpt,
      relevance: hit.relevance,
      at: null,
      next: {
        tool: 'read_repository_file',
        args: {
          project: hit.project,
          path: hit.path,
          version: hit.commit.slice(0, 12),
          from_line: Math.max(1, hit.line - 5),
        },
      },
      isOwn: false,
    })),
  };
}

/** Joins lists by relevance; no list takes more than its half and one, so that a scope with long texts does not hide the others. */
function mixScopes(lists: readonly (readonly KnowledgeHit[])[], limit: number): readonly KnowledgeHit[] {
  const filled = lists.filter((list) => list.length > 0);
  const most = filled.length > 1 ? Math.ceil(limit / 2) + 1 : limit;
  return filled
    .flatMap((list) => list.slice(0, most))
    .sort((one, other) => other.relevance - one.relevance || Number(other.at ?? 0) - Number(one.at ?? 0))
    .slice(0, limit);
}
