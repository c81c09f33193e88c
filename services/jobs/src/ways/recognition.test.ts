import { describe, expect, it } from 'vitest';
import { ServiceFile, type RunSettings } from '@signalbox/contracts/operations/deploy';
import { listWays } from './recognition.ts';
import { chooseWay } from './way.ts';

const rootOf = (files: Readonly<Record<string, string>>) => ({
  names: new Set(Object.keys(files)),
  packageJson: files['package.json'] ?? null,
  procfile: files['Procfile'] ?? null,
  netlify: files['netlify.toml'] ?? null,
});
const HERE = { server: 'local', driver: 'process' } as const;
const ON_ENGINE = { server: 'box-1', driver: 'docker' } as const;
const choose = (files: Readonly<Record<string, string>>, machine: typeof HERE | typeof ON_ENGINE = HERE, lacks = '') =>
  chooseWay(listWays(rootOf(files), { file: null }), machine, (name) => name !== lacks);
const commandsOf = (files: Readonly<Record<string, string>>) => {
  const file = choose(files).way?.file ?? null;
  return file && [file.build, file.start];
};
const manifest = (scripts: Readonly<Record<string, string>>, more = {}) => JSON.stringify({ scripts, ...more });

describe('a program without a signalbox.json', () => {
  it('is started by the start script in its package.json, after installation and build', () => {
    expect(commandsOf({ 'package.json': manifest({ start: 'node .' }) })).toEqual([[], ['npm', 'start']]);
    const built = manifest({ start: 'node dist', build: 'tsc' }, { devDependencies: { typescript: '6' } });
    expect(commandsOf({ 'package.json': built })).toEqual([
      [
        ['npm', 'install'],
        ['npm', 'run', 'build'],
      ],
      ['npm', 'start'],
    ]);
    expect(commandsOf({ 'package.json': built, 'package-lock.json': '{}' })?.[0]?.[0]).toEqual(['npm', 'ci']);
  });

  it('is installed and built by its own package manager', () => {
    const built = manifest({ start: 'node dist', build: 'tsc' }, { devDependencies: { typescript: '6' } });
    expect(commandsOf({ 'package.json': built, 'pnpm-lock.yaml': '' })?.[0]).toEqual([
      ['npx', '--yes', 'pnpm@10', 'install', '--frozen-lockfile'],
      ['npx', '--yes', 'pnpm@10', 'run', 'build'],
    ]);
  });

  it('is started by the preview script when its package.json builds only static pages', () => {
    const vite = manifest(
      { dev: 'vite', build: 'vite build', preview: 'vite preview' },
      { devDependencies: { vite: '8' } },
    );
    const [build, start] = commandsOf({ 'package.json': vite, 'index.html': '' }) ?? [];
    expect(build).toEqual([
      ['npm', 'install'],
      ['npm', 'run', 'build'],
    ]);
    expect(start?.join(' ')).toContain('npm run preview -- --host "$HOST" --port "$PORT"');
  });

  it.each([
    ['names its preview otherwise', { dev: 'vite', build: 'vite build', serve: 'vite preview' }],
    ['starts only the server for development', { start: 'vite --open', build: 'tsc && vite build' }],
  ])("is started by Vite's preview server when Vite builds it and its package.json %s", (_, scripts) => {
    const [build, start] = commandsOf({ 'package.json': manifest(scripts, { devDependencies: { vite: '2' } }) }) ?? [];
    expect(build?.at(-1)).toEqual(['npm', 'run', 'build']);
    expect(start?.[2]).toBe('exec ./node_modules/.bin/vite preview --host "$HOST" --port "$PORT" --strictPort');
  });

  it('is started by its script for production when its start script builds again, which a release forbids', () => {
    const scripts = { start: 'nest start', 'start:prod': 'node dist/main', build: 'nest build' };
    expect(commandsOf({ 'package.json': manifest(scripts) })?.[1]).toEqual(['npm', 'run', 'start:prod']);
    const other = { ...scripts, start: 'npm --prefix web run dev' };
    expect(commandsOf({ 'package.json': manifest(other) })?.[1]).toEqual(['npm', 'run', 'start:prod']);
    const { 'start:prod': _, ...alone } = scripts;
    expect(commandsOf({ 'package.json': manifest(alone) })?.[1]).toEqual(['npm', 'start']);
    expect(commandsOf({ 'package.json': manifest({ ...scripts, start: 'node .' }) })?.[1]).toEqual(['npm', 'start']);
  });

  it('is built and served as its netlify.toml says, unless it has a start script for production', () => {
    const toml =
      '[build]\n  command = "cd web && npm run build" # x\n  publish = "/web/dist/"\n[build.environment]\npublish = "x"';
    const scripts = { build: 'vite build', preview: 'vite preview' };
    const files = { 'netlify.toml': toml, 'package.json': manifest(scripts, { dependencies: { vite: '8' } }) };
    const [build, start] = commandsOf(files) ?? [];
    expect(build).toEqual([
      ['npm', 'install'],
      ['/bin/sh', '-c', 'PATH="$PWD/node_modules/.bin:$PATH"; cd web && npm run build'],
    ]);
    expect(start?.[2]).toContain('--directory web/dist');
    expect(choose(files).way?.isGuess).toBe(false);
    expect(choose({ ...files, 'package.json': manifest({ start: 'node .' }) }).way?.of).toBe('package.json');
    for (const publish of ['../x', 'a b', '$(id)'])
      expect(commandsOf({ 'netlify.toml': `[build]\npublish = "${publish}"` })).toBeNull();
  });

  it('is started by the server that Nuxt builds', () => {
    const scripts = { build: 'nuxt build', preview: 'nuxt preview' };
    const files = { 'package.json': manifest(scripts, { dependencies: { nuxt: '4' } }) };
    expect(commandsOf(files)?.[1]).toEqual(['node', '.output/server/index.mjs']);
  });

  it('is started by its main file when it needs a server and names no start', () => {
    const files = {
      'package.json': manifest({ dev: 'nodemon x' }, { dependencies: { express: '4' } }),
      'src/index.js': '',
    };
    expect(commandsOf(files)?.[1]).toEqual(['node', 'src/index.js']);
    expect(choose(files).way?.isGuess).toBe(true);
    expect(commandsOf({ ...files, 'package.json': manifest({ test: 'x' }) })).toBeNull();
  });

  it.each(['vite-node server.ts', 'node server.js'])(
    'is started by its start script when that script is %s',
    (start) => {
      const files = { 'package.json': manifest({ start, build: 'vite build' }, { devDependencies: { vite: '8' } }) };
      expect(commandsOf(files)?.[1]).toEqual(['npm', 'start']);
    },
  );

  it('is started by the web line of its Procfile, with its Python requirements installed', () => {
    const files = { Procfile: 'web: gunicorn app:app\n', 'requirements.txt': 'gunicorn' };
    const [build, start] = commandsOf(files) ?? [];
    expect(build?.[1]).toEqual(['.venv/bin/pip', 'install', '--requirement', 'requirements.txt']);
    expect(start).toEqual(['/bin/sh', '-c', 'PATH="$PWD/.venv/bin:$PATH"; exec gunicorn app:app']);
  });

  it.each([
    ['the web line of its Procfile', { Procfile: 'web: node .' }, false],
    ['its start script', { 'package.json': manifest({ start: 'node .' }) }, false],
    ['its preview script', { 'package.json': manifest({ build: 'vite build', preview: 'vite preview' }) }, true],
    ['the usual name of its main file', { 'app.py': '' }, true],
    ['its pages', { 'index.html': '' }, true],
  ])('is no guess only when its authors name the command: %s', (_, files, isGuess) => {
    expect(choose(files).way?.isGuess).toBe(isGuess);
  });

  it('is served as static pages when it has an index.html', () => {
    expect(commandsOf({ 'index.html': '<p>' })?.[1]?.join(' ')).toContain('python3 -m http.server "$PORT"');
    const below = commandsOf({ 'public/index.html': '<p>', 'README.md': '' })?.[1]?.join(' ');
    expect(below).toContain('--bind "$HOST" --directory public');
  });

  it('is started by Python when it has requirements.txt and a main file with a usual name', () => {
    const [build, start] = commandsOf({ 'requirements.txt': 'flask', 'app.py': '' }) ?? [];
    expect(build).toHaveLength(2);
    expect(start?.[2]).toBe('PATH="$PWD/.venv/bin:$PATH"; exec python app.py');
    const django = commandsOf({ 'requirements.txt': 'django', 'manage.py': '', 'main.py': '' })?.[1]?.[2];
    expect(django).toContain('manage.py runserver --noreload "$HOST:$PORT"');
  });

  it('is started by Python without requirements.txt when it has a main file with a usual name', () => {
    expect(commandsOf({ 'server.py': '', 'index.html': '' })).toEqual([
      [],
      ['/bin/sh', '-c', 'exec python3 server.py'],
    ]);
    expect(commandsOf({ 'manage.py': '' })?.[1]?.[2]).toContain('exec python3 manage.py runserver');
  });

  it('is started by npm without a start script when npm finds its server.js', () => {
    const files = { 'package.json': manifest({ test: 'x' }), 'server.js': '' };
    expect(commandsOf(files)).toEqual([[], ['npm', 'start']]);
    expect(choose(files).way?.isGuess).toBe(true);
  });

  it.each([
    ['bun.lock', ['npx', '--yes', 'bun@1', 'install', '--frozen-lockfile']],
    ['yarn.lock', ['npx', '--yes', 'yarn@1.22.22', 'install', '--frozen-lockfile']],
  ])('is installed by the manager of its %s, and started by it when its scripts call it', (lock, install) => {
    const name = install[2] ?? '';
    const start = `${lock.split('.')[0]} run serve`;
    const files = { 'package.json': manifest({ start }, { dependencies: { hono: '4' } }), [lock]: '' };
    expect(commandsOf(files)).toEqual([[install], ['npx', '--yes', name, 'run', 'start']]);
  });

  it('is served as the pages that its builder writes, because the server for development ends without a terminal', () => {
    const scripts = { start: 'react-scripts start', build: 'react-scripts build' };
    const files = { 'package.json': manifest(scripts, { dependencies: { 'react-scripts': '5' } }) };
    expect(commandsOf(files)?.[1]?.[2]).toContain('--directory build');
  });

  it('is built by Go where Go is installed, and names it where it is not', () => {
    const files = { 'go.mod': '', 'main.go': '' };
    expect(commandsOf(files)).toEqual([[['go', 'build', '-o', 'bin/app', '.']], ['bin/app']]);
    const missing = { kind: 'passed', of: 'go.mod', need: 'program', what: 'go', server: 'local' };
    expect(choose(files, HERE, 'go')).toEqual({ way: null, notes: [missing] });
  });

  it('runs on the Node that its package.json wants, with an npm that runs on that Node', () => {
    const files = (node: string) => ({
      'package.json': manifest({ start: 'node .' }, { engines: { node }, dependencies: { koa: '3' } }),
      'package-lock.json': '{}',
    });
    const path = 'PATH="$PWD/.node/node_modules/.bin:$PATH"; exec';
    expect(commandsOf(files('18.x'))).toEqual([
      [
        ['npm', 'install', '--no-save', '--prefix', '.node', 'node@18.x', 'npm@10'],
        ['/bin/sh', '-c', `${path} npm ci`],
      ],
      ['/bin/sh', '-c', `${path} npm start`],
    ]);
    expect(commandsOf(files('>=20.9 <21'))?.[0]?.[0]?.slice(5)).toEqual(['node@>=20.9 <21']);
    for (const other of ['>=18', '*', '', 'latest; rm -rf /', '>=90'])
      expect(commandsOf(files(other))?.[1]).toEqual(['npm', 'start']);
  });

  it('runs the web line of its Procfile on that Node too', () => {
    const files = { Procfile: 'web: PORT=1 node .', 'package.json': manifest({}, { engines: { node: '^20' } }) };
    expect(commandsOf(files)?.[1]?.[2]).toBe(
      'PATH="$PWD/.node/node_modules/.bin:$PATH"; PATH="$PWD/node_modules/.bin:$PATH"; PORT=1 node .',
    );
  });

  it.each([
    ['nothing that says how', { 'README.md': '' }],
    ['a package that is none', { 'package.json': '[' }],
    ['a package without a start', { 'package.json': manifest({ test: 'x' }) }],
    ['a package that only builds', { 'package.json': manifest({ build: 'tsc' }) }],
    ['a Procfile without web', { Procfile: 'worker: x' }],
    ['a library of Python', { 'requirements.txt': 'x', 'setup.py': '' }],
  ])('is not recognized when there is %s', (_, files) => {
    expect(commandsOf(files)).toBeNull();
  });
});

