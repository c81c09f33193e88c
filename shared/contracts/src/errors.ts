import { PERSONAL_ERRORS } from './conversation/personal-errors.ts';
import { hasUntrustedText, isHarmlessText, isStrictName } from './governance/outside.ts';
import { isInsteadOfNames, splitNameList } from './nearest-name.ts';
import { PAGE_OPERATOR } from './operator-errors.ts';

/** How the system reacts to an error. Every error code has exactly one remedy. */
export type Remedy = 'tell-model' | 'tell-user' | 'retry' | 'page-operator';

interface ErrorSpec {
  readonly remedy: Remedy;
  readonly say: string;
}

/** Errors whose sentence goes to the agent, which may try another way. */
const TELL_MODEL = {
  TOOL_UNKNOWN: 'There is no tool named {tool}. Loaded tools: {loaded}.',
  TOOL_INPUT_INVALID: 'The arguments of {tool} are not valid: {detail}.',
  TOOL_TIMED_OUT: '{tool} did not finish within {seconds} s; whether it took effect is not known.',
  TOOL_TOO_SLOW: '{tool} did not answer within {seconds} s. It only reads, so nothing was changed.',
  TOOL_NOT_DONE: '{tool} was interrupted before it took effect. It changed nothing.',
  FILES_REFUSED: 'The files could not be attached. {detail}',
  TOOL_FAILED: '{tool} failed. Reference: {ref}.',
  NOT_FOUND: 'I know no {kind} named {name}. Known: {known}.',
  ALREADY_EXISTS: 'A {kind} named {name} already exists.',
  CONFLICT: '{detail}',
  SERVER_SIZE_MISSING:
    'Tell me the CPUs and the memory of a server that I cannot reach. I measure one that I can reach: name the driver ssh with user and key, or docker for an engine on this machine.',
  ENGINE_ELSEWHERE:
    'The driver docker is for an engine on this machine, with the host 127.0.0.1. An engine on {host} is reached by ssh.',
  SSH_LOGIN_MISSING:
    'ssh needs a user and a key. Keep the private key with `/secret set vps-key …` in a private chat, and give me the handle secret:vps-key.',
  PORT_RANGE_EMPTY: 'The port range {firstPort} to {lastPort} is empty.',
  PORT_OUTSIDE_RANGE: 'Port {port} is outside the range of {server} ({firstPort} to {lastPort}).',
  PORT_TAKEN: 'Port {port} of {server} belongs to {project} ({service}).',
  PORT_IN_USE: 'Port {port} of {server} is not allocated, but something already listens on it. Take another one.',
  NEVER_DEPLOYED: '{detail}',
  TIME_UNCLEAR:
    'I cannot read “{time}” as a time in the past. Write it like 2 hours, today, yesterday, monday, 09:00 or 2026-11-27T09:00Z.',
  FINDING_FIXED: 'The finding {finding} is fixed already, so there is nothing to accept.',
  TOO_MANY_TAGS: '{project} has {limit} tags, and no project may have more. Remove one first: {tags}.',
  SNAPSHOT_BROKEN: 'The snapshot {snapshot} is damaged: {detail}. Nothing was restored.',
  CHAIN_STEP_FAILED: '{agent} failed: {detail}.',
  LOG_MISSING: 'Nothing serves {project} in {environment} yet, so there is no log.',
  ROLLBACK_TARGET_MISSING: '{detail}',
  VERSION_SERVES: '{version} of {project} already serves in {environment}.',
  SEVERAL_UNDER_WAY: 'Several deployments of {project} are in progress: {deployments}. In which environment?',
  NOTHING_TO_CANCEL: '{detail}',
  CANCEL_TOO_LATE: '{detail}',
  DEPLOYMENT_GONE: 'The record of that deployment is gone.',
  SECRET_NOT_WHOLE:
    'A secret has to be the whole value of {name}. Keep all of it with `/secret set NAME …` and give me secret:NAME.',
  NOTHING_TO_CHANGE: 'You named nothing to change on {name}. Give a description, a repository or a status.',
  DEMO_MISSING:
    'There is no demo here: `npm start` makes its repository on the machine where it runs; elsewhere DEMO_REPOSITORY names one.',
  DEMO_NAME_TAKEN: 'There is a project named {name} already, with the repository {repository}. I leave it as it is.',
  CONVERSATION_IS_THIS: 'That is this very conversation: just say it again instead.',
  TURN_UNRECORDED: 'No turn of {thread} is on record, so none has failed.',
  TURN_NOT_FAILED: 'The last turn of {thread} did not fail: it ended as {outcome}.',
  LAST_CALL_UNCLEAR:
    'Nobody knows whether its last call took effect, so it is not repeated. Check it first, then ask for what is missing.',
  DEPLOYMENT_UNDER_WAY:
    '{project} in {environment} is busy: {asked}, and it is {state}. Wait for its end, or cancel it.',
  DEPLOYMENT_OF_OTHER: '{deployment} is not a deployment of {project} in {environment}.',
  NOTHING_SERVES: 'Nothing of {project} serves in {environment}, so there is nothing to {act}.',
  NOTHING_SERVED_BEFORE: 'Nothing served {project} in {environment} before.',
  SERVED_ELSEWHERE:
    '{project} in {environment} runs on {server}, not on {named}. Leave the server out, or say {server}.',
  SERVER_OF_OTHER_ENVIRONMENT: '{server} is a server of {environment}; nothing of {wanted} runs there.',
  SERVER_BOOKED:
    'I only keep a record of {server}: it was registered without a way to reach it. Register it with its connection first.',
  SERVER_LOGIN_MISSING: 'The server {server} has no user or no key, and ssh needs both.',
  HOST_KEY_UNSEEN: '{server} has not shown a host key yet. Inspect it first.',
  HOST_KEY_OTHER: '{server} has shown the host key {seen}, not {fingerprint}. Only what was seen can be trusted.',
  PROJECT_ARCHIVED: 'The project {project} is archived; {consequence}.',
  REPOSITORY_MISSING:
    '{project} has no repository yet, so there is nothing to deploy. Say where it is: “the repository of {project} is https://…”.',
  REF_AMBIGUOUS:
    '{ref} is the beginning of a commit id and also a tag or branch of another commit ({commit}). Give the whole commit id, or another name.',
  START_MISSING: 'Nothing says how to start it: {problem}.',
  ARTIFACT_GONE: 'Its build ({artifact}) no longer exists; deploy it again.',
  STILL_IN_USE: '{instance} still uses what should be removed.',
  CONTAINER_REFUSED: 'The engine cannot start the container: {reason}',
  TARGET_NAME_REFUSED: '{name} cannot name a folder on this server.',
  VARIABLES_UNOPENED: '{problems}',
  SERVICE_LOST_AGAIN: 'It stopped again and again within a day.',
  CHECK_FAILED: '{detail}',
  ROUTE_REFUSED: '{reason}',
  COMMAND_REFUSED: 'I do not run that. {reason}',
  RELEASE_UNREADABLE: '{problem} Ask for its log, or for a command on the server.',
  PATH_UNSUITABLE: '{path} {problem}.',
  WORKSPACE_BUSY: 'Another command still runs in this workspace. Ask again when it has ended.',
  CONVERSATION_OVER: 'The conversation {thread} is {status}: nothing can go on in it.',
  PATH_DENIED: '{path} is out of bounds: {why}. Nothing was changed.',
  DIFF_REFUSED: 'The diff was not applied: {detail}. Nothing was changed.',
  NO_CAPACITY: '{detail}',
  MEMORY_SECRET: 'That holds a secret, which I do not remember. Keep it with /secret set.',
  MEMORY_FULL: 'I remember {limit} facts of yours, and no more than that. /memory shows them, /forget removes one.',
  MEMORY_PRIVATE: 'What I remember about you is only for your private chat with me.',
  NO_REQUEST_WAITS: 'No request that you may see here waits for a decision. /approvals lists those that were refused.',
  REQUEST_UNKNOWN:
    'I know no request {id} that you may see here. Its requester, operators and admins see it, in a private chat or where its card is; /approvals lists those that wait.',
  SEVERAL_REQUESTS: 'Several requests wait: {requests}. Name one by its id.',
  REQUEST_ENDED: 'There is nothing left to withdraw: {detail}',
  MODEL_MISSING: 'Code is changed by a language model, and none is configured. Findings can be fixed without one.',
  ...PERSONAL_ERRORS,
  SECRET_UNKNOWN:
    'There is no secret {handle}, or it is no longer kept. Whoever has it can send it again, or keep it with /secret set.',
} as const;

