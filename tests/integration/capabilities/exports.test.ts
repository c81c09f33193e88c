import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
  await bench.call('create_project_intent', { name: 'shop', description: 'Sells "shoes", and socks' });
  await bench.call('create_project_intent', { name: 'blog', description: '=HYPERLINK("http://evil.example")' });
  for (const name of ['web-1', 'web-2'])
    await bench.call('register_server', {
      name,
      host: `${name}.example.org`,
      environment: 'staging',
      cpus: 2,
      memoryMb: 4096,
    });
  await bench.call('allocate_port', { project: 'shop', server: 'web-1', memoryMb: 10 });
  await bench.call('allocate_port', { project: 'blog', server: 'web-2', memoryMb: 20, service: 'api' });
});
afterEach(() => bench.close());

/** The cells of the only file of a call; no cell of these tests holds a line break. */
const cells = (called: Awaited<ReturnType<CapabilityBench['call']>>): string[][] => {
  expect(called.files).toHaveLength(1);
  const lines = String(called.files[0]?.content).split('\r\n');
  expect(lines.at(-1)).toBe('');
  return lines
    .slice(0, -1)
    .map((line) => line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)?.map((cell) => cell.replace(/,$/, '')) ?? []);
};
const today = new Date().toISOString().slice(0, 10);

it('exported allocations are a table with one line for each allocation', async () => {
  const called = await bench.call('export_allocations', {});
  const [header, ...rows] = cells(called);
  expect(header?.slice(0, 5)).toEqual(['server', 'port', 'project', 'service', 'memory_mb']);
  expect(rows.map((row) => row.slice(0, 5))).toEqual([
    ['web-1', '20000', 'shop', 'web', '10'],
    ['web-2', '20000', 'blog', 'api', '20'],
  ]);
  expect(called.files[0]).toMatchObject({ name: `allocations-${today}.csv`, mimeType: 'text/csv; charset=utf-8' });
  expect(called.said).toBe(`Here is **allocations-${today}.csv** with 2 allocations.`);
});

it('an export contains only one project or one server when the request names it', async () => {
  expect(cells(await bench.call('export_allocations', { project: 'shop' }))).toHaveLength(2);
  const ofServer = await bench.call('export_allocations', { server: 'web-2' });
  expect(cells(ofServer)[1]?.[2]).toBe('blog');
  expect(ofServer.files[0]?.name).toBe(`allocations-web-2-${today}.csv`);
});

it('an export for an unknown name is an error, not an empty table', async () => {
  await expect(bench.call('export_allocations', { project: 'shopp' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(bench.call('export_allocations', { server: 'web-9' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('an exported value that looks like a formula stays text, and its quotes are kept', async () => {
  const rows = cells(await bench.call('export_projects', {}));
  const described = Object.fromEntries(rows.slice(1).map((row) => [row[0], row[4]]));
  expect(described['shop']).toBe('"Sells ""shoes"", and socks"');
  expect(described['blog']).toBe(`"'=HYPERLINK(""http://evil.example"")"`);
});

it('no spreadsheet finds a formula in an exported value, whatever separator the spreadsheet uses', async () => {
  const formulas = ['=1+1', '+1', '-1', '@SUM(1)', '＝1+1', '"=1+1', ' =1+1', "'=1+1"];
  const separators = ['', ';', '; ', '\t', '\n', '\r\n', ';"'];
  const all = separators.flatMap((separator) => formulas.map((formula) => `shoes${separator}${formula}`));
  const texts = [...all, ...formulas, '\t=1', '\r=1'];
  for (const [n, description] of texts.entries())
    await bench.pool.query(`insert into projects (name, description, owner, action_id) values ($1, $2, '1001', $1)`, [
      `p${n}`,
      description,
    ]);
  const called = await bench.call('export_projects', {});
  const text = String(called.files[0]?.content);
  expect(text).toContain('1+1');
  // As a reader that takes no quotes for such, and that takes blanks and quotes away.
  const pieces = [';', '\t'].flatMap((separator) => text.split(/[\r\n]+/).flatMap((line) => line.split(separator)));
  const cells = text.match(/("(?:[^"]|"")*"|[^,\r\n]*)(?=[,\r])/g) ?? [];
  expect([...pieces, ...cells].filter((cell) => /^[\s"]*[=+\-@＝]/u.test(cell))).toEqual([]);
});
