import { wordSet } from '../text/tokens.ts';
import type { ToolRun } from './history.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';

/** A request with literal text: a command to run, or the path of a file. */
export interface LiteralRequest {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

const POLITE = String.raw`(?:please |can you |could you |would you )*`;
/** Phrases beside a command that are not part of the command. */
const PLACE = String.raw`(?: (?:in|inside(?: of)?|over) (?:the |my |our |this )?(?:workspace|sandbox))?(?: please)?`;
const RUN = `${POLITE}(?:run|execute)(?: the)?(?: shell)?(?: command)?:? (?<command>.+?)${PLACE}`;

/** Programs with which a command begins. After any other first word, as in "run the deploy", the text is a sentence. */
const PROGRAMS = wordSet(
  'awk base64 basename bash bun bzip2 cal cargo cat cd chmod chown cksum clang cmake cmp comm composer cp cut curl date dd deno df diff ' +
    'dirname dotnet du echo egrep env expr factor fgrep file find free gcc git go gradle grep groups gunzip gzip head hexdump hostname id ' +
    'java jq kill ln locale ls lscpu lsblk make md5sum mkdir mv mvn nl node nohup npm npx nproc od paste patch perl php pip pip3 pnpm printenv ' +
    'printf ps pwd pytest python python3 readlink realpath rev rg rm rmdir rsync ruby rustc sed seq sh sha1sum sha256sum shuf sleep sort ' +
    'ssh stat strings sudo sum tac tail tar tee test time touch tr tree true truncate tsc tsx type uname uniq unzip uptime vitest vmstat wc ' +
    'wget which who whoami xargs xxd xz yarn yes zip',
);

/** A file name with an extension, or with folders. */
const PATH = String.raw`["']?(?<path>(?:[\w@.+-]+/)*(?:[\w@+-]+\.[A-Za-z][\w-]{0,9}|\.[a-z][\w.-]*|Makefile|Dockerfile|LICENSE|README)|(?:[\w@.+-]+/)+[\w@.+-]+)["']?`;
const READ = `${POLITE}(?:show|read|open|print|display|view|cat)(?: me)?(?: the)?(?: contents? of)?(?: the)?(?: file)?`;
const WRITE = `${POLITE}(?:write|create|make|save)(?: a| the)?(?: new)?(?: text)?(?: file)?(?: called| named)?`;
const CONTENT = String.raw`(?: (?:with|containing)(?: the)?(?: text| contents?)?:?|:) (?<content>.+)`;
const LIST = String.raw`${POLITE}(?:list|show)(?: me)?(?: all)?(?: the)? (?:files|contents?) (?:in|of|under|below) (?:the )?(?:folder |directory )?`;
const VARIABLE = String.raw`(?:the )?(?:env(?:ironment)? )?(?:variable |var )?(?<name>[A-Za-z_][A-Za-z0-9_]*)`;
const PROJECT = String.raw`(?:the )?(?:project )?(?<project>[a-z][a-z0-9-]*)(?: (?:in|on|to|for|from) (?<environment>staging|production|local))?`;
/** A project without an environment. */
const OWNER = String.raw`(?:the )?(?:project )?(?<project>[a-z][a-z0-9-]*)`;
const TAG = String.raw`["']?(?<tag>[^\s"',.:;!?]{1,50})["']?`;
const SERVICE = `(?:of|for|on|in|from) ${PROJECT}`;
const SET = `${POLITE}(?:set|change) ${VARIABLE}`;
const END = String.raw`(?:,? please)?[.!]?`;
/** A value of one word ends before the place and the end of the sentence; a longer one is taken as it stands. */
const WORD = String.raw`(?<value>\S+?)${END}`;
const WORD_IN_PLACE = String.raw`(?<value>\S+) (?:in|on) (?<environment>staging|production|local)${END}`;

type LiteralParts = Readonly<Record<string, string | undefined>>;
type Args = Readonly<Record<string, unknown>>;

interface Form {
  /** Patterns with one named group per part; the group of the environment may be missing. */
  readonly forms: readonly string[];
  /** Names of the tools that take the request. */
  readonly tools: RegExp;
  /** Returns the possible arguments, the likeliest first. */
  readonly read: (said: LiteralParts, text: string) => readonly Args[];
}

const FORMS: readonly Form[] = [
  { forms: [RUN], tools: /^run_/, read: ({ command = '' }) => readCommand(command) },
  {
    forms: [
      `${SET} ${SERVICE} to ${WORD}`,
      `${SET} (?:of|for|on|in|from) ${OWNER} to ${WORD_IN_PLACE}`,
      `${SET} ${SERVICE} to (?<value>.+)`,
      String.raw`${SET}(?: to |\s?=\s?)(?<value>.+?) ${SERVICE}`,
      String.raw`${POLITE}use (?<handle>(?:secret )?\S+) (?:as|for) ${VARIABLE} ${SERVICE}`,
    ],
    tools: /^set_/,
    read: ({ value, handle = '', ...said }, text) =>
      readVariable(said, text).map((args) => ({
        ...args,
        value: value === undefined ? handle.replace(/^secret /i, 'secret:') : unquoted(value),
      })),
  },
  {
    forms: [`${POLITE}(?:unset|remove|delete|drop) ${VARIABLE} ${SERVICE}`],
    tools: /^remove_.*_variable$/,
    read: readVariable,
  },
  {
    forms: [
      `${POLITE}(?:set )?(?:the |its )?(?<field>start|build)(?: command)? (?:of|for) ${OWNER} (?:is|to|as) (?<line>.+)`,
      `${POLITE}(?<field>start|build) ${OWNER} with(?: the command)? (?<line>.+)`,
    ],
    tools: /^update_project$/,
    read: ({ field = '', project = '', line = '' }) => [
      { project: project.toLowerCase(), [`${field.toLowerCase()}Command`]: unquoted(line) },
    ],
  },
  {
    forms: [
      String.raw`${POLITE}(?:set )?(?:the )?health(?: ?check)? path (?:of|for) ${OWNER} (?:is|to) (?<healthPath>\/\S*?)[.!]?`,
      String.raw`${POLITE}(?:set )?(?:the )?health(?: ?check)? status (?:of|for) ${OWNER} (?:is|to) (?<status>[23]\d\d)[.!]?`,
      String.raw`${POLITE}(?:set )?(?:the )?health(?: ?check)? header (?:of|for) ${OWNER} (?:is|to) (?<header>[A-Za-z][A-Za-z0-9-]*:.+)`,
    ],
    tools: /^update_project$/,
    read: ({ project = '', healthPath, status, header }) => [
      {
        project: project.toLowerCase(),
        ...(healthPath === undefined ? {} : { healthPath }),
        ...(status === undefined ? {} : { healthStatus: Number(status) }),
        ...(header === undefined ? {} : { healthHeader: header.trim() }),
      },
    ],
  },
  {
    forms: [String.raw`${POLITE}(?:remember|memorize|keep in mind)(?:,? that\b|[:,])(?: that)? ?(?<fact>.+)`],
    tools: /^remember_/,
    read: ({ fact = '' }) => [{ fact: unquoted(fact.replace(/[.!\s]+$/, '')) }],
  },
  { forms: [`${POLITE}unmute ${PROJECT}`], tools: /^mute_/, read: (said) => [{ ...placeOf(said), hours: 0 }] },
  {
    forms: [
      `${POLITE}(?:tag|label) ${PROJECT} (?:as|with) (?:the tag )?${TAG}[.!]?`,
      `${POLITE}(?:add|give) (?:the )?tag ${TAG} to ${PROJECT}[.!]?`,
      `${POLITE}give ${PROJECT} the tag ${TAG}[.!]?`,
    ],
    tools: /^tag_/,
    read: ({ tag, ...said }) => [{ ...placeOf(said), tag }],
  },
  {
    forms: [
      `${POLITE}(?:remove|delete|drop) (?:the )?tag ${TAG} (?:from|of) ${PROJECT}[.!]?`,
      `${POLITE}(?:remove|delete|drop) (?:the )?${TAG} tag (?:from|of) ${PROJECT}[.!]?`,
    ],
    tools: /^remove_tag$/,
    read: ({ tag, ...said }) => [{ ...placeOf(said), tag }],
  },
  {
    forms: [
      `(?:${POLITE}(?:show|list)(?: me)?(?: all)?(?: the)?|which) (?:repositories|repos|projects) (?:are )?(?:tagged(?: as| with)?|with the tag) ${TAG}[?.]?`,
    ],
    tools: /^list_repositories$/,
    read: ({ tag }) => [{ tags: [tag] }],
  },
  {
    forms: [`${WRITE} ${PATH}${CONTENT}`],
    tools: /^write_/,
    read: ({ path, content = '' }) => [{ path, content: unquoted(content) }],
  },
  {
    forms: [String.raw`${READ} ${PATH}${PLACE}[.!?]?`, String.raw`what(?:'s| is) in (?:the )?(?:file )?${PATH}\??`],
    tools: /^read_/,
    // A name that ends in a number, such as shop-1.4 in "show shop-1.4", is a version and not a file.
    read: ({ path = '' }) => (/^[\w-]+\.\d/.test(path) ? [] : [{ path }]),
  },
  {
    forms: [String.raw`${LIST}["']?(?<path>[\w@.+/-]+)["']?[.!?]?`],
    tools: /_files$/,
    read: ({ path = '' }) => (/^(?:workspace|sandbox|it|there|here)$/i.test(path) ? [] : [{ path }]),
  },
];
const PATTERNS = FORMS.flatMap(({ forms, ...form }) =>
  forms.map((one) => ({ ...form, pattern: new RegExp(`^${one}$`, 'is') })),
);

/**
 * Reads a request with literal text, which other code would split into words. `last`: the previous tool run. Null when no tool takes the
 * request.
 */
export function readLiteralRequest(said: string, index: ToolIndex, last: ToolRun | null = null): LiteralRequest | null {
  // "There" in "run df -h there" means the server of the previous run.
  const server = last?.args['server'];
  const text = typeof server === 'string' ? said.replace(/ there$/i, ` on ${server}`) : said;
  for (const { pattern, tools, read } of PATTERNS) {
    const groups = pattern.exec(text)?.groups;
    for (const args of groups ? read(groups, text) : []) {
      const tool = index.tools.find((one) => one.installed && tools.test(one.name) && takes(one, args));
      if (tool) return { tool, args };
    }
  }
  return null;
}

/** Reads a command with the server that the text names, and as a whole. A command that ends in "there" needs a server. */
function readCommand(written: string): readonly Args[] {
  const command = unquoted(written.trim());
  const [first = ''] = command.split(/\s/);
  const isCommand = command !== written.trim() || PROGRAMS.has(first) || /^(?:\.{0,2}\/|[A-Z_]+=)\S/.test(first);
  if (!isCommand || (command === written.trim() && / there$/i.test(command))) return [];
  const [, what, server = ''] =
    /^(.+?) on (?:the )?(?:server |machine |host )?([a-z][a-z0-9-]{1,39})$/i.exec(command) ?? [];
  return [...(what === undefined ? [] : [{ command: what, server: server.toLowerCase() }]), { command }];
}

/** A variable is written in capitals or called a variable; "set the description of shop in staging" means something else. */
function readVariable({ name = '', ...said }: LiteralParts, text: string): readonly Args[] {
  const isVariable = /^[A-Z0-9_]+$/.test(name) || /\bvar(?:iable)?\b/i.test(text);
  return isVariable ? [{ name, ...placeOf(said) }] : [];
}

function placeOf({ project = '', environment }: LiteralParts): Readonly<Record<string, string>> {
  const place = environment === undefined ? {} : { environment: environment.toLowerCase() };
  return { project: project.toLowerCase(), ...place };
}

function unquoted(written: string): string {
  if (/^(?:""|'')$/.test(written)) return '';
  const [, mark = '', inside = ''] = /^(["'])(.+)\1$/s.exec(written) ?? [];
  return inside === '' || inside.includes(mark) ? written : inside;
}

/** True when the tool has a field for every given value, and the planner can ask for every missing value. */
function takes({ fields }: IndexedTool, args: Args): boolean {
  return (
    Object.keys(args).every((field) => fields.some(({ name }) => name === field)) &&
    fields.every(({ name, required, choices }) => !required || choices.length > 0 || Object.hasOwn(args, name))
  );
}
