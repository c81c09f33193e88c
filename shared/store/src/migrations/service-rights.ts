/** Services with a database login of their own. The proxy needs none, and migrations run as the owner of the tables. */
export const DATABASE_SERVICES = ['gateway', 'worker', 'maintenance', 'agents', 'deploy', 'analysis'] as const;
export type ServiceWithLogin = (typeof DATABASE_SERVICES)[number];

/** Rights of one service: by table in the syntax of GRANT, and the functions with the owner's rights that it may call. */
export interface ServiceRights {
  readonly tables: Readonly<Record<string, string>>;
  readonly functions: readonly string[];
}

/** Returns the name of the role with the rights of a service. The login of the service is this role or a member of it. */
export function getServiceRole(service: ServiceWithLogin): string {
  return `signalbox_${service}`;
}

const READ = 'select';
const ADD = 'select, insert';
const WRITE = 'select, insert, update';
const CHANGE = 'select, update';
const ALL = 'select, insert, update, delete';
/** Rows that are replaced and never changed. */
const KEEP = 'select, insert, delete';

/** Services append to the audit log only through this function; no service may write its tables. */
const APPEND = 'audit_append(jsonb)';
/** Says whether the database is a restored copy, in which nobody works yet. Every service asks. */
const COPY = 'restored_copy()';
/** The row policies of the job pools call this function. */
const OWN_CARDS = 'card_stands_in(text, text)';
/** Rights for reporting a fault of Signalbox, which every service has; the pool `maintenance` notifies the admins. */
const REPORT = 'select, insert (subject, kind, detail, evidence, waits_since), update (waits_since, closed_at)';
/** Counts over all rows, for the metrics of one service. */
const FIGURES = 'operating_figures()';
/** Says why a pending request has lost its point: the row policy of requests calls it, too. */
const LOST_POINT = 'lost_point_of(text)';
/** Functions that find whom an incident tells, and where they can be reached, so that a service need not read what people wrote. */
const RECIPIENTS = ['incident_people(text, text)', 'find_recipients(text[])'];

/** Functions with which a person's press takes or silences an incident. */
const TAKEN = ['incident_take(bigint, text)', 'incident_silence(bigint, integer)'];

/** Set and lift the freeze, and no other setting. */
const FREEZE = ['set_freeze(jsonb)', 'lift_freeze()'];

/** Rights on runs: a pool records scheduled runs, which have no requester, and updates progress, but not job or recipient. */
const OWN_RUNS = [
  'select',
  'delete',
  'insert (run_id, job, payload, trace_id, status, result, error, attempts, created_at, queued_at, started_at, finished_at)',
  'update (status, attempts, epoch, queued_at, started_at, beat_at, finished_at, progress, result, error)',
].join(', ');

/** Columns with which a system message is put into a person's lane. */
const TO_LANE = 'insert (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)';
/** Columns with which `insertApproval` writes an approval request: pending and undecided. */
const REQUEST = `insert (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
  authors, card, expires_at, remind_at, escalate_at, by_requester)`;
/** Columns with which a message for a person is put into the outbox; only the gateway writes its delivery state. */
const ADD_WORDS = 'select, insert (key, chat_key, user_key, thread_id, turn_id, trace_id, priority, slot, body)';
const ADD_CHAT = 'select, insert (chat_key)';

/** Rights of every job pool: its own runs, and messages to people who wait for them. service-rows.ts limits the rows. */
const POOL_TABLES = {
  // For messages to the person who waits for a run
  users: 'select (user_key, channel, person, language, client_language)',
  runs: OWN_RUNS,
  inbox: `select, ${TO_LANE}`,
  lanes: 'select, insert (user_key)',
  chats: ADD_CHAT,
  outbox: ADD_WORDS,
  // The approval card of an action shows how its run ended
  approvals: 'select, update (reason)',
  approval_votes: READ,
  // A plan that waits for a run goes on at its end, even when the person canceled the run
  plans: 'select (waits_for, state)',
} as const;

/**
 * Database rights of each service; a service has no access to tables that are not listed. `migrate` grants the rights. SELECT … FOR SHARE
 * needs the right to update some column, so a few columns are writable although nobody writes them.
 */
