import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { parseWithUnbash } from '@signalbox/safety/shell/parsers';
import { PROGRAMS } from '@signalbox/safety/shell/programs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspaceBench, type WorkspaceBench } from '../integration/jobs/workspace-bench.ts';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import { createSandboxRecorder, type Recorded, type SandboxRecorder } from '../support/sandbox-recorder.ts';
import { listSafeCommands, quoteWord, runsUnasked } from '../support/shell-commands.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// The product's own sandbox, in which every program is one that tells how it was started: what is really executed is held
// against what the list has promised.

const found = await locateTestSandbox('what really runs in the sandbox');

const everyday = readFileSync(new URL('../fixtures/shell/everyday.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as { command: string }).command); // written for this test

/** So many made-up commands of each program of the list, and a third as many pipelines. */
const EACH = 1;
/** Some hundred sandboxes, one after another. */
const MANY_SANDBOXES_MS = 400_000;

type Pipeline = readonly (readonly string[])[];

const toRecorder = (folder: string): SandboxRecorder =>
  createSandboxRecorder(makeTemporaryFolder(folder), found?.settings ?? {}, Object.keys(PROGRAMS));

/** Everything that was executed for this command and was not promised, as sentences. None: exactly what was promised has run. */
function judge(command: string, { programs, begun }: Recorded): readonly string[] {
  const promised = classifyCommand(command).pipeline ?? [];
  const problems: string[] = [];
  if (!isSame(programs, promised)) problems.push(`executed ${JSON.stringify(programs)}`);
  // The sandboxes of a pipeline begin in any order.
  if (!isSame(inOrder(begun), inOrder(promised))) problems.push(`sandboxes began [${inOrder(begun).join()}]`);
  const written = parseWithUnbash(command) ?? [];
  for (const [place, argv] of programs.entries()) {
    // find and xargs are looked at together.
    const from = written[place]?.[0] === 'xargs' ? place - 1 : place;
    const to = written[place + 1]?.[0] === 'xargs' ? place + 1 : place;
    const alone = (written[place] ? written.slice(from, to + 1) : [argv])
      .map(([name = '', ...words]) => [name, ...words.map((word) => quoteWord(word, 'single'))].join(' '))
      .join(' | ');
    const { pipeline } = classifyCommand(alone);
    if (!isSame(pipeline?.[place - (written[place] ? from : place)], argv))
      problems.push(`not on the list: ${JSON.stringify(argv)}`);
  }
  return problems;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const inOrder = (pipeline: Pipeline): readonly string[] => pipeline.map((argv) => JSON.stringify(argv)).toSorted();

describe.skipIf(found === null)('a command that runs without an approval', () => {
  let recorder: SandboxRecorder;
  let bench: WorkspaceBench;
  beforeAll(async () => {
    recorder = toRecorder('recorder');
    bench = await openWorkspaceBench(recorder.settings);
    recorder.take(); // the sandbox has tried itself out
  });
  afterAll(async () => {
    await bench.close();
    recorder.close();
  });

  const run = (command: { kind: 'argv'; pipeline: string[][] } | { kind: 'shell'; script: string }) =>
    bench.ask('workspace.run', { command, cwd: '.', deadlineMs: 20_000 });
  const copy = (pipeline: Pipeline): string[][] => pipeline.map((argv) => [...argv]);

  it(
    'executes in the sandbox exactly the programs and arguments of its classification',
    async () => {
      const commands = [...everyday.filter(runsUnasked), ...listSafeCommands(EACH)];
      const executed = new Set<string>();
      for (const command of commands) {
        const pipeline = classifyCommand(command).pipeline ?? [];
        const answer = await run({ kind: 'argv', pipeline: copy(pipeline) });
        const recorded = recorder.take();
        expect({ command, problems: judge(command, recorded) }).toEqual({ command, problems: [] });
        // Each adds a line to what it was piped: they are joined, and in this order.
        const output = pipeline.map(([name, ...words]) => `${name} ${words.length}\n`).join('');
        expect({ command, ...answer }).toMatchObject({ command, result: { exitCode: 0, output, killed: null } });
        for (const [name = ''] of recorded.programs) executed.add(name);
      }
      expect(commands.length).toBeGreaterThan(120);
      expect([...executed].toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
    },
    MANY_SANDBOXES_MS,
  );

  it('would be reported if it executed a shell, other arguments or other programs', async () => {
    const command = "echo '$(id)' | wc -l";
    const executed = async (...pipeline: string[][]): Promise<readonly string[]> => {
      await run({ kind: 'argv', pipeline });
      return judge(command, recorder.take());
    };
    const [echo, wc] = [['echo', '$(id)'], ['wc', '-l']]; // prettier-ignore
    expect(await executed(echo, wc)).toEqual([]);
    const shell = JSON.stringify(['sh', '-c', command]);
    expect(await executed(['sh', '-c', command])).toEqual([
      `executed [${shell}]`,
      `sandboxes began [${shell}]`,
      `not on the list: ${shell}`,
    ]);
    expect(await executed(echo, [...wc, '--files0-from=x'])).toContain(
      'not on the list: ["wc","-l","--files0-from=x"]',
    );
    expect(await executed(wc, echo)).toContain('executed [["wc","-l"],["echo","$(id)"]]');
    expect(await executed(echo)).toContain('executed [["echo","$(id)"]]');
    expect(await executed(echo, wc, ['cat'])).toContain('executed [["echo","$(id)"],["wc","-l"],["cat"]]');
    expect(await executed(['no-such-program'], wc)).toContain('sandboxes began [["no-such-program"],["wc","-l"]]');
    await run({ kind: 'shell', script: command });
    expect(judge(command, recorder.take())).toContain(`not on the list: ${shell}`);
  });
});

/** The shipped policies, without the one that lets commands of one's own conversation run unasked. */
function policiesThatAsk(): string {
  const folder = makeTemporaryFolder('policy');
  cpSync(POLICY_FOLDER, folder, { recursive: true });
  for (const name of ['sandbox.cedar', 'examples/sandbox.json']) rmSync(join(folder, name));
  return folder;
}

describe.skipIf(found === null)('in a conversation, with policies that ask about commands', () => {
  let recorder: SandboxRecorder;
  let stack: Stack;
  beforeAll(async () => {
    recorder = toRecorder('recorder-of-stack');
    const folders = { WORKSPACE_DIR: makeTemporaryFolder('workspaces'), POLICY_DIR: policiesThatAsk() };
    const env = { ...recorder.settings, ...folders };
    stack = await openStack({ jobs: true, env });
    recorder.take();
  });
  afterAll(async () => {
    await stack.close();
    recorder.close();
  });

  const SAFE = ['ls -la', 'tail -n 100 app.log | grep -i warn', "grep -n 'a;b' notes.md", 'git log --oneline -n 20'];
  const OTHERS = [
    'ls > out',
    'echo $(id)',
    'echo $HOME',
    'sh -c id',
    'find . -exec id {} +',
    'cat .env',
    '/usr/bin/ls',
    'ls | xargs rm',
  ];

  it('a reading command is executed exactly as classified, and a command that needs an approval is not executed', async () => {
    const [ada, cleo] = [await stack.person(1001, 'developer'), await stack.person(1003, 'operator')];
    await cleo.ask('list the files'); // whoever never wrote cannot be asked
    for (const command of SAFE) {
      expect((await ada.ask(`run ${command}`)).at(-1)).toContain('finished (exit 0)');
      expect({ command, problems: judge(command, recorder.take()) }).toEqual({ command, problems: [] });
    }
    for (const command of OTHERS) {
      const answer = (await ada.ask(`run ${command}`)).join('\n');
      expect(answer).toContain(`Run “${command}” in the workspace`);
      expect(answer).toContain('That needs approval');
    }
    expect((await ada.ask('run rm -rf /')).join('\n')).toContain('Nothing was changed'); // nobody is even asked
    expect(recorder.take()).toEqual({ programs: [], begun: [] });
    // The same way has a recorder at its end: the last one, once it is approved.
    await cleo.click('Approve');
    await ada.waitFor(/ls \| xargs rm finished \(exit 0\)/);
    expect(recorder.take().programs).toEqual([['sh', '-c', 'ls | xargs rm']]);
  });
});
