import { z } from 'zod';
import { cleanName, toPlainName } from '@signalbox/contracts/plain-name';
import { parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { FixableFinding, FixFiles, FixPlan } from './fix.ts';

/** What an ignore file of each stack lists: only what programs make anew, and where people keep secrets. */
const IGNORED: readonly { readonly manifest: RegExp; readonly lines: readonly string[] }[] = [
  { manifest: /^package\.json$/, lines: ['node_modules/', 'npm-debug.log*'] },
  {
    manifest: /^(?:requirements.*\.txt|pyproject\.toml|setup\.py|Pipfile)$/,
    lines: ['__pycache__/', '*.pyc', '.venv/'],
  },
  { manifest: /^Cargo\.toml$/, lines: ['target/'] },
  { manifest: /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, lines: ['target/', 'build/', '.gradle/'] },
  { manifest: /^Gemfile$/, lines: ['.bundle/', 'vendor/bundle/'] },
  { manifest: /^composer\.json$/, lines: ['vendor/'] },
];
const EVERYWHERE = ['.env', '.DS_Store'];

const FOCUS: readonly (readonly [RegExp, string])[] = [
  [/\b(describe|it|test|context|suite|specify)\.only(?=[ \t]*[(`.])/, '$1'],
  [/\bf(describe|it|context)(?=[ \t]*[(`."'])/, '$1'],
];

const Manifest = z.object({
  name: z.string().max(200).optional().catch(undefined),
  description: z.string().max(500).optional().catch(undefined),
  scripts: z.record(z.string(), z.string()).catch({}).default({}),
});

/** Plans fixes that add, change or delete one file. */
export async function planFileFix(finding: FixableFinding, files: FixFiles): Promise<FixPlan> {
  switch (finding.rule) {
    case 'health/no-readme':
      return addFile(files, 'README.md', await writeReadme(files));
    case 'health/no-ignore-file':
      return addFile(files, '.gitignore', await writeIgnoreFile(files));
    case 'health/committed-junk':
      return deleteFile(finding, files);
    default:
      return unfocus(finding, files);
  }
}

async function addFile(files: FixFiles, path: string, text: string): Promise<FixPlan> {
  if ((await files.read(path)) !== null) return { kind: 'none', why: say('fixes.fixedAlready') };
  const texts = { title: say('fixes.addTitle', { path }, 'en'), summary: say('fixes.addSummary', { path }) };
  return { kind: 'edits', ...texts, files: [{ path, text }] };
}

/** Writes down only what the files say: the name, the description, and the commands. */
async function writeReadme(files: FixFiles): Promise<string> {
  const manifest = Manifest.safeParse(parseJson((await files.read('package.json')) ?? '')).data;
  const title = toPlainName(cleanName(manifest?.name ?? '')) || say('fixes.readmeTitle', {}, 'en');
  const about = toPlainName(cleanName(manifest?.description ?? ''));
  const commands = Object.keys(manifest?.scripts ?? {})
    .filter((name) => /^[\w:.-]{1,60}$/.test(name) && !/^(?:pre|post)/.test(name))
    .map((name) => `npm run ${name}`);
  const list = commands.length === 0 ? '' : `\`\`\`\nnpm install\n${commands.join('\n')}\n\`\`\``;
  return `${[`# ${title}`, about, list].filter((part) => part !== '').join('\n\n')}\n`;
}

async function writeIgnoreFile(files: FixFiles): Promise<string> {
  const names = (await files.list()).map((path) => path.slice(path.lastIndexOf('/') + 1));
  const lines = IGNORED.filter(({ manifest }) => names.some((name) => manifest.test(name))).flatMap((one) => one.lines);
  return `${[...new Set([...lines, ...EVERYWHERE])].join('\n')}\n`;
}

async function deleteFile({ path }: FixableFinding, files: FixFiles): Promise<FixPlan> {
  if ((await files.read(path)) === null) return { kind: 'none', why: say('fixes.noText') };
  const texts = { title: say('fixes.deleteTitle', { path }, 'en'), summary: say('fixes.deleteSummary', { path }) };
  return { kind: 'edits', ...texts, files: [{ path, text: null }] };
}

async function unfocus({ path, line }: FixableFinding, files: FixFiles): Promise<FixPlan> {
  const lines = (await files.read(path))?.split('\n') ?? [];
  const at = (line ?? 0) - 1;
  const before = lines[at] ?? '';
  const after = FOCUS.reduce((text, [pattern, plain]) => text.replace(pattern, plain), before);
  if (after === before) return { kind: 'none', why: say('fixes.fixedAlready') };
  const texts = { title: say('fixes.unfocusTitle', { path }, 'en'), summary: say('fixes.unfocusSummary', { path }) };
  return { kind: 'edits', ...texts, files: [{ path, text: lines.with(at, after).join('\n') }] };
}
