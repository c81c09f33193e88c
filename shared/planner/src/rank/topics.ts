import type { Mention } from '../names/mentions.ts';
import { findPaths, findVersions } from '../text/values.ts';
import { tokenize, wordSet } from '../text/tokens.ts';

/*
 * Words that decide which tool is meant, whatever stands around them: “variables” are the variables of a service, however somebody asks for
 * them. The similarity to hints alone is misled by long sentences, because most of their words are in no hint. Only the order of the tools
 * comes from here: whether a change is made, plain-order.ts still decides.
 */

const SEEK = 'look through|search through|find|search|grep|look for|looking for|look up|seek|scan for';
const USE =
  'defines|define|defined|called|call|calls|invoked|invokes|used|uses|use|contain|contains|containing|occurs|occur|appears|appear|mention|mentions|mentioned';

/** Words and phrases of the planner's English, by what they are about. */
const CONCEPTS = {
  again: 'from scratch|again|anew|once more|fresh|afresh',
  act: 'deploy|stop|restart|roll back|set|change|remove|delete|archive|register|create|add|why|put|move|buy',
  alert: 'alert|alerts|alerting|alarm|alarms|notification|notifications|messages|warnings|hear|pages|pager|noise',
  create: 'create|start|new|make|add|register|set up|begin|called|named|call it|build',
  trouble: 'problem|problems|trouble',
  backwards: 'back|before|backwards|older|old|earlier',
  release: 'version|release|deployment|deploy|build|state',
  back: 'withdraw|take back|cancel|pull back|revoke|who|why',
  it: 'it|that|this|they|its',
  condition: 'if|unless|once|when|in case|because|fix',
  all: 'all|any|anything|anywhere|something|everything|everywhere|somewhere|services|systems|platform|problems|problem|trouble|issues|issue|things|nothing|we|there',
  approval:
    'approval|approvals|request|requests|approve|approved|sign-off|signed off|permission|released by|unapproved',
  ask: 'what|which|who|whose|how|why|when|where',
  changed:
    'changed|changes|change|modified|modifications|altered|different|was new|is new|was done|were done|been done|new since|new on|new in|anything new|touched|touch|edited|updated|news|happened',
  code: 'code|source|sources|codebase|file|files|repository|repo|function|functions|method|class|constant|module|symbol',
  deploy:
    'deploy|deploys|deployment|deployments|deployed|rollout|rollouts|rolled out|release|releases|released|shipped|published|went live|put live',
  deployVerb:
    'deploy|redeploy|ship|release|roll out|rollout|publish|install|upgrade|update|push|bring|promote|put|get|launch|live|take|want|need',
  deployList:
    'deployments|deploys|releases|rollouts|history|last deploy|last deployment|latest deploy|latest deployment|deployed|released|shipped|rolled out|published',
  deployed: 'deployed|released|shipped|rolled out',
  asksWhen: 'when|who',
  cancel: 'cancel|stop|abort|kill|undo',
  deployMany: 'deployments|releases|rollouts',
  error:
    'error|errors|exception|exceptions|stack trace|stack traces|stacktrace|stacktraces|crashes|failures|went wrong|go wrong',
  find: `where|references|referenced|${SEEK}|${USE}`,
  seek: SEEK,
  use: USE,
  where: 'where|which files|what files|which file|which places|in which',
  follow: 'follow|following|tail|stream|live|watch|watching|keep showing',
  health:
    'healthy|health|running|runs|run|up|work|works|working|alive|ok|okay|fine|reachable|online|available|well|status|state|doing|going|answering|responding|stable|down|broken|unhealthy|condition|feeling',
  incident: 'incident|incidents|outage|outages|disruptions',
  onCall:
    'on call|on-call|oncall|on duty|duty|pager|rota|roster|shift|shifts|standby|takes over|take over|relieves|next in line',
  wake: 'wake|wake up|ring|phone|ring up|call|relieve|replace',
  who: 'who|whom|whose|who is|nobody',
  list: 'list|show|overview|which|what|all|every|give|see|tell|how many|view|need|want|summary|display|names|name|print|read|have|state|status|please|know|are there|do you',
  log: 'log|logs|logfile|logfiles',
  mute: 'mute|silence|quiet|hush|shush|snooze|suppress',
  off: 'shut|remove|no|off|stop|disable|pause|not|without|deactivate|ignore|hold|block',
  project: 'projects|apps|applications|products|project list|project overview|project names',
  rollback:
    'rollback|roll back|rolled back|undo|revert|go back|back to|back on|back by|return to|previous|last good|old version|old release|earlier version|version before|release before|prior version|prior release|last working|working version|back out|downgrade|take back|put back|one version back|step back|last version',
  restart:
    'restart|restarts|re-start|kick|off and on|out and in|relaunched|reboot|bounce|start again|start anew|restarted|restarting|rebooted|relaunch',
  room: 'memory|ram|gb|mb|cpu|cpus|room|capacity|suitable|free|port|ports|find|pick|register|add|connect|new|inspect|measure|key|fingerprint|space',
  scale: 'scale|scaling|replica|replicas|instance|instances|copies|pods|upscale|downscale',
  schedule:
    'schedule|schedules|scheduled|reminder|reminders|recurring|periodic|periodically|regularly|timetable|cron jobs|timers',
  scheduleChange: 'pause|resume|remove|delete|cancel|stop|disable|create|make|set',
  server: 'hardware|server|servers|machine|machines|hosts|boxes|vms',
  set: 'add|set|change|update|put|make|adjust|raise|lower|should|must|configure|increase|reduce|assign|be|switch|enter|store|define|deploy|equals|value|let|give',
  start: 'start|boot|bring up|run',
  stop: 'stop|shut|take|bring|turn|switch|kill|down to|offline',
  variable: 'variable|variables|env|config|configuration|settings',
  wait: 'waiting|waits|wait|pending|open|outstanding|unapproved|still|yet|not|missing|show|list|which|what|my|mine|need|needs|unanswered|undecided',
  why: 'debug|examine|get to the bottom|what is going on|what is happening|what is up with|why|look into|take a look|closer look|look at what|reason|reasons|cause|causes|caused|causing|diagnose|diagnosis|investigate|find out|troubleshoot|analyze|analyse|what is wrong with|what is the matter with|what is the problem with|due to',
  wrong:
    'wrong|alright|all right|green|burning|worry|worried|concern|serious|crashed|broken|problem|problems|trouble|troubles|down|ok|okay|fine|healthy|unhealthy|burning|burns|fire|alarm|strange|odd|unusual|issue|issues|attention|failing|faulty|well|good|in order|red|failed|outage|running|up|clean|green|smooth|smoothly|work|works|working|health|look|looking|going|doing',
  other:
    'freeze|unfreeze|frozen|block|forbid|lift|allow|permit|finding|findings|snapshot|snapshots|depends|depend|dependencies|secret|secrets|debt|documentation|docs|readme|pull request|pr|csv|export|as a file|as files|spreadsheet|download|plan|fact|rule|tag|tags|tagged|graph|node|nodes|thread|compare|between|difference|demo|port|ports|description|owner|owns|free|allocate|reserve|archive|ready|commits|analysis|analyze everything',
} as const;
type Concept = keyof typeof CONCEPTS;

