import { isHarmlessText } from './outside.ts';

/** The key by which a field of a result and an argument mean the same: `findingId` and `finding`. Pure. */
export function toFieldKey(field: string): string {
  return field.replace(/_?id$/i, '').replaceAll('_', '').toLowerCase();
}

/** Arguments that name a version. `before` and `after` are the sides of a comparison. */
const VERSION_ARGUMENTS: ReadonlySet<string> = new Set([
  'version',
  'to_version',
  'from_version',
  'ref',
  'before',
  'after',
]);

/** True for an argument that names a version. Pure. */
export function isVersionArgument(field: string): boolean {
  return VERSION_ARGUMENTS.has(field);
}

/** A value that the runtime made, as a later call may use it in the same field: `port=25001`. Pure. */
export function toMadeValue(field: string, value: string): string {
  return `${toFieldKey(field)}=${value}`;
}

/**
 * A version in the records of a project, as a later call about this project may use it in any argument that names a version. People and
 * tools write `v1.2` and `1.2` for the same. Pure.
 */
export function toMadeVersion(project: string, version: string): string {
  return `${project}/version=${version.replace(/^v(?=\d)/, '')}`;
}

/** A value that the runtime put into an argument of a call, as later calls may use it. Pure. */
export function toMadeArgument(args: Readonly<Record<string, unknown>>, name: string, value: string): string {
  const { project } = args;
  return isVersionArgument(name) && typeof project === 'string'
    ? toMadeVersion(project, value)
    : toMadeValue(name, value);
}

/** The value in what one of the functions above wrote. Pure. */
export function readMadeValue(made: string): string {
  return made.slice(made.indexOf('=') + 1);
}

/**
 * Lists what a text of our own records says as a version of a project: itself in the form of a version, and of a release, which is named
 * by its version and commit, also the version. Pure.
 */
export function listMadeVersions(project: string, text: string): readonly string[] {
  if (text === '' || !isHarmlessText(text)) return [];
  const [, version] = /^(.+)-[0-9a-f]{7}$/.exec(text) ?? [];
  return (version === undefined ? [text] : [text, version]).map((one) => toMadeVersion(project, one));
}
