import { readdirSync } from 'node:fs';
import { AppError } from '@signalbox/contracts/errors';
import type { ChannelDefinition } from './channel.ts';

const FOLDER = new URL('./', import.meta.url);

/** All channels by name: each folder beside this file whose index exports one. */
export const CHANNELS: readonly ChannelDefinition[] = await Promise.all(listFolders().map(loadKind));

function listFolders(): readonly string[] {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => name)
    .filter((name) => listFiles(name).some((file) => /^index\.(ts|js)$/.test(file)));
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(new URL(`${folder}/`, FOLDER));
}

async function loadKind(folder: string): Promise<ChannelDefinition> {
  const file = listFiles(folder).find((one) => /^index\.(ts|js)$/.test(one)) ?? 'index.js';
  const loaded: unknown = await import(new URL(`${folder}/${file}`, FOLDER).href);
  const kind = (loaded as { default?: ChannelDefinition }).default; // the next line checks the shape
  if (kind?.name !== folder)
    throw new AppError('STARTUP_REFUSED', {
      reason: `channels/${folder}/${file} must export default a ChannelDefinition named ${folder}.`,
    });
  return kind;
}
