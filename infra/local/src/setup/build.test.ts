import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildServices } from '../../build.mjs';
import { getCheckoutPath } from '../checkout.ts';

describe('buildServices', () => {
  let checkout: string;
  let said: string[];

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'signalbox-build-'));
    symlinkSync(join(getCheckoutPath(), 'node_modules'), join(checkout, 'node_modules'));
    write('package.json', JSON.stringify({ workspaces: ['services/*', 'infra/local'] }));
    write(
      'services/bot/src/main.ts',
      `import { greet } from './words/greet.ts';\nconsole.log(greet('Ada' as string));\n`,
    );
    write('services/bot/src/words/greet.ts', 'export const greet = (name: string): string => `Hello, ${name}.`;\n');
    write('services/bot/src/words/en.json', '{"a": 1}');
    write('services/bot/src/words/greet.test.ts', 'throw new Error();');
  });

  afterEach(() => rmSync(checkout, { recursive: true, force: true }));

  it('compiles TypeScript files, copies data files and skips test files', async () => {
    expect(await build()).toBeNull();
    const main = await import(join(checkout, 'services/bot/dist/words/greet.js'));
    expect(main.greet('Ada')).toBe('Hello, Ada.');
    expect(readBuilt('main.js')).toContain('./words/greet.js');
    expect(readBuilt('words/en.json')).toBe('{"a": 1}');
    expect(existsSync(built('words/greet.test.js'))).toBe(false);
  });

  it('recompiles only the file that was edited', async () => {
    await build();
    const before = statSync(built('main.js')).ino;
    write('services/bot/src/words/greet.ts', 'export const greet = (name: string): string => `Bye, ${name}.`;\n');
    expect(await build()).toBeNull();
    expect(readBuilt('words/greet.js')).toContain('Bye');
    expect(said).toEqual([expect.stringMatching(/^built 1 file in /)]);
    expect(statSync(built('main.js')).ino).toBe(before);
    await build();
    expect(said).toEqual([]);
  });

  it('compiles again when the output folder was deleted', async () => {
    await build();
    rmSync(join(checkout, 'services/bot/dist'), { recursive: true });
    expect(await build()).toBeNull();
    expect(existsSync(built('main.js'))).toBe(true);
  });

  it('deletes a built message file when its source file is deleted', async () => {
    await build();
    rmSync(join(checkout, 'services/bot/src/words/en.json'));
    expect(await build()).toBeNull();
    expect(existsSync(built('words/en.json'))).toBe(false);
  });

  it('deletes a built folder when its source folder is deleted, so that no moved agent is listed twice', async () => {
    write('services/bot/src/moved/index.ts', 'export {};\n');
    await build();
    write('services/bot/dist/moved/index.d.ts', 'export {};\n');
    rmSync(join(checkout, 'services/bot/src/moved'), { recursive: true });
    expect(await build()).toBeNull();
    expect(existsSync(built('moved'))).toBe(false);
  });

  it('deletes a built program when its source file is deleted', async () => {
    await build();
    write('services/bot/dist/words/older.js', 'export {};');
    rmSync(join(checkout, 'services/bot/src/words/greet.ts'));
    expect(await build()).toBeNull();
    expect(existsSync(built('words/greet.js'))).toBe(false);
    expect(existsSync(built('words/older.js'))).toBe(false);
  });

  it('reports the line of a syntax error, keeps the old output, and reports the error again on the next build', async () => {
    await build();
    write('services/bot/src/main.ts', 'const = 3;\n');
    expect(await build()).toMatch(/services\/bot\/src\/main\.ts:1:6/);
    expect(readBuilt('main.js')).toContain('Ada');
    expect(await build()).toMatch(/main\.ts:1:6/);
  });

  it('bundles the web page of a channel again when its files or imports change', async () => {
    const page = 'services/bot/src/page';
    const bundle = 'services/gateway/src/channels/web/page/bundle.mjs';
    write(`${page}/bundle.mjs`, readFileSync(join(getCheckoutPath(), bundle), 'utf8'));
    write(`${page}/main.tsx`, `import { greet } from '../words/greet.ts';\ndocument.title = greet('Ada');\n`);
    write(`${page}/main.css`, 'p { color: red }');
    for (const name of ['index.html', 'icon.svg']) write(`${page}/${name}`, name);
    expect(await build()).toBeNull();
    expect(readBuilt('page/main.js')).toContain('Hello');
    expect(readBuilt('page/index.html')).toBe('index.html');
    write('services/bot/src/words/greet.ts', 'export const greet = (name: string): string => `Bye, ${name}.`;\n');
    write(`${page}/main.css`, 'p { color: blue }');
    expect(await build()).toBeNull();
    expect(readBuilt('page/main.js')).toContain('Bye');
    expect(readBuilt('page/main.css')).toMatch(/blue|#00f/);
    write(`${page}/main.tsx`, 'const = 3;');
    expect(await build()).toMatch(/main\.tsx:1:6/);
  });

  function build(): Promise<string | null> {
    said = [];
    return buildServices(checkout, (line) => void said.push(line));
  }

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }

  function built(path: string): string {
    return join(checkout, 'services/bot/dist', path);
  }

  function readBuilt(path: string): string {
    return readFileSync(built(path), 'utf8');
  }
});
