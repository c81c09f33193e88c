import type { AgentClass } from '@signalbox/contracts/governance/action';
import { AppError } from '@signalbox/contracts/errors';
import { redactLongText } from '@signalbox/safety/redact/long';
import { getAgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { denyPath, parsePath, requireReadable, requireWritable } from '@signalbox/safety/paths/boundary';
import { openRepository, type OpenedRepository } from '../scan/view.ts';
import type { ChainDeps, StepDocument, RunHandle } from './chain-deps.ts';

const MAX_DOCUMENT_BYTES = 5_000_000;

type Deps = Pick<ChainDeps, 'path'> & { readonly records: Pick<ChainDeps['records'], 'recordDenial'> };
type NamedStep = { readonly name: string; readonly stepClass: AgentClass };

/**
 * Reads files of the commit and stores documents, as far as the class of the step permits. Uses git objects and the database, never local
 * files. Records denied access.
 */
export class StepFiles {
  readonly #deps: Deps;
  readonly #handle: RunHandle;
  readonly #step: NamedStep;
  readonly #documents = new Map<string, StepDocument>();
  #view: Promise<OpenedRepository> | null = null;

  constructor(deps: Deps, handle: RunHandle, step: NamedStep) {
    this.#deps = deps;
    this.#handle = handle;
    this.#step = step;
  }

  get documents(): readonly StepDocument[] {
    return [...this.#documents.values()];
  }

  read(path: string): Promise<string | null> {
    return this.#guarded('read', path, async () => {
      const parts = parsePath(path);
      requireReadable(getAgentBounds(this.#step.stepClass), parts);
      const { view } = await (this.#view ??= openRepository(
        { dir: this.#handle.mirror, path: this.#deps.path, signal: this.#handle.signal },
        this.#handle,
        () => null,
      ));
      const name = parts.join('/');
      if (view.links.some((link) => isAtOrAbove(link.path, name))) denyPath(name, 'it is a link, or lies below one');
      if (view.submodules.some((module) => isAtOrAbove(module, name)))
        denyPath(name, 'it belongs to another repository');
      return view.text(name);
    });
  }

  write(path: string, text: string, mimeType: string): Promise<void> {
    return this.#guarded('write', path, async () => {
      const parts = parsePath(path);
      requireWritable(getAgentBounds(this.#step.stepClass), parts);
      const name = parts.join('/');
      if (text.length > MAX_DOCUMENT_BYTES)
        denyPath(name, `it would have ${text.length} characters; ${MAX_DOCUMENT_BYTES} are the most`);
      this.#documents.set(name, { path: name, mimeType, text: await redactLongText(text) });
    });
  }

  async close(): Promise<void> {
    await this.#view?.then(
      (view) => view.close(),
      () => undefined,
    );
  }

  async #guarded<T>(operation: 'read' | 'write', path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'PATH_DENIED') throw error;
      await this.#deps.records.recordDenial(this.#handle, this.#step, { operation, ...error.data });
      throw error;
    }
  }
}

function isAtOrAbove(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
