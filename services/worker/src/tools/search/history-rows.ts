import type { Pool } from '@signalbox/store/pool';
import { listRows, listValues, sql } from '@signalbox/store/sql';
import {
  formatHitTime,
  sayMoment,
  type KnowledgeHit,
  type KnowledgeQuery,
  type KnowledgeReader,
  type ScopeResult,
} from './hit.ts';
import { listPatterns, measureTerms, scoreText } from './score-text.ts';

/** Newest rows of each kind that are searched, without an index: 5,000 messages took 0.15 s. */
const MAX_ROWS = sql`5000`;
const EXCERPT_LENGTH = 300;
/** A text with less than this share of the asked words is about something else. */
const MIN_RELEVANCE = 0.4;
/** Hits within this step of relevance count as equals, of which the newest comes first. */
const STEP = 0.1;

interface HistoryRow {
  readonly kind: 'asked' | 'told' | 'thread' | 'deployment' | 'decision';
  readonly at: Date;
  readonly said: string;
  /** The thread, the service of a deployment, or the request of a decision. */
  readonly place: string | null;
  readonly id: string | null;
}

/**
 * Searches the person's own conversations, and deployments and decisions of projects that they may see. Where others read, only what was
 * said in that chat is found. Forgotten conversations are left out.
 */
export async function searchHistory(
  pool: Pool,
  { query, project }: KnowledgeQuery,
  reader: KnowledgeReader,
  limit: number,
): Promise<ScopeResult> {
  const patterns = listPatterns(query);
  if (patterns.length === 0) return { hits: [], state: 'searched' };
  const names = await listValues<string>(
    pool,
  )`select name from projects where ${project ?? null}::text is null or name = ${project ?? null} order by name`;
  const deployed = names.filter((name) => reader.mayRead('list_deployments', { project: name }));
  const decided = names.filter((name) => reader.mayRead('what_changed', { since: '24 hours', project: name }));
  const [said, done] = await Promise.all([
    project === undefined ? listWords(pool, reader, patterns) : [],
    listDeeds(pool, { deployed, decided, patterns }),
  ]);
  const rows = [...said, ...done];
  const weighed = measureTerms(
    query,
    rows.map(({ said: text }) => text),
  );
  const hits = rows
    .map((row) => toHit(row, Math.round(scoreText(weighed, row.said) / STEP) * STEP))
    .filter(({ relevance }) => relevance >= MIN_RELEVANCE)
    .sort((one, other) => other.relevance - one.relevance || Number(other.at) - Number(one.at));
  return { hits: hits.slice(0, limit), state: 'searched' };
}

function toHit({ kind, at, said, place, id }: HistoryRow, relevance: number): KnowledgeHit {
  const time = formatHitTime(at);
  const excerpt = said.length <= EXCERPT_LENGTH ? said : `${said.slice(0, EXCERPT_LENGTH).toWellFormed()} …`;
  const own = { scope: 'history', excerpt, relevance: Math.min(1, relevance), at, isOwn: false } as const;
  switch (kind) {
    case 'asked':
    case 'told':
      return { ...own, source: `${sayMoment(kind === 'asked', at)}${place === null ? '' : ` (${place})`}`, next: null };
    case 'thread':
      return { ...own, source: `${place ?? ''} ${time} UTC`, next: null };
    case 'deployment': {
      const [project = '', environment = ''] = (place ?? '').split('/');
      return {
        ...own,
        source: `${place} ${time} UTC: ${id}`,
        next: { tool: 'list_deployments', args: { project, environment } },
      };
    }
    case 'decision':
      return {
        ...own,
        source: `${place === null ? '' : `${place} `}${time} UTC: ${id}`,
        next: { tool: 'show_request', args: { request: id ?? '' } },
      };
  }
}

function listWords(
  pool: Pool,
  { userKey, chatKey }: Pick<KnowledgeReader, 'userKey' | 'chatKey'>,
  patterns: readonly string[],
): Promise<readonly HistoryRow[]> {
  return listRows<HistoryRow>(pool)`
    with me as materialized (
      select person_of(${userKey}) as person, identities_of(${userKey}) as keys,
             ${chatKey}::text is null or is_private_to(identities_of(${userKey}), ${chatKey}) as alone),
    words as (
      (select 'asked' as kind, i.received_at as at, i.envelope ->> 'text' as said, t.thread_id as place, i.chat_key
         from me, inbox i left join turns t on t.turn_id = i.turn_id
        where i.user_key = any (me.keys) and i.kind = 'message' and i.outcome is not null order by i.id desc limit ${MAX_ROWS})
      union all
      (select 'told', o.created_at, o.body ->> 'text', o.thread_id, o.chat_key from me, outbox o
        where o.user_key = any (me.keys) and o.status = 'sent' order by o.id desc limit ${MAX_ROWS})
      union all
      (select 'thread', t.last_active_at, concat_ws(': ', t.title, t.summary), t.thread_id, t.chat_key from me, threads t
        where t.user_key = any (me.keys) and t.status <> 'open' order by t.last_active_at desc limit ${MAX_ROWS}))
    select w.kind, w.at, w.said, w.place, null as id from me left join memories m using (person), words w
     where w.said ilike any (${patterns}::text[]) and (me.alone or chat_root(w.chat_key) = chat_root(${chatKey}))
       and (m.forgotten_to is null or w.at > m.forgotten_to)
       and not exists (select from memory_forgotten f where f.person = me.person and f.thread_id = w.place)`;
}

function listDeeds(
  pool: Pool,
  {
    deployed,
    decided,
    patterns,
  }: {
    readonly deployed: readonly string[];
    readonly decided: readonly string[];
    readonly patterns: readonly string[];
  },
): Promise<readonly HistoryRow[]> {
  return listRows<HistoryRow>(pool)`
    select * from (
      (select 'deployment' as kind, d.requested_at as at, d.project || '/' || d.environment as place, d.deployment_id as id,
              concat_ws(' ', d.project, d.environment, case d.kind when 'rollback' then 'rollback, rolled back to' else 'deploy' end, d.ref, d.release,
                replace(d.state, '_', ' '), 'by', u.name, d.failure ->> 'sentence') as said
         from deployments d left join users u on u.user_key = d.user_key
        where d.project = any (${deployed}::text[]) order by d.requested_at desc limit ${MAX_ROWS})
      union all
      (select 'decision', coalesce(p.decided_at, p.requested_at), a.arguments ->> 'project', p.approval_id,
              concat_ws(' ', 'approval', p.status, p.card ->> 'what', p.card ->> 'change', p.reason, 'by', p.decided_by,
                (select string_agg(v.name, ', ') from approval_votes v where v.approval_id = p.approval_id))
         from approvals p join actions a on a.action_id = p.action_id
        where a.arguments ->> 'project' = any (${decided}::text[]) and not p.by_requester order by p.requested_at desc limit ${MAX_ROWS})) deeds
     where said ilike any (${patterns}::text[])`;
}