/** Errors whose sentence goes to the person. */
const TELL_USER = {
  INBOUND_NOT_STORED:
    'I cannot store messages at the moment, so nothing is done yet. Yours is not lost: I answer it as soon as I can, and you need not send it again.',
  INBOUND_REFUSED:
    'I could not process that message, so nothing was done. Please send it again in other words ({ref}).',
  STRANGER:
    'Hello {name}, I only work for people I know. Ask an admin for an invitation (your id is {id}), and send me its code.',
  TOO_FAST: 'That is faster than I can follow. Please wait {seconds} s; I dropped this message.',
  TOO_LONG: 'That message has {length} characters; I read up to {limit}. Please shorten it or split it.',
  NOT_TEXT: 'I cannot read {what} yet. Please write what you need in words.',
  FILE_TOO_LARGE:
    '{name} has {size}; from here I can take files of up to {limit}. Please send a smaller one, or write what you need in words.',
  BUTTON_EXPIRED: 'This button is no longer active.',
  CODE_INVALID: 'That code is not valid. Check that it is complete, or ask for a new one.',
  CODE_USED: 'That code was used already, and each works once. Ask an admin for a new one.',
  CODE_EXPIRED: 'That code is no longer valid. Ask an admin for a new one.',
  CODE_LIMIT: 'Too many wrong codes. Try again in {minutes} minutes.',
  CODE_EXPOSED:
    'Everybody here has seen that code, so it is worthless now. Ask for a new one and send it to me in private.',
  LAST_ADMIN:
    'Nothing was changed: {name} is the only admin, and nobody could let others in any more. Make somebody else an admin first.',
  COMMAND_UNKNOWN: 'There is no command /{typed}. {hint} /help shows what I can do.',
  AGENT_UNKNOWN: 'There is no agent named {id}. There are: {known}.',
  ACTION_ID_TAKEN:
    'I stopped before {tool}: its id belongs to an earlier step with other data ({differs} differ), so I did not run it. Please ask again.',
  TOOL_OUTCOME_UNKNOWN:
    '{tool} was interrupted and I cannot tell whether it took effect. Please check before you ask again.',
  CHANNEL_REFUSED: 'Telegram refuses: {reason}',
  NOT_PERMITTED: 'Your role ({role}) does not allow that; it needs the role {needed}. Ask an admin.',
  NEEDS_APPROVAL: '{action} needs the approval of another person, and {problem}. Nothing was changed.',
  APPROVAL_UNSHOWABLE:
    'Nobody can approve that, because it cannot be shown as a whole: {problem}. Nothing was changed.',
  POLICY_DENIED: '{sentence} (rule {rule}). Nothing was changed.',
  WAITING_FOR_APPROVAL:
    'That needs approval, and {asked} ({id}). Nothing has been changed yet; I will tell you the result.',
  WAITING_FOR_CONFIRMATION: 'Please confirm that with the button on the card ({id}). Nothing has been changed yet.',
  APPROVAL_VOID: 'The approval {id} is no longer valid: {reason}. Nothing was changed.',
  APPROVAL_GONE: 'This request is already {status}.',
  SANDBOX_MISSING:
    'I run commands only in a sandbox, and there is none here: {reason}. Nothing was run. An operator can install it (apt-get install bubblewrap).',
  CONFINEMENT_MISSING:
    'I build and start programs on this machine only in a sandbox, and there is none here: {reason}. Nothing was started. An operator can install bubblewrap (apt-get install bubblewrap) and start Signalbox again, or choose a server with an engine.',
  WORKSPACE_FULL:
    'There is no room in the workspace: {detail}. Nothing was written. Delete what is no longer needed in it, or ask an operator for more room.',
  MODEL_UNAVAILABLE:
    'The language model is not answering, so I could not finish this. Nothing is lost; please say it again in a moment.',
  MODEL_TOO_LONG:
    'This conversation has become too long for the language model, so I could not finish this. Saying it again does not help: begin a new one with /new, and say it there. What was done stays done.',
  MODEL_KEY_REFUSED:
    'The server of the language model refuses our key, so I could not finish this. Saying it again does not help: an operator has to set a valid one. “signalbox doctor” says where.',
  MODEL_NO_CREDIT:
    'The account of the language model has no credit left, so I could not finish this. Saying it again does not help: an operator has to add some. “signalbox doctor” says which account.',
  MODEL_UNKNOWN:
    'The language model that is set does not answer at its address: its server does not know it, or something else is there. Saying it again does not help: an operator has to correct its name or address. “signalbox doctor” says which.',
  MODEL_REQUEST_REFUSED:
    'The server of the language model does not take our requests, so I could not finish this. Saying it again does not help: an operator has to look at its settings. “signalbox doctor” says what it refuses.',
  MODEL_GARBAGE: 'The language model gave no usable answer, so I stopped. Please say it again in other words.',
  DEAD_LETTERED:
    'I tried your message several times and could not handle it. An operator has been notified (reference {ref}).',
  MESSAGE_UNREADABLE:
    'Something that came for you cannot be read, so nothing was done about it. An operator has been notified (reference {ref}).',
  JOB_TOO_SLOW: 'It did not end within {seconds} s.',
  JOB_STALLED: 'It made no progress for {seconds} s, so it was stopped.',
  JOB_CANCELLED: '{job} was cancelled.',
  JOB_INTERRUPTED: 'It was interrupted {attempts} times.',
  DEPLOYMENT_BROKE_OFF:
    'The deployment did not finish: {detail} It resumes automatically, and I will tell you how it ends.',
  JOB_FAILED: '{job} failed: {detail}',
  AUDIT_EXPORT_UNREADABLE: 'Line {line} of {file} cannot be read: {detail}.',
  TARGET_UNREACHABLE: 'The server {server} does not answer: {detail}',
  TARGET_LOST:
    'The connection to the server {server} was lost ({detail}); whether the last step took effect there is not known.',
  BUILD_FAILED: 'The build failed: {command} {outcome}.',
  HOST_KEY_UNKNOWN:
    'The server {server} is not known yet: it shows the host key {fingerprint}, which nobody has approved. Nothing was done there.',
  HOST_KEY_CHANGED:
    'The server {server} shows the host key {fingerprint}, and {trusted} was approved. Nothing was done there: it may be another machine.',
  REPOSITORY_REFUSED: 'I do not read the repository {repository}: {detail}.',
  REPOSITORY_UNREADABLE: 'The repository {repository} could not be read: {detail}.',
  BRANCH_TAKEN:
    'The branch {branch} of {repository} holds the commit {commit}, which I did not put there. Nothing was pushed, and nothing there was replaced.',
  FORGE_REFUSED: '{forge} does not take the change of {repository}: {detail}.',
  START_UNKNOWN: 'I cannot tell how {commit} is started. Say “the start command of … is node server.js”.',
  START_IMPOSSIBLE:
    'I cannot start {commit} on {server}. {reasons} Install there what is missing and say “the start command of … is node server.js”, or deploy it with a Dockerfile to a server that runs images.',
  SERVICE_FILE_INVALID: 'The file {file} is not usable: {detail}.',
  SECRET_NOT_WRITTEN:
    'Nothing was changed: {argument} holds {what}. I write neither a secret nor something in its place. Keep it with `/secret set NAME …` in a private chat and give a variable of a service secret:NAME as its whole value. Or write it yourself where it belongs.',
  NOT_RESOLVED: '{detail}',
  PLAN_CHANGED:
    'What was to be deployed has changed since it was decided: {changes}. Nothing was started; ask for it again.',
  NOT_READY: 'Nothing was deployed. {detail}',
  STEP_TOO_SLOW: 'The step {step} did not end within {seconds} s, so it was stopped.',
  STEP_STALLED: 'The step {step} wrote nothing and used no processor for {seconds} s, so it was stopped.',
  INSTANCE_ENDED: 'The new instance exited before it could serve: {how}.',
  INSTANCE_UNHEALTHY: 'The new instance did not answer {wanted} at `{path}` within {seconds} s; {last}.',
  PORT_IGNORED:
    'The program runs, but for {seconds} s nothing listened on port {port}, which it was given as `$PORT`; {elsewhere}. Let it listen on `$PORT` of `$HOST`.',
  RELEASE_NOT_SERVED: 'After the switch, {where} does not serve {release}: {found}.',
} as const;

