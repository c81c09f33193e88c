import type { CommandEntry } from './command.ts';

/** All commands in the order of the help text. A new command needs a file in commands/ and an entry here. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: ['doctor', 'doctor --round-trip --as <person>'],
    summary:
      'Check everything that Signalbox needs, and say what to do; or try at a person whether each promise is kept.',
    load: async () => (await import('./commands/doctor.ts')).runDoctor,
  },
  {
    usage: ['status [--person <id>]'],
    summary: 'What goes on now: turns, waiting messages, replies, jobs, dead letters.',
    load: async () => (await import('./commands/status.ts')).runStatus,
  },
  {
    usage: [
      'runs [--job <job>] [--status <status>] [--project <name>]',
      'runs [--person <id>] [--since <1d>] [--text "<words>"]',
      'runs show <id>',
      'runs cancel <id>',
    ],
    summary: 'Background jobs: search them, see one as a whole, end one and see it stop.',
    load: async () => (await import('./commands/runs.ts')).runRuns,
  },
  {
    usage: ['services', 'services stop <project> <environment>'],
    summary: 'What is deployed where; take a service down and see it end.',
    load: async () => (await import('./commands/services.ts')).runServices,
  },
  {
    usage: [
      'repo scan <project> [--chain <chain>] [--ref <ref>] [--dry]',
      'repo chain <chain> <project> [--ref <ref>] [--dry]',
      'repo findings <project> [--status <status>] [--severity <severity>] [--sarif]',
      'repo accept <project> <number> --reason "<words>" [--for <30d>]',
      'repo reopen <project> <number>',
      'repo baseline list <project>',
      'repo baseline set <project> <name>',
      'repo baseline compare <project> <name>',
      'repo snapshot <project>',
      'repo snapshots <project>',
      'repo rollback <project> <snapshot> --force',
      'repo list [--tag <tag>] [--limit <n>]',
      'repo tag <project> <tag> [--remove]',
      'repo relations <project>',
      'repo runs <project>',
      'repo agents',
      'repo verify',
    ],
    summary: 'Repositories: scan them, read and decide findings, compare with a baseline, restore a snapshot.',
    load: async () => (await import('./commands/repo/repo.ts')).runRepo,
  },
  {
    usage: ['engineering show <change>'],
    summary: 'One change of code step by step: node, tokens, time, and the hash of what it produced.',
    load: async () => (await import('./commands/engineering.ts')).runEngineering,
  },
  {
    usage: ['incidents list', 'incidents sample <source> [--status resolved] [--project <name>]'],
    summary: 'What is broken now and who looks after it; post a sample alarm to the running gateway.',
    load: async () => (await import('./commands/incidents.ts')).runIncidents,
  },
  {
    usage: ['gate'],
    summary: 'Asks people in the chat whether this pipeline may deploy, and waits: see docs/gates.md.',
    load: async () => (await import('./commands/gate.ts')).runGate,
  },
  {
    usage: ['approvals list [--person <id>]'],
    summary: 'Requests that wait for a decision. People decide in the chat, where they are known.',
    load: async () => (await import('./commands/approvals.ts')).runApprovals,
  },
  {
    usage: ['schedules list'],
    summary: 'The reminders and scheduled orders of all people, with their next runs.',
    load: async () => (await import('./commands/schedules.ts')).runSchedules,
  },
  {
    usage: ['queues'],
    summary: 'What waits, runs and failed in each pool of jobs, and whether somebody takes them.',
    load: async () => (await import('./commands/queues.ts')).runQueues,
  },
  {
    usage: ['dlq list [--all] [--limit <n>]', 'dlq show <id>', 'dlq retry <id>', 'dlq resolve <id>'],
    summary: 'Dead letters: what could not be handled, and what becomes of it.',
    load: async () => (await import('./commands/dead-letters.ts')).runDeadLetters,
  },
  {
    usage: ['threads list [--person <id>] [--limit <n>]', 'threads show <threadId> [--limit <n>]'],
    summary: 'Conversations: turns, actions and replies.',
    load: async () => (await import('./commands/threads.ts')).runThreads,
  },
  {
    usage: ['search "<words>" [--scope <scope>] [--project <name>] [--ref <ref>] [--person <id>] [--limit <n>]'],
    summary: 'What stands where in docs, code, history and logs, with the rights of a person or of the owner.',
    load: async () => (await import('./commands/search.ts')).runSearch,
  },
  {
    usage: ['turns show <turnId>'],
    summary: 'One turn as it went: passes, phases, proposals, decisions, results, how long each took.',
    load: async () => (await import('./commands/turns.ts')).runTurns,
  },
  {
    usage: ['replay <turnId>|<threadId>|all', 'replay all --jsonl'],
    summary: 'Go through recorded turns again, without model and tools, and name the first difference.',
    load: async () => (await import('./commands/replay.ts')).runReplay,
  },
  {
    usage: [
      'audit show [--since <1d>] [--thread <id>] [--action <id>] [--kind <kind>] [--person <id>]',
      'audit verify [--from <export>] [--checkpoints <folder>] [--key <file>]',
      'audit export [--out <file>]',
    ],
    summary: 'What was recorded, whether it still is what was recorded, and all of it for an auditor.',
    load: async () => (await import('./commands/audit/audit.ts')).runAudit,
  },
  {
    usage: ['plan explain "<text>"', 'plan explain --jsonl'],
    summary: 'What the offline planner would do, without doing it; --jsonl reads objects with text and context.',
    load: async () => (await import('./commands/policy/plan.ts')).runPlanExplain,
  },
  {
    usage: ['shell explain "<command>"', 'shell explain --jsonl'],
    summary: 'Whether a shell command would run unasked, ask a person or be denied, and why; it runs nothing.',
    load: async () => (await import('./commands/policy/shell.ts')).runShellExplain,
  },
  {
    usage: [
      'policy check [--policies <folder>]',
      'policy explain <name=value> …',
      'policy explain --jsonl',
      'policy what-if --policies <folder> [--since 30d]',
    ],
    summary: 'Check rules with their examples, what they say to an action, what others would have said.',
    load: async () => (await import('./commands/policy/policy.ts')).runPolicy,
  },
  {
    usage: ['people list', 'people add <id> <name> <role> [--force]', 'people remove <id> [--force]'],
    summary: 'Who may speak, and as what: viewer, developer, operator, admin.',
    load: async () => (await import('./commands/installation/people.ts')).runPeople,
  },
  {
    usage: ['owner-code'],
    summary: 'A fresh code that makes whoever sends it to the bot the first admin.',
    load: async () => (await import('./commands/installation/owner-code.ts')).runOwnerCode,
  },
  {
    usage: ['webhook show', 'webhook remove'],
    summary: 'Where Telegram sends updates, how many wait, what went wrong last; or end it.',
    load: async () => (await import('./commands/webhook.ts')).runWebhook,
  },
  {
    usage: ['backup <folder> [--key <file>]'],
    summary: 'Everything of this installation in one encrypted file, while people go on writing.',
    load: async () => (await import('./commands/installation/backup.ts')).runBackup,
  },
  {
    usage: ['restore <file> --key <file> [--verify]', 'restore --activate'],
    summary: 'Read a backup through, restore it into an empty installation, and let services work with the copy.',
    load: async () => (await import('./commands/installation/restore.ts')).runRestore,
  },
  {
    usage: ['upgrade check', 'upgrade since <time>'],
    summary: 'What this release would change in the database; who did what since a backup, before you go back to it.',
    load: async () => (await import('./commands/installation/upgrade.ts')).runUpgrade,
  },
  {
    usage: ['migrate'],
    summary: 'Bring the database up to date.',
    load: async () => (await import('./commands/installation/migrate.ts')).runMigrate,
  },
  {
    usage: ['systemd <folder>'],
    summary: 'Units and a target for systemd that run the services of this checkout.',
    load: async () => (await import('./commands/installation/systemd.ts')).runSystemd,
  },
  {
    usage: ['completion bash|zsh|fish'],
    summary: 'A script that completes these commands in a shell.',
    load: async () => (await import('./commands/completion.ts')).createCompletion(COMMANDS),
  },
];

export function findCommand(commands: readonly CommandEntry[], name: string): CommandEntry | undefined {
  return commands.find(({ usage: [first] }) => first?.split(' ', 1)[0] === name);
}
