import { describe, expect, it } from 'vitest';
import { DOCUMENTATION_ANALYZER } from '@signalbox/analysis/analyzers/documentation/documentation';
import { analyze } from '../../support/analyze.ts';

const find = async (texts: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const { found } = await analyze(DOCUMENTATION_ANALYZER, texts);
  return found.map(({ rule, path, line, values }) =>
    [`${rule.replace('documentation/', '')} ${path}:${line ?? ''}`, ...Object.values(values)].join(' '),
  );
};

describe('the documentation analyzer', () => {
  it('finds links to missing files in every syntax of links', async () => {
    const page = [
      '[a](docs/gone.md) and [b](docs/there.md#part "title")',
      '[c]: ./gone-too.md',
      '<a href="gone/three.txt">c</a> [d](<with space.md>)',
      '[![badge](pictures/gone.png)](LICENSE.txt)',
      '[e](/docs/there.md) [f](docs/) [g](https://example.com/gone.md) [h](mailto:a@example.com)',
    ];
    expect(
      await find({ 'README.md': page.join('\n'), 'docs/there.md': '# Part', 'LICENSE.txt': '', 'with space.md': '' }),
    ).toEqual([
      'dead-link README.md:1 docs/gone.md',
      'dead-link README.md:2 ./gone-too.md',
      'dead-link README.md:3 gone/three.txt',
      'missing-image README.md:4 pictures/gone.png',
    ]);
  });

  it('does not mistake code, comments, templates and pages of the code host for broken links', async () => {
    const page = [
      '```md\n[a](gone.md)\n```',
      'Text.\n\n    [a](gone.md)',
      '`[a](gone.md)` <!-- [a](gone.md)\n[b](gone.md) -->',
      '[a](../../issues/new) [b]({{ url }}/x.md) [c](word) [d](./%E0%A4%A.md)',
    ];
    expect(await find({ 'README.md': page.join('\n') })).toEqual([]);
  });

  it('knows the anchors that GitHub gives to headings', async () => {
    const page = [
      '# What’s *new*, in `v2.0`?',
      '## Über uns',
      '## Über uns',
      '> ```js\n> a\n> ```\n## Map\\<[A][B]\\>',
      'Underlined\n---------',
      '### `<series>`\n### a.Request<[B], [C]>\n### <b>Bold</b>',
      '[l](#series) [m](#arequestb-c) [n](#bold)',
      '<a name="Custom"></a>',
      '[a](#whats-new-in-v20) [b](#über-uns-1) [c](#underlined) [d](#custom) [e](#top) [f](other.md#here) [k](#mapa)',
      '[g](#gone) [h](other.md#gone) [i](a.ts#L10)',
    ];
    expect(await find({ 'README.md': page.join('\n'), 'other.md': '# [Here](x.ts)', 'a.ts': '', 'x.ts': '' })).toEqual([
      'dead-anchor README.md:16 #gone',
      'dead-anchor README.md:16 other.md#gone',
    ]);
  });

  it('does not check absolute paths of a site', async () => {
    const page = '[a](/guide/start) [b](./other) [c](#custom) [d](gone.md)';
    expect(await find({ 'docs/a.md': page, 'mkdocs.yml': '' })).toEqual(['dead-link docs/a.md:1 gone.md']);
    expect(await find({ 'docs/a.md': `---\ntitle: A\n---\n${page}` })).toEqual(['dead-link docs/a.md:4 gone.md']);
  });

  it('does not check pages that a generator builds', async () => {
    expect(await find({ 'src/a.md': '[a](middleware/index.html#b) [b](index.md)' })).toEqual([
      'dead-link src/a.md:1 index.md',
    ]);
  });

  it('reports links that lead out of the repository', async () => {
    expect(
      await find({ 'README.md': '[a](../other/a.md) [b](file:///tmp/a) [c](/home/ada/a.md) [d](../../wiki)' }),
    ).toEqual([
      'link-outside README.md:1 ../other/a.md',
      'link-outside README.md:1 file:///tmp/a',
      'link-outside README.md:1 /home/ada/a.md',
    ]);
  });

  it('reports a documented script that no package defines', async () => {
    const page = '```sh\nnpm run build\nnpm run gone -- --fast\n```\nSay `pnpm run lint`, or npm run prose.';
    const packages = { 'package.json': '{"scripts":{"build":"a"}}', 'web/package.json': '{"scripts":{"lint":"b"}}' };
    expect(await find({ 'README.md': page, ...packages })).toEqual(['unknown-script README.md:3 gone']);
    expect(await find({ 'README.md': page })).toEqual([]);
    expect(await find({ 'README.md': '`npm create app` and then `npm run dev`', ...packages })).toEqual([]);
    expect(await find({ 'README.md': page, 'package.json': '{"scripts":["__proto__"' })).toHaveLength(3);
  });

  it('reports a readme without commands, in any language, and missing pages that a team needs', async () => {
    const code = { 'a.ts': 'run();\n'.repeat(4_000) };
    expect(await find({ ...code, 'README.md': '# 项目\n\n这是一个项目。' })).toEqual([
      'readme-without-commands README.md:',
    ]);
    expect(await find({ ...code, 'README.md': '# 项目\n\n```\nmake run\n```' })).toEqual([]);
    expect(await find({ ...code, 'README.md': '# 项目\n\n[安装](docs/a.md)', 'docs/a.md': '' })).toEqual([]);
    const history = { commits: 9, authors: 3, firstAt: 0, branches: 1, tags: 0 };
    const texts = { ...code, '.github/SECURITY.md': '' };
    const { found } = await analyze(DOCUMENTATION_ANALYZER, texts, { history: () => Promise.resolve(history) });
    expect(found.map(({ rule, severity, values }) => [rule, severity, values])).toEqual([
      ['documentation/missing-page', 'info', { page: 'CONTRIBUTING' }],
    ]);
  });

  it('reads a hostile page in linear time', async () => {
    for (const one of [
      '[',
      '](',
      '](a',
      '> ',
      '*a ',
      '`',
      '``a',
      '`a',
      '<',
      '<a ',
      '<!--',
      '# ',
      '- ',
      '\n',
      '~~~\n',
      '[a](b) ',
      '![',
      '_',
      ':a',
      '#',
    ]) {
      // The processor's time, not the clock's: the machine may be busy with something else.
      const before = process.cpuUsage();
      const { found } = await analyze(DOCUMENTATION_ANALYZER, { 'a.md': one.repeat(250_000 / one.length) });
      expect([one, found.length <= 500, process.cpuUsage(before).user / 1_000 < 1_500]).toEqual([one, true, true]);
    }
  });
});
