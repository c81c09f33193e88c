import type { ActionEnvironment } from '@signalbox/contracts/governance/action';
import type { Queryable } from '../pool.ts';
import { FINAL_STATES } from '../deploy/deployments-rows.ts';
import { selectVerdict } from '../deploy/service-health.ts';
import { FAULT_SUBJECT } from '../migrations/fault-rows.ts';
import { readRow, sql, Sql } from '../sql.ts';
import { IS_CHANGING_ACTION, selectRememberedThreads } from '../memory/conversations.ts';

/** An approval request that nobody has decided. All times in this file are ISO 8601. */
export interface PendingApprovalRow {
  readonly approvalId: string;
  readonly tool: string;
  /** The name of who asked, and the version that they asked for; null when there is none. Both are chosen by people. */
  readonly asker: string | null;
  readonly version: string | null;
  readonly environment: ActionEnvironment;
  readonly resources: readonly string[];
  /** True when the request waits for the requester's own confirmation. */
  readonly byRequester: boolean;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** Number of approvals, of the `needed` ones. */
  readonly votes: number;
  readonly needed: number;
}

export interface ActiveDeploymentRow {
  readonly deploymentId: string;
  readonly project: string;
  readonly environment: string;
  readonly kind: string;
  readonly ref: string;
  readonly state: string;
  readonly requestedAt: string;
  /** True when the person requested the deployment; false for another deployment of their projects. */
  readonly isOwn: boolean;
}

export interface JobRow {
  readonly runId: string;
  readonly job: string;
  readonly status: string;
  readonly createdAt: string;
}

/** A project of the person, with one row per environment that has a service. */
export interface OwnedProjectRow {
  readonly project: string;
  readonly environment: string | null;
  readonly server: string | null;
  readonly serverHealth: string | null;
  readonly serving: boolean;
  readonly release: string | null;
  readonly verdict: string | null;
  readonly lookedAt: string | null;
  /** Kinds of incidents that are open. */
  readonly incidents: readonly string[];
}

export interface RememberedThreadRow {
  readonly threadId: string;
  readonly status: string;
  readonly awaiting: boolean;
  readonly title: string | null;
  /** True when the conversation has read outside text. */
  readonly tainted: boolean;
  readonly createdAt: string;
  readonly lastActiveAt: string;
  /** Newest changes in the conversation, newest first. */
  readonly changes: readonly ActionChangeRow[];
}

export interface ActionChangeRow {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly environment: string | null;
  readonly release: string | null;
  readonly status: string;
  /** State of the job or deployment that the action started; null when it started none. */
  readonly work: string | null;
}

/** Memory of a person, which workers cache until its key changes. */
export interface MemoryRows {
  /** Newest facts in the person's own words, newest first. */
  readonly facts: readonly { readonly n: number; readonly fact: string; readonly madeAt: string }[];
  readonly total: number;
  /** Number of facts from outside text, whose texts are not read into the prompt. */
  readonly outside: number;
  readonly conversations: readonly RememberedThreadRow[];
}

