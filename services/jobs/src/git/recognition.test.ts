import { describe, expect, it } from 'vitest';
import { recognizeProgram } from './recognition.ts';

const rootOf = (files: Readonly<Record<string, string>>) => ({
  names: new Set(Object.keys(files)),
  packageJson: files['package.json'] ?? null,
  procfile: files['Procfile'] ?? null,
});
const commandsOf = (files: Readonly<Record<string, string>>) => {
  const file = recognizeProgram(rootOf(files))?.file ?? null;
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

  it.each(['vite-node server.ts', 'node server.js'])(
    'is started by its start script when that script is %s',
    (start) => {
      const files = { 'package.json': manifest({ start, build: 'vite build' }, { devDependencies: { vite: '8' } }) };
      expect(commandsOf(files)?.[1]).toEqual(['npm', 'start']);
    },
  );

  it('is started by the web line of its Procfile, with its Python requirements installed', () => {
    const files = { Procfile: 'release: ./migrate\nweb: gunicorn app:app\n', 'requirements.txt': 'gunicorn' };
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
    expect(recognizeProgram(rootOf(files))?.isGuess).toBe(isGuess);
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
