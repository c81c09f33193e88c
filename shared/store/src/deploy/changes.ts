import type { Pool } from '../pool.ts';
import { listRows, sql } from '../sql.ts';
import { FAULT_SUBJECT } from '../migrations/fault-rows.ts';

/** Kinds of changes that everybody may know of, whoever made them. */
export type ChangeKind =
  | 'deploy'
  | 'rollback'
  | 'stop'
  | 'variable_set'
  | 'variable_removed'
  | 'muted'
  | 'server'
  | 'project'
  | 'approval'
  | 'incident_opened'
  | 'incident_closed'
  | 'restarted'
  | 'gave_up'
  | 'crash_stopped'
  | 'policy'
  | 'frozen'
  | 'rota'
  | 'unfrozen'
  | 'break_glass';

export interface Change {
  readonly at: Date;
  readonly kind: ChangeKind;
  readonly project: string | null;
  readonly environment: string | null;
  /** Name of the variable, server or rota; never a value. */
  readonly name: string | null;
  /** Version that was deployed, or the version of the policies. */
  readonly version: string | null;
  /** State of the deployment, how the request ended, the kind of incident, or what was done with a project, server or messages. */
  readonly state: string | null;
  /** Name of the person; null for the system. */
  readonly by: string | null;
  /** The requested action, the incident, or the files of changed policies, in words of others. */
  readonly what: string | null;
}

export interface ChangeFilter {
  readonly since: Date;
  readonly until?: Date | null;
  readonly project?: string | null;
}

/** Tools that do one of several things of their kind, with what they do. */
const DOINGS = {
  create_project_intent: 'created',
  register_demo_project: 'created',
  register_server: 'created',
  trust_host_key: 'trusted',
} as const satisfies Readonly<Record<string, string>>;

/** Tools whose changes concern everybody, with the kind of change. What a person does for themselves is not listed here. */
const TOOLS = {
  stop_service: 'stop',
  set_service_variable: 'variable_set',
  remove_service_variable: 'variable_removed',
  mute_service: 'muted',
  register_server: 'server',
  trust_host_key: 'server',
  create_project_intent: 'project',
  update_project: 'project',
  register_demo_project: 'project',
} as const satisfies Readonly<Record<string, ChangeKind>>;

/** Audit events of changes that no tool made. */
const EVENTS = {
  'service.stop_requested': 'stop',
  'service.muted': 'muted',
  'service.revived': 'restarted',
  'service.given_up': 'gave_up',
  'service.crash_stopped': 'crash_stopped',
  'freeze.set': 'frozen',
  'freeze.lifted': 'unfrozen',
  'break_glass.opened': 'break_glass',
  'rota.set': 'rota',
  'rota.removed': 'rota',
  'rota.covered': 'rota',
  'rota.uncovered': 'rota',
} as const satisfies Readonly<Record<string, ChangeKind>>;

/** An action waits at most this long for its approval. */
const WAITED = sql`interval '7 days'`;

/**
 * Lists what changed since a time and until another, newest first, with the number of all changes. With a project, its own changes and freezes,
 * which hold for every project; servers and policies belong to none.
 */