describe('a Procfile', () => {
  const startOf = (Procfile: string, more: Readonly<Record<string, string>> = {}) =>
    choose({ Procfile, ...more }).way?.file.start?.[2];

  it.each([
    ['web: MODE=prod node server.js', 'MODE=prod node server.js'],
    ['web: cd api && node server.js', 'cd api && node server.js'],
    ['web: python server.py\r', 'exec python3 server.py'],
    ['web: node server.js # serves', 'exec node server.js # serves'],
  ])('is run by a shell, as its hosts do: %s', (line, start) => {
    expect(startOf(line)).toBe(start);
  });

  it('finds installed programs, and fetches the package manager that it names', () => {
    expect(startOf('web: yarn serve', { 'package.json': '{}', 'yarn.lock': '' })).toBe(
      'PATH="$PWD/node_modules/.bin:$PATH"; exec npx --yes yarn@1.22.22 serve',
    );
    expect(startOf('web: tut', { 'go.mod': '' })).toBe('PATH="$PWD/bin:$PATH"; exec tut');
  });

  it('runs its release line once before it serves, and names the lines that are not run', () => {
    const { way, notes } = choose({ Procfile: 'release: ./migrate\nweb: node .\nworker: node w.js\nclock: node c.js' });
    expect(way?.file.start?.[2]).toMatch(/\{ \(\.\/migrate\) && : > .*; \} \|\| exit; exec node \.$/);
    expect(notes).toEqual([
      { kind: 'release', command: './migrate' },
      { kind: 'notRun', names: ['worker', 'clock'] },
    ]);
  });

  it('is passed when it starts a program that is not in the commit', () => {
    const { way, notes } = choose({ Procfile: 'web: bin/tut -port=$PORT', 'index.html': '' });
    expect(way?.of).toBe('index.html');
    expect(notes).toEqual([{ kind: 'passed', of: 'Procfile', need: 'file', what: 'bin/tut', server: 'local' }]);
    expect(choose({ Procfile: 'web: bin/tut', 'bin/tut': '' }).way?.of).toBe('Procfile');
  });

  it('is passed when it starts a program of the image that is not on this machine', () => {
    const { notes } = choose({ Procfile: 'web: /bin/boot' }, HERE, '/bin/boot');
    expect(notes).toMatchObject([{ of: 'Procfile', need: 'program', what: '/bin/boot' }]);
  });

  it('is passed when Signalbox installs nothing for its language', () => {
    const { way, notes } = choose({ Procfile: 'web: bundle exec puma', Gemfile: '', 'public/index.html': '' });
    expect(way).toBeNull();
    expect(notes).toMatchObject([
      { of: 'Procfile', what: 'Ruby' },
      { of: 'Gemfile', what: 'Ruby' },
    ]);
  });
});

