import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { allowMissing } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { createPassageStore } from '../knowledge/knowledge-passages.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';
import { splitMarkdown } from '../knowledge/passages.ts';

/** Maximum size of an indexed file: larger documents are not prose and would fill the search with noise. */
const MAX_FILE_BYTES = 1_000_000;
/** This version is part of every hash: raise it when the splitting changes, so that everything is indexed again. */
const SPLIT_VERSION = '1';

interface Document {
  readonly path: string;
  /** Source as shown by a search, with slashes on every system: `docs/policy.md`. */
  readonly source: string;
}

/** Indexes markdown files of a folder and one more file. Skips unchanged files, removes deleted ones. Safe concurrently. */
export function createKnowledgeIndexHandler(parts: {
  readonly passages: ReturnType<typeof createPassageStore>;
  readonly docsDir: string;
  readonly readmeFile: string;
}): HandlerOf<'knowledge.index'> {
  return {
    title: () => say('jobs.indexingTheDocumentation'),
    run: async (_, context) => {
      const documents = await listDocuments(parts.docsDir, parts.readmeFile, context);
      const known = await parts.passages.hashes();
      const indexed: string[] = [];
      let changed = 0;
      for (const [place, document] of documents.entries()) {
        context.signal.throwIfAborted();
        const text = await readFile(document.path, 'utf8');
        const passages = splitMarkdown(text);
        if (passages.length === 0) continue;
        indexed.push(document.source);
        const hash = createHash('sha256').update(SPLIT_VERSION).update(text).digest('hex');
        if (known.get(document.source) === hash) continue;
        await parts.passages.replace(document.source, hash, passages);
        changed += 1;
        await context.progress(place + 1, documents.length);
      }
      changed += await parts.passages.retain(indexed);
      return { files: indexed.length, passages: await parts.passages.count(), changed };
    },
    say: ({ files, passages, changed }) => say('jobs.documentationIndexed', { files, passages, changed }),
    isOwn: () => true,
    isNotable: ({ changed }) => changed > 0,
  };
}

async function listDocuments(docsDir: string, readmeFile: string, context: JobContext): Promise<readonly Document[]> {
  const found: Document[] = [];
  const entries = await allowMissing(readdir(docsDir, { recursive: true, withFileTypes: true }));
  if (entries === null) context.log.warn('there is no documentation folder', { folder: docsDir });
  for (const entry of entries ?? []) {
    if (!entry.isFile() || !entry.name.endsWith('.md')) continue;
    const path = join(entry.parentPath, entry.name);
    found.push({ path, source: join(basename(docsDir), relative(docsDir, path)).split(sep).join('/') });
  }
  found.push({ path: readmeFile, source: basename(readmeFile) });
  const kept: Document[] = [];
  for (const document of found.sort((a, b) => a.source.localeCompare(b.source))) {
    const size = (await allowMissing(stat(document.path)))?.size;
    if (size === undefined) continue;
    if (size <= MAX_FILE_BYTES) kept.push(document);
    else context.log.warn('document is too large to index', { source: document.source, sizeBytes: size });
  }
  return kept;
}
