/** The services that have a database login of their own. The proxy has none, and the owner of the tables migrates. */
export const DATABASE_SERVICES = ['gateway', 'worker', 'maintenance', 'agents', 'deploy', 'analysis'] as const;
export type ServiceWithLogin = (typeof DATABASE_SERVICES)[number];

/** What one service may do: with each table, in the words of GRANT, and which functions it may call that have the owner's rights. */
export interface ServiceRights {
  readonly tables: Readonly<Record<string, string>>;
  readonly functions: readonly string[];
}

/** The role that holds the rights of a service. A login of the service is this role, or a member of it. */
export function getServiceRole(service: ServiceWithLogin): string {
  return `signalbox_${service}`;
}

const READ = 'select';
const ADD = 'select, insert';
const WRITE = 'select, insert, update';
const CHANGE = 'select, update';
const ALL = 'select, insert, update, delete';

/** Nobody changes what was recorded: there is no right to any table of the audit but to read it. */
const APPEND = 'audit_append(jsonb)';
/** What the rows of a pool are judged by. */
const OWN_CARDS = 'card_stands_in(text, text)';
/** What is wrong with ourselves: whoever sees it writes it down, and another pool tells the admins. */
const REPORT = 'select, insert (subject, kind, detail, evidence, waits_since), update (waits_since, closed_at)';
/** Whom news can be told, and where, without a right to what people wrote. */
const RECIPIENTS = 'find_recipients(text[])';

/** A pool records what a schedule started, which is nobody's, and writes how a run goes on: not what it is, nor who hears of it. */
const OWN_RUNS = [
  'select',
  'delete',
  'insert (run_id, job, payload, trace_id, status, result, error, attempts, created_at, queued_at, started_at, finished_at)',
  'update (status, attempts, epoch, queued_at, started_at, beat_at, finished_at, progress, result, error)',
].join(', ');

/** A message that the product puts into somebody's lane. */
const TO_LANE = 'insert (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)';
/** A request for an approval, as `insertApproval` writes it: open, and decided by nobody. */
const REQUEST = `insert (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
  authors, card, expires_at, remind_at, escalate_at, by_requester)`;
/** A message for a person: how its delivery goes is the gateway's to write. */
const ADD_WORDS = 'select, insert (key, chat_key, user_key, thread_id, turn_id, trace_id, priority, slot, body)';
const ADD_CHAT = 'select, insert (chat_key)';

/** What every pool of jobs does: its own runs, and telling whoever waits for them. Which rows those are says service-rows.ts. */
const POOL_TABLES = {
  // What whoever waits for a run reads.
  users: 'select (user_key, channel, person, language, client_language)',
  runs: OWN_RUNS,
  inbox: `select, ${TO_LANE}`,
  lanes: 'select, insert (user_key)',
  chats: ADD_CHAT,
  outbox: ADD_WORDS,
  // The card of what somebody approved says how it ended.
  approvals: 'select, update (reason)',
  approval_votes: READ,
} as const;

/**
 * What each service may do in the database, and nothing else: a table that is not named here is closed to it. `migrate` grants it.
 * SELECT … FOR SHARE takes the right to update some column, which is why a few that nobody writes can be written.
 */