interface Topic {
  /** The tools that the words mean; the most similar of them is taken. */
  readonly tools: readonly string[];
  /** Concepts of which the text has a word each. */
  readonly all: readonly Concept[];
  readonly none?: readonly Concept[];
  /** True when the text has to name a project, false when it must not. */
  readonly project?: boolean;
  /** True when the text has to name a variable or a version. */
  readonly value?: 'variable' | 'identifier' | 'version';
}

/** The first topic of a text counts. */
const TOPICS: readonly Topic[] = [
  { tools: ['who_is_on_call'], all: ['onCall'], none: ['alert', 'incident', 'deploy', 'approval', 'code', 'log'] },
  {
    tools: ['who_is_on_call'],
    all: ['who', 'wake'],
    none: ['alert', 'incident', 'deploy', 'approval', 'code', 'log', 'find'],
    project: false,
  },
  { tools: ['search_repository'], all: ['code', 'find'], project: true, none: ['log', 'error', 'variable'] },
  { tools: ['search_repository'], all: ['where', 'use'], project: true, none: ['log', 'error', 'server'] },
  { tools: ['search_repository'], all: ['seek'], value: 'identifier', project: true, none: ['log', 'error'] },
  { tools: ['list_schedules'], all: ['schedule'], none: ['scheduleChange'] },
  { tools: ['mute_service'], all: ['mute'] },
  { tools: ['mute_service'], all: ['alert', 'off'], project: true, none: ['ask'] },
  { tools: ['set_service_variable'], all: ['set'], value: 'variable', project: true, none: ['ask'] },
  { tools: ['list_service_variables'], all: ['variable'], project: true, none: ['changed'] },
  { tools: ['scale_service'], all: ['scale'], project: true },
  { tools: ['restart_service'], all: ['restart'] },
  { tools: ['restart_service'], all: ['start', 'again'], project: true, none: ['deploy', 'ask', 'rollback'] },
  { tools: ['rollback_deploy'], all: ['rollback'], project: true, none: ['log', 'ask'] },
  {
    tools: ['rollback_deploy'],
    all: ['backwards', 'release'],
    project: true,
    none: ['log', 'ask', 'error', 'changed'],
  },
  { tools: ['get_my_requests', 'show_request'], all: ['approval', 'wait'], none: ['code', 'back'] },
  { tools: ['is_anything_wrong'], all: ['incident', 'trouble', 'all'], project: false, none: ['condition', 'it'] },
  { tools: ['list_incidents'], all: ['incident'] },
  { tools: ['get_deploy_logs'], all: ['log', 'deploy'], none: ['deployMany'] },
  { tools: ['follow_service_logs'], all: ['log', 'follow'] },
  { tools: ['get_service_logs'], all: ['log'], project: true },
  { tools: ['diagnose_service'], all: ['why'], project: true, none: ['deploy', 'approval'] },
  { tools: ['get_error_history'], all: ['error'], none: ['deploy', 'why'] },
  { tools: ['list_deployments'], all: ['deployList', 'list'], none: ['why', 'changed'] },
  {
    tools: ['list_deployments'],
    all: ['deployMany'],
    none: ['act', 'changed', 'log', 'error', 'approval', 'cancel'],
  },
  {
    tools: ['list_deployments'],
    all: ['deployed', 'asksWhen'],
    project: true,
    none: ['why', 'changed', 'log', 'error', 'approval', 'cancel', 'rollback'],
  },
  { tools: ['what_changed'], all: ['changed'], none: ['deploy'] },
  { tools: ['list_managed_servers'], all: ['server', 'list'], none: ['room', 'act', 'changed'], project: false },
  {
    tools: ['list_projects'],
    all: ['project'],
    none: ['create', 'act', 'wrong', 'changed', 'error', 'deploy'],
    project: false,
  },
  { tools: ['is_anything_wrong'], all: ['all', 'wrong'], project: false, none: ['condition', 'it', 'incident'] },
  {
    tools: ['rollback_deploy'],
    all: ['again'],
    value: 'version',
    project: true,
    none: ['ask', 'deploy', 'restart', 'log', 'error'],
  },
  { tools: ['trigger_deploy'], all: ['deployVerb'], value: 'version', project: true, none: ['ask', 'rollback'] },
  {
    tools: ['check_service_health', 'get_project_status', 'get_deploy_status', 'diagnose_service'],
    all: ['health'],
    project: true,
    none: ['deploy', 'stop'],
  },
];

