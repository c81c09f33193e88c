import { readFileSync } from 'node:fs';
import diagnose from '@signalbox/worker/capabilities/diagnose';
import workspace from '@signalbox/worker/capabilities/workspace';
import { classifyCommand } from '@signalbox/safety/shell/classification';
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
  'cat /var/log/syslog',
  'cat /etc/nginx/nginx.conf',
  'ls -la /srv',
  'find /var/log -name x',
  'du -sh /var',
  'stat /srv/app',
  'tail -n 5 app.log',
  'journalctl -n 5',
  'dmesg',
  'lsof /srv/app',
  'systemctl list-dependencies',
  'df -h | grep -f /etc/hosts x',
  'grep -r x /proc/stat',
  'sort /proc/../etc/hosts',
  'cat /proc/net/../../etc/hosts',
];

const SECRET_NAMES = (
  '.env .env.production prod.env .envrc .netrc .npmrc .pgpass .my.cnf .htpasswd .bash_history .psql_history .s3cfg id_rsa ' +
  'id_ed25519.old authorized_keys ssh_host_rsa_key shadow shadow- gshadow.bak a.pem a.key a.pem.bak a.kdbx a.tfstate a.tfvars ' +
  'a.tfstate.backup credentials credentials.json .credentials.json secrets.yml secrets.yaml secret.toml token.txt ' +
  '.env~ .env.swp #.env# a.pem~ .zsh_history.bak tokens.csv passwords.txt auth.json client_secret.json app-secrets.properties db-password.conf .vault-token .git-credentials'
).split(' ');

const FIGURES = [
  'df -h',
  'df -h /var',
  'free -m',
  'uptime',
  'ps aux',
  'ps aux --sort=-%mem | head -n 20',
  'ps -ef | grep -c node',
  'ss -ltnp',
  'netstat -tulpn',
  'top -b -n 1 | head -n 20',
  'vmstat 1 3',
  'lsof -i :3000',
  'cat /proc/meminfo',
  'head -n 3 /proc/loadavg',
  'grep MemAvailable /proc/meminfo',
  'systemctl is-active postgresql',
  'systemctl --failed',
  'ip -br addr',
  'date -u',
];

/** Where programs of servers keep what lets somebody in. */
const CREDENTIAL_FILES = (
  '/etc/shadow /etc/gshadow /etc/passwd /etc/sudoers /etc/exports /etc/fstab /etc/samba/smb.conf /etc/redis/redis.conf ' +
  '/etc/postfix/sasl_passwd /etc/msmtprc /etc/fetchmailrc /etc/ddclient.conf /etc/gitlab/gitlab.rb /etc/grafana/grafana.ini ' +
  '/etc/rabbitmq/rabbitmq.config /etc/mosquitto/passwd /etc/pgbouncer/userlist.txt /etc/nginx/nginx.conf /etc/nginx/.htpasswd ' +
  '/etc/haproxy/haproxy.cfg /etc/systemd/system/app.service /etc/supervisor/conf.d/app.conf /etc/cron.d/backup /etc/crontab ' +
  '/etc/rsyncd.secrets /etc/pam_ldap.conf /etc/nslcd.conf /etc/sssd/sssd.conf /etc/ceph/ceph.client.admin.keyring ' +
  '/opt/app/config.yml /opt/app/settings.py /opt/tomcat/conf/tomcat-users.xml /srv/www/wp-config.php /srv/app/appsettings.json ' +
  '/srv/app/database.yml /srv/app/application.properties /srv/app/.git/config /home/ada/.ssh/id_rsa /home/ada/.pgpass ' +
  '/home/ada/.bashrc /home/ada/.config/gh/hosts.yml /home/ada/.local/share/keyrings/login.keyring /var/lib/jenkins/config.xml ' +
  '/var/lib/jenkins/users/users.xml /var/lib/grafana/grafana.db /var/spool/cron/crontabs/root /var/mail/root /var/backups/dump.sql ' +
  '/run/secrets/db /proc/1/environ /proc/self/environ /proc/1/cmdline /proc/../etc/passwd /proc/meminfo/../../etc/passwd /dev/sda ' +
  '/usr/local/etc/app.toml /boot/grub/grub.cfg /tmp/dump.rdb'
).split(' ');

const READERS = (
  'cat,head,head -c 9,tail,tail -n 5,grep x,grep -f,grep -e x,grep --file,grep -c x -f,wc,wc -l,sort,sort -u,uniq,cut -c 1-9,' +
  "sed -n '1,5p',jq .,jq -R .,nl,od -c,tac,paste,column -t,fold,diff /dev/null,cmp /dev/null,comm /dev/null,md5sum,sha256sum," +
  'stat,file,ls,ls -la,find,du,tree,zcat,readlink -f,realpath,grep -r x,git diff /dev/null,lsof,cat /proc/meminfo,df -h | cat'
).split(',');

