import { getFileName, isLockFile, isPackageFile, readPackages } from '../packages/read-packages.ts';
import { getField, getNestedField, indexNameLines, parseToml, toText, tryParse } from '../packages/plain.ts';
import { readLicense } from '../packages/npm/package-lock.ts';
import { isVendored } from '../../kinds-of-files.ts';
import { isLicenseFile, recognizeLicense } from './license-text.ts';

export type LockedLicense = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly isDev?: true;
};

export type LicenseFacts =
  | { readonly kind: 'text'; readonly id: string | null }
  | {
      readonly kind: 'manifest';
      readonly declared: string | null;
      readonly isPrivate: boolean;
      readonly line: number | null;
    }
  /** `unknown`: number of packages whose license is missing from the lock file. */
  | { readonly kind: 'lock'; readonly packages: readonly LockedLicense[]; readonly unknown: number };

/** Manifests that are read only for the license of the repository. */
const ALSO_DECLARES = /(?:^|\/)composer\.json$|\.gemspec$/;

export function mayNameLicense(path: string): boolean {
  return isLicenseFile(path) || isPackageFile(path) || (ALSO_DECLARES.test(path) && !isVendored(path));
}

/** Reads the license facts of one manifest, lock file or license file. */
export async function readLicenseFacts(path: string, text: string): Promise<LicenseFacts | null> {
  if (isLicenseFile(path)) return { kind: 'text', id: recognizeLicense(text) };
  const name = getFileName(path);
  if (isLockFile(path)) return name === 'go.sum' ? null : readLocked(path, text);
  const declared = await readDeclared(name, text);
  if (!declared) return null;
  const { license, isPrivate } = declared;
  const { line = null } = license === null ? {} : indexNameLines(text)('license', license);
  return { kind: 'manifest', declared: license, isPrivate, line };
}

async function readLocked(path: string, text: string): Promise<LicenseFacts | null> {
  const facts = await readPackages(path, text);
  if (facts?.role !== 'lock') return null;
  const published = facts.packages.filter(({ version }) => version !== '');
  const packages = published.flatMap(({ name, version, license, isDev }) =>
    license === undefined ? [] : [{ name, version, license, ...(isDev === true ? { isDev } : {}) }],
  );
  return { kind: 'lock', packages, unknown: published.length - packages.length };
}

interface Declared {
  readonly license: string | null;
  readonly isPrivate: boolean;
}

/** Matches `.license = 'MIT'` and `.licenses = ['MIT', 'Ruby']` in a gemspec. */
const LICENSE_OF_GEM = /\.licenses?\s{0,20}=\s{0,20}([^\n]{1,300})/;

async function readDeclared(name: string, text: string): Promise<Declared | null> {
  if (name.endsWith('.gemspec')) {
    const [, names = ''] = LICENSE_OF_GEM.exec(text) ?? [];
    const quoted = [...names.matchAll(/["']([^"'\n]{1,100})["']/g)].map(([, one]) => one);
    return { license: quoted.join(' OR ') || null, isPrivate: false };
  }
  if (name === 'package.json' || name === 'composer.json') {
    const root = tryParse(() => JSON.parse(text));
    return {
      license: readLicense(getField(root, 'license') ?? getField(root, 'licenses')),
      isPrivate: getField(root, 'private') === true,
    };
  }
  if (name !== 'Cargo.toml' && name !== 'pyproject.toml') return null;
  const root = await parseToml(text);
  const license =
    name === 'Cargo.toml'
      ? (toText(getNestedField(root, 'package', 'license')) ??
        toText(getNestedField(root, 'workspace', 'package', 'license')))
      : (toText(getNestedField(root, 'project', 'license')) ??
        toText(getNestedField(root, 'tool', 'poetry', 'license')));
  return { license, isPrivate: getNestedField(root, 'package', 'publish') === false };
}
