import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMANDS } from './catalog.ts';
import { escapeControls, runCommandLine } from './command-line.ts';

async function run(...words: readonly string[]) {
  let [out, error] = ['', ''];
  const output = { out: (text: string) => void (out += text), error: (text: string) => void (error += text) };
  const code = await runCommandLine(words, output, { SIGNALBOX_COMMIT: '0123456789abcdef0123456789abcdef01234567' });
  return { code, out, error };
}
const names = COMMANDS.map(({ usage: [first = ''] }) => first.split(' ', 1)[0] ?? '');

test.each(names)('`%s --help` says how it is used, and runs nothing', async (name) => {
  const { code, out } = await run(name, '--help');
  expect(code).toBe(0);
  expect(out).toContain(`npm run signalbox -- ${name}`);
  expect(out.split('\n').filter((line) => line.includes('npm run signalbox -- ')).length).toBeLessThan(20);
});

test.each([
  ['no command of that name', ['nonsense']],
  ['an option that no command has', ['runs', '--nonsense']],
  ['a verb that it has not', ['runs', 'nonsense', 'x']],
  ['a missing word', ['runs', 'show']],
  ['a limit that is no number', ['runs', '--limit', 'many']],
  ['a shell that it does not know', ['completion', 'tcsh']],
])('wrong use ends with 2: %s', async (_, words) => {
  const { code, out, error } = await run(...words);
  expect([code, out]).toEqual([2, '']);
  expect(error).not.toBe('');
});

test('a failure that is no wrong use ends with 1', async () => {
  expect(await run('status')).toMatchObject({ code: 1 });
});

test('--version names the release and the commit from which an image was built', async () => {
  expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+ \(0123456789ab\)\n$/);
});

test('bash completes commands, verbs and options with the script of `completion bash`', async () => {
  const { out } = await run('completion', 'bash');
  const complete = (...words: readonly string[]): readonly string[] => {
    const typed = `COMP_WORDS=(signalbox ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`;
    const script = `${out}\n${typed}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).trim().split('\n');
  };
  expect(complete('appr')).toEqual(['approvals']);
  expect(complete('dlq', 're')).toEqual(['retry', 'resolve']);
  expect(complete('runs', '--s')).toEqual(['--status', '--since']);
  expect(complete('').toSorted()).toEqual(names.toSorted());
});

test.each(['zsh', 'fish'])('the script for %s names every command', async (shell) => {
  const { code, out } = await run('completion', shell);
  expect(code).toBe(0);
  for (const name of names) expect(out).toMatch(new RegExp(`\\b${name}\\b`));
});

test('the command line escapes control characters, but keeps line feeds and tabs', () => {
  expect(escapeControls('Ada\u001b]0;owned\u0007\u009b31m\u202egnp.exe\r\n\tnext – ñ 🙂')).toBe(
    'Ada\\u001b]0;owned\\u0007\\u009b31m\\u202egnp.exe\\u000d\n\tnext – ñ 🙂',
  );
});

test('JSON with escaped control characters still parses to the same value', () => {
  const data = { name: 'a\u009b\u2066\u001bb', text: 'two\nlines' };
  expect(JSON.parse(escapeControls(JSON.stringify(data, null, 2)))).toEqual(data);
});