export async function listChanges(
  pool: Pool,
  { since, until = null, project = null }: ChangeFilter,
  limit: number,
): Promise<{ readonly changes: readonly Change[]; readonly total: number }> {
  const of = sql`split_part(split_part(subject, ':', 2), '/', 1)`;
  const place = sql`case when starts_with(subject, 'service:') then split_part(subject, '/', 2) end`;
  const incident = sql`case when starts_with(subject, 'service:') then ${of} end, ${place},
    case when not starts_with(subject, 'service:') then ${of} end, null, kind, null, detail from incidents where subject <> ${FAULT_SUBJECT}`;
  const rows = await listRows<Change & { readonly total: number }>(pool)`
    with tools as (select key as tool, value as kind from jsonb_each_text(${JSON.stringify(TOOLS)}::jsonb)),
    doings as (select key as tool, value as doing from jsonb_each_text(${JSON.stringify(DOINGS)}::jsonb)),
    events as (select key as event, value as kind from jsonb_each_text(${JSON.stringify(EVENTS)}::jsonb)),
    changes (at, kind, project, environment, name, version, state, by, what) as (
      select coalesce(d.finished_at, d.requested_at), d.kind, d.project, d.environment, null, d.ref, d.state,
             coalesce(u.name, d.user_key), null
        from deployments d left join users u on u.user_key = d.user_key where coalesce(d.finished_at, d.requested_at) >= ${since}
      union all
      select a.settled_at, t.kind,
             coalesce(a.arguments ->> 'project',
                      case when t.kind = 'project' then coalesce(a.arguments ->> 'name', a.result #>> '{result,name}') end),
             a.arguments ->> 'environment',
             case when t.kind in ('variable_set', 'variable_removed') then a.arguments ->> 'name'
                  when t.kind = 'server' then coalesce(a.arguments ->> 'server', a.arguments ->> 'name') end,
             null, coalesce(o.doing, case when t.kind = 'muted' and a.arguments ->> 'hours' = '0' then 'unmuted' end),
             coalesce(u.name, a.user_key), null
        from actions a join tools t using (tool) left join doings o using (tool) left join users u on u.user_key = a.user_key
       where a.status = 'done' and a.settled_at >= ${since} and a.proposed_at >= ${since}::timestamptz - ${WAITED}
      union all
      select p.decided_at, 'approval', coalesce(a.arguments ->> 'project', a.arguments #>> '{steps,0,args,project}'),
             a.arguments ->> 'environment', null, null, case when w.actor is null then p.status else 'withdrawn' end,
             case when p.status in ('approved', 'consumed')
                  then (select string_agg(v.name, ', ' order by v.voted_at) from approval_votes v where v.approval_id = p.approval_id)
                  when p.status in ('rejected', 'modified') -- A rejection names its person with role and id.
                  then coalesce(u.name, regexp_replace(p.decided_by, ' \\([a-z]+, id [^)]*\\)$', ''))
                  else (select coalesce(max(x.name), w.actor) from users x where x.user_key = w.actor) end, p.card ->> 'what'
        from actions a join approvals p using (action_id) left join users u on u.user_key = p.decided_by
             left join lateral (select e.actor from audit_events e where e.action_id = p.action_id and p.status = 'void'
               and e.kind = 'approval.voided' and e.data ->> 'reason' = 'withdrawn' limit 1) w on true
       where p.decided_at >= ${since} and a.proposed_at >= ${since}::timestamptz - ${WAITED} and not p.by_requester
         and (a.tool in (select tool from tools) or a.tool in ('trigger_deploy', 'rollback_deploy', 'cancel_deploy', 'propose_plan', 'pass_gate'))
      union all
      select opened_at, 'incident_opened', ${incident} and opened_at >= ${since}
      union all
      select closed_at, 'incident_closed', ${incident} and closed_at >= ${since}
      union all
      select e.recorded_at, v.kind, e.data ->> 'project', e.data ->> 'environment', e.data ->> 'rota', null,
             case when v.kind = 'rota' then split_part(e.kind, '.', 2)
                  when v.kind = 'muted' and e.data -> 'until' = 'null' then 'unmuted' end,
             case when e.actor <> 'system' then coalesce(u.name, e.actor) end, null
        from audit_events e join events v on v.event = e.kind left join users u on u.user_key = e.actor
       where e.recorded_at >= ${since}
      union all
      select s.loaded_at, 'policy', null, null, null, left(s.version, 12), null, null,
             (select string_agg(coalesce(n.name, o.name), ', ' order by coalesce(n.name, o.name))
                from jsonb_to_recordset(s.files) n (name text, text text)
                     full join jsonb_to_recordset(b.files) o (name text, text text) on o.name = n.name
               where b.files is not null and n.text is distinct from o.text)
        from policy_sets s left join lateral (select files from policy_sets where loaded_at < s.loaded_at order by loaded_at desc limit 1) b on true
       where s.loaded_at >= ${since})
    select changes.*, count(*) over ()::int as total from changes
     where (${project}::text is null or project = ${project} or kind in ('frozen', 'unfrozen', 'break_glass'))
       and (${until}::timestamptz is null or at < ${until}) order by at desc, kind limit ${limit}`;
  return { changes: rows.map(({ total: _total, ...change }) => change), total: rows[0]?.total ?? 0 };
}
