import type { AgentClass } from '@signalbox/contracts/governance/action';
import { AppError } from '@signalbox/contracts/errors';
import { redactLongText } from '@signalbox/safety/redact/long';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Pool } from '@signalbox/store/pool';
import { boundsOf } from '@signalbox/contracts/governance/agent-bounds';
import { deny, parsePath, requireReadable, requireWritable } from '../workspace/boundary.ts';
import { openView, type OpenedView } from './scan/view.ts';
import type { RunHandle } from './run-parts.ts';

/** A document that an agent leaves with its run. */
export interface Document {
  readonly path: string;
  readonly mimeType: string;
  readonly text: string;
}

const MAX_DOCUMENT_BYTES = 5_000_000;

/**
 * The files that an agent reads and writes, within the bounds of its class. It reads what the commit has, by git's objects; what it
 * writes are rows of the database. So no name leads to a file of this machine, and links, mounts and other names of a file lead nowhere.
 * Whatever is refused is recorded.
 */
export class AgentFiles {
  readonly #pool: Pool;
  readonly #run: RunHandle;
  readonly #agent: string;
  readonly #agentClass: AgentClass;
  readonly #path: string;
  readonly #documents = new Map<string, Document>();
  #view: Promise<OpenedView> | null = null;

  constructor(
    { pool, path }: { readonly pool: Pool; readonly path: string },
    run: RunHandle,
    agent: { readonly name: string; readonly agentClass: AgentClass },
  ) {
    this.#pool = pool;
    this.#path = path;
    this.#run = run;
    this.#agent = agent.name;
    this.#agentClass = agent.agentClass;
  }

  get documents(): readonly Document[] {
    return [...this.#documents.values()];
  }

  /** Throws PATH_DENIED. */
  read(path: string): Promise<string | null> {
    return this.#guarded('read', path, async () => {
      const parts = parsePath(path);
      requireReadable(boundsOf(this.#agentClass), parts);
      const { view } = await (this.#view ??= openView(
        { dir: this.#run.mirror, path: this.#path, signal: this.#run.signal },
        this.#run,
        () => null,
      ));
      const name = parts.join('/');
      if (view.links.some((link) => isAtOrAbove(link.path, name))) deny(name, 'it is a link, or lies below one');
      if (view.submodules.some((module) => isAtOrAbove(module, name))) deny(name, 'it belongs to another repository');
      return view.text(name);
    });
  }

  /** Throws PATH_DENIED. */
  write(path: string, text: string, mimeType: string): Promise<void> {
    return this.#guarded('write', path, async () => {
      const parts = parsePath(path);
      requireWritable(boundsOf(this.#agentClass), parts);
      const name = parts.join('/');
      if (text.length > MAX_DOCUMENT_BYTES)
        deny(name, `it would have ${text.length} characters; ${MAX_DOCUMENT_BYTES} are the most`);
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
      const { run, threadId } = this.#run;
      const data = { run: run.runId, project: run.project, agentClass: this.#agentClass, operation, ...error.data };
      await appendAudit(this.#pool, [{ kind: 'file.denied', actor: `agent:${this.#agent}`, threadId, data }]);
      throw error;
    }
  }
}

function isAtOrAbove(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