/** As the programs match names, so far as these patterns go. */
function matches(pattern: string, name: string): boolean {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name);
}

describe('commands that evade an allow list', () => {
  it('never run without an approval, in 247 known cases', () => {
    const run = bypasses.filter((command) => classifyCommand(command).decision === 'run');
    expect(run).toEqual([]);
    expect(bypasses).toHaveLength(247);
  });

  it.each(read('own-bypasses.txt'))('never run without an approval: %s', (command) => {
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
    '%s needs an approval exactly for commands that are not on the allow list',
    (name, { tools }, more, place) => {
      const risk = (command: string) => tools[name]?.risk({ ...more, command }).risk;
      const commands = [...bypasses, ...read('own-bypasses.txt'), ...everyday].filter((one) => one.trim() !== '');
      const wrong = commands.filter(
        (command) => risk(command) !== (classifyCommand(command, place).decision === 'run' ? 'safe' : 'dangerous'),
      );
      expect(wrong).toEqual([]);
      expect(risk('ps aux | grep node | wc -l')).toBe('safe');
      expect(risk('ps aux | xargs kill')).toBe('dangerous');
    },
  );
});

describe('a diagnostic command in the files of a release', () => {
  it('runs only when it reads, and cannot be approved otherwise', () => {
    const risk = (command: string) =>
      diagnose.tools['run_diagnostic']?.risk({ server: 'local', release_of: 'shop/staging', command });
    expect(risk('cat package.json')).toMatchObject({ risk: 'safe' });
    for (const command of ['rm package.json', 'cat a > b', 'cat .env', 'find . -delete'])
      expect(risk(command)).toMatchObject({ risk: 'dangerous', refusal: expect.stringMatching(/.\.$/) as string });
  });
});

describe('on a server without a sandbox', () => {
  it.each(ON_SERVERS)('these commands need an approval too: %s', (command) => {
    expect(classifyCommand(command, 'server')).toMatchObject({ decision: 'ask', pipeline: null });
  });

  it.each(FIGURES)('figures of the machine can be read without an approval: %s', (command) => {
    expect(classifyCommand(command, 'server')).toMatchObject({ decision: 'run', risk: 'safe' });
  });

  it('no file is read without an approval, whatever its name and the program', () => {
    const files = [...CREDENTIAL_FILES, ...SECRET_NAMES.map((name) => `/srv/shop/${name}`), '/var/log/syslog', 'notes'];
    const commands = files.flatMap((file) => READERS.map((reader) => `${reader} ${file}`));
    expect(commands.filter((command) => classifyCommand(command, 'server').decision === 'run')).toEqual([]);
  });

  it('the state of a systemd unit is shown without lines of its log', () => {
    expect(classifyCommand('systemctl status nginx -n 50', 'server').pipeline).toEqual([
      ['systemctl', 'status', 'nginx', '-n', '50', '--no-pager', '--lines=0'],
    ]);
  });

  it('a command that runs without an approval also runs without one in a workspace', () => {
    const run = [...everyday, ...FIGURES].filter((command) => classifyCommand(command, 'server').decision === 'run');
    expect(run.filter((command) => classifyCommand(command).decision !== 'run')).toEqual([]);
  });
});

describe('a search through folders', () => {
  it.each(SECRET_NAMES)('skips %s, which no command may name without an approval either', (name) => {
    expect(classifyCommand(`cat '${name}'`).decision).toBe('ask');
    for (const command of ['grep -r x .', "grep --recursive x . --include='*'", 'diff a b']) {
      const [argv = []] = classifyCommand(command).pipeline ?? [];
      const left = argv.filter((word) => word.startsWith('--exclude=')).map((word) => word.slice('--exclude='.length));
      expect([command, left.some((pattern) => matches(pattern, name))]).toEqual([command, true]);
    }
  });
});

describe('everyday commands', () => {
  it('run without an approval in at least three of four cases', () => {
    const run = everyday.filter((command) => classifyCommand(command).decision === 'run');
    expect(run.length / everyday.length).toBeGreaterThanOrEqual(0.7);
  });

  it('are never refused, and those that need an approval give the reason', () => {
    for (const command of everyday) {
      const { decision, reason } = classifyCommand(command);
      expect(decision).not.toBe('deny');
      expect(reason).toMatch(/^[^\n]{10,200}\.$/);
    }
  });
});

describe('any text as a command', () => {
  const shellLike = fc.string({
    unit: fc.constantFrom(...`abls -|&;<>()$\`"'\\*?[]{}~!#=%/.\n\t\0\x7f é\u2028\ud83d`.split('')),
    maxLength: 200,
  });

  it('gets a decision with a reason, and the same decision again', () => {
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
  ])('gets a decision even when it repeats %s a thousand times', (piece) => {
    for (const length of [4000, 100_000]) {
      const command = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
      expect(classifyCommand(command).decision).not.toBe('run');
    }
  });
});
