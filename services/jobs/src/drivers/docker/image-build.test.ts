import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { expect, test } from 'vitest';
import { readBuildEvents } from './image-build.ts';

async function* answer(...events: readonly object[]): AsyncIterable<string> {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

test('an output line that the Docker engine sends in two pieces is read as one line', async () => {
  const lines: LogLine[] = [];
  const read = await readBuildEvents(
    answer(
      { stream: 'Step 1/2\n' },
      { stream: 'the token is s3cr' },
      { stream: '\u001B[91mwarn' },
      { stream: 'et-value\nlast' },
      { stream: '\u001B[91ming\n\u001B[0m' },
      { aux: { ID: 'sha256:a' } },
    ),
    (line) => lines.push(line),
  );
  expect(read).toEqual({ imageId: 'sha256:a', error: null });
  expect(lines.map(({ stream, line }) => `${stream}: ${line}`)).toEqual([
    'out: Step 1/2',
    'out: the token is s3cret-value',
    'err: warning',
    'out: last',
  ]);
});

test("the Docker engine's notes about layers and Signalbox's own labels are left out of the build output", async () => {
  const lines: string[] = [];
  const steps = [
    'Step 1/3 : RUN make',
    ' ---> Running in 107939af38b1',
    'made',
    'Removing intermediate container 107939af38b1',
  ];
  const ours = [' ---> 65067dae221f', 'Step 2/3 : LABEL signalbox.release=1.0', 'Step 3/3 : LABEL team=shop'];
  await readBuildEvents(answer(...[...steps, ...ours].map((line) => ({ stream: `${line}\n` }))), ({ line }) =>
    lines.push(line),
  );
  expect(lines).toEqual(['Step 1/3 : RUN make', 'made', 'Step 3/3 : LABEL team=shop']);
});