describe('a Dockerfile', () => {
  const files = { Dockerfile: 'FROM node', 'package.json': manifest({ start: 'node .' }) };

  it('is used on a server that runs images, before everything else', () => {
    expect(choose(files, ON_ENGINE)).toMatchObject({ way: { of: 'Dockerfile' }, notes: [] });
  });

  it('is passed on a server without images, and the second way is taken and named', () => {
    const passed = { kind: 'passed', of: 'Dockerfile', need: 'engine', what: '', server: 'local' };
    expect(choose(files)).toMatchObject({ way: { of: 'package.json', isGuess: false }, notes: [passed] });
  });

  it('alone cannot be started on a server without images', () => {
    expect(choose({ Dockerfile: 'FROM scratch' }).way).toBeNull();
  });

  it('leaves the other settings of a signalbox.json to the second way', () => {
    const settings = ServiceFile.parse({ health: { path: '/up' }, memoryMb: 512 });
    const { way } = chooseWay(listWays(rootOf(files), { file: settings }), HERE, () => true);
    expect(way?.file).toMatchObject({ start: ['npm', 'start'], health: { path: '/up' }, memoryMb: 512 });
  });
});

describe('a project for a server that runs container images', () => {
  it.each([
    ['pages', { 'index.html': '' }],
    ['pages in a folder', { 'public/index.html': '' }],
    ['a program of Python', { 'main.py': '' }],
    ['what is installed into a folder of its own', { 'app.py': '', 'requirements.txt': '' }],
    ['Django', { 'manage.py': '' }],
    ['a Procfile of Python', { Procfile: 'web: gunicorn app:app', 'requirements.txt': '' }],
  ])('is refused when it needs Python, which the base image lacks: %s', (_, files) => {
    expect(choose(files, ON_ENGINE)).toMatchObject({ way: null, notes: [{ what: 'python3', server: 'box-1' }] });
    expect(choose(files).way).not.toBeNull();
  });

  it('is accepted when it is a Node project or declares its commands', () => {
    expect(choose({ 'package.json': manifest({ start: 'node server.js' }) }, ON_ENGINE).way).not.toBeNull();
    const ways = listWays(rootOf({}), { file: { start: ['python3', 'main.py'] } });
    expect(chooseWay(ways, ON_ENGINE, () => true).way).not.toBeNull();
  });
});