/** An open incident of any project, for people who are on call. */
export interface OpenIncidentRow {
  readonly subject: string;
  /** Where an alarm is, as its source says; null for others. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly kind: string;
  readonly openedAt: string;
}

/** The first rows of a list, and the total number of rows. */
export interface CountedRows<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

export interface ContextRows {
  readonly at: Date;
  /** True in a private chat; elsewhere memory is left out of the prompt. */
  readonly isPrivate: boolean;
  /** Time at which the freeze began; null when there is none. */
  readonly frozenSince: string | null;
  readonly breakGlassUntil: string | null;
  readonly deciding: CountedRows<PendingApprovalRow>;
  readonly own: CountedRows<PendingApprovalRow>;
  readonly moving: CountedRows<ActiveDeploymentRow>;
  readonly jobs: CountedRows<JobRow>;
  readonly owned: CountedRows<OwnedProjectRow>;
  /** Open incidents of all projects, without faults of Signalbox itself; none for people below operators. */
  readonly incidents: CountedRows<OpenIncidentRow>;
  /** Key of the memory, which changes with its content. */
  readonly key: string;
  /** The memory; null when `known` equals `key`. */
  readonly memory: MemoryRows | null;
}

/** Person and conversation for which a context is read. */
export interface ContextScope {
  readonly userKey: string;
  readonly threadId: string;
  readonly chatKey: string;
}

// Limits are literals, not parameters, so that Postgres plans the statement once per connection.
/** Maximum number of rows of each kind in a prompt. */
const ROWS = sql`8`;
const CONVERSATIONS = sql`10`;
const CHANGES = sql`4`;
const FACTS = sql`40`;

const literal = (text: string) => new Sql([text], []);
const join = (parts: readonly Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`);

const counted = (rows: ReturnType<typeof sql>) => sql`(
  select json_build_object('total', coalesce(max(total), 0), 'rows', coalesce(json_agg(r order by place), '[]'))
    from (select *, row_number() over () as place from (${rows}) listed limit ${ROWS}) r)`;

const IS_OPEN = sql`p.status = 'pending' and p.expires_at > clock_timestamp()`;

const pending = (condition: ReturnType<typeof sql>) =>
  counted(sql`
    select count(*) over ()::int as total, p.approval_id as "approvalId", a.tool,
           (select u.name from users u where u.user_key = p.user_key) as asker, a.arguments ->> 'version' as version,
           coalesce(a.proposal #>> '{action,environment}', 'none') as environment,
           coalesce(a.proposal #> '{action,resources}', '[]') as resources, p.by_requester as "byRequester",
           p.requested_at as "requestedAt", p.expires_at as "expiresAt", p.needed,
           (select count(*)::int from approval_votes v where v.approval_id = p.approval_id) as votes
      from approvals p join actions a on a.action_id = p.action_id
     where ${IS_OPEN} and ${condition} order by p.requested_at`);

/** Approval requests that this person may decide: not their own, and none on which they have voted. */
const MAY_DECIDE = sql`case when p.by_requester then p.user_key = any (me.keys) else
    not p.authors && me.keys and not me.program
    and array_position(array['viewer', 'developer', 'operator', 'admin'], p.role)
        <= array_position(array['viewer', 'developer', 'operator', 'admin'], me.role)
    and not exists (select from approval_votes v where v.approval_id = p.approval_id and v.user_key = any (me.keys)) end`;

const IS_OWN = sql`p.user_key = any (me.keys) and not p.by_requester`;

const IS_MOVING = sql`d.state not in ${FINAL_STATES} and (d.user_key = any (me.keys) or p.owner = any (me.keys))`;

const MOVING = counted(sql`
  select count(*) over ()::int as total, d.deployment_id as "deploymentId", d.project, d.environment, d.kind, d.ref, d.state,
         d.requested_at as "requestedAt", d.user_key = any (me.keys) as "isOwn"
    from deployments d join projects p on p.name = d.project
   where ${IS_MOVING} order by d.requested_at`);

const JOBS = counted(sql`
  select count(*) over ()::int as total, r.run_id as "runId", r.job, r.status, r.created_at as "createdAt" from runs r
   where r.status in ('queued', 'running') and r.user_key = any (me.keys)
     and not exists (select from deployments d where d.deployment_id = r.run_id) order by r.created_at`);

const VERDICT = selectVerdict(sql`s`, sql`d`);

/** Unhealthy services come first, then services that serve. */
const OWNED = counted(sql`
  select count(*) over ()::int as total, p.name as project, s.environment, s.server, v.health as "serverHealth",
         s.serving is not null as serving, d.release, ${VERDICT} as verdict, s.health_at as "lookedAt",
         coalesce((select json_agg(i.kind order by i.opened_at) from incidents i
                    where i.closed_at is null and i.subject = 'service:' || s.project || '/' || s.environment), '[]') as incidents
    from unnest(me.keys) k (owner) join projects p on p.owner = k.owner left join services s on s.project = p.name left join servers v on v.name = s.server
         left join deployments d on d.deployment_id = s.serving
   where p.status <> 'archived'
   order by s.serving is not null and coalesce(${VERDICT}, 'healthy') <> 'healthy' desc,
            s.serving is not null desc, p.updated_at desc, p.name, s.environment`);

const INCIDENTS = counted(sql`
  select count(*) over ()::int as total, i.subject, i.evidence ->> 'project' as project, i.evidence ->> 'environment' as environment, i.kind,
         i.opened_at as "openedAt" from incidents i
   where i.closed_at is null and i.subject <> ${literal(`'${FAULT_SUBJECT}'`)} and me.role in ('operator', 'admin') order by i.opened_at desc`);

const CONVERSATION = sql`
  select t.thread_id as "threadId", t.status, t.awaiting, t.title, exists (select from thread_taints x where x.thread_id = t.thread_id) as tainted,
         t.created_at as "createdAt", t.last_active_at as "lastActiveAt",
         coalesce((select json_agg(c) from (
           select a.tool, a.arguments, a.proposal #>> '{action,environment}' as environment, d.release, a.status, coalesce(d.state, r.status) as work
             from actions a left join runs r on r.run_id = a.action_id left join deployments d on d.deployment_id = a.action_id
            where a.thread_id = t.thread_id and ${IS_CHANGING_ACTION} order by a.started_at desc limit ${CHANGES}) c), '[]') as changes
    from newest t order by t.last_active_at desc, t.thread_id`;

const ME = sql`(select person_of(u) as person, identities_of(u) as keys, thread, (select x.role from users x where x.user_key = u) as role,
             coalesce((select x.is_program from users x where x.user_key = u), false) as program from given)`;

const NEWEST = sql`(
      select t.* from me, lateral (select t.* from ${selectRememberedThreads(sql`me.person`, sql`me.keys`)}) t
       where t.thread_id <> me.thread order by t.last_active_at desc limit ${CONVERSATIONS})`;

/** The lists of a context, each with the condition under which it may have rows. */
const LISTS = {
  deciding: { rows: pending(MAY_DECIDE), if: sql`exists (select from approvals p where ${IS_OPEN} and ${MAY_DECIDE})` },
  own: { rows: pending(IS_OWN), if: sql`exists (select from approvals p where ${IS_OPEN} and ${IS_OWN})` },
  moving: {
    rows: MOVING,
    if: sql`exists (select from deployments d join projects p on p.name = d.project where ${IS_MOVING})`,
  },
  jobs: {
    rows: JOBS,
    if: sql`exists (select from runs r where r.status in ('queued', 'running') and r.user_key = any (me.keys))`,
  },
  owned: {
    rows: OWNED,
    if: sql`exists (select from projects p where p.status <> 'archived' and p.owner = any (me.keys))`,
  },
  incidents: {
    rows: INCIDENTS,
    if: sql`me.role in ('operator', 'admin') and exists (select from incidents i where i.closed_at is null)`,
  },
};
type ListName = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as readonly ListName[]; // the object has no other keys

const WANTED = join(LIST_NAMES.map((name) => sql`case when ${LISTS[name].if} then ${literal(`'${name}'`)} end`));

type HeadRow = Pick<ContextRows, 'at' | 'isPrivate' | 'frozenSince' | 'breakGlassUntil' | 'key'> & {
  readonly wanted: readonly ListName[];
};

/**
 * Reads the context of a person for a prompt: in one round trip for somebody about whom there is nothing to say, and one more for the lists that
 * have rows. Postgres prepares all parts of a statement before it runs one, so a list without rows would cost as much as one with them.
 * `known`: key of the cached memory, which is then not read again. Rows hold names and refs chosen by people, so the caller redacts them.
 */
export async function readContext(db: Queryable, scope: ContextScope, known: string | null): Promise<ContextRows> {
  const { userKey, threadId, chatKey } = scope;
  const { wanted, ...head } = await readRow<HeadRow>(db, 'context_read')`
    with given as materialized (select ${userKey}::text as u, ${threadId}::text as thread),
    me as materialized ${ME},
    newest as materialized ${NEWEST},
    -- Work that is under way in one of them changes what it came to.
    stamp as materialized (
      select coalesce((select m.version from memories m, me where m.person = me.person), 0) || ' ' || md5(coalesce(string_agg(
               concat_ws(' ', n.thread_id, n.status, n.awaiting, extract(epoch from n.last_active_at),
                         (select count(*) from runs r where r.thread_id = n.thread_id and r.status in ('queued', 'running')),
                         (select max(a.settled_at) from actions a where a.thread_id = n.thread_id)), ',' order by n.thread_id), '')) as key
        from newest n)
    select clock_timestamp() as at, is_private_to(me.keys, ${chatKey}::text) as "isPrivate",
           (select coalesce(s.value ->> 'at', '') from settings s where s.key = 'freeze' and is_frozen()) as "frozenSince",
           (select s.value ->> 'until' from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > now()) as "breakGlassUntil",
           array_remove(array[${WANTED}], null) as wanted, stamp.key
      from me, stamp`;
  const [lists, memory] = await Promise.all([
    wanted.length === 0 ? {} : readLists(db, scope, wanted),
    head.key === known ? null : readMemory(db, scope),
  ]);
  const none = { rows: [], total: 0 };
  return {
    ...head,
    deciding: none,
    own: none,
    moving: none,
    jobs: none,
    owned: none,
    incidents: none,
    ...lists,
    memory,
  };
}

function readLists(db: Queryable, { userKey, threadId }: ContextScope, wanted: readonly ListName[]) {
  const lists = join(wanted.map((name) => sql`${LISTS[name].rows} as ${literal(name)}`));
  // A name per combination: each is planned once per connection.
  return readRow<Partial<Pick<ContextRows, ListName>>>(db, `context_${wanted.join('_')}`)`
    with given as materialized (select ${userKey}::text as u, ${threadId}::text as thread), me as materialized ${ME} select ${lists} from me`;
}

async function readMemory(db: Queryable, { userKey, threadId }: ContextScope): Promise<MemoryRows> {
  return readRow<MemoryRows>(db, 'context_memory')`
    with given as materialized (select ${userKey}::text as u, ${threadId}::text as thread),
    me as materialized ${ME},
    newest as materialized ${NEWEST}
    select (select coalesce(json_agg(f order by f.n desc), '[]') from (
              select n, fact, made_at as "madeAt" from memory_facts where person = me.person and outside is null
               order by n desc limit ${FACTS}) f) as facts,
           (select count(*)::int from memory_facts where person = me.person) as total,
           (select count(*)::int from memory_facts where person = me.person and outside is not null) as outside,
           (select coalesce(json_agg(c), '[]') from (${CONVERSATION}) c) as conversations
      from me`;
}
