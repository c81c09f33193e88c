import type { RawFinding } from '@signalbox/contracts/repository/finding';
import parse, { type Info } from 'spdx-expression-parse';
import {
  MAX_LARGE_BYTES,
  type Analyzer,
  type JsonValue,
  type FileFacts,
  type RepositoryReader,
} from '../../../analyzer.ts';
import { createFinding } from '../finding.ts';
import { getFileName, getFolder } from '../packages/read-packages.ts';
import { isShipped } from '../project.ts';
import { readLicenseFacts, mayNameLicense, type LicenseFacts, type LockedLicense } from './facts.ts';
import { isLicenseFile } from './license-text.ts';

const MAX_EXPRESSION_LENGTH = 300;

/** Copyleft licenses that also bind dependents, and licenses that forbid some uses. */
const STRONG = /^(?:A?GPL|SSPL|OSL|EUPL|CC-BY-NC|CC-BY-SA|BUSL|Elastic|Commons-Clause)/i;
/** Licenses that also bind network services, and licenses that forbid some uses. */
const NETWORK = /^(?:AGPL|SSPL|BUSL|Elastic|CC-BY-NC|Commons-Clause)/i;

type ParsedExpression = { readonly isValid: true; readonly tree: Info } | { readonly isValid: false };

const REACHES = ['none', 'linked', 'network'];

/** Checks the licenses of the repository and of the dependencies in its lock files. */
export const LICENSES_ANALYZER: Analyzer<LicenseFacts> = {
  name: 'licences',
  version: 2,
  reach: 'commit',
  maxBytes: MAX_LARGE_BYTES,
  wants: ({ path }) => mayNameLicense(path) && (isLicenseFile(path) || isShipped(path)),
  inspect: readLicenseFacts,
  conclude: (noted, view) => {
    const own = readOwnLicense(noted, view);
    return {
      found: [...findOwn(own, noted), ...noted.flatMap((one) => findCopyleft(one, own))],
      summary: { own: own.ids.slice(0, 10), ...summarize(noted) },
    };
  },
};

interface OwnLicense {
  readonly ids: readonly string[];
  readonly hasFile: boolean;
  readonly isPrivate: boolean;
  readonly declared: string | null;
  readonly recognized: readonly string[];
}

function readOwnLicense(noted: readonly FileFacts<LicenseFacts>[], { files }: RepositoryReader): OwnLicense {
  const recognized = noted.flatMap(({ facts }) => (facts.kind === 'text' && facts.id !== null ? [facts.id] : []));
  const root = noted.filter(({ path }) => getFolder(path) === '');
  const manifests = root.flatMap(({ facts }) => (facts.kind === 'manifest' ? [facts] : []));
  const declared = manifests.find((one) => one.declared !== null)?.declared ?? null;
  const reading = declared === null ? null : readExpression(declared);
  return {
    ids: [...new Set([...recognized, ...(reading?.isValid === true ? listLicenseIds(reading.tree) : [])])],
    hasFile: files.some(({ path }) => isLicenseFile(path)),
    isPrivate: manifests.some(({ isPrivate }) => isPrivate),
    declared,
    recognized,
  };
}

/** Values that npm uses for a package without an open-source license. */
const OTHER_TERMS = /^(?:UNLICENSED|SEE LICEN[CS]E IN .*|proprietary|LicenseRef-.*)$/i;

function findOwn(own: OwnLicense, noted: readonly FileFacts<LicenseFacts>[]): readonly RawFinding[] {
  const found: RawFinding[] = [];
  if (!own.hasFile && own.declared === null)
    // A private package needs no license, so its finding is less severe.
    found.push(createFinding('licences/none', { path: '.', severity: own.isPrivate ? 'info' : 'low', values: {} }));
  for (const { path, facts } of noted) {
    if (facts.kind !== 'manifest' || facts.declared === null || OTHER_TERMS.test(facts.declared)) continue;
    const { declared, line } = facts;
    const reading = readExpression(declared);
    const parts = { path, line: line ?? undefined, evidence: declared };
    if (!reading.isValid) {
      found.push(
        createFinding('licences/invalid-expression', { ...parts, severity: 'info', values: { license: declared } }),
      );
    } else if (getFolder(path) === '' && own.recognized.length > 0) {
      const ids = listLicenseIds(reading.tree);
      if (!ids.some((id) => own.recognized.includes(id)))
        found.push(
          createFinding('licences/mismatch', {
            ...parts,
            severity: 'low',
            values: { license: declared, file: own.recognized.slice(0, 3).join(', ') },
          }),
        );
    }
  }
  return found;
}