/** Errors after which the operation is retried with backoff. */
const RETRY = {
  SERVER_AWAY: '{server} at {address} does not answer: {detail}. Start it, or correct {variable}.',
  LANE_LOST: 'Another worker took over the lane of {userKey}.',
  FORGE_AWAY: '{forge} could not be asked: {detail}. A branch that was pushed stays, and asking again goes on from it.',
  UPSTREAM_UNAVAILABLE: '{service} is not answering.',
} as const;

const SENTENCES = { ...TELL_MODEL, ...TELL_USER, ...RETRY, ...PAGE_OPERATOR };

/** Error codes of plug-ins with their English sentences, merged in by each plug-in: see docs/extending/plugins.md. */
// oxlint-disable-next-line typescript/no-empty-object-type -- declaration merging fills it
export interface PluginErrors {}
type Sentences = typeof SENTENCES & PluginErrors;

const catalog: Record<string, ErrorSpec> = {
  ...withRemedy('tell-model', TELL_MODEL),
  ...withRemedy('tell-user', TELL_USER),
  ...withRemedy('retry', RETRY),
  ...withRemedy('page-operator', PAGE_OPERATOR),
};

/** The catalog of errors. `say` is the sentence for people, in which `{name}` is replaced by a field of `data`. */
// The cast covers codes of plug-ins too: a plug-in is loaded before it throws its errors.
export const ERRORS = catalog as Readonly<Record<ErrorCode, ErrorSpec>>;

