import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ToolGroup } from '@signalbox/worker/tools/tool';

const FOLDER = new URL('../../services/worker/src/capabilities/', import.meta.url);

/** Every tool of the product. */
export const GROUPS: readonly ToolGroup[] = await Promise.all(
  readdirSync(fileURLToPath(FOLDER))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(async (name) => ((await import(new URL(name, FOLDER).href)) as { default: ToolGroup }).default), // files of this folder export one
);

/** The capability group of each tool. */
export const GROUP_OF: Readonly<Record<string, string>> = Object.fromEntries(
  GROUPS.flatMap((group) => Object.keys(group.tools).map((tool) => [tool, group.name])),
);