/** Finds copyleft dependencies that bind this project, unless its own license is copyleft too. Skips development dependencies. */
function findCopyleft({ path, facts }: FileFacts<LicenseFacts>, own: OwnLicense): readonly RawFinding[] {
  if (facts.kind !== 'lock' || own.ids.some((id) => isCopyleft(id))) return [];
  return facts.packages
    .filter(({ isDev }) => isDev !== true)
    .flatMap((one) => {
      const reach = reachOfPackage(one);
      if (reach === 'none') return [];
      return createFinding('licences/copyleft', {
        path,
        severity: reach === 'network' ? 'high' : 'medium',
        evidence: `${one.name}@${one.version}: ${one.license}`,
        values: { name: one.name, version: one.version, license: one.license },
        identity: one.name,
      });
    });
}

function reachOfPackage({ license }: LockedLicense): 'none' | 'linked' | 'network' {
  const reading = readExpression(license);
  return reading.isValid ? findReach(reading.tree) : 'none';
}

function isCopyleft(id: string): boolean {
  const reading = readExpression(toPlainId(id));
  return reading.isValid && findReach(reading.tree) !== 'none';
}

const LICENSES_LISTED = 20;

function summarize(noted: readonly FileFacts<LicenseFacts>[]): { readonly [name: string]: JsonValue } {
  const counts = new Map<string, number>();
  const unknown: { path: string; packages: number }[] = [];
  for (const { path, facts } of noted) {
    if (facts.kind !== 'lock') continue;
    for (const { license } of facts.packages) counts.set(license, (counts.get(license) ?? 0) + 1);
    if (facts.unknown > 0) unknown.push({ path, packages: facts.unknown });
  }
  const listed = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, LICENSES_LISTED);
  return {
    files: noted.flatMap(({ path, facts }) =>
      facts.kind === 'text' ? [{ path: getFileName(path), license: facts.id }] : [],
    ),
    packages: listed.map(([license, packages]) => ({ license: license.slice(0, 60), packages })),
    unknown,
  };
}

/** Parses an SPDX expression, including npm's older `(MIT)` and Cargo's `MIT/Apache-2.0`. */
function readExpression(text: string): ParsedExpression {
  if (text.length > MAX_EXPRESSION_LENGTH) return { isValid: false };
  try {
    return { isValid: true, tree: parse(text.replaceAll(/(?<=\w)\s?\/\s?(?=\w)/g, ' OR ').trim()) };
  } catch {
    return { isValid: false };
  }
}

function listLicenseIds(tree: Info): readonly string[] {
  return 'license' in tree ? [toPlainId(tree.license)] : [...listLicenseIds(tree.left), ...listLicenseIds(tree.right)];
}

function toPlainId(id: string): string {
  return id.replace(/-(?:only|or-later)$/, '');
}

/** Returns whom a license binds: nobody, linked code, or network services too. With alternatives, the mildest counts. */
function findReach(tree: Info): 'none' | 'linked' | 'network' {
  if ('license' in tree) {
    if (tree.exception !== undefined || !STRONG.test(tree.license)) return 'none';
    return NETWORK.test(tree.license) ? 'network' : 'linked';
  }
  const [one, other] = [findReach(tree.left), findReach(tree.right)].sort(byReach);
  return (tree.conjunction === 'or' ? one : other) ?? 'none';
}
function byReach(one: string, other: string): number {
  return REACHES.indexOf(one) - REACHES.indexOf(other);
}
