import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { abortAfter, sleep } from '@signalbox/contracts/time';
import { pack } from 'tar-fs';
import { z } from 'zod';
import type { BuildArtifact, BuildRequest, ReleaseId } from '../driver.ts';
import { splitLines } from '../split-lines.ts';
import { allowNotFound, getStatusCode, type Engine } from './engine.ts';
import { readIgnoreFilter } from './ignore-file.ts';
import { getBuildHostName, buildImageName, buildLabels, readLabels } from './labels.ts';

const BuildEvent = z.object({
  stream: z.string().optional(),
  error: z.string().optional(),
  aux: z.object({ ID: z.string().optional() }).optional(),
});

const GENERATED = '.signalbox.Dockerfile';
/** A numeric user other than root, so the image needs no entry in /etc/passwd. */
const USER = '10001:10001';
const END_BUILD_MS = 30_000;
const POLL_MS = 100;

/** Builds an image from the Dockerfile, or from the service's build commands on the base image. Keeps an existing image. */
export async function buildImage(engine: Engine, baseImage: string, request: BuildRequest): Promise<BuildArtifact> {
  const { id, sourceDir, signal } = request;
  const ref = buildImageName(id);
  const artifact: BuildArtifact = { kind: 'image', ref };
  if (await hasImage(engine, artifact, signal)) return artifact;
  await endImageBuild(engine, id, signal);
  const dockerfile = existsSync(join(sourceDir, 'Dockerfile')) ? null : dockerfileFor(baseImage, request.file);
  const isIgnored = readIgnoreFilter(sourceDir);
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
    labels: buildLabels(id),
    rm: true,
    forcerm: true,
    extrahosts: `${getBuildHostName(id)}:127.0.0.1`,
    abortSignal: signal,
  };
  let built: Built;
  try {
    const answer = await engine.call((docker) => docker.buildImage(context, options), signal);
    built = await engine.call(() => readBuildEvents(answer, request.onLine), signal);
  } catch (error) {
    context.destroy();
    // Aborting the request ends the build step; wait until the step's containers are gone.
    if (signal.aborted) await endImageBuild(engine, id, abortAfter(END_BUILD_MS));
    signal.throwIfAborted();
    if (getStatusCode(error) !== null) throw failed(error instanceof Error ? error.message : String(error));
    throw error;
  }
  // A closed stream does not mean success: failed and interrupted builds close it alike.
  if (built.error !== null) throw failed(built.error);
  if (built.imageId === null)
    throw new AppError('TARGET_LOST', { server: engine.server, detail: 'the build ended without an image' });
  return artifact;
}

/** Removes the containers of a build's steps until none is left. */
export async function endImageBuild(engine: Engine, id: ReleaseId, signal: AbortSignal): Promise<void> {
  const mark = getBuildHostName(id);
  for (let left = await stepsOf(engine, mark, signal); left.length > 0; left = await stepsOf(engine, mark, signal)) {
    for (const step of left)
      await allowNotFound(
        engine.call((docker) => docker.getContainer(step).remove({ force: true, v: true }), signal),
      ).catch((error: unknown) => {
        if (getStatusCode(error) !== 409) throw error; // Status 409: the engine is removing the container already.
      });
    await sleep(POLL_MS, signal);
  }
}

/** True when the image exists and carries the labels of a release. */
export async function hasImage(engine: Engine, artifact: BuildArtifact, signal: AbortSignal): Promise<boolean> {
  const found = await allowNotFound(engine.call((docker) => docker.getImage(artifact.ref).inspect(), signal));
  return found !== null && readLabels(found.Config.Labels) !== null;
}

interface Built {
  readonly imageId: string | null;
  readonly error: string | null;
}

/** Engine output about layers, containers and labels, which comes from no line of a Dockerfile. */
const BOOKKEEPING =
  /^ ---> (?:[0-9a-f]{12}|Running in [0-9a-f]{12})$|^Removing intermediate container |^Step \d+\/\d+ : LABEL signalbox\./;

/** Reads a build's events to the end. Joins split output into whole lines, so that redaction finds every secret. */
export async function readBuildEvents(
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
      // The engine writes stderr in red.
      const stream = event.stream.includes('\u001B[91m') ? 'err' : 'out';
      // eslint-disable-next-line no-control-regex -- colors are control characters
      written[stream].write(Buffer.from(event.stream.replaceAll(/\u001B\[[0-9;]*m/g, '')));
    }
  }
  written.out.end();
  written.err.end();
  return { imageId, error };
}

/** Lists the containers of a build's steps: their extra hosts contain the build's mark. */
async function stepsOf(engine: Engine, mark: string, signal: AbortSignal): Promise<readonly string[]> {
  const all = await engine.call((docker) => docker.listContainers({ all: true, abortSignal: signal }), signal);
  const found: string[] = [];
  for (const { Id, Labels } of all) {
    if (readLabels(Labels) !== null) continue;
    const seen = await allowNotFound(
      engine.call((docker) => docker.getContainer(Id).inspect({ abortSignal: signal }), signal),
    );
    const hosts = seen?.HostConfig.ExtraHosts as readonly string[] | null | undefined; // The engine's API documents this type; the client types it as `any`.
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
