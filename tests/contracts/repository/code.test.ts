import { describe, expect, it } from 'vitest';
import { analyze } from '../../support/analyze.ts';
import { LANGUAGES } from '@signalbox/analysis/analyzers/quality/source/languages';
import { CODE_ANALYZER } from '@signalbox/analysis/analyzers/quality/code/code';

const find = async (path: string, ...lines: readonly string[]): Promise<readonly string[]> => {
  const { found } = await analyze(CODE_ANALYZER, { [path]: lines.join('\n') });
  return found.map(({ rule, line, values }) => `${rule}:${line ?? ''} ${Object.values(values).join(' ')}`.trim());
};

/** A function with so many branches, each on a line. */
const branching = (count: number, line: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, n) => line(n));

describe('the code analyzer', () => {
  it.each([
    ['a.ts', 'export const decide = async (a: number): Promise<void> => {', '}'],
    ['a.ts', 'class A { private decide<T>(a: T): { b: T }[] {', '} }'],
    ['a.jsx', "const t = <p>Don't {'say'} `this`</p>;\nfunction decide(a) {", '}'],
    ['a.java', 'class A {\n  @Override\n  public <T> int decide(int a)\n      throws B {', '} }'],
    ['a.cs', 'class A\n{\n  public int Decide<T>(int a) where T : class\n  {', '  }\n}'],
    ['a.c', '#if A\nint decide(int a, int b) {\n#else\nint decide(int a) {\n#endif', '}'],
    ['a.cpp', 'A::Decide(int a) const noexcept\n{', '}'],
    ['a.go', 'func (s *Server) Decide(a int) (map[string]interface{}, error) {', '}'],
    ['a.rs', "impl A {\n  pub fn decide<'a, T>(a: &'a T) -> Result<T, B>\n  where T: C {", '} }'],
    ['a.php', '<html><?php\nclass A { public function decide(int $a): ?int {', '} } ?></html>'],
    ['a.kt', 'fun String.decide(a: Int): Int {', '}'],
    ['a.swift', 'func decide(a: Int) throws -> Int {', '}'],
  ])('counts the branches of functions in %s: %s', async (path, open, close) => {
    const condition = path.endsWith('.go') || path.endsWith('.rs') || path.endsWith('.swift') ? 'a == 1' : '(a == 1)';
    const body = branching(20, (n) => `if ${condition} { b(${n}); }`);
    expect(await find(path, open, ...body, close)).toEqual([
      expect.stringMatching(/^code\/complex-function:\d+ 21 2\d \w*[dD]ecide$/),
    ]);
    expect(await find(path, open, ...body.slice(1), close)).toEqual([]);
  });

  it.each([
    ['a.py', '    async def decide(self, a):', (n: number) => `        if a == ${n}:\n            b("if")`],
    ['a.rb', '  def decide(a)', (n: number) => `    b("if") if a == ${n}`],
  ])('counts the branches of functions by indentation in %s', async (path, open, line) => {
    const rest = path.endsWith('.py')
      ? ['    def other(self):', '        return 1']
      : ['  end', '  def other', '  end'];
    const body = branching(20, line);
    expect(await find(path, 'class A:', open, ...body, ...rest)).toEqual([
      expect.stringMatching(/^code\/complex-function:2 21 \d+ decide$/),
    ]);
    expect(await find(path, 'class A:', open, ...body.slice(1), ...rest)).toEqual([]);
  });

  it.each([
    ['a.go', 'func isZero(c *A) bool {', ['return a(1) == 0 &&'], '&&', '}'],
    ['a.ts', 'function isZero(c: A): boolean {', ['return a(1) === 0 &&'], '&&', '}'],
    ['a.py', 'def is_zero(c):', ['    return (a(1) == 0 and'], 'and', '    )'],
  ])(
    'counts a run of equal logical operators once, and mixed operators each, in %s',
    async (path, open, begin, operator, close) => {
      const other = { '&&': '||', and: 'or' }[operator];
      const rows = (which: (n: number) => string | undefined) => [
        open,
        ...begin,
        ...branching(40, (n) => `    a(${n}) == 0 ${which(n)}`),
        '    b',
        close,
      ];
      expect(await find(path, ...rows(() => operator))).toEqual([]);
      expect(await find(path, ...rows((n) => (n % 2 === 0 ? operator : other)))).toHaveLength(1);
      // Each condition is one of its own.
      const conditions = branching(
        11,
        (n) => `    ${path.endsWith('.py') ? `if a and b(${n}): c()` : `if (a && b(${n})) { c(); }`}`,
      );
      expect(await find(path, open, ...conditions, path.endsWith('.py') ? '' : '}')).toHaveLength(1);
    },
  );

  it('names the line in which a function is declared, wherever its braces begin', async () => {
    const body = branching(20, (n) => `  if (a === ${n}) b();`);
    const { found } = await analyze(CODE_ANALYZER, {
      'a.ts': ['let a = 1', 'export function patch(', '  b: B,', '  c: C,', '): void {', ...body, '}'].join('\n'),
      'b.ts': ['const go = async (', '  b: B,', ') => {', ...body, '};'].join('\n'),
    });
    expect(found).toMatchObject([
      { path: 'a.ts', line: 2, evidence: 'export function patch(', values: { name: 'patch', lines: 22 } },
      { path: 'b.ts', line: 1, evidence: 'const go = async (', values: { name: 'go' } },
    ]);
  });

  it('names an anonymous function after its variable, and does not count a long table as a long file', async () => {
    const body = branching(20, (n) => `    if a == ${n} { b() }`);
    expect(
      await find('a.go', 'func main() {', '  eval := func(a int, b func()) (int, error) {', ...body, '  }', '}'),
    ).toEqual(['code/complex-function:2 21 22 eval']);
    const rows = branching(1_100, (n) => `  { name: 'n${n}' },`);
    expect(await find('abi.ts', 'export const ABI = [', ...rows, '];')).toEqual([]);
    expect(await find('abi.ts', 'export const ABI = [', ...rows, '];', 'export function a() {', '  b();', '}')).toEqual(
      ['code/long-file: 1105'],
    );
  });

  it('allows print statements in tests and examples, but no debugger statement', async () => {
    expect(await find('src/a.rs', '  dbg!(x);')).toEqual(['code/debug-leftover:1 dbg!']);
    expect(await find('src/a.py', 'import pdb; pdb.set_trace()')).toHaveLength(1);
    // A debugger that a test replaces, or that a program offers, was not left behind.
    expect(await find('src/cli.py', 'import pdb\n\ndef post_mortem():\n    pdb.post_mortem()\n')).toEqual([]);
    const patched =
      'import pdb\n\ndef test_a(monkeypatch):\n    monkeypatch.setattr(pdb, "set_trace", f)\n    pdb.set_trace()\n';
    expect(await find('tests/test_a.py', patched)).toEqual([]);
    expect(await find('tests/a.rs', '  dbg!(x);')).toEqual([]);
    expect(await find('examples/a/src/main.rs', '  dbg!(x);')).toEqual([]);
    expect(await find('tests/a.ts', '  debugger;')).toHaveLength(1);
  });

  it('counts no branches in strings, comments and regular expressions, and no cases of a switch', async () => {
    const body = branching(
      40,
      (n) => `  case ${n}: // if (a && b)\n    return "if (a) {" + \`while\${x}\` + /if[/{]/.test('for (');`,
    );
    expect(await find('a.ts', 'function decide(a) {', 'switch (a) {', ...body, '}', '}')).toEqual([]);
  });

  it('counts neither inner functions nor a long list as part of a function', async () => {
    const inner = branching(15, (n) => `  if (a === ${n}) b();`);
    const nested = [
      'function outer() {',
      'const one = () => {',
      ...inner,
      '};',
      'function two() {',
      ...inner,
      '}',
      '}',
    ];
    expect(await find('a.js', ...nested)).toEqual([]);
    expect(await find('a.js', 'function list() {', ...branching(300, (n) => `  add(${n});`), '}')).toEqual([]);
  });

  it('finds deep nesting and long lists of parameters, once for each function', async () => {
    const depth = 6;
    const deep = ['func Walk() {', ...branching(depth, () => 'for {'), ...branching(depth, () => '}'), '}'];
    expect(await find('a.go', ...deep)).toEqual(['code/deep-nesting:1 6 Walk']);
    expect(
      await find(
        'a.ts',
        'class A {',
        '  constructor(a, b, c, d, e, f, g, h) {}',
        '  b(a, b, c, d, e, f, g, h) {}',
        '}',
      ),
    ).toEqual(['code/many-parameters:3 b 8']);
    expect(await find('a.ts', 'function b(a, b, c, d, e, f, g = 1, { h, i, j } = {}) {', '}')).toEqual([]);
    expect(await find('a.py', 'def b(a, b, c, d, e, f, g, *, h, i):', '    pass')).toEqual([]);
  });

  it('finds swallowed errors, except those with a comment that says why', async () => {
    expect(await find('a.js', 'try { a(); } catch (e) {', '}')).toEqual(['code/swallowed-error:1']);
    expect(await find('a.js', 'try { a(); } catch {', '  // It is gone already.', '}')).toEqual([]);
    expect(await find('A.java', 'try { a(); } catch (Exception e) {}')).toEqual(['code/swallowed-error:1']);
    expect(
      await find(
        'A.java',
        'try { a(); } catch (NumberFormatException e) {}',
        'try { a(); } catch (Exception ignored) {}',
      ),
    ).toEqual([]);
    expect(await find('a.py', 'try:', '    a()', 'except:', '    pass')).toEqual(['code/swallowed-error:3']);
    expect(
      await find(
        'a.py',
        'try:',
        '    a()',
        'except KeyError:',
        '    pass',
        'try:',
        '    a()',
        'except Exception:  # why',
        '    pass',
      ),
    ).toEqual([]);
    expect(await find('a.rb', 'begin', '  a', 'rescue => e', 'end')).toEqual(['code/swallowed-error:3']);
  });

  it('finds debugging statements that were left in the code', async () => {
    expect(await find('a.ts', 'function a() {', '  debugger;', '}', "const b = 'debugger;';")).toEqual([
      'code/debug-leftover:2 debugger',
    ]);
    expect(
      await find('a.test.ts', "it.only('a', () => {", '});', "it.skip('b', () => {});", "xit('c', () => {});"),
    ).toEqual(['code/focused-test:1 it.only', 'code/skipped-test:3 2']);
    expect(await find('a.ts', 'values.only(1);', 'model.fit(x);', "fit('b', c);")).toEqual([]);
    expect(await find('config.yml', 'a: 1', '<<<<<<< HEAD', 'b: 1', '=======', 'b: 2', '>>>>>>> main')).toEqual([
      'code/merge-conflict:2',
    ]);
    expect(await find('a.txt', 'Title', '=======', '<<<<<<< HEAD')).toEqual([]);
  });

  it('keeps the identity of a finding that moves, and distinguishes two identical findings', async () => {
    const text = 'try { a(); } catch (e) {}\ntry { b(); } catch (e) {}';
    const first = await analyze(CODE_ANALYZER, { 'a.js': text });
    const second = await analyze(CODE_ANALYZER, { 'a.js': `// moved\n\n${text}` });
    const identities = first.found.map(({ identity }) => identity);
    expect(new Set(identities).size).toBe(2);
    expect(second.found.map(({ identity }) => identity)).toEqual(identities);
  });

  it('counts lines, functions and tests', async () => {
    const { summary } = await analyze(CODE_ANALYZER, {
      'a.ts': '// one\n\nexport const a = 1; // TODO more\n',
      'a.test.ts': 'it("works", () => {\n});\n',
      'b.py': 'def b():\n    """Documents."""\n    return 1\n',
      'dist/c.js': 'c();',
    });
    expect(summary).toEqual({
      files: 3,
      lines: 3,
      testLines: 2,
      commentLines: 2,
      functions: 1,
      complexFunctions: 0,
      complexLines: 0,
      notes: 1,
      languages: [
        { name: 'Python', lines: 2 },
        { name: 'TypeScript', lines: 1 },
      ],
    });
  });

  it('reads a hostile text in any language in linear time', async () => {
    // prettier-ignore
    const texts = [
      '(', '}', '{[(', '"', "'", '`${', '/', '/*', '=/[', '\\', '<<A\n', ' ', '\n', 'a', 'r#"', '@"', '"""', 'fn a(', 'a=>{', 'catch{',
      'except:\n', 'rescue\n', '// a;\n', '#if\n', 'class A{', '<<<<<<< \n', 'a(b){', 'def a(\n', 'a(()', 'x: (a) ',
    ];
    for (const { extensions } of LANGUAGES)
      for (const one of texts) {
        // The processor's time, not the clock's: the machine may be busy with something else.
        const before = process.cpuUsage();
        await CODE_ANALYZER.inspect(`a.${extensions[0]}`, one.repeat(50_000 / one.length));
        expect([extensions[0], one, process.cpuUsage(before).user / 1_000 < 1_000]).toEqual([extensions[0], one, true]);
      }
  });
});