describe('what people say in the chat', () => {
  const packageJson = manifest({ test: 'x' }, { dependencies: { express: '4' } });
  const say = (run: RunSettings, files: Readonly<Record<string, string>> = { 'package.json': packageJson }) =>
    chooseWay(listWays(rootOf(files), { file: null, run }), HERE, () => true);

  it('starts a project that nothing else starts, after its packages are fetched', () => {
    const { way, notes } = say({ start: 'node src/index.js' });
    expect(way?.file.build).toEqual([['npm', 'install']]);
    expect(way?.file.start?.[2]).toBe('PATH="$PWD/node_modules/.bin:$PATH"; exec node src/index.js');
    expect(notes).toEqual([{ kind: 'given', settings: ['start: node src/index.js'] }]);
  });

  it('goes before the files of the project, field by field', () => {
    const run = { build: 'make all', healthPath: '/up', healthStatus: 204, healthHeaders: { Host: 'tut.example' } };
    const { way } = say(run, { Procfile: 'web: node .' });
    expect(way?.file).toMatchObject({
      build: [['/bin/sh', '-c', 'make all']],
      start: ['/bin/sh', '-c', 'exec node .'],
      health: { path: '/up', status: 204, headers: { Host: 'tut.example' }, withinSeconds: 30 },
    });
  });

  it('does not show the values of headers, which may be secret', () => {
    expect(
      JSON.stringify(say({ healthHeaders: { Authorization: 'Basic c2VjcmV0' } }, { 'index.html': '' }).notes),
    ).toBe('[{"kind":"given","settings":["health header: Authorization"]}]');
  });
});