export const SERVICE_RIGHTS: Readonly<Record<ServiceWithLogin, ServiceRights>> = {
  /** Admits messages, delivers answers, keeps people, secrets, freezes and votes. It begins no action. */
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
      memories: WRITE,
      memory_facts: 'select, insert, delete',
      memory_forgotten: ADD,
      code_tries: ALL,
      // A decision ends the action that waits for it.
      actions: 'select, update (status, settled_at)',
      approvals: CHANGE,
      approval_votes: ADD,
      approval_prompts: WRITE,
      voice_notes: WRITE,
      web_logins: ALL,
      web_chats: WRITE,
      web_patches: ALL,
      agents: READ,
      ingress_events: ADD,
      ingress_keys: 'select, insert, delete',
      grants: WRITE,
      // It seals, and never reads what is sealed.
      secrets:
        'select (user_key, handle, kind, created_at, expires_at, used_at), insert, update (kind, ciphertext, created_at, expires_at, used_at), delete',
      // It cancels runs, and follows a group that moved: what they do and for whom is not its to say.
      runs: 'select, update (status, epoch, cancel_at, cancel_by, finished_at, error, chat_key)',
      turns: READ,
      artifacts: READ,
      incidents: REPORT,
      services: 'select, update (muted_until, muted_by, updated_at)',
    },
    functions: [APPEND],
  },
  /** Takes turns and runs tools. It neither makes people nor votes, and reads nothing that is sealed. */
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
      // Its marks are made by the function that has the owner's rights.
      action_effects: READ,
      // Who decided is not its to say.
      approvals: `select, ${REQUEST}, update (status, consumed_at, used, decided_at, reason)`,
      approval_votes: READ,
      grants: 'select, update (uses_left)',
      execution_turns: ADD,
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
      // Whether the secret behind a variable is the one that was approved: its name and age, and not what is sealed.
      secrets: 'select (user_key, handle, created_at)',
      deployments: WRITE,
      deployment_events: ADD,
      deployment_lines: READ,
      error_groups: READ,
      error_minutes: READ,
      incidents: READ,
      knowledge: READ,
      knowledge_words: READ,
      memories: WRITE,
      memory_facts: ADD,
      memory_forgotten: READ,
      repository_runs: READ,
      repository_agent_runs: READ,
      // A restored snapshot takes the place of what there is.
      repository_findings: ALL,
      repository_finding_counts: READ,
      registry_entities: ALL,
      repository_decisions: ADD,
      repository_artifacts: READ,
      repository_snapshots: ADD,
      project_tags: 'select, insert, delete',
      project_relationships: READ,
      audit_events: READ,
      audit_log: READ,
    },
    functions: [APPEND, 'effect_note(text, jsonb)'],
  },
  /** The product's own work: it ends what nobody decided, indexes documents and seals the audit. */
  maintenance: {
    tables: {
      ...POOL_TABLES,
      users: READ,
      settings: READ,
      lanes: 'select, insert (user_key), update (woken_at)',
      threads: 'select, update (status, awaiting, announced, ended_at)',
      actions: 'select, update (status, settled_at)',
      approvals: 'select, update (status, decided_at, reason, remind_at, escalate_at)',
      // The audit that cannot be sealed.
      dead_letters: WRITE,
      // It tells the admins what another pool could tell nobody, and what is wrong with ourselves.
      incidents: `${REPORT}, update (news, told, told_chat, told_at)`,
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
      RECIPIENTS,
      OWN_CARDS,
      'audit_seal(bigint, bigint[], bytea[], integer)',
      'audit_checkpoint(bigint, bytea, bytea, text, text, bytea)',
    ],
  },
  /** Runs what agents ask for in workspaces: the nearest to what a model can reach, so it has the least. */
  agents: {
    // It puts how a run ended into the inbox, and reads nothing of what people wrote there.
    tables: { ...POOL_TABLES, inbox: `select (channel, bot, update_id), ${TO_LANE}` },
    functions: [APPEND, OWN_CARDS],
  },
  /** Deploys, diagnoses and watches. It opens the secrets that services and servers need. */
  deploy: {
    tables: {
      ...POOL_TABLES,
      // It starts services again, and whoever asks for one that is being started hears of that run.
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
      error_groups: ALL,
      error_minutes: ALL,
      incidents: WRITE,
      registry_entities: WRITE,
    },
    functions: [APPEND, OWN_CARDS, RECIPIENTS, 'run_is_heard(text, jsonb, text, text)'],
  },
  /** Reads texts of strangers for long: it opens no secret, and writes what it finds in them. */
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
    },
    functions: [APPEND, OWN_CARDS],
  },
};
