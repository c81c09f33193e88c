import { describe, expect, it } from 'vitest';
import { indexCapabilities } from '../match/capability-index.ts';
import { readLiteral } from './literals.ts';

const tool = (name: string, properties: Record<string, unknown>, required: string[]) => ({
  name,
  describe: name.replaceAll('_', ' '),
  hints: [name.replaceAll('_', ' ')],
  schema: { type: 'object', properties, required },
});
const text = { type: 'string' };
const index = indexCapabilities(
  {
    groups: [
      {
        name: 'workspace',
        summary: 'Work with files.',
        installed: true,
        tools: [
          tool('write_file', { path: text, content: text }, ['path', 'content']),
          tool('read_file', { path: text, lines: { type: 'integer' } }, ['path']),
          tool('list_files', { path: text }, []),
          tool('run_command', { command: text }, ['command']),
          tool('set_variable', { name: text, value: text, project: text, environment: text }, ['name', 'value']),
        ],
      },
    ],
  },
  [],
  new Set(),
);
const read = (said: string): unknown => {
  const found = readLiteral(said, index);
  return found && [found.tool.name, ...Object.values(found.args)];
};

describe('readLiteral', () => {
  it.each([
    ['run ls -la in the workspace', 'ls -la'],
    ['please run uname -a', 'uname -a'],
    ['execute the command git status', 'git status'],
    ["run 'cat a.txt | wc -l' in the sandbox", 'cat a.txt | wc -l'],
    ['run cat a.txt | sort, then | uniq', 'cat a.txt | sort, then | uniq'],
    ['run ./build.sh --fast', './build.sh --fast'],
    ['run rm -rf build; ls', 'rm -rf build; ls'],
  ])('takes the command of "%s" letter by letter', (said, command) => {
    expect(read(said)).toEqual(['run_command', command]);
  });

  it.each([
    ['show README.md', 'README.md'],
    ['show me the file src/main.ts', 'src/main.ts'],
    ['read the file notes.md in the workspace', 'notes.md'],
    ["what's in docs/setup.md?", 'docs/setup.md'],
    ['open .gitignore', '.gitignore'],
  ])('takes the path of "%s"', (said, path) => {
    expect(read(said)).toEqual(['read_file', path]);
  });

  it('takes the folder that files are listed of', () => {
    expect(read('list the files in docs/api')).toEqual(['list_files', 'docs/api']);
    expect(read('list the files in the workspace')).toBeNull();
  });

  it('takes the path and the text of a file that is to be written', () => {
    expect(read('create a file notes.md with "buy milk, then bread"')).toEqual([
      'write_file',
      'notes.md',
      'buy milk, then bread',
    ]);
    expect(read('write docs/a.txt with the text: one two')).toEqual(['write_file', 'docs/a.txt', 'one two']);
    expect(read('write a file notes.md: hello there')).toEqual(['write_file', 'notes.md', 'hello there']);
  });

  it.each(['run the deploy', 'run a shell command', 'show web-1', 'show the servers', 'run 1.4.2', 'show me 7.0.1'])(
    'leaves "%s" to the others',
    (said) => {
      expect(read(said)).toBeNull();
    },
  );

  it.each([
    ['set LOG_LEVEL of shop in staging to debug', 'LOG_LEVEL', 'debug'],
    ['please set the variable greeting of shop in staging to "Good morning"', 'greeting', 'Good morning'],
    ['set LOG_LEVEL=debug for shop in staging', 'LOG_LEVEL', 'debug'],
    ['change LOG_LEVEL to a value with words for Shop on staging', 'LOG_LEVEL', 'a value with words'],
    ['use secret:db-password as DB_PASSWORD of shop in staging', 'DB_PASSWORD', 'secret:db-password'],
    ['use secret db-password as DB_PASSWORD for shop in staging', 'DB_PASSWORD', 'secret:db-password'],
    ['set MODE of shop in staging to secret mode', 'MODE', 'secret mode'],
  ])('takes a variable and its value from %j, letter by letter', (said, name, value) => {
    expect(read(said)).toEqual(['set_variable', name, value, 'shop', 'staging']);
  });

  it('does not take what is no variable for one', () => {
    expect(read('set the description of shop in staging to something')).toBeNull();
    expect(read('set LOG_LEVEL to debug')).toBeNull();
  });
});