/** Adds the error codes of a plug-in, with the remedy `tell-model`. `ownFields`: data fields that the plug-in fills itself. */
export function addErrors(sentences: Readonly<Record<string, string>>, ownFields: readonly string[]): void {
  Object.assign(catalog, withRemedy('tell-model', sentences));
  for (const code of Object.keys(sentences)) pluginFields.set(code, ownFields);
}

/** Data fields that plug-ins fill themselves, by error code. */
const pluginFields = new Map<string, readonly string[]>();

function withRemedy<C extends string>(remedy: Remedy, sentences: Record<C, string>): Record<C, ErrorSpec> {
  const specs = Object.entries<string>(sentences).map(([code, say]) => [code, { remedy, say }]);
  return Object.fromEntries(specs) as Record<C, ErrorSpec>; // Object.fromEntries keeps the keys of `sentences`
}

export type ErrorCode = keyof Sentences;

/** Error codes of calls that governance refused or postponed. The agent must accept these and not fix them. */
export const REFUSAL_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'NOT_PERMITTED',
  'NEEDS_APPROVAL',
  'APPROVAL_UNSHOWABLE',
  'WAITING_FOR_APPROVAL',
  'WAITING_FOR_CONFIRMATION',
  'POLICY_DENIED',
]);
type Fields<S extends string> = S extends `${string}{${infer K}}${infer R}` ? K | Fields<R> : never;
export type ErrorData<C extends ErrorCode> = { readonly [K in Fields<Sentences[C]>]: string };

