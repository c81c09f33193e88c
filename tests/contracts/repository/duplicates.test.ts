import { describe, expect, it } from 'vitest';
import { DUPLICATES_ANALYZER } from '@signalbox/analysis/analyzers/quality/duplicates/duplicates';
import { analyze } from '../../support/analyze.ts';

const block = (count: number, name: string): string =>
  Array.from({ length: count }, (_, n) => `  total += price(${name}, ${n} * ${(n * 31) % 17}); // ${name}`).join('\n');

const find = async (texts: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const { found } = await analyze(DUPLICATES_ANALYZER, texts);
  return found.map(({ path, line, values }) => `${path}:${line} ${values['lines']} ${values['other']}`);
};

describe('duplicated code blocks', () => {
  it('of 30 lines or more are found across files, whatever surrounds or indents them', async () => {
    const copied = block(30, 'order');
    const inner = copied.replaceAll(/^ {2}/gm, '\t\t').replaceAll(/ \/\/ .*$/gm, '');
    const [one, two] = [
      `import a from 'a';\n${block(9, 'x')}\n${copied}\n${block(5, 'y')}`,
      `${block(40, 'z')}\n\n${inner}`,
    ];
    expect(await find({ 'a.ts': one, 'b.ts': two })).toEqual(['b.ts:42 30 a.ts']);
    const short = block(29, 'order');
    expect(await find({ 'a.ts': `${block(9, 'x')}\n${short}`, 'b.ts': `${block(40, 'z')}\n${short}` })).toEqual([]);
  });

  it('are reported once for each further copy', async () => {
    const copied = block(40, 'order');
    const texts = { 'c.py': copied, 'a.py': copied, 'b.py': copied };
    expect(await find(texts)).toEqual(['b.py:1 40 a.py', 'c.py:1 40 a.py']);
  });

  it('are not reported in tests, migrations, data, imports and licenses', async () => {
    const copied = block(40, 'order');
    const imports = Array.from({ length: 40 }, (_, n) => `import a${n} from 'a${n}';`).join('\n');
    const license = Array.from({ length: 40 }, (_, n) => `// You may copy part ${n} of it.`).join('\n');
    const numbers = Array.from({ length: 60 }, (_, n) => `  [${n}, ${n * 3}],`).join('\n');
    expect(await find({ 'a.test.ts': copied, 'b.test.ts': copied })).toEqual([]);
    expect(await find({ 'db/migrations/1.rb': copied, 'db/migrations/2.rb': copied })).toEqual([]);
    expect(await find({ 'a.json': copied, 'b.json': copied })).toEqual([]);
    for (const text of [imports, license, numbers]) expect(await find({ 'a.ts': text, 'b.ts': text })).toEqual([]);
  });

  it('in a thousand files are found within half a second of processor time', async () => {
    const noted = await Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => {
        const path = `src/${n}.ts`;
        const text = n % 100 === 0 ? block(200, 'same') : block(200, `name${n}`);
        return { path, blob: '', facts: await DUPLICATES_ANALYZER.inspect(path, text), commit: null, isCurrent: true };
      }),
    );
    // The processor's time, not the clock's: the machine may be busy with something else.
    const before = process.cpuUsage();
    await DUPLICATES_ANALYZER.conclude(
      noted.flatMap(({ facts, ...one }) => (facts ? [{ ...one, facts }] : [])),
      // What has no history is not asked for it.
      {} as never,
    );
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });
});
