import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { createScriptedModels } from '../support/scripted-model.ts';
import { makeCanaries } from '@signalbox/safety/redact/secrets.fixture';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// A model that writes what it is told, word for word: what stands in the file afterwards is what was said, or there is no file.

const sandbox = await locateTestSandbox('what is written to files');
const KEYS = makeCanaries(7).slice(0, 12);

interface Wanted {
  readonly name: string;
  readonly args: Record<string, unknown>;
}
let wanted: Wanted;

const models = createScriptedModels((messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'write', capabilities: ['workspace', 'deploy', 'project_management'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const last = messages.at(-1);
  if (ToolMessage.isInstance(last)) return { content: typeof last.content === 'string' ? last.content : '' };
  if (AIMessage.isInstance(last)) return { content: 'Done.' };
  // `SAID` stands for the words of the person, as they reach the model.
  const said = messages.filter((message) => HumanMessage.isInstance(message)).at(-1)?.content;
  const args = JSON.parse(
    JSON.stringify(wanted.args).replaceAll('SAID', () => JSON.stringify(said).slice(1, -1)),
  ) as Record<string, unknown>;
  return { toolCalls: [{ name: wanted.name, args }] };
});

describe.skipIf(sandbox === null)('a file or a variable that a model writes', () => {
  let stack: Stack;
  let ada: Person;
  let home: string;
  beforeAll(async () => {
    home = join(makeTemporaryFolder('written'), 'home');
    stack = await openStack({
      jobs: true,
      env: { ...sandbox?.settings, WORKSPACE_DIR: home },
      wiring: { models: () => Promise.resolve(models) },
    });
    await stack.pool.query(
      `insert into projects (name, description, repository, status, owner, action_id) values ('shop', '', null, 'active', '1001', 'p')`,
    );
  }, 60_000);
  afterAll(() => stack.close(), 60_000);
  // Somebody new each time: nobody may speak as fast as a test does.
  let next = 1001;
  beforeEach(async () => {
    ada = await stack.person(next++, 'developer');
  });

  const say = async (text: string, call: Wanted): Promise<string> => {
    wanted = call;
    return (await ada.ask(text)).join('\n');
  };
  const written = (): readonly string[] => filesBelow(home).map((path) => readFileSync(path, 'utf8'));

  it.each(KEYS)(
    'is refused when a file would hold a $kind from the model, and the answer says so',
    async ({ text, secret }) => {
      const said = await say('write the settings', {
        name: 'write_file',
        args: { path: 'settings.txt', content: text },
      });
      expect(said).toMatch(/Nothing was changed: content holds/);
      expect(said).not.toContain(secret);
      expect(written().join('\n')).not.toMatch(/secret[\]:]/);
    },
  );

  it('is refused when a person sent a key and the model passes on the handle of this secret', async () => {
    const key = KEYS[0]?.text ?? '';
    const said = await say(`put this into .env: ${key}`, {
      name: 'write_file',
      args: { path: '.env', content: 'SAID' },
    });
    expect(said).toMatch(/Nothing was changed: content holds the handle secret:/);
    expect(written()).toEqual([]);
  });

  it('is refused when its text contains the placeholder of a hidden secret', async () => {
    const said = await say('write it back', {
      name: 'write_file',
      args: { path: 'a.yml', content: 'token: [secret]\nb: 1\n' },
    });
    expect(said).toMatch(/Nothing was changed: content holds the placeholder \[secret\]/);
    expect(written()).toEqual([]);
  });

  it.each([
    ['apply_diff', { diff: `--- /dev/null\n+++ b/k.env\n@@ -0,0 +1 @@\n+${KEYS[0]?.text ?? ''}\n` }, 'diff'],
    ['run_command', { command: `printf %s '${KEYS[0]?.text.replaceAll("'", '') ?? ''}' > k.env` }, 'command'],
    [
      'set_service_variable',
      { project: 'shop', environment: 'staging', name: 'SETTINGS', value: KEYS[0]?.text ?? '' },
      'value',
    ],
    [
      'set_service_variable',
      { project: 'shop', environment: 'staging', name: 'URL', value: 'see secret:db-password' },
      'value',
    ],
    ['create_project_intent', { name: 'blog', description: `uses ${KEYS[0]?.text ?? ''}` }, 'description'],
  ])('is refused when %s would contain a secret', async (name, args, argument) => {
    const said = await say('do it', { name, args });
    expect(said).toMatch(new RegExp(`Nothing was changed: ${argument} holds`));
    expect(written()).toEqual([]);
    const { rows } = await stack.pool.query(
      `select name from service_variables union all select name from projects where name = 'blog'
       union all select action_id from actions where status <> 'denied' and tool = $1`,
      [name],
    );
    expect(rows).toEqual([]);
  });

  it('is written unchanged when it holds no secret, and keeps a secret handle where the handle can be resolved', async () => {
    const content = 'key: value\npassword: see the vault\nsecret sauce\n';
    expect(await say('write', { name: 'write_file', args: { path: 'ok.txt', content } })).not.toContain(
      'Nothing was changed',
    );
    expect(written()).toEqual([content]);
    const args = { project: 'shop', environment: 'staging', name: 'DB_PASSWORD', value: 'secret:db-password' };
    expect(await say('set', { name: 'set_service_variable', args })).toContain('"isHandle":true');
    const { rows } = await stack.pool.query('select name, value, secret from service_variables');
    expect(rows).toEqual([{ name: 'DB_PASSWORD', value: null, secret: 'secret:db-password' }]);
  });
});

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile() && !path.includes('/.git/'));
  } catch {
    return []; // nothing was ever written
  }
}