/** Data fields that the runtime itself fills. Other data fields may quote outsiders. */
const RUNTIME_FIELDS: ReadonlySet<string> = new Set([
  'tool',
  'loaded',
  'agent',
  'job',
  'step',
  'act',
  'kind',
  'role',
  'needed',
  'rule',
  'id',
  'thread',
  'deployment',
  'finding',
  'environment',
  'wanted',
  'state',
  'status',
  'fingerprint',
  'trusted',
  'seen',
  'argument',
  'consequence',
  'differs',
]);

/** Data fields that the runtime itself fills, by error code. */
const RUNTIME_FIELDS_BY_CODE: { readonly [C in ErrorCode]?: readonly Fields<Sentences[C]>[] } = {
  TOOL_INPUT_INVALID: ['detail'],
  TOOL_FAILED: ['ref'],
  NEVER_DEPLOYED: ['detail'],
  TURN_NOT_FAILED: ['outcome'],
  COMMAND_REFUSED: ['reason'],
  DEAD_LETTERED: ['ref'],
  MESSAGE_UNREADABLE: ['ref'],
  NEEDS_APPROVAL: ['action', 'problem'],
  POLICY_DENIED: ['sentence'],
  SANDBOX_MISSING: ['reason'],
  CONFINEMENT_MISSING: ['reason'],
  WORKSPACE_FULL: ['detail'],
  SECRET_NOT_WRITTEN: ['what'],
  SERVER_AWAY: ['server', 'address', 'detail', 'variable'],
  UPSTREAM_UNAVAILABLE: ['service'],
  INTERNAL: ['ref'],
};