/** Tools that people order like a change: some of them only tell that it is not possible. */
export const ORDERED_TOOLS = wordSet(
  'mute_service set_service_variable scale_service restart_service rollback_deploy trigger_deploy',
);

/** Verbs that begin an order. Words after them may be the text of what is made: “create a project called blog for company news”. */
const CHANGING = wordSet(
  'create register add remove delete archive rename move freeze unfreeze remember forget remind',
);

/** Things of which no tool knows anything. */
const FOREIGN_THINGS = wordSet('database databases backup backups dump dumps');

/** True when a text is about a thing that no tool handles, so that what it resembles is not meant: “restore the database from the backup”. */
export function isAboutForeignThing(text: string, mentions: readonly Mention[]): boolean {
  return tokenize(text).some(
    ({ lower, start }) => FOREIGN_THINGS.has(lower) && !mentions.some((one) => one.start <= start && start < one.end),
  );
}

/** The name of a variable, as it is usually written. */
export const VARIABLE =
  /(?<![\p{L}\p{N}_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}_])[A-Z][A-Z0-9]{3,}(?![\p{L}\p{N}_])/u;

/** A name as it is written in code. */
const IDENTIFIER = /[\p{Ll}\p{N}]\p{Lu}|\p{L}_\p{L}|["']/u;

/** The tools of the first topic of a text; empty without one. */
export function findTopicTools(text: string, mentions: readonly Mention[]): readonly string[] {
  const words = ` ${tokenize(text.replace(/^(?:ok|okay)\b/i, '').replaceAll('=', ' equals '))
    .map(({ lower }) => lower.replace(/'s$/, ' is').replace(/^(?:can|won|don|doesn|isn|aren)'?t$/, 'not'))
    .join(' ')} `;
  const has = (concept: Concept): boolean => PHRASES[concept].some((phrase) => words.includes(phrase));
  const namesServer = mentions.some(
    ({ kind, name }) => kind === 'server' && !mentions.some((one) => one.name === name && one.kind === 'environment'),
  );
  if (namesServer || has('other') || findPaths(text).length > 0 || beginsOrder(words)) return [];
  const namesProject = mentions.some(({ kind }) => kind === 'project');
  const isMeant = ({ all, none = [], project, value }: Topic): boolean =>
    (project === undefined || project === namesProject) &&
    (value !== 'variable' || VARIABLE.test(text)) &&
    (value !== 'identifier' || IDENTIFIER.test(text)) &&
    (value !== 'version' || findVersions(text).length > 0) &&
    all.every(has) &&
    !none.some(has);
  return TOPICS.find(isMeant)?.tools ?? [];
}

function beginsOrder(words: string): boolean {
  const [first = ''] = words
    .trim()
    .replace(/^(?:please|ok|okay|and|then) /, '')
    .split(' ');
  return CHANGING.has(first);
}

const PHRASES = Object.fromEntries(
  Object.entries(CONCEPTS).map(([name, words]) => [name, words.split('|').map((word) => ` ${word} `)]),
) as unknown as Readonly<Record<Concept, readonly string[]>>; // the same keys
