import { describe, expect, it } from 'vitest';
import { ADVISORIES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/advisories/advisories';
import { REPORTS_ANALYZER } from '@signalbox/analysis/analyzers/reports/reports';
import type { PackageVersion } from '@signalbox/analysis/advisory-source';
import { analyze } from '../../support/analyze.ts';

/** A result as CodeQL and Semgrep write it; the fields are those of SARIF 2.1.0 (OASIS). */
const result = (more: object = {}): object => ({
  ruleId: 'js/sql-injection',
  ruleIndex: 0,
  message: { text: 'This query depends on a user-provided value.' },
  locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region: { startLine: 7 } } }],
  partialFingerprints: { primaryLocationLineHash: '39fa2ee980eb94b0:1' },
  ...more,
});
const sarif = (results: readonly object[], name = 'CodeQL'): string =>
  JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name, rules: [{ id: 'js/sql-injection', properties: { 'security-severity': '8.8' } }] } },
        artifacts: [{ location: { uri: 'src/listed.js' } }],
        results,
      },
    ],
  });
const look = async (texts: Readonly<Record<string, string>>) => analyze(REPORTS_ANALYZER, texts);

describe('a SARIF report of another tool', () => {
  it('becomes findings with tool, rule, place and severity', async () => {
    const { found, unread } = await look({ 'ci/codeql.sarif': sarif([result()]) });
    expect(found).toMatchObject([
      {
        rule: 'reports/problem',
        severity: 'high',
        path: 'src/a.js',
        line: 7,
        values: { tool: 'CodeQL', name: 'js/sql-injection' },
        evidence: 'This query depends on a user-provided value.',
      },
    ]);
    expect(unread?.filter(({ files }) => files > 0)).toEqual([]);
  });

  it('that is imported a second time, with moved lines, is no double', async () => {
    const moved = result({
      locations: [{ physicalLocation: { artifactLocation: { uri: './src/a.js' }, region: { startLine: 90 } } }],
    });
    const { found } = await look({ 'a.sarif': sarif([result()]), 'b.sarif.json': sarif([moved]) });
    expect(found).toHaveLength(1);
    const [before, after] = await Promise.all([
      look({ 'a.sarif': sarif([result()]) }),
      look({ 'a.sarif': sarif([moved]) }),
    ]);
    expect(after.found[0]?.identity).toBe(before.found[0]?.identity);
  });

  it('leaves out what is suppressed, passed or fixed, and what Signalbox itself exported', async () => {
    const closed = [{ suppressions: [{ kind: 'inSource' }] }, { kind: 'pass' }, { baselineState: 'absent' }].map(
      result,
    );
    expect((await look({ 'a.sarif': sarif(closed) })).found).toEqual([]);
    expect((await look({ 'a.sarif': sarif([result()], 'Signalbox') })).found).toEqual([]);
    expect(
      (await look({ 'a.sarif': sarif([result({ suppressions: [{ kind: 'external', status: 'rejected' }] })]) })).found,
    ).toHaveLength(1);
  });

  it('never leads a finding out of the repository', async () => {
    const at = (uri: string): object =>
      result({ locations: [{ physicalLocation: { artifactLocation: { uri } } }], message: { text: uri } });
    const uris = [
      '../../etc/passwd',
      '/etc/passwd',
      'https://a.dev/x',
      'file:///github/workspace/src/b.js',
      'src/%C3%BC.js',
    ];
    const { found } = await look({
      'a.sarif': sarif([
        ...uris.map(at),
        result({ locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }] }),
      ]),
    });
    expect(found.map(({ path }) => path)).toEqual(['a.sarif', 'src/b.js', 'src/ü.js', 'src/listed.js']);
  });

  it('that is missing or cannot be read is said', async () => {
    expect((await look({ 'src/a.js': '' })).unread).toContainEqual({ why: 'not-covered', files: 1, paths: [] });
    const { unread } = await look({ 'a.sarif': '{"version":' });
    expect(unread).toMatchObject([{ why: 'broken-report', paths: ['a.sarif'] }, { why: 'not-covered' }]);
  });
});

describe('a bill of materials', () => {
  const CYCLONEDX = JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    components: [
      { type: 'library', 'bom-ref': 'a', name: 'lodash', version: '4.17.4', purl: 'pkg:npm/lodash@4.17.4' },
      {
        type: 'library',
        name: '@acme/b',
        version: '1.0.0',
        purl: 'pkg:npm/%40acme/b@1.0.0',
        components: [
          { name: 'core', version: '2.14.1', purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1?type=jar' },
        ],
      },
    ],
    vulnerabilities: [
      {
        id: 'CVE-2019-10744',
        description: 'Prototype pollution',
        ratings: [{ severity: 'critical', score: 9.1 }],
        affects: [{ ref: 'a' }],
      },
      { id: 'CVE-2020-0001', affects: [{ ref: 'a' }], analysis: { state: 'not_affected' } },
    ],
  });
  const SPDX = JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    packages: [
      {
        name: 'rack',
        externalRefs: [
          { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:gem/rack@1.6.0' },
        ],
      },
    ],
  });

  it('of CycloneDX reports the vulnerabilities that affect the product', async () => {
    const { found } = await look({ 'bom.json': CYCLONEDX, 'sub/sbom.cdx.json': CYCLONEDX });
    expect(found).toMatchObject([
      {
        rule: 'reports/weakness',
        path: 'bom.json',
        severity: 'critical',
        values: { name: 'lodash', version: '4.17.4', id: 'CVE-2019-10744' },
      },
      { path: 'sub/sbom.cdx.json' },
    ]);
  });

  it('names packages for which vulnerabilities are looked up, unless a lock file names them', async () => {
    const asked: PackageVersion[] = [];
    const find = (packages: readonly PackageVersion[]) => {
      asked.push(...packages);
      return Promise.resolve({ outcome: 'answered', hits: [] } as const);
    };
    const texts = { 'bom.json': CYCLONEDX, 'dist.spdx.json': SPDX, 'requirements.txt': 'jinja2==2.11.0\n' };
    await analyze(ADVISORIES_ANALYZER, texts, { advisories: { describe: () => 'test', find } });
    expect(asked.map(({ ecosystem, name }) => `${ecosystem} ${name}`)).toEqual([
      'PyPI jinja2',
      'npm lodash',
      'npm @acme/b',
      'Maven org.apache.logging.log4j:log4j-core',
      'RubyGems rack',
    ]);
  });
});