/** Data fields with a registered name, which is fine in its strict form. */
const NAME_FIELDS: ReadonlySet<string> = new Set(['project', 'server', 'named', 'service']);

/** Kinds of things whose names Signalbox registers or makes. */
const REGISTERED_KINDS: ReadonlySet<string> = new Set(['project', 'server', 'service', 'node']);

/** True when the sentence of an error may quote an outsider: a data field comes neither from the runtime nor from `known`. Pure. */
export function mayQuoteUntrusted({ code, data, cause }: AppError, known: ReadonlySet<string>): boolean {
  // The detail is a sentence. If an error of the catalog caused the failure, that error decides.
  const hasSentence = code === 'JOB_FAILED' || code === 'NOT_RESOLVED';
  if (hasSentence && cause instanceof AppError) return mayQuoteUntrusted(cause as AppError, known); // The cause may have any code
  const runtimeFields: readonly string[] = RUNTIME_FIELDS_BY_CODE[code] ?? pluginFields.get(code) ?? [];
  return Object.entries<string>(data).some(([name, value]) => {
    if (RUNTIME_FIELDS.has(name) || runtimeFields.includes(name) || !hasUntrustedText(value, known)) return false;
    if (NAME_FIELDS.has(name)) return !isStrictName(value);
    return code !== 'NOT_FOUND' || name !== 'known' || !isOwnList(value, data);
  });
}

/** True for a list of names that cannot instruct a model. */
function isOwnList(list: string, { kind }: ErrorData<'NOT_FOUND'>): boolean {
  if (isInsteadOfNames(list)) return true;
  const isOwn = (name: string): boolean => REGISTERED_KINDS.has(kind) && name.split('/').every(isStrictName);
  return splitNameList(list).every((name) => isHarmlessText(name) || isOwn(name));
}

/** An error with a code of the catalog. `message` is its English sentence; `explain` in the messages package translates the sentence. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly data: ErrorData<C>;
  /** Values of our own records that the sentence offers instead of a wrong one, as a later call may use them (see field-key.ts). */
  readonly offers: readonly string[];

  constructor(code: C, data: ErrorData<C>, cause?: unknown, offers: readonly string[] = []) {
    super(fillIn(code, data), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.data = data;
    this.offers = offers;
  }

  get remedy(): Remedy {
    return ERRORS[this.code].remedy;
  }
}

/** Returns the English sentence of an error code, with its fields filled in. */
function fillIn<C extends ErrorCode>(code: C, data: ErrorData<C>): string {
  const fields = data as Readonly<Record<string, string>>; // ErrorData only contains strings
  return ERRORS[code].say.replace(/\{(\w+)\}/g, (_, name: string) => fields[name] ?? `{${name}}`);
}

/** Wraps a thrown value as INTERNAL; returns an AppError unchanged. `ref` is a reference that the person can pass on to an operator. */
export function toAppError(thrown: unknown, ref: string): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('INTERNAL', { ref }, thrown);
}