export const SERVICE_RIGHTS: Readonly<Record<ServiceWithLogin, ServiceRights>> = {
  /** Admits messages, delivers answers, and stores people, secrets, freezes and votes. Does not start actions. */
  gateway: {
    tables: {
      users: ALL,
      vacated_accounts: ALL,
      account_marks: WRITE,
      settings: ALL,
      inbox: WRITE,
      lanes: WRITE,
      threads: CHANGE,
      chats: WRITE,
      outbox: WRITE,
      dead_letters: WRITE,
      invitations: WRITE,
      chat_agents: ALL,
      identity_codes: ALL,
      forge_links: ALL,
      memories: WRITE,
      memory_facts: 'select, insert, delete',
      memory_forgotten: ADD,
      code_tries: ALL,
      // A decision of a person ends the waiting action
      actions: 'select, update (status, settled_at)',
      approvals: CHANGE,
      approval_votes: ADD,
      approval_prompts: WRITE,
      voice_notes: WRITE,
      web_logins: ALL,
      web_chats: WRITE,
      web_patches: ALL,
      agents: READ,
      ingress_events: 'select, insert, update (trace_id)',
      ingress_keys: 'select, insert, delete',
      // A request that is sent again finds the row of the first one
      gates: 'select, insert, update (source)',
      grants: WRITE,
      // Seals secrets, but never reads sealed values
      secrets:
        'select (user_key, handle, kind, created_at, expires_at, used_at), insert, update (kind, ciphertext, created_at, expires_at, used_at), delete',
      // Cancels runs, and moves runs when the chat id of a group changes; may not change their job or recipient
      runs: 'select, update (status, epoch, cancel_at, cancel_by, finished_at, error, chat_key)',
      turns: READ,
      artifacts: READ,
      // Faults of its own, and alarms of other programs
      incidents: WRITE,
      alarm_sources: ALL,
      alarm_ends: ALL,
      incident_tellings: KEEP,
      // Sets who is on call at the command of people, for projects that there are
      projects: 'select (name)',
      rotas: ALL,
      rota_covers: ALL,
      rota_handovers: READ,
      services: 'select, update (muted_until, muted_by, updated_at)',
      // Changes the schedules of people at their command
      schedules: 'select, update (state, next_at, asked_at, chat_key)',
      // Asks plans to stop
      plans: 'select, update (stop_at)',
      // Ends changes of code on /stop
      engineering_changes: 'select, update (state, problem, updated_at)',
      // Budgets count what the steps used
      engineering_steps: 'select (change_id, at, input_tokens, output_tokens, cost_usd)',
    },
    functions: [APPEND, COPY, ...RECIPIENTS, ...TAKEN, ...FREEZE],
  },
  /** Takes turns and runs tools. Cannot create people or votes, and reads no sealed value. */
  worker: {
    tables: {
      users: 'select, update (created_at)',
      settings: READ,
      chat_agents: READ,
      inbox: `select, ${TO_LANE}, update (outcome, reason, turn_id, settled_at)`,
      lanes: WRITE,
      threads: WRITE,
      thread_sequences: WRITE,
      thread_taints: WRITE,
      agents: ALL,
      turns: ADD,
      chats: ADD_CHAT,
      outbox: ADD_WORDS,
      dead_letters: WRITE,
      actions: WRITE,
      // A function with the owner's rights writes the effect marks
      action_effects: READ,
      // May not write which person decided
      approvals: `select, ${REQUEST}, update (status, consumed_at, used, decided_at, reason)`,
      approval_votes: READ,
      gates: 'select, update (facts)',
      grants: 'select, update (uses_left)',
      execution_turns: ADD,
      plans: WRITE,
      schedules: 'select, insert, update (state, next_at, asked_at)',
      policy_sets: ADD,
      artifacts: ALL,
      runs: ALL,
      projects: WRITE,
      project_changes: ADD,
      servers: WRITE,
      names_version: READ,
      port_allocations: WRITE,
      services: WRITE,
      service_variables: ALL,
      // Compares name and age of a variable's secret with the approved ones, without reading the sealed value
      secrets: 'select (user_key, handle, created_at)',
      deployments: WRITE,
      deployment_events: ADD,
      deployment_lines: READ,
      error_groups: READ,
      error_minutes: READ,
      incidents: READ,
      rotas: READ,
      rota_covers: READ,
      knowledge: READ,
      knowledge_words: READ,
      code_texts: READ,
      code_passages: READ,
      code_symbols: READ,
      code_refs: READ,
      code_paths: READ,
      code_vectors: READ,
      manual_vectors: READ,
      memories: WRITE,
      memory_facts: 'select, insert, delete',
      memory_forgotten: READ,
      repository_runs: READ,
      repository_agent_runs: READ,
      // Restoring a snapshot replaces the rows of findings
      repository_findings: ALL,
      repository_finding_counts: READ,
      registry_entities: ALL,
      repository_decisions: ADD,
      repository_artifacts: READ,
      repository_snapshots: ADD,
      project_tags: 'select, insert, delete',
      project_relationships: READ,
      engineering_changes: WRITE,
      engineering_steps: ADD,
      audit_events: READ,
      audit_log: READ,
    },
    functions: [APPEND, COPY, 'find_recipients(text[])', 'effect_note(text, jsonb)', ...FREEZE],
  },
  /** Background work: ends undecided requests, indexes documents and seals the audit. */
  maintenance: {
    tables: {
      ...POOL_TABLES,
      users: READ,
      settings: READ,
      lanes: 'select, insert (user_key), update (woken_at)',
      threads: 'select, update (status, awaiting, announced, ended_at)',
      actions: 'select, update (status, settled_at)',
      approvals: 'select, update (status, decided_at, reason, remind_at, escalate_at)',
      // Runs schedules, whose task and owner it cannot change
      schedules: 'select, update (state, next_at, asked_at)',
      schedule_runs: ADD,
      // For audit events that cannot be sealed
      dead_letters: WRITE,
      // Notifies the admins of faults, and of news that another pool could send to nobody
      incidents: `${REPORT}, update (news, told, told_chat, told_at)`,
      // Tells hand-overs
      rotas: READ,
      rota_covers: READ,
      rota_handovers: ADD,
      incident_tellings: READ,
      // Notes how the tables grow
      size_samples: ALL,
      // Only the function of retention writes them
      retention_marks: READ,
      knowledge: ALL,
      knowledge_words: ADD,
      audit_events: READ,
      audit_unsealed: READ,
      audit_chain: READ,
      audit_checkpoints: READ,
      audit_log: READ,
    },
    functions: [
      APPEND,
      COPY,
      ...RECIPIENTS,
      OWN_CARDS,
      FIGURES,
      LOST_POINT,
      'retain(text, integer, integer)',
      'audit_seal(bigint, bigint[], bytea[], integer)',
      'audit_checkpoint(bigint, bytea, bytea, text, text, bytea)',
    ],
  },
  /** Runs the commands of agents in workspaces. A model controls these most, so this pool has the fewest rights. */
  agents: {
    // Puts the end of a run into the inbox, but reads no messages of people
    tables: { ...POOL_TABLES, inbox: `select (channel, bot, update_id), ${TO_LANE}` },
    functions: [APPEND, COPY, OWN_CARDS],
  },
  /** Deploys, diagnoses and probes services. Opens the secrets of services and servers. */
  deploy: {
    tables: {
      ...POOL_TABLES,
      // Restarts services; a second request for a service that is starting waits for the same run
      runs: ALL,
      users: READ,
      threads: READ,
      actions: READ,
      secrets: 'select, update (used_at)',
      projects: WRITE,
      project_changes: ADD,
      servers: CHANGE,
      port_allocations: WRITE,
      services: WRITE,
      service_variables: WRITE,
      deployments: WRITE,
      deployment_events: ADD,
      deployment_lines: ALL,
      // Finds commits that searches do not know yet
      code_refs: READ,
      error_groups: ALL,
      error_minutes: ALL,
      incidents: WRITE,
      incident_tellings: ADD,
      rotas: READ,
      rota_covers: READ,
      registry_entities: WRITE,
      // Answers forges whose deployments wait
      gates: CHANGE,
      // Publishes approved diffs; who approved stands in tables that every pool may read
      engineering_changes: CHANGE,
      engineering_steps: READ,
    },
    functions: [APPEND, COPY, OWN_CARDS, ...RECIPIENTS, 'run_is_heard(text, jsonb, text, text)', 'gate_decision(text)'],
  },
  /** Reads large texts from outside, so it opens no secret and may only write findings and diffs that nobody has approved yet. */
  analysis: {
    tables: {
      ...POOL_TABLES,
      inbox: `select (channel, bot, update_id), ${TO_LANE}`,
      projects: READ,
      repository_runs: WRITE,
      repository_agent_runs: WRITE,
      repository_findings: WRITE,
      repository_finding_counts: READ,
      registry_entities: WRITE,
      repository_artifacts: WRITE,
      repository_scan_caches: WRITE,
      project_packages: 'select, insert, delete',
      code_texts: KEEP,
      code_passages: KEEP,
      code_symbols: KEEP,
      code_refs: ALL,
      code_paths: KEEP,
      knowledge_words: ADD,
      // Sends passages of the manual and of projects to the embeddings endpoint
      knowledge: READ,
      code_vectors: WRITE,
      manual_vectors: WRITE,
      engineering_changes: CHANGE,
      engineering_steps: ADD,
    },
    functions: [APPEND, COPY, OWN_CARDS],
  },
};
