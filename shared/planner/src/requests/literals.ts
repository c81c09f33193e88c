import type { Run } from '../conversation/history.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';

/** A request that says something letter by letter: a command to run, the path of a file. */
export interface Literal {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

const POLITE = String.raw`(?:please |can you |could you |would you )*`;
/** What may stand around a command and is no part of it. */
const PLACE = String.raw`(?: (?:in|inside(?: of)?|over) (?:the |my |our |this )?(?:workspace|sandbox))?(?: please)?`;
const RUN = new RegExp(`^${POLITE}(?:run|execute)(?: the)?(?: shell)?(?: command)?:? (.+?)${PLACE}$`, 'is');

/** Programs that a command may begin with. Other first words are those of a sentence: "run the deploy". */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    'awk base64 basename bash bun bzip2 cal cargo cat cd chmod chown cksum clang cmake cmp comm composer cp cut curl date dd deno df diff ' +
    'dirname dotnet du echo egrep env expr factor fgrep file find free gcc git go gradle grep groups gunzip gzip head hexdump hostname id ' +
    'java jq kill ln locale ls lscpu lsblk make md5sum mkdir mv mvn nl node nohup npm npx nproc od paste patch perl php pip pip3 pnpm printenv ' +
    'printf ps pwd pytest python python3 readlink realpath rev rg rm rmdir rsync ruby rustc sed seq sh sha1sum sha256sum shuf sleep sort ' +
    'ssh stat strings sudo sum tac tail tar tee test time touch tr tree true truncate tsc tsx type uname uniq unzip uptime vitest vmstat wc ' +
    'wget which who whoami xargs xxd xz yarn yes zip'
  ).split(' '),
);

/** A name with an ending, or with folders before it. */
const PATH = String.raw`["']?((?:[\w@.+-]+/)*(?:[\w@+-]+\.[A-Za-z][\w-]{0,9}|\.[a-z][\w.-]*|Makefile|Dockerfile|LICENSE|README)|(?:[\w@.+-]+/)+[\w@.+-]+)["']?`;
const READ = new RegExp(
  `^${POLITE}(?:show|read|open|print|display|view|cat)(?: me)?(?: the)?(?: contents? of)?(?: the)?(?: file)? ${PATH}${PLACE}[.!?]?$`,
  'i',
);
const WHAT_IS_IN = new RegExp(`^what(?:'s| is) in (?:the file )?${PATH}\\??$`, 'i');
const WRITE = new RegExp(
  `^${POLITE}(?:write|create|make|save)(?: a| the)?(?: new)?(?: text)?(?: file)?(?: called| named)? ${PATH}(?: (?:with|containing)(?: the)?(?: text| contents?)?:?|:) (.+)$`,
  'is',
);
const FOLDER =
  /^(?:please |can you |could you )*(?:list|show)(?: me)?(?: all)?(?: the)? (?:files|contents?) (?:in|of|under|below) (?:the )?(?:folder |directory )?["']?([\w@.+/-]+)["']?[.!?]?$/i;

const VARIABLE = String.raw`(?:the )?(?:env(?:ironment)? )?(?:variable |var )?(?<name>[A-Za-z_][A-Za-z0-9_]*)`;
const SERVICE = String.raw`(?:of|for|on|in) (?:the )?(?:project )?(?<project>[a-z][a-z0-9-]*)(?: (?:in|on|to|for) (?<environment>staging|production|local))?`;
/** "set LOG_LEVEL of shop in staging to debug", "set LOG_LEVEL=debug for shop in staging", "use secret:key as API_KEY of shop in staging"; the environment may be left to be asked for. */
const SET = [
  new RegExp(`^${POLITE}(?:set|change) ${VARIABLE} ${SERVICE} to (?<value>.+)$`, 'is'),
  new RegExp(`^${POLITE}(?:set|change) ${VARIABLE}(?: to |\\s?=\\s?)(?<value>.+?) ${SERVICE}$`, 'is'),
  new RegExp(`^${POLITE}use (?<value>(?:secret )?\\S+) (?:as|for) ${VARIABLE} ${SERVICE}$`, 'is'),
];

/** "unset LOG_LEVEL of shop in staging" */
const UNSET = new RegExp(
  `^${POLITE}(?:unset|remove|delete|drop) ${VARIABLE} (?:of|for|from|on|in) (?:the )?(?:project )?(?<project>[a-z][a-z0-9-]*)(?: (?:in|on|from) (?<environment>staging|production|local))?$`,
  'i',
);
const UNMUTE = new RegExp(
  `^${POLITE}unmute (?:the )?(?<project>[a-z][a-z0-9-]*)(?: (?:in|on) (?<environment>staging|production|local))?$`,
  'i',
);

/**
 * Reads a request that quotes what it wants. Its letters are taken as they are: the rest of the planner would take a command apart
 * into words. `last` is what ran before. Null for everything else, and when no tool takes it.
 */
export function readLiteral(said: string, index: ToolIndex, last: Run | null = null): Literal | null {
  const text = withServer(said, last);
  const command = readCommand(text);
  const there = command === null ? null : onServer(command);
  const remote = there && literal(index, there, (tool) => tool.name.startsWith('run_'));
  if (remote) return remote;
  if (command !== null) return literal(index, { command }, (tool) => tool.name.startsWith('run_'));
  const variable = readVariable(text);
  if (variable) return literal(index, variable, (tool) => tool.name.startsWith('set_'));
  const unmuted = UNMUTE.exec(text)?.groups;
  if (unmuted) return literal(index, { ...given(unmuted), hours: 0 }, (tool) => tool.name.startsWith('mute_'));
  const unset = UNSET.exec(text)?.groups;
  if (unset?.['name'] !== undefined && isVariable(unset['name'], text))
    return literal(
      index,
      { ...given(unset), name: unset['name'] },
      (tool) => tool.name.startsWith('remove_') && tool.name.endsWith('_variable'),
    );
  const written = WRITE.exec(text);
  if (written?.[1] !== undefined && written[2] !== undefined)
    return literal(index, { path: written[1], content: unquoted(written[2]) }, (tool) =>
      tool.name.startsWith('write_'),
    );
  const file = (READ.exec(text) ?? WHAT_IS_IN.exec(text))?.[1];
  if (file !== undefined && !/^[\w-]+\.\d/.test(file))
    return literal(index, { path: file }, (tool) => tool.isHarmless && isNeeded(tool, 'path'));
  const folder = FOLDER.exec(text)?.[1];
  if (folder === undefined || /^(?:workspace|sandbox|it|there|here)$/i.test(folder)) return null;
  return literal(index, { path: folder }, (tool) => tool.isHarmless && tool.name.endsWith('_files'));
}

function given(groups: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) => (value === undefined ? [] : [[name, value.toLowerCase()]])),
  );
}

