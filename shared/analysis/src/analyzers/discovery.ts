import { groupUnread, type UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { Analyzer, RepositoryReader } from '../analyzer.ts';
import { findVendoredFolder } from './kinds-of-files.ts';

const FOLDERS = 20;

/** Counts files and bytes by folder, links, submodules and commits. This analyzer has no rules. */
export const DISCOVERY_ANALYZER: Analyzer<null> = {
  name: 'discovery',
  version: 2,
  reach: 'commit',
  wants: () => false,
  inspect: () => null,
  async conclude(_, view) {
    const folders = new Map<string, { files: number; bytes: number }>();
    for (const { path, sizeBytes } of view.files) {
      const name = path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : '.';
      const folder = folders.get(name) ?? { files: 0, bytes: 0 };
      folders.set(name, { files: folder.files + 1, bytes: folder.bytes + sizeBytes });
    }
    const largest = [...folders].sort(([a, x], [b, y]) => y.bytes - x.bytes || (a < b ? -1 : 1)).slice(0, FOLDERS);
    return {
      found: [],
      summary: {
        commit: view.commit,
        committedAt: view.committedAt,
        files: view.files.length,
        bytes: view.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        folders: largest.map(([path, folder]) => ({ path, ...folder })),
        links: view.links.length,
        submodules: view.submodules.length,
        history: { ...(await view.history()) },
      },
      unread: [listVendored(view), groupUnread('elsewhere', view.submodules)],
    };
  },
};

function listVendored({ files }: Pick<RepositoryReader, 'files'>): UnreadFiles {
  const folders = files.flatMap(({ path }) => findVendoredFolder(path) ?? []);
  return groupUnread('vendored', [...new Set(folders)], folders.length);
}
