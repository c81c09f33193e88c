/**
 * What the system does next with a failure. Every code has exactly one remedy.
 * tell-model: the agent reads the sentence and tries another way. tell-user: the person reads it.
 * retry: try again with backoff. page-operator: someone on call must look.
 */
export type Remedy = 'tell-model' | 'tell-user' | 'retry' | 'page-operator';

interface ErrorSpec {
  readonly remedy: Remedy;
  readonly say: string;
}

/** Every failure the product can name. `say` is the sentence a person reads; `{name}` is filled from `data`. */
export const ERRORS = {
  CONFIG_INVALID: { remedy: 'page-operator', say: 'The configuration is not usable: {problems}' },
  STARTUP_REFUSED: { remedy: 'page-operator', say: 'I refuse to start: {reason}' },
  SERVER_AWAY: {
    remedy: 'retry',
    say: '{server} at {address} does not answer: {detail}. Start it, or correct {variable}.',
  },
  LOGIN_REFUSED: {
    remedy: 'page-operator',
    say: '{server} at {address} refuses the login {login}. Correct the password in {variable}, or give the login that password on the server.',
  },
  DATABASE_MISSING: {
    remedy: 'page-operator',
    say: 'There is no database {name} on the Postgres at {address}. Create it, then run `npm run signalbox -- migrate`.',
  },
  DATABASE_OUTDATED: {
    remedy: 'page-operator',
    say: 'The database lacks {count} migrations of this release. Run `npm run signalbox -- migrate`.',
  },
  MIGRATION_FAILED: { remedy: 'page-operator', say: 'The database could not be brought up to date: {detail}' },
  ENVELOPE_UNREADABLE: { remedy: 'page-operator', say: 'A message on {stream} could not be read: {detail}' },
  INBOUND_NOT_STORED: {
    remedy: 'tell-user',
    say: 'I cannot store messages at the moment, so nothing is done yet. Yours is not lost: I answer it as soon as I can, and you need not send it again.',
  },
  STRANGER: {
    remedy: 'tell-user',
    say: 'Hello {name}, I only work for people I know. Ask an admin for an invitation (your id is {id}), and send me its code.',
  },
  TOO_FAST: {
    remedy: 'tell-user',
    say: 'That is faster than I can follow. Please wait {seconds} s; I dropped this message.',
  },
  TOO_LONG: {
    remedy: 'tell-user',
    say: 'That message has {length} characters; I read up to {limit}. Please shorten it or split it.',
  },
  NOT_TEXT: { remedy: 'tell-user', say: 'I cannot read {what} yet. Please write what you need in words.' },
  FILE_TOO_LARGE: {
    remedy: 'tell-user',
    say: '{name} has {size}; from here I can take files of up to {limit}. Please send a smaller one, or write what you need in words.',
  },
  BUTTON_EXPIRED: { remedy: 'tell-user', say: 'This button is no longer active.' },
  CODE_INVALID: {
    remedy: 'tell-user',
    say: 'That code is not valid. Look whether it is all there, or ask for a new one.',
  },
  CODE_USED: {
    remedy: 'tell-user',
    say: 'That code was used already, and each works once. Ask an admin for a new one.',
  },
  CODE_EXPIRED: { remedy: 'tell-user', say: 'That code is no longer valid. Ask an admin for a new one.' },
  CODE_LIMIT: {
    remedy: 'tell-user',
    say: 'Too many wrong codes. Try again in {minutes} minutes.',
  },
  CODE_EXPOSED: {
    remedy: 'tell-user',
    say: 'Everybody here has seen that code, so it is worthless now. Ask for a new one and send it to me in private.',
  },
  LAST_ADMIN: {
    remedy: 'tell-user',
    say: 'Nothing was changed: {name} is the only admin, and nobody could let others in any more. Make somebody else an admin first.',
  },
  COMMAND_UNKNOWN: { remedy: 'tell-user', say: 'There is no command /{typed}. {hint} /help shows what I can do.' },
  AGENT_UNKNOWN: { remedy: 'tell-user', say: 'There is no agent named {id}. There are: {known}.' },
  TOOL_UNKNOWN: { remedy: 'tell-model', say: 'There is no tool named {tool}. Loaded tools: {loaded}.' },
  TOOL_INPUT_INVALID: { remedy: 'tell-model', say: 'The arguments of {tool} are not valid: {detail}.' },
  ACTION_ID_TAKEN: {
    remedy: 'tell-user',
    say: 'I stopped before {tool}: that step carries the number of another one ({differs} differ), so I did not do it and give no result for it. Please ask again.',
  },
  TOOL_TIMED_OUT: {
    remedy: 'tell-model',
    say: '{tool} did not finish within {seconds} s; whether it took effect is not known.',
  },
  TOOL_TOO_SLOW: {
    remedy: 'tell-model',
    say: '{tool} did not answer within {seconds} s. It only reads, so nothing was changed.',
  },
  TOOL_OUTCOME_UNKNOWN: {
    remedy: 'tell-user',
    say: '{tool} was interrupted and I cannot tell whether it took effect. Please check before you ask again.',
  },
  TOOL_NOT_DONE: {
    remedy: 'tell-model',
    say: '{tool} was interrupted before it took effect. It changed nothing.',
  },
  FILES_REFUSED: { remedy: 'tell-model', say: 'The files could not be attached. {detail}' },
  TOOL_FAILED: { remedy: 'tell-model', say: '{tool} failed. Reference: {ref}.' },
  NOT_FOUND: { remedy: 'tell-model', say: 'I know no {kind} named {name}. Known: {known}.' },
  ALREADY_EXISTS: { remedy: 'tell-model', say: 'A {kind} named {name} already exists.' },
  CONFLICT: { remedy: 'tell-model', say: '{detail}' },
  DEPLOYMENT_UNDER_WAY: {
    remedy: 'tell-model',
    say: '{project} in {environment} is taken: {asked}, and it is {state}. Wait for its end, or cancel it.',
  },
  DEPLOYMENT_OF_OTHER: { remedy: 'tell-model', say: '{deployment} is no deployment of {project} in {environment}.' },
  NOTHING_SERVES: {
    remedy: 'tell-model',
    say: 'Nothing of {project} serves in {environment}, so there is nothing to {act}.',
  },
  NOTHING_SERVED_BEFORE: { remedy: 'tell-model', say: 'Nothing served {project} in {environment} before.' },
  SERVED_ELSEWHERE: {
    remedy: 'tell-model',
    say: '{project} in {environment} runs on {server}, not on {named}. Leave the server out, or say {server}.',
  },
  SERVER_OF_OTHER_ENVIRONMENT: {
    remedy: 'tell-model',
    say: '{server} is a server of {environment}; nothing of {wanted} runs there.',
  },
  SERVER_BOOKED: {
    remedy: 'tell-model',
    say: '{server} is only booked: it was registered without a way to reach it. Register it with its connection first.',
  },
  SERVER_LOGIN_MISSING: { remedy: 'tell-model', say: 'The server {server} has no user or no key, and ssh takes both.' },
  HOST_KEY_UNSEEN: { remedy: 'tell-model', say: '{server} has not shown a host key yet. Inspect it first.' },
  HOST_KEY_OTHER: {
    remedy: 'tell-model',
    say: '{server} has shown the host key {seen}, not {fingerprint}. Only what was seen can be trusted.',
  },
  PROJECT_ARCHIVED: { remedy: 'tell-model', say: 'The project {project} is archived; {consequence}.' },
  REPOSITORY_MISSING: {
    remedy: 'tell-model',
    say: '{project} has no repository yet, so there is nothing to deploy. Say where it is: “the repository of {project} is https://…”.',
  },
  REF_AMBIGUOUS: {
    remedy: 'tell-model',
    say: '{ref} is the beginning of a commit and the name of a tag or branch that is another one ({commit}). Say the whole commit, or another name.',
  },
  START_MISSING: { remedy: 'tell-model', say: 'Nothing says how to start it: {problem}.' },
  ARTIFACT_GONE: {
    remedy: 'tell-model',
    say: 'What was built of it ({artifact}) is no longer there; it has to be deployed again.',
  },
  STILL_IN_USE: { remedy: 'tell-model', say: '{instance} still runs what is to be removed.' },
  CONTAINER_REFUSED: { remedy: 'tell-model', say: 'The engine cannot start the container: {reason}' },
  TARGET_NAME_REFUSED: { remedy: 'tell-model', say: '{name} cannot name a folder on this server.' },
  VARIABLES_UNOPENED: { remedy: 'tell-model', say: '{problems}' },
  SERVICE_LOST_AGAIN: { remedy: 'tell-model', say: 'It was lost again and again within a day.' },
  CHECK_FAILED: { remedy: 'tell-model', say: '{detail}' },
  ROUTE_REFUSED: { remedy: 'tell-model', say: '{reason}' },
  COMMAND_REFUSED: { remedy: 'tell-model', say: 'I do not run that. {reason}' },
  RELEASE_UNREADABLE: { remedy: 'tell-model', say: '{problem} Ask for its log, or for a command on the server.' },
  PATH_UNSUITABLE: { remedy: 'tell-model', say: '{path} {problem}.' },
  WORKSPACE_BUSY: {
    remedy: 'tell-model',
    say: 'Another command still runs in this workspace. Ask again when it has ended.',
  },
  WORKSPACE_DAMAGED: {
    remedy: 'page-operator',
    say: 'The workspace {workspace} is damaged: an operator has to look at {folder}.',
  },
  CONVERSATION_OVER: { remedy: 'tell-model', say: 'The conversation {thread} is {status}: nothing can go on in it.' },
  CHANNEL_REFUSED: { remedy: 'tell-user', say: 'Telegram refuses: {reason}' },
  NOT_PERMITTED: {
    remedy: 'tell-user',
    say: 'Your role ({role}) does not allow that; it takes the role {needed}. Ask an admin.',
  },
  NEEDS_APPROVAL: {
    remedy: 'tell-user',
    say: '{action} needs the approval of another person, and {problem}. Nothing was changed.',
  },
  APPROVAL_UNSHOWABLE: {
    remedy: 'tell-user',
    say: 'Nobody can approve that, because it cannot be shown as a whole: {problem}. Nothing was changed.',
  },
  POLICY_DENIED: { remedy: 'tell-user', say: '{sentence} (rule {rule}). Nothing was changed.' },
  POLICY_REFUSED: {
    remedy: 'page-operator',
    say: 'The changed policies are not usable, so the ones before stay in force: {detail}',
  },
  WAITING_FOR_APPROVAL: {
    remedy: 'tell-user',
    say: 'That needs approval, and I have asked for it ({id}). Nothing has been changed yet; I will tell you what comes of it.',
  },
  WAITING_FOR_CONFIRMATION: {
    remedy: 'tell-user',
    say: 'Please confirm that with the button on the card ({id}). Nothing has been changed yet.',
  },
  APPROVAL_VOID: { remedy: 'tell-user', say: 'The approval {id} is no longer valid: {reason}. Nothing was changed.' },
  APPROVAL_GONE: { remedy: 'tell-user', say: 'This request is already {status}.' },
  PATH_DENIED: { remedy: 'tell-model', say: '{path} is out of bounds: {why}. Nothing was changed.' },
  DIFF_REFUSED: { remedy: 'tell-model', say: 'The diff was not applied: {detail}. Nothing was changed.' },
  SANDBOX_MISSING: {
    remedy: 'tell-user',
    say: 'I run commands only in a sandbox, and there is none here: {reason}. Nothing was run. An operator can install it (apt-get install bubblewrap).',
  },
  CONFINEMENT_MISSING: {
    remedy: 'tell-user',
    say: 'I build and start programs on this machine only where they are confined, and they cannot be here: {reason}. Nothing was started. An operator can install bubblewrap (apt-get install bubblewrap) and start Signalbox again, or choose a server with an engine.',
  },
  WORKSPACE_FULL: {
    remedy: 'tell-user',
    say: 'There is no room in the workspace: {detail}. Nothing was written. Delete what is no longer needed in it, or ask an operator for more room.',
  },
  NO_CAPACITY: { remedy: 'tell-model', say: '{detail}' },
  MODEL_UNAVAILABLE: {
    remedy: 'tell-user',
    say: 'The language model is not answering, so I could not finish this. Nothing is lost; please say it again in a moment.',
  },
  MODEL_GARBAGE: {
    remedy: 'tell-user',
    say: 'The language model gave no usable answer, so I stopped. Please say it again in other words.',
  },
  LANE_LOST: { remedy: 'retry', say: 'Another worker took over the lane of {userKey}.' },
  DEAD_LETTERED: {
    remedy: 'tell-user',
    say: 'I tried your message several times and could not handle it. An operator has been told (reference {ref}).',
  },
  MESSAGE_UNREADABLE: {
    remedy: 'tell-user',
    say: 'Something that came for you cannot be read, so nothing was done about it. An operator has been told (reference {ref}).',
  },
  UPSTREAM_UNAVAILABLE: { remedy: 'retry', say: '{service} is not answering.' },
  JOB_TOO_SLOW: { remedy: 'tell-user', say: 'It did not end within {seconds} s.' },
  JOB_STALLED: { remedy: 'tell-user', say: 'It gave no sign of getting on for {seconds} s, so it was ended.' },
  JOB_CANCELLED: { remedy: 'tell-user', say: '{job} was cancelled.' },
  JOB_INTERRUPTED: { remedy: 'tell-user', say: 'It was interrupted {attempts} times.' },
  DEPLOYMENT_BROKE_OFF: {
    remedy: 'tell-user',
    say: 'The deployment broke off: {detail} It is taken up again by itself, and I tell you how it ends.',
  },
  JOB_FAILED: { remedy: 'tell-user', say: '{job} failed: {detail}' },
  LISTENERS_DISAGREE: {
    remedy: 'page-operator',
    say: 'Other gateways of this installation receive {others}, but this one is set up {own} and stays out. Set all of them up alike.',
  },
  WEBHOOK_REFUSED: { remedy: 'page-operator', say: 'Telegram refuses the webhook at {host}: {detail}' },
  WEBHOOK_TAKEN: {
    remedy: 'page-operator',
    say: 'Telegram sends the updates of this bot to {host}, not here: another program has set its webhook since.',
  },
  DELIVERY_REFUSED: { remedy: 'page-operator', say: 'The channel refused a message for {chat}: {detail}' },
  DATABASE_ROLE_MISSING: {
    remedy: 'page-operator',
    say: 'The database login of this service may not take the role {role}. Run `npm run signalbox -- migrate`; if that is not enough, an administrator of the server has to run: grant {role} to <the login>;',
  },
  AUDIT_EVENT_REFUSED: { remedy: 'page-operator', say: 'An audit event of kind {kind} cannot be recorded: {detail}' },
  AUDIT_HISTORY_DIFFERS: { remedy: 'page-operator', say: 'The audit history is not what was signed: {detail}.' },
  AUDIT_EXPORT_UNREADABLE: { remedy: 'tell-user', say: 'Line {line} of {file} cannot be read: {detail}.' },
  SECRET_UNKNOWN: {
    remedy: 'tell-model',
    say: 'There is no secret {handle}, or it is no longer kept. Whoever has it can send it again, or keep it with /secret set.',
  },
  SECRET_UNREADABLE: {
    remedy: 'page-operator',
    say: 'The secret {handle} cannot be opened: it was sealed with another key, or was changed.',
  },
  TARGET_UNREACHABLE: { remedy: 'tell-user', say: 'The server {server} does not answer: {detail}' },
  TARGET_LOST: {
    remedy: 'tell-user',
    say: 'The link to the server {server} dropped ({detail}); whether the last step took effect there is not known.',
  },
  BUILD_FAILED: { remedy: 'tell-user', say: 'The build failed: {command} {outcome}.' },
  HOST_KEY_UNKNOWN: {
    remedy: 'tell-user',
    say: 'The server {server} is not known yet: it shows the host key {fingerprint}, which nobody has approved. Nothing was done there.',
  },
  HOST_KEY_CHANGED: {
    remedy: 'tell-user',
    say: 'The server {server} shows the host key {fingerprint}, and {trusted} was approved. Nothing was done there: it may be another machine.',
  },
  REPOSITORY_REFUSED: { remedy: 'tell-user', say: 'I do not read the repository {repository}: {detail}.' },
  REPOSITORY_UNREADABLE: { remedy: 'tell-user', say: 'The repository {repository} could not be read: {detail}.' },
  START_UNKNOWN: {
    remedy: 'tell-user',
    say: 'I cannot tell how {commit} is started: it has no Dockerfile, no Procfile, no package.json with a start script, no main.py or app.py, and no index.html. Add a signalbox.json that says how, such as {example}.',
  },
  SERVICE_FILE_INVALID: { remedy: 'tell-user', say: 'The file {file} is not usable: {detail}.' },
  SECRET_NOT_WRITTEN: {
    remedy: 'tell-user',
    say: 'Nothing was changed: {argument} holds {what}. I write neither a secret nor something in its place. Keep it with `/secret set NAME …` in a private chat and give a variable of a service secret:NAME as its whole value, or write it yourself where it belongs.',
  },
  NOT_RESOLVED: { remedy: 'tell-user', say: '{detail}' },
  PLAN_CHANGED: {
    remedy: 'tell-user',
    say: 'What was to be deployed has changed since it was decided: {changes}. Nothing was started; ask for it again.',
  },
  NOT_READY: { remedy: 'tell-user', say: 'Nothing was deployed. {detail}' },
  STEP_TOO_SLOW: { remedy: 'tell-user', say: 'The step {step} did not end within {seconds} s, so it was ended.' },
  STEP_STALLED: {
    remedy: 'tell-user',
    say: 'The step {step} wrote nothing and used no processor for {seconds} s, so it was ended.',
  },
  INSTANCE_ENDED: { remedy: 'tell-user', say: 'The new instance ended by itself before it could serve: {how}.' },
  INSTANCE_UNHEALTHY: {
    remedy: 'tell-user',
    say: 'The new instance did not answer 200 at `{path}` within {seconds} s; {last}.',
  },
  PORT_IGNORED: {
    remedy: 'tell-user',
    say: 'The program runs, but for {seconds} s nothing listened on port {port}, which it was given as `$PORT`; {elsewhere}. Let it listen on `$PORT` of `$HOST`.',
  },
  RELEASE_NOT_SERVED: { remedy: 'tell-user', say: 'After the switch, {where} does not serve {release}: {found}.' },
  INTERNAL: { remedy: 'page-operator', say: 'Something broke on my side. Reference: {ref}.' },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/** A call with one of these was not let run, or not yet: that is an answer, and no failure to be repaired. */
export const REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  'NOT_PERMITTED',
  'NEEDS_APPROVAL',
  'APPROVAL_UNSHOWABLE',
  'WAITING_FOR_APPROVAL',
  'WAITING_FOR_CONFIRMATION',
  'POLICY_DENIED',
]);
type Fields<S extends string> = S extends `${string}{${infer K}}${infer R}` ? K | Fields<R> : never;
export type ErrorData<C extends ErrorCode> = { readonly [K in Fields<(typeof ERRORS)[C]['say']>]: string };

/** A failure with a name from the catalog. `message` is its sentence in English, filled in: `explain` of the messages says it to people. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly data: ErrorData<C>;

  constructor(code: C, data: ErrorData<C>, cause?: unknown) {
    super(fillIn(code, data), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.data = data;
  }

  get remedy(): Remedy {
    return ERRORS[this.code].remedy;
  }
}

/** The English sentence of a code, with its fields filled from `data`. People read it in their language: see `sayError` of the messages. */
function fillIn<C extends ErrorCode>(code: C, data: ErrorData<C>): string {
  const fields = data as Readonly<Record<string, string>>; // ErrorData is a record of strings by construction
  return ERRORS[code].say.replace(/\{(\w+)\}/g, (_, name: string) => fields[name] ?? `{${name}}`);
}

/** Wraps whatever was thrown; an AppError passes unchanged. `ref` is what the person can quote to an operator. */
export function toAppError(thrown: unknown, ref: string): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('INTERNAL', { ref }, thrown);
}
