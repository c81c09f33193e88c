import { Environment } from '@signalbox/contracts/conversation/fields';
import type { Pool } from '@signalbox/store/pool';
import { listRows, sql } from '@signalbox/store/sql';
import {
  formatHitTime,
  type KnowledgeHit,
  type KnowledgeQuery,
  type KnowledgeReader,
  type ScopeResult,
} from './hit.ts';
import { listPatterns, measureTerms, scoreText } from './score-text.ts';
import { readTerms } from './terms.ts';

const MAX_SERVICES = 3;
const MAX_DEPLOYMENTS = sql`60`;
const MAX_LINES = sql`2000`;
const LINE_LENGTH = 400;
const MIN_RELEVANCE = 0.35;
const STEP = 0.1;

interface LogRow {
  readonly kind: 'build' | 'error' | 'job' | 'service';
  readonly project: string | null;
  readonly environment: string | null;
  readonly id: string | null;
  readonly at: Date;
  readonly line: string;
  readonly count: number;
}

/**
 * Searches output of builds and deployments, kinds of errors, failed jobs of the person, and the newest lines of services that run. Lines
 * that differ only in numbers are one hit. Newest first among equals.
 */
export async function searchLogs(
  pool: Pool,
  { query, project }: KnowledgeQuery,
  reader: KnowledgeReader,
  limit: number,
): Promise<ScopeResult> {
  const patterns = listPatterns(query);
  if (patterns.length === 0) return { hits: [], state: 'searched' };
  const services = await listRows<{ project: string; environment: string; runs: boolean }>(pool)`
    select project, environment, serving is not null as runs from services
     where ${project ?? null}::text is null or project = ${project ?? null} order by health_at desc nulls last`;
  const projects = [...new Set(services.map((one) => one.project))];
  const built = projects.filter((name) => reader.mayRead('get_deploy_logs', { project: name, lines: 40 }));
  const failed = projects.filter((name) => reader.mayRead('get_error_history', { project: name, hours: 24 }));
  const [stored, live] = await Promise.all([
    listStored(pool, { built, failed, patterns, userKey: reader.userKey, project: project ?? null }),
    readLive(
      services,
      reader,
      readTerms(query).map(({ word }) => word),
    ),
  ]);
  const rows = [...live, ...stored];
  const weighed = measureTerms(query, rows.map(toText));
  const scored = rows
    .map((row) => ({ ...row, relevance: Math.round(scoreText(weighed, toText(row)) / STEP) * STEP }))
    .filter(({ relevance }) => relevance >= MIN_RELEVANCE);
  const hits = fold(scored).map(toHit);
  if (hits.length === 0 && projects.length > 0 && built.length + failed.length === 0) return { hits, state: 'refused' };
  return { hits: hits.slice(0, limit), state: 'searched' };
}

/** A line of a build says nowhere that it is one. */
function toText({ kind, project, environment, line }: LogRow): string {
  return `${kind === 'build' ? 'build ' : ''}${project ?? ''} ${environment ?? ''} ${line}`;
}

async function readLive(
  services: readonly { readonly project: string; readonly environment: string; readonly runs: boolean }[],
  { mayRead, liveLogs }: KnowledgeReader,
  words: readonly string[],
): Promise<readonly LogRow[]> {
  // The longest word is the rarest, more often than not; the other words are looked for in what is read.
  const [word] = words.toSorted((one, other) => other.length - one.length);
  if (liveLogs === undefined || word === undefined) return [];
  const readable = services.flatMap(({ project, environment, runs }) => {
    const { success, data } = Environment.safeParse(environment);
    return success && runs && mayRead('get_service_logs', { project, environment, lines: 40 })
      ? [{ project, environment: data }]
      : [];
  });
  const read = readable.slice(0, MAX_SERVICES).map(async (service) =>
    (await liveLogs(service, word)).map(({ line, at }): LogRow => ({
      kind: 'service',
      ...service,
      id: null,
      at: at === null ? new Date() : new Date(at),
      line,
      count: 1,
    })),
  );
  return (await Promise.all(read)).flat();
}

function listStored(
  pool: Pool,
  asked: {
    readonly built: readonly string[];
    readonly failed: readonly string[];
    readonly patterns: readonly string[];
    readonly userKey: string;
    readonly project: string | null;
  },
): Promise<readonly LogRow[]> {
  const { built, failed, patterns, userKey, project } = asked;
  return listRows<LogRow>(pool)`
    with recent as materialized (
      select deployment_id, project, environment from deployments where project = any (${built}::text[])
       order by requested_at desc limit ${MAX_DEPLOYMENTS})
    (select 'build' as kind, r.project, r.environment, r.deployment_id as id, l.at, l.line, 1 as count
       from recent r join deployment_lines l using (deployment_id) where l.line ilike any (${patterns}::text[])
      order by l.at desc limit ${MAX_LINES})
    union all
    (select 'error', e.project, e.environment, e.source, e.last_seen, e.sample, e.count::int from error_groups e
      where e.project = any (${failed}::text[]) and e.sample ilike any (${patterns}::text[]) order by e.last_seen desc limit ${MAX_LINES})
    union all
    (select 'job', null, null, j.run_id, j.finished_at, j.job || ': ' || j.error, 1 from runs j
      where j.user_key = any (identities_of(${userKey})) and j.error is not null and j.finished_at is not null
        and (${project}::text is null or j.payload ->> 'project' = ${project}) and j.error ilike any (${patterns}::text[])
      order by j.finished_at desc limit ${MAX_LINES})`;
}

type ScoredRow = LogRow & { readonly relevance: number };

/** Folds lines that differ only in numbers into the newest of them. */
function fold(rows: readonly ScoredRow[]): readonly ScoredRow[] {
  const folded = new Map<string, ScoredRow>();
  for (const row of rows.toSorted((one, other) => Number(other.at) - Number(one.at))) {
    const key = `${row.project}/${row.environment} ${row.line.replace(/[0-9a-f]{8,}|\d+/gi, '#')}`;
    const newest = folded.get(key);
    folded.set(key, newest ? { ...newest, count: newest.count + row.count } : row);
  }
  return [...folded.values()].sort(
    (one, other) => other.relevance - one.relevance || Number(other.at) - Number(one.at),
  );
}

function toHit({ kind, project, environment, id, at, line, count, relevance }: ScoredRow): KnowledgeHit {
  const service = project === null ? '' : `${project}/${environment ?? ''} `;
  const place = {
    build: `${service}${id ?? ''}`,
    error: `${service}${id ?? ''}`,
    job: id ?? '',
    service: service.trim(),
  }[kind];
  const of = { project: project ?? '', environment: environment ?? '' };
  const text = line.length <= LINE_LENGTH ? line : `${line.slice(0, LINE_LENGTH).toWellFormed()} …`;
  const next = {
    build: { tool: 'get_deploy_logs', args: of },
    error: { tool: 'get_error_history', args: of },
    service: { tool: 'get_service_logs', args: of },
    job: null,
  }[kind];
  return {
    scope: 'logs',
    source: `${place} ${formatHitTime(at)} UTC`,
    excerpt: count > 1 ? `${text} (${count} ×)` : text,
    relevance: Math.min(1, relevance),
    at,
    next,
    isOwn: false,
  };
}
