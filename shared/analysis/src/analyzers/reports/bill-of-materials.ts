import { z } from 'zod';
import type { Severity } from '@signalbox/contracts/repository/finding';
import type { Ecosystem, PackageVersion } from '../../advisory-source.ts';
import { normalizeName } from '../dependencies/packages/python/requirement.ts';
import { toEvidence, toSafeName } from '../evidence.ts';
import { toSeverity, type ReportedProblem } from './sarif.ts';

export interface BillOfMaterials {
  readonly tools: readonly string[];
  readonly problems: readonly ReportedProblem[];
  readonly packages: readonly PackageVersion[];
}

const MAX_DEPTH = 20;
const Component = z.object({
  'bom-ref': z.string().optional(),
  name: z.string().default(''),
  version: z.string().default(''),
  purl: z.string().optional(),
  components: z.array(z.unknown()).default([]),
});
const Vulnerability = z.object({
  id: z.string(),
  description: z.string().default(''),
  ratings: z.array(z.object({ severity: z.string().optional(), score: z.number().optional() })).default([]),
  affects: z.array(z.object({ ref: z.string() })).default([]),
  analysis: z.object({ state: z.string().default('') }).default({ state: '' }),
});
const CycloneDx = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.unknown().optional() }).optional(),
  components: z.array(z.unknown()).default([]),
  vulnerabilities: z.array(z.unknown()).default([]),
});
/** States of an analysis in which the product is not affected. */
const HARMLESS = new Set(['not_affected', 'false_positive', 'resolved', 'resolved_with_pedigree']);

/** Reads the packages of a CycloneDX bill, and the vulnerabilities that affect them. Null for another format. */
export function readCycloneDx(root: unknown): BillOfMaterials | null {
  const bill = CycloneDx.safeParse(root);
  if (!bill.success) return null;
  const { components, vulnerabilities, metadata } = bill.data;
  const all = listComponents([metadata?.component, ...components]);
  const byRef = new Map(all.map((one) => [one['bom-ref'] ?? '', one]));
  const problems = vulnerabilities.flatMap((one): readonly ReportedProblem[] => {
    const read = Vulnerability.safeParse(one);
    if (!read.success || HARMLESS.has(read.data.analysis.state)) return [];
    const { id, description, ratings, affects } = read.data;
    const affected = affects.length > 0 ? affects.map(({ ref }) => ref) : [''];
    return affected.map((ref) => {
      // A reference to another bill ends with the reference in it.
      const component = byRef.get(ref) ?? byRef.get(decodeURIComponentOr(ref.split('#').at(-1) ?? ''));
      const name = toSafeName(component?.name ?? ref.split('#').at(-1) ?? ref);
      return {
        rule: 'weakness',
        severity: rate(ratings),
        path: null,
        line: null,
        evidence: toEvidence(description),
        values: { name, version: toSafeName(component?.version ?? ''), id: toSafeName(id) },
        identity: `${name} ${id}`.slice(0, 1_000),
      };
    });
  });
  return { tools: ['CycloneDX'], problems, packages: all.flatMap(({ purl }) => readPackageUrl(purl ?? '') ?? []) };
}

function listComponents(given: readonly unknown[], depth = 0): readonly z.infer<typeof Component>[] {
  return given.flatMap((one) => {
    const read = Component.safeParse(one);
    if (!read.success || depth > MAX_DEPTH) return [];
    return [read.data, ...listComponents(read.data.components, depth + 1)];
  });
}

function rate(ratings: z.infer<typeof Vulnerability>['ratings']): Severity {
  const scores = ratings.flatMap(({ score }) => score ?? []);
  if (scores.length > 0) return toSeverity(Math.max(...scores));
  const words = ratings.flatMap(({ severity }) => severity ?? []);
  return (['critical', 'high', 'medium', 'low', 'info'] as const).find((word) => words.includes(word)) ?? 'medium';
}

const Spdx = z.object({
  spdxVersion: z.string().startsWith('SPDX-2'),
  packages: z
    .array(
      z.object({
        externalRefs: z.array(z.object({ referenceType: z.string(), referenceLocator: z.string() })).default([]),
      }),
    )
    .default([]),
});
const Spdx3 = z.object({ '@graph': z.array(z.unknown()) });
const Spdx3Package = z.object({
  software_packageUrl: z.string().optional(),
  externalIdentifier: z.array(z.object({ externalIdentifierType: z.string(), identifier: z.string() })).default([]),
});

/** Reads the packages of an SPDX bill of version 2 or 3. Null for another format. */
export function readSpdx(root: unknown): BillOfMaterials | null {
  const two = Spdx.safeParse(root);
  const three = Spdx3.safeParse(root);
  const urls = two.success
    ? two.data.packages.flatMap(({ externalRefs }) =>
        externalRefs.filter(({ referenceType }) => referenceType === 'purl').map((one) => one.referenceLocator),
      )
    : (three.data?.['@graph'] ?? []).flatMap((one) => {
        const { data } = Spdx3Package.safeParse(one);
        const others =
          data?.externalIdentifier.filter((id) => /purl|packageUrl/i.test(id.externalIdentifierType)) ?? [];
        return [...(data?.software_packageUrl ? [data.software_packageUrl] : []), ...others.map((id) => id.identifier)];
      });
  if (!two.success && !three.success) return null;
  return { tools: ['SPDX'], problems: [], packages: urls.flatMap((url) => readPackageUrl(url) ?? []) };
}

const ECOSYSTEM_OF_TYPE: Readonly<Record<string, Ecosystem>> = {
  npm: 'npm',
  pypi: 'PyPI',
  golang: 'Go',
  cargo: 'crates.io',
  gem: 'RubyGems',
  composer: 'Packagist',
  maven: 'Maven',
  nuget: 'NuGet',
};

/** Reads a package URL such as `pkg:npm/%40acme/cups@1.2.0?a=b`; null for other ecosystems and without a version. */
function readPackageUrl(url: string): PackageVersion | null {
  const [, type = '', path = '', version = ''] =
    /^pkg:\/{0,2}([a-z]+)\/([^@?#]+)@([^?#]+)/.exec(url.slice(0, 1_000)) ?? [];
  const ecosystem = Object.hasOwn(ECOSYSTEM_OF_TYPE, type) ? ECOSYSTEM_OF_TYPE[type] : undefined;
  if (ecosystem === undefined) return null;
  const parts = path.split('/').map(decodeURIComponentOr);
  const name = ecosystem === 'Maven' ? parts.join(':') : parts.join('/');
  const plain = decodeURIComponentOr(version);
  return {
    ecosystem,
    name: ecosystem === 'PyPI' ? normalizeName(name) : name,
    version: ecosystem === 'Go' || ecosystem === 'Packagist' ? plain.replace(/^v(?=\d)/, '') : plain,
  };
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
