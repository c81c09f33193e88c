import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from './sources.ts';

/** A word that the code does not use, and what the field says. `where` limits it to a part of the code, by the path. */
interface Word {
  readonly not: RegExp;
  readonly say: string;
  readonly where?: RegExp;
}

/** For names that are exported, parameters, and the names of files. */
const NAMES: readonly Word[] = [
  { not: /^MOST_|^[A-Z_]+_LIMIT$/, say: 'MAX_…' },
  { not: /^(fence|fenced)$/, say: 'epoch', where: /^services\/jobs|^shared\/store/ },
  { not: /^(weigh|assess|decideAbout|governAction)$/, say: 'decide, or what is computed' },
  { not: /^(pace|burst)$/, say: 'throttle, rateLimit' },
  { not: /^(announce|announcing)$/i, say: 'notify' },
  { not: /licen[c]e/i, say: 'license' },
  { not: /^(looks|lookAt)$|LOOKS$/, say: 'probe, probes' },
  { not: /^(Told|told|whoCanBeTold|heard|Heard)$/, say: 'notified, recipients, input' },
  { not: /^(wish|Wish|isCancelWished)$/, say: 'request' },
  { not: /^(asBegun|whatHasBegun|cameToNothing)$/, say: 'started, runningWork, withoutEffect' },
  { not: /^(CodeReader|Trial|OpenRun|BOT)$/, say: 'CodeRecipient, CallOutcome, RunHandle, INGRESS_ACCOUNT' },
  { not: /^(someProject|passesOf|agentRun)$/, say: 'optionalProject, listPasses, createAgentRun' },
  { not: /^(Place|Found|Answer|Outcome|Step)$/, say: 'of what: SourcePlace, ToolOutcome' },
];

/** For comments. */
const COMMENTS: readonly Word[] = [
  { not: /\blicen[c]es?\b/i, say: 'license' },
  { not: /\bfenced? (token|number|epoch)\b/i, say: 'epoch' },
  { not: /^(As above|As before|See above)\b/, say: 'the thing itself: the reader is here for the first time' },
  { not: /^(Told of|Behind its|Of which|Of whom)\b/, say: 'a sentence with a subject and a verb' },
];

/** Small words that read as what they build, as `z.string` does. */
const BUILDERS = new Set(['sql', 'named', 'tool', 'toolGroup', 'rule', 'ok', 'newId', 'newTraceId', 'sha256']);

/** What an exported function may begin with besides a verb: what it converts to or from, and questions. */
const VERB = new RegExp(
  `^(${(
    'abort accept acquire act add admit allow announce answer append apply arrange ask assemble attempt audit background balance beat begin bind block build bundle ' +
    'cache call cancel capitalize carry change check choose claim classify clean clear click close collect commit compare compile compute confirm ' +
    'connect consume convert copy count create cut decide decline decode define delete deny derive describe detect diagnose disable discard drain ' +
    'draw drop edit encode end enqueue ensure escape estimate evaluate execute expire explain extend extract fail fetch fill filter find finish fit ' +
    'flatten fold follow forget format forward freeze gather get give grant group guess handle harden hash hide hold identify include index ingest insert inspect install invite issue ' +
    'join judge jump keep kill label launch lay lease leave lift limit link list listen load locate lock log lower make map mark mask match measure merge migrate mount move mute name normalize ' +
    'note notify number observe offer open order own pack park parse pass patch pause pick pin place plan play poll post postpone prepare press ' +
    'print probe process propose prove prune publish pull push put queue quote raise rank read receive recognize reconcile record recover redact ' +
    'redeem redraw reduce refresh refuse register reject release reload remember remove rename render renew reopen replace replay reply report request ' +
    'require reserve reset resolve restore resume retry return revoke rewrite rollback route run save say scan schedule score seal search see seed ' +
    'select send serve set settle shorten show sign size sleep sort spend split stage stamp start stem stop store stream strip subscribe subtract sum summarize sweep ' +
    'switch tag taint take tell test throw tidy tokenize touch trace trim try tunnel unescape unlink unpack unpark unwrap update upgrade use vacate ' +
    'validate verify void wait wake warn watch winnow withdraw wire wrap write yield in to from as with without within until is are has can may must could needs was'
  ).replaceAll(' ', '|')})(?![a-z])|^[a-z]+s(?=[A-Z]|$)`, // `belongsTo` and `fits` are questions
);

/** Names that are exported, parameters and file names that the table forbids. */
export function findForbiddenNames({ path, text }: SourceFile): readonly string[] {
  const { program } = parseSync(path, text);
  const names = new Map<string, number>([[path.replace(/^.*\//, '').replace(/\..*$/, ''), 0]]);
  new Visitor({
    ExportNamedDeclaration({ declaration, start }) {
      for (const name of listDeclared(declaration)) names.set(name, start);
    },
    FunctionDeclaration: ({ params }) => addParameters(names, params),
    ArrowFunctionExpression: ({ params }) => addParameters(names, params),
  }).visit(program);
  return [...names].flatMap(([name, start]) => report(NAMES, { path, text, start }, name));
}

/** Exported functions whose names begin with no verb. Components and what a file is the place for by default are left out. */
export function findVerbless({ path, text }: SourceFile): readonly string[] {
  const found: string[] = [];
  new Visitor({
    ExportNamedDeclaration({ declaration, start }) {
      if (declaration?.type !== 'FunctionDeclaration') return;
      const name = declaration.id?.name ?? '';
      if (/^[a-z]/.test(name) && !VERB.test(name) && !BUILDERS.has(name))
        found.push(`${path}:${lineOf(text, start)}: ${name} begins with no verb`);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

/** Comments that use a word of the table. */
export function findForbiddenComments({ path, text }: SourceFile): readonly string[] {
  return parseSync(path, text).comments.flatMap(({ value, start }) =>
    report(COMMENTS, { path, text, start }, value.replace(/^\s*\*? ?/gm, '').trim()),
  );
}

interface Spot {
  readonly path: string;
  readonly text: string;
  readonly start: number;
}

function report(words: readonly Word[], { path, text, start }: Spot, value: string): readonly string[] {
  const wrong = words.filter(({ not, where }) => not.test(value) && (where?.test(path) ?? true));
  return wrong.map(({ say }) => `${path}:${lineOf(text, start)}: '${value.slice(0, 60)}': say ${say}`);
}

function listDeclared(declaration: unknown): readonly string[] {
  const node = declaration as { id?: { name?: string }; declarations?: { id: { name?: string } }[] } | null; // oxc's union
  const ids = node?.declarations?.map(({ id }) => id) ?? [node?.id];
  return ids.flatMap((id) => (id?.name === undefined ? [] : [id.name]));
}

function addParameters(names: Map<string, number>, params: readonly unknown[]): void {
  for (const param of params as { name?: string; start: number }[]) if (param.name) names.set(param.name, param.start);
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
