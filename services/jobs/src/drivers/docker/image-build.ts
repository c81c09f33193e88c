import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { abortAfter, sleep } from '@signalbox/contracts/time';
import { pack } from 'tar-fs';
import { z } from 'zod';
import type { Artifact, BuildRequest, ReleaseId } from '../driver.ts';
import { splitLines } from '../lines.ts';
import { allowNotFound, statusOf, type Engine } from './engine.ts';
import { readIgnored } from './ignore-file.ts';
import { buildMarkOf, getImageName, labelsOf, readLabels } from './labels.ts';

const BuildEvent = z.object({
  stream: z.string().optional(),
  error: z.string().optional(),
  aux: z.object({ ID: z.string().optional() }).optional(),
});

const GENERATED = '.signalbox.Dockerfile';
/** A non-root user id, so the image needs no entry in /etc/passwd. */
const USER = '10001:10001';
const END_BUILD_MS = 30_000;
const LOOK_MS = 100;

/** Builds an image from the checkout's Dockerfile, or from its commands on the base image. An existing image is not rebuilt. */
export async function buildImage(engine: Engine, baseImage: string, request: BuildRequest): Promise<Artifact> {
  const { id, sourceDir, signal } = request;
  const ref = getImageName(id);
  const artifact: Artifact = { kind: 'image', ref };
  if (await hasImage(engine, artifact, signal)) return artifact;
  await endImageBuild(engine, id, signal);
  const dockerfile = existsSync(join(sourceDir, 'Dockerfile')) ? null : dockerfileFor(baseImage, request.file);
  const isIgnored = readIgnored(sourceDir);
  const archive = pack(sourceDir, {
    ...(isIgnored ? { ignore: isIgnored } : {}),
    finalize: false,
    finish: (end) => {
      if (dockerfile !== null) end.entry({ name: GENERATED }, dockerfile);
      end.finalize();
    },
  });
  const context = Readable.from(archive);
  const options = {
    t: ref,
    dockerfile: dockerfile === null ? 'Dockerfile' : GENERATED,
    labels: labelsOf(id),
    rm: true,
    forcerm: true,
    extrahosts: `${buildMarkOf(id)}:127.0.0.1`,
    abortSignal: signal,
  };
  let built: Built;
  try {
    const answer = await engine.call((docker) => docker.buildImage(context, options), signal);
    built = await engine.call(() => readBuild(answer, request.onLine), signal);
  } catch (error) {
    context.destroy();
    // The engine ends the step when its connection is cut; wait until the step's containers are gone.
    if (signal.aborted) await endImageBuild(engine, id, abortAfter(END_BUILD_MS));
    signal.throwIfAborted();
    if (statusOf(error) !== null) throw failed(error instanceof Error ? error.message : String(error));
    throw error;
  }
  // The end of the stream does not mean success: failed and interrupted builds end alike.
  if (built.error !== null) throw failed(built.error);
  if (built.imageId === null)
    throw new AppError('TARGET_LOST', { server: engine.server, detail: 'the build ended without an image' });
  return artifact;
}

/** Removes the step containers of a build until none is left. */
export async function endImageBuild(engine: Engine, id: ReleaseId, signal: AbortSignal): Promise<void> {
  const mark = buildMarkOf(id);
  for (let left = await stepsOf(engine, mark, signal); left.length > 0; left = await stepsOf(engine, mark, signal)) {
    for (const step of left)
      await allowNotFound(
        engine.call((docker) => docker.getContainer(step).remove({ force: true, v: true }), signal),
      ).catch((error: unknown) => {
        if (statusOf(error) !== 409) throw error; // it is being removed already
      });
    await sleep(LOOK_MS, signal);
  }
}

/** True when an image of Signalbox has that name. */
export async function hasImage(engine: Engine, artifact: Artifact, signal: AbortSignal): Promise<boolean> {
  const found = await allowNotFound(engine.call((docker) => docker.getImage(artifact.ref).inspect(), signal));
  return found !== null && readLabels(found.Config.Labels) !== null;
}

interface Built {
  readonly imageId: string | null;
  readonly error: string | null;
}

/** Engine output about layers, containers and our labels; nothing from a Dockerfile. */
const BOOKKEEPING =
  /^ ---> (?:[0-9a-f]{12}|Running in [0-9a-f]{12})$|^Removing intermediate container |^Step \d+\/\d+ : LABEL signalbox\./;

/** Reads the events of a build to the end. Joins output that the engine cut into whole lines, so that secrets are found. */
export async function readBuild(
  answer: AsyncIterable<string | Uint8Array>,
  onLine: (line: LogLine) => void,
): Promise<Built> {
  let rest = '';
  let imageId: string | null = null;
  let error: string | null = null;
  const decoder = new TextDecoder();
  const give = (line: LogLine): void => {
    if (line.line.trim() !== '' && !BOOKKEEPING.test(line.line)) onLine(line);
  };
  const written = { out: splitLines('out', give), err: splitLines('err', give) };
  for await (const bytes of answer) {
    const lines = (rest + (typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true }))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((text) => text.trim() !== '')) {
      const event = BuildEvent.parse(JSON.parse(line));
      imageId = event.aux?.ID ?? imageId;
      error = event.error ?? error;
      if (event.stream === undefined) continue;
      // The engine colors stderr.
      const stream = event.stream.includes('\u001B[91m') ? 'err' : 'out';
      // eslint-disable-next-line no-control-regex -- colors are control characters
      written[stream].write(Buffer.from(event.stream.replaceAll(/\u001B\[[0-9;]*m/g, '')));
    }
  }
  written.out.end();
  written.err.end();
  return { imageId, error };
}

/** Lists the step containers of a build, by its mark among their hosts. */
async function stepsOf(engine: Engine, mark: string, signal: AbortSignal): Promise<readonly string[]> {
  const all = await engine.call((docker) => docker.listContainers({ all: true, abortSignal: signal }), signal);
  const found: string[] = [];
  for (const { Id, Labels } of all) {
    if (readLabels(Labels) !== null) continue;
    const seen = await allowNotFound(
      engine.call((docker) => docker.getContainer(Id).inspect({ abortSignal: signal }), signal),
    );
    const hosts = seen?.HostConfig.ExtraHosts as readonly string[] | null | undefined; // the engine's API says so; its types say any
    if (hosts?.some((host) => host.startsWith(`${mark}:`))) found.push(Id);
  }
  return found;
}

function dockerfileFor(baseImage: string, { build, start }: BuildRequest['file']): string {
  if (!start)
    throw new AppError('START_MISSING', {
      problem: 'there is neither a Dockerfile nor a start command in signalbox.json',
    });
  return [
    `FROM ${baseImage}`,
    'WORKDIR /app',
    'COPY . .',
    ...build.map((argv) => `RUN ${JSON.stringify(argv)}`),
    `USER ${USER}`,
    `CMD ${JSON.stringify(start)}`,
    '',
  ].join('\n');
}

function failed(detail: string): AppError {
  return new AppError('BUILD_FAILED', {
    command: 'docker build',
    outcome: `ended: ${detail.replace(/\.$/, '').slice(0, 500)}`,
  });
}
