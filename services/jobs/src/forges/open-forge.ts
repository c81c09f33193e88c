import { join } from 'node:path';
import type { Git } from '../git/git.ts';
import type { Repository } from '../git/repository-login.ts';
import type { Forge } from './forge.ts';
import { createNoForge } from './no-forge.ts';

/** Finds the forge of a project by its repository's address. */
export type FindForge = (project: string, repository: Repository) => Forge;

/** Folder of the deployments' data folder for branches of projects without a forge. */
const KEPT = 'changes';

/** Opens the forges. `dir`: the data folder of mirrors. */
export function createForges({ git, dir }: { readonly git: Git; readonly dir: string }): FindForge {
  return (project) => createNoForge({ git, dir: join(dir, KEPT), project });
}