/** "run df -h there" is meant for the server that was spoken of. */
function withServer(text: string, last: Run | null): string {
  const server = last?.args['server'];
  return typeof server === 'string' ? text.replace(/ there$/i, ` on ${server}`) : text;
}

function readCommand(text: string): string | null {
  const written = RUN.exec(text)?.[1]?.trim();
  if (written === undefined) return null;
  if (unquoted(written) !== written) return unquoted(written);
  const first = written.split(/\s/)[0] ?? '';
  return PROGRAMS.has(first) || /^(?:\.{0,2}\/|[A-Z_]+=)\S/.test(first) ? written : null;
}

/** "df -h on local": a command and the server that it is meant for; null when none is named. */
function onServer(command: string): Readonly<Record<string, string>> | null {
  const [, what = '', server = ''] =
    /^(.+?) on (?:the )?(?:server |machine |host )?([a-z][a-z0-9-]{1,39})$/i.exec(command) ?? [];
  return what === '' ? null : { command: what, server: server.toLowerCase() };
}

/** "Set the description of shop in staging" is about something else: variables are written large, or called so. */
function readVariable(text: string): Readonly<Record<string, string>> | null {
  const {
    name = '',
    value = '',
    project = '',
    environment = '',
  } = SET.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined) ?? {};
  if (name === '' || !isVariable(name, text)) return null;
  const handle = /\buse secret /i.test(text) ? value.replace(/^secret /i, 'secret:') : unquoted(value);
  const place = environment === '' ? {} : { environment: environment.toLowerCase() };
  return { name, value: handle, project: project.toLowerCase(), ...place };
}

/** Variables are written large, or called so. */
function isVariable(name: string, text: string): boolean {
  return /^[A-Z0-9_]+$/.test(name) || /\bvar(?:iable)?\b/i.test(text);
}

function unquoted(written: string): string {
  const [, mark = '', inside = ''] = /^(["'])(.+)\1$/s.exec(written) ?? [];
  return inside === '' || inside.includes(mark) ? written : inside;
}

function literal(
  index: ToolIndex,
  args: Readonly<Record<string, unknown>>,
  isMeant: (tool: IndexedTool) => boolean,
): Literal | null {
  const tool = index.tools.find(
    (one) =>
      one.installed &&
      isMeant(one) &&
      Object.keys(args).every((field) => one.fields.some(({ name }) => name === field)) &&
      one.fields.every(({ name, required, choices }) => !required || choices.length > 0 || Object.hasOwn(args, name)),
  );
  return tool ? { tool, args } : null;
}

function isNeeded(tool: IndexedTool, field: string): boolean {
  return tool.fields.some(({ name, required }) => name === field && required);
}
