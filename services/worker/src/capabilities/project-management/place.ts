import { AppError } from '@signalbox/contracts/errors';
import { buildFolderAddress, splitFolderAddress } from '@signalbox/contracts/repository-folder';
import { say } from '@signalbox/messages/say';

/** Refuses a login without a repository: throws REPOSITORY_MISSING. */
export function requireRepository(project: string, repository: string | null, login: string | undefined): void {
  if (login !== undefined && repository === null) throw new AppError('REPOSITORY_MISSING', { project });
}

type Place = Readonly<Record<'repository' | 'folder', string | undefined>> & { readonly before: string | null };

/** The repository and folder after a change: a new repository drops the old folder. Throws REPOSITORY_MISSING. */
export function findPlace(project: string, { repository, folder, before }: Place): string | undefined {
  if (folder === undefined) return repository;
  const whole = repository ?? (before === null ? null : splitFolderAddress(before).repository);
  if (whole === null) throw new AppError('REPOSITORY_MISSING', { project });
  return buildFolderAddress(whole, folder);
}

export function sayRepository(address: string | null) {
  if (address === null) return { hasRepository: false, repository: '' };
  const { repository, folder } = splitFolderAddress(address);
  return {
    hasRepository: true,
    repository: folder === null ? repository : say('repository.inFolder', { repository, folder }),
  };
}
