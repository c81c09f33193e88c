import { describe, expect, it } from 'vitest';
import { isPackageFile, readPackages } from './read-packages.ts';

const PATHS = (
  'package.json .npmrc package-lock.json pnpm-lock.yaml yarn.lock pyproject.toml Pipfile Pipfile.lock poetry.lock uv.lock ' +
  'requirements.txt go.mod go.sum Cargo.toml Cargo.lock'
).split(' ');
const SIZE = 1_000_000;
const many = (text: string): string => text.repeat(SIZE / text.length);
const HOSTILE = [
  ...[
    'a',
    '[',
    '{',
    '"',
    "'",
    '(',
    '\n',
    ' ',
    '#',
    '\\',
    '\\\n',
    '@',
    'a@',
    'a:\n',
    '- ',
    '&a ',
    '? ',
    'a.',
    '"a":',
    ' {\n',
  ].map(many),
  `# yarn lockfile v1\n${many('a')}`,
  `${many('[')}${many(']')}`,
  '{"packages":{"node_modules/a":'.repeat(20_000),
  `{"dependencies":${'{"a":{"dependencies":'.repeat(20_000)}{}${'}}'.repeat(20_000)}}`,
  `a: &a [x, x]\n${Array.from({ length: 40 }, (_, at) => `b${at}: &b${at} [*${at ? `b${at - 1}` : 'a'}, *${at ? `b${at - 1}` : 'a'}]`).join('\n')}`,
];

describe('reading the packages of a project', () => {
  it.each(PATHS)('a hostile file %s is read within a second', async (path) => {
    for (const text of HOSTILE) {
      const before = process.cpuUsage(); // CPU time does not depend on the load of the machine.
      await readPackages(path, text);
      const { user, system } = process.cpuUsage(before);
      expect([text.slice(0, 30), user + system < 1_000_000]).toEqual([text.slice(0, 30), true]);
    }
  });

  it('packages with names such as __proto__ are listed like any other package', async () => {
    const text = '{"dependencies":{"__proto__":"^1.0.0","constructor":"^2.0.0"},"devDependencies":{"toString":"*"}}';
    const facts = await readPackages('package.json', text);
    expect(facts).toMatchObject({ wanted: [{ name: '__proto__' }, { name: 'constructor' }, { name: 'toString' }] });
    expect(
      await readPackages('package-lock.json', '{"packages":{"":{},"node_modules/__proto__":{"version":"1.0.0"}}}'),
    ).toMatchObject({ packages: [{ name: '__proto__', version: '1.0.0' }] });
  });

  it('package files in vendored folders are ignored', () => {
    const own = ['package.json', 'a/go.mod', 'requirements/base.txt', 'dev-requirements.txt'];
    const others = ['node_modules/a/package.json', 'vendor/go.mod', 'README.txt', 'a/toString'];
    expect([...own, ...others].filter(isPackageFile)).toEqual(own);
  });

  it('a package-lock.json of version 1 is read with its nested packages', async () => {
    const inner = { version: '1.0.0', resolved: 'https://registry.npmjs.org/b/-/b-1.0.0.tgz', dev: true };
    const text = JSON.stringify({
      lockfileVersion: 1,
      dependencies: {
        a: { version: '2.0.0', integrity: 'sha512-a', dependencies: { b: inner } },
        c: { version: 'git+https://github.com/acme/c.git#0123' },
      },
    });
    expect(await readPackages('package-lock.json', text)).toMatchObject({
      packages: [
        { name: 'a', version: '2.0.0', at: '' },
        { name: 'c', version: '', at: '' },
        { name: 'b', version: '1.0.0', isDev: true, lacksIntegrity: true },
      ],
    });
  });

  it('a yarn.lock of Yarn 1 and one of Yarn Berry give the same packages', async () => {
    const classic =
      '# yarn lockfile v1\n\n\n"@a/b@^1.0.0", "@a/b@^1.2.0":\n  version "1.2.3"\n  resolved "https://r.dev/b.tgz#' +
      'a'.repeat(40) +
      '"\n';
    const berry = `__metadata:\n  version: 8\n\n"@a/b@npm:^1.0.0, @a/b@npm:^1.2.0":\n  version: 1.2.3\n  resolution: "@a/b@npm:1.2.3"\n  checksum: 10c0/ab\n  linkType: hard\n`;
    const expected = { packages: [{ name: '@a/b', version: '1.2.3', ranges: ['^1.0.0', '^1.2.0'] }] };
    expect(await readPackages('yarn.lock', classic)).toMatchObject(expected);
    expect(await readPackages('yarn.lock', berry)).toMatchObject(expected);
  });

  it.each([
    ['5.4', '  /@a/b/1.2.3_react@18.2.0:\n    resolution: {integrity: sha512-a}\n    dev: true\n'],
    ['6.0', '  /@a/b@1.2.3(react@18.2.0):\n    resolution: {integrity: sha512-a}\n    dev: true\n'],
    ['9.0', "  '@a/b@1.2.3':\n    resolution: {integrity: sha512-a}\n"],
  ])('a pnpm-lock.yaml of format %s is read', async (version, entry) => {
    const facts = await readPackages('pnpm-lock.yaml', `lockfileVersion: '${version}'\n\npackages:\n\n${entry}`);
    expect(facts).toMatchObject({ packages: [{ name: '@a/b', version: '1.2.3' }] });
    expect(JSON.stringify(facts)).not.toContain('lacksIntegrity');
  });

  it('a requirements.txt is read line by line', async () => {
    const text = [
      'Flask[async] >= 2.0, < 3  # the server',
      'a.b_c==1.0 ; python_version < "3.9"',
      'tool @ git+https://github.com/acme/tool@0123456789012345678901234567890123456789',
      '-e ../outside',
      '--no-binary :all:',
      'weird requirement here',
    ].join('\n');
    expect(await readPackages('requirements.txt', text)).toMatchObject({
      wanted: [
        { name: 'flask', range: '>=2.0,<3', line: 1 },
        { name: 'a-b-c', range: '==1.0', isOptional: true, line: 2 },
        { name: 'tool', range: null, origin: { kind: 'git', isPinned: true } },
        { range: null, origin: { kind: 'path', at: '../outside' } },
      ],
      packages: [{ name: 'a-b-c', version: '1.0' }],
    });
  });
});
