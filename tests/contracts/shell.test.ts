import { readFileSync } from 'node:fs';
import diagnose from '@signalbox/worker/capabilities/diagnose';
import workspace from '@signalbox/worker/capabilities/workspace';
import { classifyCommand } from '@signalbox/shared/shell/classification';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const read = (name: string): readonly string[] =>
  readFileSync(new URL(`../fixtures/shell/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
/** The command of each line; a case is told by its number because one of them is very long. */
const readCommands = (name: string): readonly string[] =>
  read(name).map((line) => (JSON.parse(line) as { command: string }).command); // written for this test

const bypasses = readCommands('bypass.jsonl');
const everyday = readCommands('everyday.jsonl');

/** They run unasked in a workspace. A command on a server begins in / or in a home folder. */
const ON_SERVERS = [
  'cat dev/sda',
  'head -c 100 dev/mem',
  'cat root/notes',
  'grep -fdev/sda x',
  'grep --file=dev/sda x /tmp/a',
  'grep -f dev/sda x /tmp/a',
  'ls | grep -r password',
  'grep -r password',
  'grep -r password .',
  'grep -r password var/log',
  'grep -re password',
  'grep -rn -e password -- log',
  'git status',
  'git log -p',
];

const SECRET_NAMES = (
  '.env .env.production prod.env .envrc .netrc .npmrc .pgpass .my.cnf .htpasswd .bash_history .psql_history .s3cfg id_rsa ' +
  'id_ed25519.old authorized_keys ssh_host_rsa_key shadow shadow- gshadow.bak a.pem a.key a.pem.bak a.kdbx a.tfstate a.tfvars ' +
  'a.tfstate.backup credentials credentials.json .credentials.json secrets.yml secrets.yaml secret.toml token.txt ' +
  '.env~ .env.swp #.env# a.pem~ .zsh_history.bak tokens.csv passwords.txt auth.json client_secret.json app-secrets.properties db-password.conf .vault-token .git-credentials'
).split(' ');

/** As the programs match names, so far as these patterns go. */
function matches(pattern: string, name: string): boolean {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name);
}

describe('commands that get around a list', () => {
  it('never run unasked', () => {
    const run = bypasses.filter((command) => classifyCommand(command).decision === 'run');
    expect(run).toEqual([]);
    expect(bypasses).toHaveLength(247);
  });

  it.each(read('own-bypasses.txt'))('never run unasked: %s', (command) => {
    const { decision, pipeline, reason } = classifyCommand(command);
    expect(decision).not.toBe('run');
    expect(pipeline).toBeNull();
    expect(reason).toMatch(/^.+\.$/);
  });
});

describe('the tools that run commands', () => {
  it.each([
    ['run_command', workspace, {}, 'workspace'],
    ['run_diagnostic', diagnose, { server: 'local' }, 'server'],
  ] as const)(
    '%s asks a person about what the list does not know, and about nothing else',
    (name, { tools }, more, place) => {
      const risk = (command: string) => tools[name]?.risk({ ...more, command }).risk;
      for (const command of [...bypasses, ...read('own-bypasses.txt'), ...everyday].filter(
        (one) => one.trim() !== '',
      )) {
        expect([command, risk(command)]).toEqual([
          command,
          classifyCommand(command, place).decision === 'run' ? 'safe' : 'dangerous',
        ]);
      }
      expect(risk('ps aux | grep node | wc -l')).toBe('safe');
      expect(risk('ps aux | xargs kill')).toBe('dangerous');
    },
  );
});

describe('on a server, where nothing is locked in', () => {
  it.each(ON_SERVERS)('a person is asked, too: %s', (command) => {
    expect(classifyCommand(command, 'server')).toMatchObject({ decision: 'ask', pipeline: null });
  });

  it('what names its places runs as it does elsewhere', () => {
    const run = everyday.filter((command) => classifyCommand(command).decision === 'run');
    const here = run.filter((command) => classifyCommand(command, 'server').decision === 'run');
    const asks = run.filter((command) => !here.includes(command));
    expect(asks.filter((command) => !/^git|grep -r/.test(command))).toEqual([]);
    const more = [
      'grep -rn upstream /etc/nginx',
      'grep -r error /var/log/nginx | tail -n 5',
      'ps aux | grep -c node',
      'cat /proc/loadavg',
    ];
    for (const command of more)
      expect([command, classifyCommand(command, 'server').decision]).toEqual([command, 'run']);
  });
});

describe('a search through folders', () => {
  it.each(SECRET_NAMES)('leaves out %s, as nobody may name it either', (name) => {
    expect(classifyCommand(`cat '${name}'`).decision).toBe('ask');
    for (const command of ['grep -r x .', "grep --recursive x . --include='*'", 'diff a b']) {
      const [argv = []] = classifyCommand(command).pipeline ?? [];
      const left = argv.filter((word) => word.startsWith('--exclude=')).map((word) => word.slice('--exclude='.length));
      expect([command, left.some((pattern) => matches(pattern, name))]).toEqual([command, true]);
    }
  });
});

describe('commands of everyday', () => {
  it('run unasked, three of four', () => {
    const run = everyday.filter((command) => classifyCommand(command).decision === 'run');
    expect(run.length / everyday.length).toBeGreaterThanOrEqual(0.7);
  });

  it('are never refused, and whoever is asked is told why', () => {
    for (const command of everyday) {
      const { decision, reason } = classifyCommand(command);
      expect(decision).not.toBe('deny');
      expect(reason).toMatch(/^[^\n]{10,200}\.$/);
    }
  });
});

describe('any text at all', () => {
  const shellLike = fc.string({
    unit: fc.constantFrom(...`abls -|&;<>()$\`"'\\*?[]{}~!#=%/.\n\t\0\x7f é\u2028\ud83d`.split('')),
    maxLength: 200,
  });

  it('gets a decision and a sentence, and the same one again', () => {
    fc.assert(
      fc.property(fc.oneof(shellLike, fc.string({ unit: 'binary', maxLength: 300 })), (command) => {
        const first = classifyCommand(command);
        expect(first.reason).not.toBe('');
        expect(first.reason).not.toContain('\n');
        expect(first.pipeline === null).toBe(first.decision !== 'run');
        expect(classifyCommand(command)).toEqual(first);
      }),
      { numRuns: 300, seed: 20 },
    );
  });

  it.each([
    '(',
    '$(',
    '"$(',
    '`',
    '{ ',
    '|',
    'a|',
    '\\',
    "'",
    '"',
    '<<a ',
    'if ',
    '${a:-',
    '((',
    'f(){ ',
    '!',
    '[[ ',
    'case x in x)',
  ])('is answered, also when %s stands there a thousand times', (piece) => {
    for (const length of [4000, 100_000]) {
      const command = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
      expect(classifyCommand(command).decision).not.toBe('run');
    }
  });
});
