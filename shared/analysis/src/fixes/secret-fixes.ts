import { say } from '@signalbox/messages/say';
import { findSecrets } from '../analyzers/secrets/secrets/find-secrets.ts';
import type { FixableFinding, FixFiles, FixPlan } from './fix.ts';

/** How a language reads a variable of the environment; null when the text cannot take it. */
interface EnvironmentReader {
  readonly files: RegExp;
  /** Letters before a quote that make another kind of text. */
  readonly prefix?: RegExp;
  read(name: string): string;
  /** Adds what the expression needs, such as an import. Null when there is no place for it. */
  complete?(text: string): string | null;
  /** Lines in which an expression cannot stand. */
  readonly refuses?: RegExp;
}

const READERS: readonly EnvironmentReader[] = [
  {
    files: /\.[cm]?ts$/,
    read: (name) => `(process.env['${name}'] ?? '')`,
    refuses: /^\s*import\b|:\s*['"`][^'"`]*['"`]\s*[|;]\s*$/,
  },
  { files: /\.[cm]?js$/, read: (name) => `process.env.${name}`, refuses: /^\s*import\b/ },
  { files: /\.py$/, prefix: /[A-Za-z]$/, read: (name) => `os.environ["${name}"]`, complete: addPythonImport },
  { files: /\.rb$/, read: (name) => `ENV.fetch("${name}")` },
  { files: /\.php$/, read: (name) => `getenv('${name}')`, refuses: /\bconst\b/ },
  { files: /\.java$/, read: (name) => `System.getenv("${name}")`, refuses: /^\s*@/ },
  {
    files: /\.cs$/,
    read: (name) => `Environment.GetEnvironmentVariable("${name}")`,
    refuses: /\bconst\b/,
    prefix: /[@$]$/,
  },
  { files: /\.go$/, read: (name) => `os.Getenv("${name}")`, complete: addGoImport, refuses: /\bconst\b/ },
];
const COMPOSE = /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$/;
/** Code for browsers: a variable would become a part of the page, where everybody reads it. */
const FOR_BROWSERS = /\.[jt]sx$|\.vue$|\.svelte$|(?:^|\/)(?:public|static|assets|www)\//;

/** Plans that a secret in code is read from the environment. Only a whole text is replaced, so that nothing else changes. */
export async function planSecretFix(finding: FixableFinding, files: FixFiles): Promise<FixPlan> {
  const { path, line, rule } = finding;
  const none = (reason: string): FixPlan => ({ kind: 'none', why: say('fixes.secretNone', { reason }) });
  const text = await files.read(path);
  if (text === null) return none('gone');
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const secrets = findSecrets(path, text).filter((one) => `secrets/${one.rule}` === rule);
  const secret = secrets.find((one) => lineOf(one.start) === line) ?? (secrets.length === 1 ? secrets[0] : undefined);
  if (!secret) return none('gone');
  if (FOR_BROWSERS.test(path)) return none('browser');
  const { start, end } = secret;
  const [quote, closing] = [text[start - 1] ?? '', text[end] ?? ''];
  const isQuoted = /["'`]/.test(quote) && quote === closing;
  const before = text.slice(0, isQuoted ? start - 1 : start);
  const lineText = before.slice(before.lastIndexOf('\n') + 1) + (text.slice(before.length).split('\n')[0] ?? '');
  const name = nameVariable(before, secret.kind);
  const replace = (expression: string): string => before + expression + text.slice(isQuoted ? end + 1 : end);
  if (COMPOSE.test(path)) {
    const isValue =
      /[:=]\s*$/.test(before) && /^\s*(?:#.*)?$/.test(text.slice(isQuoted ? end + 1 : end).split('\n')[0] ?? '');
    return isValue ? edit(finding, files, name, replace(`\${${name}:?}`)) : none('part');
  }
  const reader = READERS.find((one) => one.files.test(path));
  if (!reader) return none('language');
  if (!isQuoted || reader.prefix?.test(before) || reader.refuses?.test(lineText)) return none('part');
  const changed = replace(reader.read(name));
  const whole = reader.complete ? reader.complete(changed) : changed;
  return whole === null ? none('part') : edit(finding, files, name, whole);
}

async function edit({ path }: FixableFinding, files: FixFiles, name: string, text: string): Promise<FixPlan> {
  const sample = files.folder === null ? '.env.example' : `${files.folder}/.env.example`;
  const names = await files.read(sample);
  const isNamed = names === null || new RegExp(`^#?\\s*${name}=`, 'm').test(names);
  const listed = isNamed ? [] : [{ path: sample, text: `${names.replace(/\n*$/, '\n')}${name}=\n` }];
  return {
    kind: 'edits',
    title: say('fixes.secretTitle', { name }, 'en'),
    summary: say('fixes.secretSummary', { name, path }),
    files: [{ path, text }, ...listed],
  };
}

/** Names the variable after what the secret is assigned to, else after its kind: `dbPassword` becomes DB_PASSWORD. */
function nameVariable(before: string, kind: string): string {
  const assigned = /([A-Za-z_$][\w$.-]{0,60})["'`\]]?\s*(?::\s*\w+\s*)?(?:=>|:=|[:=(,])\s*$/.exec(
    before.slice(before.lastIndexOf('\n') + 1).slice(-120),
  )?.[1];
  const named = (assigned ?? kind).split('.').at(-1) ?? kind;
  const words = named
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const upper = words.toUpperCase();
  return /^[A-Z]/.test(upper) && upper.length >= 3 ? upper : `SECRET_${upper}`.replace(/_$/, '');
}

function addPythonImport(text: string): string {
  if (/^import os\s*$|^import (?:.*, )?os\b/m.test(text)) return text;
  const first = /^(?:import|from) (?!__future__)/m.exec(text);
  if (first) return `${text.slice(0, first.index)}import os\n${text.slice(first.index)}`;
  // Behind the lines that have to come first: the interpreter, the encoding, the docstring, imports from the future.
  const head = /^(?:#.*\n|\s*\n)*(?:"""[^]*?"""\s*\n|'''[^]*?'''\s*\n)?(?:from __future__ .*\n)*/.exec(text)?.[0] ?? '';
  return `${head}import os\n${text.slice(head.length)}`;
}

function addGoImport(text: string): string | null {
  if (/^\s*(?:import )?"os"\s*$/m.test(text)) return text;
  const block = /^import \(\n/m.exec(text);
  if (block) return `${text.slice(0, block.index)}import (\n\t"os"\n${text.slice(block.index + block[0].length)}`;
  const single = /^import "[^"\n]+"\n/m.exec(text) ?? /^package \w+\n/m.exec(text);
  if (!single) return null;
  const end = single.index + single[0].length;
  return `${text.slice(0, end)}import "os"\n${text.slice(end)}`;
}
