import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { eventually } from '../support/until.ts';
import { GROUP_OF } from '../attack/tool-groups.ts';

// What people read of code, changes, releases and addresses, under the logins that services have in production. The model calls the tool
// that a person names, and says what came of it.

describe('looks at code, changes, releases and addresses', { timeout: 300_000 }, () => {
  let demo: DemoStack;
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModelServer((messages, tools) => {
      const words = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      const [, name = '', args = '{}'] = /(\w+) (\{.*\})/.exec(words) ?? [];
      if (tools.includes('classify_intent')) {
        const capabilities = [GROUP_OF[name] ?? 'deploy'];
        return {
          toolCalls: [{ name: 'classify_intent', args: { task_summary: 'look', capabilities, project: null } }],
        };
      }
      const last = messages.at(-1);
      if (last?.role === 'tool') return { content: `It says: ${last.content}` };
      return { toolCalls: [{ name, args: JSON.parse(args) as Record<string, unknown> }] };
    });
    demo = await openDemoStack({ MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url });
    await look(demo.people.ben, 'register_demo_project');
    for (const version of ['1.0', '1.1']) {
      await look(demo.people.ben, 'trigger_deploy', { project: 'demo', version, environment: 'staging' });
      await eventually(
        async () =>
          (await demo.stack.pool.query(`select 1 from deployments where ref = $1 and state = 'succeeded'`, [version]))
            .rowCount,
        (found) => found === 1,
        90_000,
      );
    }
  }, 240_000);
  afterAll(async () => {
    await demo.close();
    await model.close();
  }, 60_000);

  /** Each look begins a conversation, which loads the group of its tool. */
  const look = async (person: Person, tool: string, args: object = {}): Promise<string> => {
    await person.ask('/new');
    return (await person.ask(`${tool} ${JSON.stringify(args)}`)).join('\n');
  };

  const textOf = (of: string, text: string): string => JSON.stringify({ outside: of, text });

  it('a developer reads and searches files at a version, and a viewer is told who can allow it', async () => {
    const { ben, eli } = demo.people;
    const file = { project: 'demo', path: 'signalbox.json', version: '1.0' };
    const read = await look(ben, 'read_repository_file', file);
    expect(read).toMatch(/"kind":"text","commit":"[0-9a-f]{40}",.*"totalLines":8,"fromLine":1,"toLine":8/);
    expect(read).toContain('"text":{"outside":"read_repository_file","text":"{\\n');
    const missing = await look(ben, 'read_repository_file', { project: 'demo', path: 'server.js' });
    expect(missing).toMatch(
      /"outside":"read_repository_file".*named server\.js\. Known: server\.mjs \(did you mean this\?\)/,
    );
    const found = await look(ben, 'search_repository', { project: 'demo', words: 'const createServer' });
    expect(found).toContain(
      `"places":${textOf('search_repository', 'server.mjs:13: const server = createServer((request, response) => {')}`,
    );
    expect(await look(eli, 'read_repository_file', file)).toContain('the role developer, which an admin can give you');
  });

  it('two versions are compared by commits, files, variables and how they ran', async () => {
    const { ben } = demo.people;
    const two = await look(ben, 'compare_releases', { project: 'demo', before: '1.0', after: 'staging' });
    expect(two).toMatch(
      /"before":\{"version":"1\.0",.*"isServing":false,.*"after":\{"version":"1\.1",.*"isServing":true/,
    );
    expect(two).toContain(textOf('compare_releases', 'Compare every request with the whole catalog (Tea Shop)'));
    expect(two).toContain('"addedTotal":1,"removed":[],"removedTotal":0,"filesChanged":6');
    expect(await look(ben, 'compare_releases', { project: 'demo' })).toContain(
      'Nothing of demo serves in production, so there is nothing to compare.',
    );
    const never = await look(ben, 'compare_releases', { project: 'demo', before: 'staging', after: '1.2' });
    expect(never).toMatch(/"after":\{"version":"1\.2","release":null,"deployment":null/);
  });

  it('an address of a service is requested through the proxy', async () => {
    const root = await look(demo.people.ben, 'probe_address', { project: 'demo' });
    expect(root).toMatch(
      /"environment":"staging",.*"status":200,.*"text":\{"outside":"probe_address","text":".*Welcome to the tea shop/,
    );
    expect(await look(demo.people.ben, 'probe_address', { project: 'demo', path: '/nothing' })).toContain(
      '"status":404',
    );
  });

  it('changes of all people are shown to everybody, without values', async () => {
    const { ben, eli } = demo.people;
    const variable = { project: 'demo', environment: 'staging', name: 'GREETING', value: 'a-quiet-value' };
    await look(ben, 'set_service_variable', variable);
    const changes = await look(eli, 'what_changed', { since: '1 hour', project: 'demo' });
    const kinds = [...changes.matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind);
    expect(kinds.slice(0, 3)).toEqual(['variable_set', 'deploy', 'deploy']);
    expect(changes).toMatch(/"name":"GREETING","by":"Ben"/);
    expect(changes).not.toContain('a-quiet-value');
    expect(await look(eli, 'what_changed', { since: 'soonish' })).toContain('Write it like 2 hours, today, yesterday');
  });
});
